"""Integer scores of a public linear model: every step exact, and proven to stay below 2**53 before anybody is asked.

The score of class ``c`` for coordinates ``t`` is ``w_c . t + b_c``; normalised, the profile is brought to length 1::

    floor((w_c . t) 2**(shift + fraction) / max(1, isqrt(4**fraction (t . t)))) + b_c

where ``isqrt`` is the integer square root, rounded down, and ``fraction`` is how many binary digits of the length
beyond the point are kept. Public maxima of the coordinates bound every partial sum.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from privge.errors import BadData
from privge.questions.stated import EXACT

if TYPE_CHECKING:
    from privge.questions.features.feature import Coordinates

LARGEST_OFFSET = 2**31 - 1
"""Largest magnitude of an integer that an assignment adds to a score."""

MOST_DIGITS = 12


def isqrt(squares: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return integer square roots, rounded down, of integers below 2**53; the same work for each."""
    roots = np.floor(np.sqrt(squares.astype(np.float64))).astype(np.int64)
    roots -= roots * roots > squares  # a float root may be rounded up to the next integer
    roots += (roots + 1) * (roots + 1) <= squares
    return roots


def scores(
    coordinates: "Coordinates",
    weights: NDArray[np.int64],
    bias: NDArray[np.int64],
    *,
    digits: tuple[int, int] | None,
) -> NDArray[np.int64]:
    """Return the score of every class, a row for each person; ``digits`` are shift and fraction if normalised."""
    products = np.asarray(coordinates @ weights.T, dtype=np.int64)
    if digits is None:
        return products + bias
    shift, fraction = digits
    itself = coordinates * coordinates if isinstance(coordinates, np.ndarray) else coordinates.multiply(coordinates)
    squares = itself.sum(axis=1)
    lengths = np.maximum(isqrt(np.asarray(squares, dtype=np.int64).ravel() << (2 * fraction)), 1)
    quotients: NDArray[np.int64] = (products << (shift + fraction)) // lengths[:, None]
    return quotients + bias


def check_exact(largest: Sequence[int], weights: Sequence[Sequence[int]], bias: Sequence[int], digits: int) -> int:
    """Return a bound of every score; refuse a model in which a partial sum could reach 2**53."""
    reach = [sum(abs(w) * most for w, most in zip(row, largest, strict=True)) << digits for row in weights]
    bound = max(each + abs(b) for each, b in zip(reach, bias, strict=True)) + LARGEST_OFFSET
    if bound >= EXACT:
        raise BadData("the weights are too large: a score could reach 2**53; round them to fewer digits")
    return bound


def fraction_digits(largest: Sequence[int]) -> int:
    """Return how many binary digits of the length beyond the point can be kept; none that cannot is refused."""
    square = sum(most * most for most in largest)
    if square >= EXACT:
        raise BadData("the coordinates are too large: the square of the length could reach 2**53; lower their scales")
    room = (EXACT - 1) // max(square, 1)
    return min(MOST_DIGITS, (room.bit_length() - 1) // 2)
