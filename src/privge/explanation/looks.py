"""What a report looks like for two different values: how often each sends codes that speak for the second."""

from dataclasses import dataclass

import numpy as np

from privge.audit.rows import rows_of
from privge.campaign import Campaign
from privge.explanation.strings import Strings
from privge.mechanisms import Nearest
from privge.questions.question import AnyLaw

BARS = 24


@dataclass(frozen=True, slots=True)
class Look:
    """One question and two answers to it.

    Parameters
    ----------
    title, low, high
        The question and the two answers, in words.
    low_share, high_share
        How likely each of them is to send a code that the second is likelier to send.
    bars
        Probabilities of neighbouring codes, for each of the two: the picture.
    """

    title: str
    low: str
    high: str
    low_share: float
    high_share: float
    bars: tuple[tuple[float, float], ...]


def look_of(campaign: Campaign, place: int, strings: Strings) -> Look:
    """Return what a report says of one of a campaign's questions or features."""
    words = strings["words"]
    if campaign.questions is None:
        title = f"{words['feature']} {place}" if campaign.names is None else campaign.names[place]
        return _look(title, campaign.law, (words["lowest"], words["highest"]))
    question = campaign.questions[place]
    law, options = question.laws[-1], question.options
    if isinstance(law, Nearest):
        ends = words["one_profile"], words["other_profile"]
    else:
        ends = (options[0], options[-1]) if options else (words["lowest"], words["highest"])
    return _look(question.title, law, ends)


def _look(title: str, law: AnyLaw, ends: tuple[str, str]) -> Look:
    rows = rows_of(law)
    other = rows.count // 2 if isinstance(law, Nearest) else rows.count - 1
    low, high = (rows.weights(row) / rows.total for row in (0, other))
    speaks = high > low
    edges = np.unique(np.linspace(0, rows.outputs, min(BARS, rows.outputs) + 1).astype(np.int64))[:-1]
    bars = zip(np.add.reduceat(low, edges).tolist(), np.add.reduceat(high, edges).tolist(), strict=True)
    return Look(title, *ends, float(low[speaks].sum()), float(high[speaks].sum()), tuple(bars))
