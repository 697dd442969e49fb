"""What is promised: k draws, each by the law of a question, together within epsilon.

A campaign that breaks its promise is refused wherever it is read. An audit must look at it all the same, and say by
how much: so a document is read here without being believed.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from privge.audit.rows import AnyLaw, Table
from privge.campaign import Campaign
from privge.campaign.document import parse_json, read_document
from privge.errors import BadData
from privge.mechanisms import DEFAULT_LEVELS, law_for, laws
from privge.questions import question_of
from privge.random import TOTAL


@dataclass(frozen=True, slots=True)
class ClaimedQuestion:
    """A question and the laws by which it is answered."""

    title: str
    laws: tuple[AnyLaw, ...]


@dataclass(frozen=True)
class Claim:
    """A promise about a whole report.

    Parameters
    ----------
    title, epsilon
        What is audited, for people; and what a whole report may spend.
    k, dimensions
        How many draws a report has, and of how many questions or features they are taken.
    questions
        What is asked, with the laws. Features that are alike are one question.
    alike
        Whether the one question stands for all features, so that its law is drawn k times.
    campaign
        Id of the campaign, if the promise is that of one.
    kind, document
        What the promise was read from, so that it can be read again (`claim_again`).
    problems
        Why the package itself refuses it; empty if it does not.
    """

    title: str
    epsilon: float
    k: int
    dimensions: int
    questions: tuple[ClaimedQuestion, ...]
    alike: bool
    kind: str
    document: Mapping[str, Any]
    campaign: str | None = None
    problems: tuple[str, ...] = ()


def claim_of(campaign: Campaign) -> Claim:
    """Return what a campaign promises."""
    questions = campaign.questions
    if questions is None:
        asked = [ClaimedQuestion(f"each of {campaign.dimensions:,} features", (campaign.law,))]
    else:
        asked = [ClaimedQuestion(each.title, each.laws) for each in questions]
    return Claim(
        f"campaign {campaign.id[:12]}",
        campaign.epsilon,
        campaign.k,
        campaign.dimensions,
        tuple(asked),
        alike=questions is None,
        kind="campaign",
        document=campaign.to_document(),
        campaign=campaign.id,
    )


def claim_of_mechanism(
    mechanism: str, epsilon: float, k: int = 1, dimensions: int | None = None, levels: int = DEFAULT_LEVELS
) -> Claim:
    """Return what a mechanism promises that reports k of some features, as a campaign would build it."""
    features = k if dimensions is None else dimensions
    if not 1 <= k <= features:
        raise ValueError(f"k must be between 1 and dimensions = {features}, got {k}")
    document = {"mechanism": mechanism, "epsilon": epsilon, "k": k, "dimensions": features, "levels": levels}
    finite = {**document, "epsilon": epsilon if math.isfinite(epsilon) else None}
    law = law_for(mechanism, epsilon, k, levels)
    asked = (ClaimedQuestion(f"each of {features:,} features", (law,)),)
    title = f"{mechanism}, {k} of {features:,} features"
    return Claim(title, epsilon, k, features, asked, alike=True, kind="mechanism", document=finite)


def claim_of_table(document: Mapping[str, Any]) -> Claim:
    """Return what a table of weights promises, as ``privge law --json`` prints it: ``weights``, ``epsilon``, ``k``."""
    weights, k = document.get("weights"), document.get("k", 1)
    epsilon: Any = document.get("epsilon")
    total = document.get("total", TOTAL)
    if not isinstance(weights, list) or not weights or not all(isinstance(row, list) and row for row in weights):
        raise BadData("weights must be a list of rows of integers, one row for each input")
    if not all(_is_integer(weight) for row in weights for weight in row):
        raise BadData("weights must be integers")
    if not _is_number(epsilon) or not math.isfinite(float(epsilon)) or epsilon < 0:
        raise BadData(f"epsilon must be a finite number of at least 0, got {epsilon!r}")
    if not _is_integer(k) or k < 1 or not _is_integer(total) or total < 1:
        raise BadData("k and total must be integers of at least 1")
    stated = {"weights": weights, "epsilon": epsilon, "k": k, "total": total}
    table = Table(weights, total)
    asked = (ClaimedQuestion("each feature", (table,)),)
    return Claim("a table of weights", float(epsilon), k, k, asked, alike=True, kind="table", document=stated)


def claim_of_document(document: Mapping[str, Any], refusal: str) -> Claim:
    """Return what a campaign document promises that the package refuses to read as a campaign, and why."""
    epsilon, k = document.get("epsilon"), document.get("k")
    if not (_is_number(epsilon) and _is_integer(k)):
        raise BadData(refusal)
    try:
        asked = _claimed(document)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        return _refused(document, (), (refusal, f"the law cannot be read: {error}"))
    return _refused(document, asked, (refusal,))


def load_claim(path: str | PathLike[str]) -> tuple[Claim, Campaign | None]:
    """Read a campaign file; one that is refused as a campaign is audited as it stands, if it states its laws."""
    place = Path(path)
    try:
        campaign = Campaign.load(place)
    except BadData as error:
        document = read_document(place)
        if "law" not in document and "questions" not in document:
            raise
        return claim_of_document(document, str(error).removeprefix(f"{place}: ")), None
    return claim_of(campaign), campaign


def load_table(path: str | PathLike[str]) -> Claim:
    """Read a table of weights from a JSON file."""
    place = Path(path)
    try:
        return claim_of_table(parse_json(place.read_bytes()))
    except BadData as error:
        raise BadData(f"{place}: {error}") from error


def claim_again(kind: str, document: Mapping[str, Any]) -> Claim:
    """Read a promise again from what a certificate holds of it."""
    match kind:
        case "campaign":
            return claim_of(Campaign.from_document(document))
        case "mechanism":
            stated = dict(document)
            epsilon = stated.pop("epsilon")
            return claim_of_mechanism(epsilon=math.inf if epsilon is None else epsilon, **stated)
        case "table":
            return claim_of_table(document)
        case "refused":
            try:
                Campaign.from_document(document)
            except BadData as error:
                return claim_of_document(document, str(error))
    raise BadData(f"a certificate is about a campaign, a mechanism or a table, not about {kind!r}")


def _claimed(document: Mapping[str, Any]) -> tuple[ClaimedQuestion, ...]:
    if document.get("questions") is not None:
        questions = [question_of(each) for each in document["questions"]]
        if not all(each.laws for each in questions):
            raise BadData("a question states no law")
        return tuple(ClaimedQuestion(each.title, each.laws) for each in questions)
    law = laws()[document["mechanism"]].from_parameters(document["law"])
    return (ClaimedQuestion("each feature", (law,)),)


def _refused(document: Mapping[str, Any], asked: tuple[ClaimedQuestion, ...], problems: tuple[str, ...]) -> Claim:
    epsilon, k = float(document["epsilon"]), int(document["k"])
    stated = document.get("dimensions")
    dimensions = stated if isinstance(stated, int) else max(k, len(asked))
    alike = document.get("questions") is None
    title = "a campaign that is refused"
    return Claim(
        title, epsilon, k, dimensions, asked, alike=alike, kind="refused", document=document, problems=problems
    )


def _is_integer(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
