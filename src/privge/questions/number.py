"""A question for a single value: a number on its grid, or yes or no."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from privge._typing import Codes, Floats
from privge.errors import BadData
from privge.mechanisms import MultiBit
from privge.questions.encoding import feature_of
from privge.questions.features import CountFeature, NumberFeature, YesNoFeature
from privge.questions.features.feature import SingleFeature
from privge.questions.levels import NumericQuestion, check_mechanism
from privge.questions.question import AnyLaw, Asked
from privge.questions.subject import AboutFeature
from privge.random import TOTAL


class _Single(NumericQuestion, AboutFeature):
    """A question for one feature of one value: the grid is that of the feature."""

    feature: SingleFeature

    @property
    def levels(self) -> int:
        return self.feature.levels


@dataclass(frozen=True)
class Number(_Single):
    """How large is it? A number on its grid, through any law of numbers; decodes to one column.

    Parameters
    ----------
    feature
        The number, with its bounds or thresholds.
    mechanism
        A name of `privge.mechanisms.laws`, such as ``hds`` (the default).
    laws
        Given by a campaign.
    """

    kind = "number"

    feature: NumberFeature
    mechanism: str = "hds"
    laws: tuple[AnyLaw, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.feature, NumberFeature) or isinstance(self.feature, CountFeature):
            raise BadData("a number question is about a NumberFeature")
        check_mechanism(self.mechanism)

    def to_document(self) -> dict[str, Any]:
        """Return the question as a document has it."""
        return {**super().to_document(), "mechanism": self.mechanism}


@dataclass(frozen=True)
class YesNo(_Single):
    """Yes or no? Through the two-point law; decodes to one column, no is -1 and yes is 1.

    Parameters
    ----------
    feature
        The answer, and what a missing one counts as.
    laws
        Given by a campaign.
    """

    kind = "yes-no"

    feature: YesNoFeature
    laws: tuple[AnyLaw, ...] = ()

    mechanism = MultiBit.name

    def __post_init__(self) -> None:
        if not isinstance(self.feature, YesNoFeature):
            raise BadData("a yes-no question is about a YesNoFeature")

    @property
    def options(self) -> tuple[str, ...]:
        return ("no", "yes")

    def log_likelihood(self, codes: Codes, asked: Asked) -> Floats:
        """Return the log-likelihood of no and of yes, over that of an answer at random."""
        weights = np.array([self._law.weights(level) for level in (0, 1)], dtype=np.float64)
        return np.asarray(np.log(2 * weights / TOTAL).T[codes])


def number_of(document: Mapping[str, object]) -> Number:
    """Read a number question: the fields of its feature, and the mechanism."""
    stated = dict(document)
    mechanism = stated.pop("mechanism", next(f.default for f in fields(Number) if f.name == "mechanism"))
    return Number(feature_of({"kind": "number", **stated}), mechanism)  # type: ignore[arg-type]


def yes_no_of(document: Mapping[str, object]) -> YesNo:
    """Read a yes-no question: the fields of its feature."""
    return YesNo(feature_of({"kind": "yes-no", **document}))  # type: ignore[arg-type]
