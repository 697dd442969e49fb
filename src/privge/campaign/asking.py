"""What a campaign of questions asks: its questions with their laws, and what they cost together.

*Privacy.* Each question is answered through a law of its own. A person answers k of the questions, which do not depend
on the data, so a report is k independent draws, and two inputs differ by at most the product of the worst ratios of
these k. No k of the questions have a larger product than the k with the worst ratios: that one is compared with
exp(epsilon). A question with several laws, one for each number of classes, counts with the worst of them.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from privge._typing import Floats
from privge.campaign.assignment import Assignment
from privge.campaign.field import Kind
from privge.errors import BadData, InvalidCampaign
from privge.mechanisms.exponential import logs_above
from privge.questions import Direction, Model, Question, document_of, question_of
from privge.questions.question import Asked

if TYPE_CHECKING:
    from privge.campaign.campaign import Campaign

MAX_QUESTIONS = 4096

MAX_COMPONENTS = 2**22
"""Most components of public directions that one report takes: a device makes them in some seconds."""


@dataclass(frozen=True, slots=True)
class Questions(Kind[tuple[Question, ...]]):
    """Questions, as objects or as a document has them."""

    def check(self, name: str, value: object, above: "Campaign") -> tuple[Question, ...]:
        if not isinstance(value, Sequence) or isinstance(value, str) or not 1 <= len(value) <= MAX_QUESTIONS:
            raise InvalidCampaign(name, f"must be a list of 1 to {MAX_QUESTIONS:,} questions")
        return tuple(_question(f"{name}[{place}]", each) for place, each in enumerate(value))

    def plain(self, value: tuple[Question, ...]) -> object:
        return [document_of(question) for question in value]


@dataclass(frozen=True, slots=True)
class Assigned(Kind[Assignment]):
    """Who is asked, as an object or as a document has it."""

    def check(self, name: str, value: object, above: "Campaign") -> Assignment:
        try:
            return value if isinstance(value, Assignment) else Assignment.from_document(value)
        except BadData as error:
            raise InvalidCampaign(name, str(error)) from error

    def plain(self, value: Assignment) -> object:
        return value.to_document()

    def words(self, value: Assignment) -> str:
        return value.words()


def titles(campaign: "Campaign") -> tuple[str, ...]:
    """Return what the questions are called."""
    return tuple(question.title for question in questions_of(campaign))


def questions_of(campaign: "Campaign") -> tuple[Question, ...]:
    """Return the questions of a campaign that has some."""
    if campaign.questions is None:
        raise BadData("this campaign has the short form, and no questions")
    return campaign.questions


def with_laws(campaign: "Campaign") -> tuple[Question, ...]:
    """Give every question its law for a k-th of epsilon, or check the one it has; refuse what they cost together."""
    share, sizes = Fraction(campaign.epsilon) / campaign.k, _sizes(campaign)
    questions = []
    for place, question in enumerate(questions_of(campaign)):
        try:
            questions.append(question.with_laws(share, sizes))
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:  # also of a law from outside
            raise InvalidCampaign(f"questions[{place}]", str(error)) from error
    _check_columns(questions)
    _check_components(questions, campaign.k)
    spent = _spent(questions, campaign.k)
    if spent > campaign.epsilon:
        raise InvalidCampaign("questions", f"the laws spend {spent:.6g}, above epsilon = {campaign.epsilon:.6g}")
    return tuple(questions)


def realised_epsilon(campaign: "Campaign") -> float:
    """Return an upper bound of the privacy loss of a report, whichever k questions it answers."""
    return _spent(questions_of(campaign), campaign.k)


def raw_names(campaign: "Campaign") -> tuple[str, ...] | None:
    """Return the raw columns that the questions read, each once, in order; None if they have no names."""
    each = [question.raw_names for question in questions_of(campaign)]
    if any(names is None for names in each):
        return None
    return tuple(dict.fromkeys(name for names in each for name in names or ()))


def raw_width(campaign: "Campaign") -> int:
    """Return how many raw columns the questions read."""
    names = campaign.raw_names
    return questions_of(campaign)[0].raw_width if names is None else len(names)


def places_of(campaign: "Campaign", question: Question) -> list[int]:
    """Return where the raw columns of a question stand among those of the campaign."""
    names = question.raw_names
    if names is None or campaign.raw_names is None:
        return list(range(question.raw_width))
    return [campaign.raw_places[name] for name in names]


def asked(campaign: "Campaign", question: int, nodes: Sequence[object]) -> Asked:
    """Return who is asked a question, with their own classes; somebody who is not asked is refused."""
    if campaign.assignment is None:
        return Asked(campaign.id, question, nodes)
    classes, offsets = campaign.assignment.rows(nodes)
    if not campaign.assignment.width:
        return Asked(campaign.id, question, nodes)
    counts = np.unique((classes >= 0).sum(axis=1)).tolist()
    highest = len(questions_of(campaign)[question].options)
    if not set(counts) <= set(campaign.assignment.sizes) or int(classes.max(initial=0)) >= highest:
        raise BadData("the assignment names classes that the question does not have, or another number of them")
    return Asked(campaign.id, question, nodes, classes, offsets)


def outputs_of(campaign: "Campaign", node: str | int) -> tuple[int, ...]:
    """Return what each code of a node's report is below."""
    size = None
    if campaign.assignment is not None:
        size = len(campaign.assignment.personal(node).classes) or None
    return tuple(questions_of(campaign)[place].outputs_of(size) for place in campaign.indices_of(node))


def noise(campaign: "Campaign") -> Floats:
    """Return the variance of every column of unbiased decoded reports, in the middle of what can be said."""
    if campaign.questions is None:
        return np.full(campaign.dimensions, float(campaign.sampled.variance(0.0, "unbiased")))
    rate = campaign.k / campaign.dimensions
    each = [question.noise for question in campaign.questions]
    return np.concatenate([one.second / rate - one.square_of_mean for one in each])


def _question(place: str, value: object) -> Question:
    if isinstance(value, Question):
        return value
    if not isinstance(value, Mapping):
        raise InvalidCampaign(place, "must be a question, or a table with a kind")
    try:
        return question_of(value)
    except BadData as error:
        raise InvalidCampaign(place, str(error)) from error


def _sizes(campaign: "Campaign") -> Sequence[int | None]:
    """Return the numbers of classes that people are asked about; None alone if it is the same for all."""
    if campaign.assignment is None or not campaign.assignment.width:
        return (None,)
    questions = questions_of(campaign)
    if len(questions) != 1 or not isinstance(questions[0], Model):
        raise InvalidCampaign("assignment", "assigns classes: the campaign must then ask one model question alone")
    if campaign.assignment.width > len(questions[0].classes):
        raise InvalidCampaign("assignment", f"assigns more classes than the question has, {len(questions[0].classes)}")
    return campaign.assignment.sizes


def _spent(questions: Sequence[Question], k: int) -> float:
    worst = sorted((question.worst_ratio for question in questions), reverse=True)[:k]
    return logs_above(Counter(worst))


def _check_columns(questions: Sequence[Question]) -> None:
    if len(questions) > 1 and any(question.raw_names is None for question in questions):
        raise InvalidCampaign("questions", "numbers without names can only be asked by a question that stands alone")


def _check_components(questions: Sequence[Question], k: int) -> None:
    """Refuse what would keep a device busy for hours: directions are many numbers from a few in the document."""
    each = sorted(
        (one.directions * one.encoding.columns for one in questions if isinstance(one, Direction)), reverse=True
    )
    if sum(each[:k]) > MAX_COMPONENTS:
        raise InvalidCampaign(
            "questions",
            f"the directions of a report must have at most {MAX_COMPONENTS:,} components, got {sum(each[:k]):,}: "
            "ask for fewer directions or coordinates",
        )
