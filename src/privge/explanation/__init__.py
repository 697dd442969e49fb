"""A campaign for the person who is asked, and for whoever assesses it: odds, reports, consent, in plain words."""

from privge.explanation.assessment import assessment
from privge.explanation.explanation import LENGTHS, Explanation, consent, explain
from privge.explanation.odds import Odds, odds
from privge.explanation.page import write_page
from privge.explanation.strings import english, load_strings

__all__ = [
    "LENGTHS",
    "Explanation",
    "Odds",
    "assessment",
    "consent",
    "english",
    "explain",
    "load_strings",
    "odds",
    "write_page",
]
