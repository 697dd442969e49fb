"""From a model in floats, as a curator fits it, to one in integers, as devices compute it."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from privge.questions.encoding import Encoding
from privge.questions.model import Model
from privge.questions.scores import fraction_digits

MOST_WEIGHT_DIGITS = 24


class Rounded(NamedTuple):
    """A model in integers; ``unit`` is what 1 of the float scores is in integer scores, for offsets."""

    model: Model
    unit: int


def rounded_model(
    encoding: Encoding,
    weights: ArrayLike,
    bias: ArrayLike | None = None,
    *,
    classes: Sequence[str],
    normalised: bool = False,
) -> Rounded:
    """Round a linear model to integers, as finely as 2**53 allows, up to 24 binary digits of the largest weight.

    Parameters
    ----------
    encoding
        The profile, whose integer coordinates the model takes.
    weights
        Floats, a row for each class and a column for each coordinate.
    bias
        Floats, one for each class; by default 0.
    classes
        Names of the classes.
    normalised
        Whether the weights are for profiles of length 1.
    """
    exact = np.asarray(weights, dtype=np.float64)
    offsets = np.zeros(len(exact)) if bias is None else np.asarray(bias, dtype=np.float64)
    largest = np.array(encoding.largest, dtype=np.float64)
    fraction = min(4, fraction_digits(encoding.largest)) if normalised else 0
    reach = float((np.abs(exact) @ largest).max()) * 2**fraction + float(np.abs(offsets).max())
    # Rounding adds at most half a unit for each coordinate; the largest offset has 31 digits of its own.
    room = (2.0**53 - 2.0**32 - largest.sum() * 2**fraction) / max(reach, 1e-300)
    digits = math.floor(math.log2(max(room, 1e-300)))
    finest = MOST_WEIGHT_DIGITS - math.ceil(math.log2(max(float(np.abs(exact).max()), 1e-300)))
    unit = 2 ** max(0, min(digits, finest, 40))
    integers = [[int(w) for w in row] for row in np.rint(exact * unit).tolist()]
    constants = [int(b) for b in np.rint(offsets * unit).tolist()]
    model = Model(encoding, integers, constants, tuple(classes), normalised, 0, fraction if normalised else None)  # type: ignore[arg-type]
    return Rounded(model, unit)
