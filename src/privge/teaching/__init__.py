"""Teach, then ask: some people's reports fit a question, the others answer it; each person reports once."""

from privge.teaching.answers import answers_of
from privge.teaching.asked import AskedQuestion
from privge.teaching.judged import Judged, judged
from privge.teaching.outcome import Outcome, Row
from privge.teaching.plan import Plan
from privge.teaching.prior import public_prior
from privge.teaching.question import TaughtQuestion, Teaching
from privge.teaching.roles import Roles
from privge.teaching.teach import teach, teach_by_panel
from privge.teaching.two_step import Design, Null, two_step

__all__ = [
    "AskedQuestion",
    "Design",
    "Judged",
    "Null",
    "Outcome",
    "Plan",
    "Roles",
    "Row",
    "TaughtQuestion",
    "Teaching",
    "answers_of",
    "judged",
    "public_prior",
    "teach",
    "teach_by_panel",
    "two_step",
]
