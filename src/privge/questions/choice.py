"""A question for one of a public list of values."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privge._typing import Codes, Decoding, Floats
from privge.errors import BadData
from privge.mechanisms import Choice as ChoiceLaw
from privge.questions.encoding import feature_of
from privge.questions.features import ChoiceFeature
from privge.questions.question import AnyLaw, Asked, Noise
from privge.questions.subject import AboutFeature
from privge.random import TOTAL


@dataclass(frozen=True)
class Choice(AboutFeature):
    """Which of these values? Through m-ary randomised response; decodes to a column for each value.

    Parameters
    ----------
    feature
        One of a public list of values.
    laws
        Given by a campaign.
    """

    kind = "choice"

    feature: ChoiceFeature
    laws: tuple[AnyLaw, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.feature, ChoiceFeature):
            raise BadData("a choice question is about a ChoiceFeature")

    @property
    def options(self) -> tuple[str, ...]:
        return tuple(map(str, self.feature.values))

    def law_for(self, epsilon: Fraction, size: int | None) -> AnyLaw:
        """Build the law for a share of epsilon."""
        return ChoiceLaw.for_epsilon(epsilon, self.feature.levels)

    def check_law(self, law: AnyLaw, size: int | None) -> None:
        """Refuse a law of another kind or number of values."""
        check_choice(law, self.feature.levels)

    def read_law(self, parameters: Mapping[str, object]) -> AnyLaw:
        """Read a law from a document."""
        return ChoiceLaw.from_parameters(parameters)

    def decode(self, codes: Codes, asked: Asked, decoding: Decoding) -> NDArray[np.float32]:
        """Return a column for each value."""
        return decoded_choice(check_choice(self.law), codes, decoding)

    @property
    def noise(self) -> Noise:
        """Exact moments for somebody whose value could be any."""
        return choice_noise(check_choice(self.law))

    def log_likelihood(self, codes: Codes, asked: Asked) -> Floats:
        """Return the log-likelihood of each value, over that of an answer at random."""
        return choice_likelihood(check_choice(self.law), codes)


def choice_of(document: Mapping[str, object]) -> Choice:
    """Read a choice question: the fields of its feature."""
    return Choice(feature_of({"kind": "choice", **document}))  # type: ignore[arg-type]


def check_choice(law: AnyLaw, values: int | None = None) -> ChoiceLaw:
    """Return a law if it is that of a choice of so many values."""
    if not isinstance(law, ChoiceLaw) or values not in (None, law.levels):
        raise BadData(f"the law must be a choice law of {values} levels")
    return law


def decoded_choice(law: ChoiceLaw, codes: Codes, decoding: Decoding) -> NDArray[np.float32]:
    """Return 1 for the reported value and 0 for the others; unbiased, ``(1[code = c] - q) / (p - q)``."""
    reported = codes[:, None] == np.arange(law.levels)
    if decoding == "raw":
        return np.asarray(reported, dtype=np.float32)
    if decoding != "unbiased":
        raise ValueError(f"decoding must be 'raw' or 'unbiased', got {decoding!r}")
    return np.asarray((reported - law.low / TOTAL) / float(law.gain), dtype=np.float32)


def choice_noise(law: ChoiceLaw) -> Noise:
    """Return the moments of a decoded column, with each value as likely to be the own one."""
    p, q, m = Fraction(law.high, TOTAL), Fraction(law.low, TOTAL), law.levels
    inside = (p * (1 - q) ** 2 + (1 - p) * q**2) / law.gain**2
    outside = (q * (1 - q) ** 2 + (1 - q) * q**2) / law.gain**2
    second = (inside + (m - 1) * outside) / m
    return Noise(np.full(m, float(second)), np.full(m, 1 / m))


def choice_likelihood(law: ChoiceLaw, codes: Codes) -> Floats:
    """Return ``log(m P(code | c))`` for every value c: 0 would be an answer at random."""
    own, other = (np.log(law.levels * weight / TOTAL) for weight in (law.high, law.low))
    return np.asarray(np.where(codes[:, None] == np.arange(law.levels), own, other))
