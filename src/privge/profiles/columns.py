"""What is profiled: the columns of a campaign, and the exactly known noise of an answer in each.

Everything is computed for ``u``, where a value stands between its bounds: 0 at the lower one, 1 at the upper one. A yes
is 1 and a no 0; in the column of one value of a choice, 1 is said by whoever has this value. So a mean of ``u`` is a
share, or becomes a mean in the units of the feature by one multiplication.

*Noise.* Let ``y`` be the unbiased decoded answer of somebody at ``u``, so that its mean is ``u``. Its variance is
``at_low + tilt u - bend u (1 - u)`` in all laws here. With a second moment ``A + B x^2`` of ``x = 2u - 1`` it is
``(A + B - 1) / 4 - (B - 1) u (1 - u)``; for a choice law with ``p`` and ``q`` it is ``q (1 - q)`` or ``p (1 - p)`` over
``(p - q)^2``. Nothing of this depends on anybody's data.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.campaign import Campaign
from privge.errors import BadData
from privge.mechanisms import Law
from privge.mechanisms.second_moment import SecondMoment
from privge.questions import Choice, Direction, Model, Number, Question, Score, YesNo
from privge.questions.choice import check_choice
from privge.questions.levels import NumericQuestion
from privge.random import TOTAL

Inside: TypeAlias = Literal["never", "measured", "unknown"]
"""Whether values lie inside the bounds: never (yes or no), as the reports themselves show, or nobody can say."""

_TRIED = 33  # levels at which a law is compared with the form above


@dataclass(frozen=True, slots=True)
class Noise:
    """The variance of an unbiased answer: ``at_low + tilt u - bend u (1 - u)``.

    Parameters
    ----------
    at_low, tilt, bend
        As above.
    inside
        What is known of ``u (1 - u)``.
    bias
        No mean of an answer is farther than this from ``u``: 0, but for laws with clamped tails.
    answers
        The two unbiased answers that there are, as places between the bounds; None if there are more.
    """

    at_low: float
    tilt: float
    bend: float
    inside: Inside
    bias: float = 0.0
    answers: tuple[float, float] | None = None

    @classmethod
    @lru_cache(maxsize=256)
    def of_law(cls, law: Law) -> "Noise":
        """Return the noise of a number that is answered through a law."""
        if law.gain == 0:
            raise BadData("the reports do not depend on what people have (gain 0): there is nothing to profile")
        moment = SecondMoment.of(law, "unbiased")
        x = law.inputs[np.unique(np.linspace(0, law.levels - 1, min(_TRIED, law.levels)).astype(np.int64))]
        bias = law.bias(x, "unbiased")
        second = law.variance(x, "unbiased") + (x + bias) ** 2
        above = float(np.maximum(second - moment.at_middle - moment.by_square * x**2, 0).max())
        inside: Inside = "never" if law.levels == 2 else "measured" if moment.tells_squares else "unknown"
        at_end = (moment.at_middle + above + moment.by_square - 1) / 4
        return cls(at_end, 0.0, moment.by_square - 1, inside, float(np.abs(bias).max()) / 2, _two_answers(law))

    @classmethod
    def of_choice(cls, question: Choice | Model) -> Self:
        """Return the noise of the column of one of several values."""
        law = check_choice(question.law)
        own, other, gain = law.high / TOTAL, law.low / TOTAL, float(law.gain)
        at_low, at_high = other * (1 - other) / gain**2, own * (1 - own) / gain**2
        return cls(at_low, at_high - at_low, 0.0, "never", answers=(-other / gain, (1 - other) / gain))

    @classmethod
    def of_direction(cls, question: Direction) -> Self:
        """Return the noise of a coordinate of a profile at length 1."""
        law = question.law
        across, along = law.noise, law.along  # type: ignore[union-attr]
        return cls(along / 4, 0.0, along - across, "unknown")


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns of a campaign, those of each question beside each other.

    Parameters
    ----------
    low, high
        What ``u`` = 0 and ``u`` = 1 stand for.
    shares
        Whether a mean is a share of people.
    steps
        Steps of the grid to which devices round; 0 where nothing is rounded.
    noises
        The noise of each.
    """

    names: tuple[str, ...]
    low: Floats
    high: Floats
    shares: NDArray[np.bool_]
    steps: NDArray[np.int64]
    noises: tuple[Noise, ...]

    def __len__(self) -> int:
        return len(self.names)

    @classmethod
    def of(cls, campaign: Campaign) -> Self:
        """Return what can be profiled; a question without a mean that people have in common is refused."""
        if campaign.questions is not None:
            parts = [_of_question(question, campaign) for question in campaign.questions]
            return cls._joined(parts)
        count = campaign.dimensions
        names = campaign.names or tuple(map(str, range(count)))
        low, high = (
            np.broadcast_to(np.asarray(each, dtype=np.float64), count) for each in (campaign.low, campaign.high)
        )
        shares, steps = np.zeros(count, dtype=np.bool_), np.full(count, campaign.law.levels - 1)
        return cls(tuple(names), low, high, shares, steps, (Noise.of_law(campaign.law),) * count)

    @classmethod
    def _joined(cls, parts: "list[Columns]") -> Self:
        names = tuple(name for part in parts for name in part.names)
        noises = tuple(noise for part in parts for noise in part.noises)
        low, high, shares, steps = (
            np.concatenate([getattr(part, each) for part in parts]) for each in ("low", "high", "shares", "steps")
        )
        return cls(names, low, high, shares, steps, noises)

    def of_noises(self, field: str) -> Floats:
        """Return one number of the noise of each column."""
        return np.array([getattr(noise, field) for noise in self.noises], dtype=np.float64)

    def are_inside(self, known: Inside) -> NDArray[np.bool_]:
        """Say of which columns so much is known."""
        return np.array([noise.inside == known for noise in self.noises], dtype=np.bool_)

    def in_units(self, u: Floats) -> Floats:
        """Return values in the units of the features."""
        return self.low + u * (self.high - self.low)


def _two_answers(law: Law) -> tuple[float, float] | None:
    if law.outputs != 2:
        return None
    first, second = (law.decode(np.arange(2, dtype=np.uint16), "unbiased") + 1) / 2
    return float(first), float(second)


def _of_question(question: Question, campaign: Campaign) -> Columns:
    if isinstance(question, Model) and campaign.assignment is not None and campaign.assignment.width:
        raise BadData(
            "people are asked about different classes in this campaign, so their answers have no mean in common; "
            "`privge embed --channels answers` and the fusion of channels use them"
        )
    names, count = question.names, len(question.names)
    if isinstance(question, Choice | Model):
        return _alike(names, 0.0, 1.0, Noise.of_choice(question), share=True, steps=0)
    if isinstance(question, Direction):
        return _alike(names, -1.0, 1.0, Noise.of_direction(question), share=False, steps=0)
    if isinstance(question, NumericQuestion) and isinstance(question.law, Law) and count == 1:
        noise = Noise.of_law(question.law)
        if isinstance(question, YesNo):
            return _alike(names, 0.0, 1.0, noise, share=True, steps=0)
        name, low, high = _bounds(question)
        return _alike((name,), low, high, noise, share=False, steps=question.law.levels - 1)
    raise BadData(f"answers to a question of the kind {question.kind!r} have no mean that is known here")


def _bounds(question: Question) -> tuple[str, float, float]:
    """Return what a number is called, and its bounds: of its square root, or of the thresholds that it reaches."""
    if isinstance(question, Score):
        return question.name, float(question.low), float(question.high)
    if not isinstance(question, Number):
        return question.names[0], -1.0, 1.0
    feature = question.feature
    if feature.thresholds:
        return f"{feature.name} (thresholds reached)", 0.0, float(len(feature.thresholds))
    low, high = float(feature.low or 0), float(feature.high or 0)
    if feature.sqrt:
        return f"{feature.name} (square root)", math.sqrt(low), math.sqrt(high)
    return feature.name, low, high


def _alike(names: tuple[str, ...], low: float, high: float, noise: Noise, *, share: bool, steps: int) -> Columns:
    count = len(names)
    return Columns(
        names,
        np.full(count, low),
        np.full(count, high),
        np.full(count, share),
        np.full(count, steps),
        (noise,) * count,
    )
