"""A law: integer weights that say how often an input level becomes each output code.

A law with ``levels`` inputs and ``outputs`` outputs is a table of integers ``weights(level)[code]``
whose every row sums to ``W = 2**53``. A uniform word of ``W`` values selects the output, so the
probability of ``code`` is exactly ``weights(level)[code] / W``: no float is drawn or compared.

A law is epsilon-locally private if, in every column, the largest weight is at most ``exp(epsilon)``
times the smallest. `Law.worst_ratio` is that largest quotient, an exact fraction.
"""

import dataclasses
import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from privge._typing import Codes, Levels, Words
from privge.mechanisms.continuous import ContinuousLimit
from privge.mechanisms.exponential import log_above
from privge.mechanisms.mechanism import CHUNK, Mechanism
from privge.random import TOTAL, Source

Parameters = dict[str, int | list[int]]


class Law(Mechanism):
    """One-dimensional mechanism as an exact integer law. Members are frozen dataclasses."""

    name: ClassVar[str]
    """What the mechanism is called in campaigns and on the command line."""

    label: ClassVar[str]
    """What the mechanism is called in tables and pictures."""

    colour: ClassVar[str]
    """Its colour in pictures, such as ``#0f766e``."""

    rescaled: ClassVar[bool]
    """Whether raw decoding multiplies a sampled coordinate by d/k, as the paper does for all but HDS."""

    epsilon_per_feature: ClassVar[float | None] = None
    """The paper's comparison gives this rival one feature for each so much of epsilon; None if its k is tuned."""

    ordered: ClassVar[bool] = True
    """Whether its levels are a grid of numbers; a law of values without an order is not compared with the others."""

    fixed_epsilon: ClassVar[float | None] = None
    """The budget of a control, which has no other; None for the mechanisms."""

    @classmethod
    @abstractmethod
    def for_epsilon(cls, epsilon: Fraction | float, levels: int) -> Self:
        """Build the best law of this kind whose worst ratio is at most ``exp(epsilon)``."""

    @classmethod
    @abstractmethod
    def continuous_limit(cls, epsilon: float) -> ContinuousLimit:
        """Return the paper's formulas for an infinitely fine grid."""

    @property
    @abstractmethod
    def outputs(self) -> int:
        """Number of output codes."""

    @abstractmethod
    def weights(self, level: int) -> NDArray[np.int64]:
        """Return the weight of every output code for one input level; they sum to ``2**53``."""

    def code(self, level: int, word: int) -> int:
        """Return the output code that a word selects. Plain Python; defines the sampler, and is what a device runs.

        Every member runs the same instructions for every level and word, and remembers nothing: a branch would say by
        its time how the code came about, which is more than the code says. This one searches the summed weights.
        """
        sums = list(accumulate(np.array(self.weights(level), subok=False).tolist()))
        return search(sums.__getitem__, self.outputs, word)

    def codes(self, levels: Levels, words: Words) -> Codes:
        """Do the same as `code` for whole arrays, compiled. For simulations."""
        if levels.shape != words.shape:
            raise ValueError(f"there must be one word for each level, got {words.shape} for {levels.shape}")
        if levels.dtype.kind not in "iu" or not self._on_the_grid(levels):  # a kernel would read beyond its tables
            raise ValueError(f"levels must be integers from 0 to {self.levels - 1}")
        return self._codes(levels, words)

    def _on_the_grid(self, levels: Levels) -> bool:
        unsigned = levels.view(f"u{levels.itemsize}")  # in which what is below 0 is huge: one pass instead of two
        return int(unsigned.max(initial=0)) < self.levels

    def _codes(self, levels: Levels, words: Words) -> Codes:
        """Do the work of `codes`; members with a faster way use it."""
        from privge.mechanisms import _kernels

        out = np.empty(levels.shape, dtype=np.uint16)
        _kernels.table_codes(levels.ravel(), words.ravel(), out.ravel(), self._cumulative)
        return out

    @cached_property
    def _cumulative(self) -> NDArray[np.int64]:
        table = np.array([self.weights(level) for level in range(self.levels)])
        return np.cumsum(table, axis=1)

    @property
    @abstractmethod
    def worst_ratio(self) -> Fraction | None:
        """Exact largest quotient of two weights in one column; None if a weight is 0."""

    @property
    def realised_epsilon(self) -> float:
        """``ln(worst_ratio)``, rounded up; infinite if an output is impossible for some input."""
        return math.inf if self.worst_ratio is None else log_above(self.worst_ratio)

    def sample(self, levels: Levels, source: Source) -> Codes:
        """Draw one output code for each input level, with one word each."""
        flat = levels.ravel()
        codes = np.empty(flat.size, dtype=np.uint16)
        for start in range(0, flat.size, CHUNK):
            part = flat[start : start + CHUNK]
            codes[start : start + part.size] = self.codes(part, source.words(part.size))
        return codes.reshape(levels.shape)

    def moments(self, level: int) -> tuple[Fraction, Fraction]:
        """Return the exact raw mean and second moment, by enumeration; members with a formula use it."""
        return self._integer_values.moments(self.weights(level).tolist())

    @cached_property
    def _integer_values(self) -> "IntegerValues":
        return IntegerValues.of(self.exact_values())

    def parameters(self) -> Parameters:
        """Return the integers that define this law, as a campaign document carries them."""
        fields = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}  # type: ignore[arg-type]
        return {name: list(v) if isinstance(v, tuple) else v for name, v in fields.items()}

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, object]) -> Self:
        """Rebuild a law from `parameters`; the constructor checks that the integers are a law."""
        return cls(**stated_integers(cls, parameters))


@dataclasses.dataclass(frozen=True, slots=True)
class IntegerValues:
    """What codes stand for, as integers over one common denominator: exact sums of them are fast."""

    numerators: list[int]
    denominator: int

    @classmethod
    def of(cls, values: list[Fraction]) -> Self:
        """Bring the values to one denominator."""
        denominator = math.lcm(*(value.denominator for value in values))
        return cls([int(value * denominator) for value in values], denominator)

    def moments(self, weights: list[int]) -> tuple[Fraction, Fraction]:
        """Return the mean and the second moment of a row of weights."""
        mean = sum(weight * value for weight, value in zip(weights, self.numerators, strict=True))
        second = sum(weight * value**2 for weight, value in zip(weights, self.numerators, strict=True))
        return Fraction(mean, self.denominator * TOTAL), Fraction(second, self.denominator**2 * TOTAL)


def search(up_to: Callable[[int], int], outputs: int, word: int) -> int:
    """Return the first code up to which there is more weight than ``word``; ``outputs`` alone decides the steps."""
    last, code = outputs - 1, 0
    for power in reversed(range(last.bit_length())):
        probe = min(code + (1 << power), last)
        code += (probe - code) * (up_to(probe - 1) <= word)
    return code


def middle_codes(outputs: int) -> tuple[int, int]:
    """Return the two codes that share what is left of ``W``: one code twice if ``outputs`` is odd."""
    return (outputs - 1) // 2, outputs // 2


def with_spare(row: NDArray[np.int64], spare: int) -> NDArray[np.int64]:
    """Add what is left of ``W`` to the middle of a row: the same for every input."""
    lower, upper = middle_codes(row.size)
    row[lower] += spare // 2
    row[upper] += spare - spare // 2
    return row


def check_weights(low: int, high: int) -> None:
    """Refuse weights of outputs that are less and more likely, unless all are possible and the likely ones more so."""
    if not 1 <= low <= high:
        raise ValueError(f"weights must satisfy 1 <= low <= high, got {low} and {high}")


def stated_integers(law: Any, parameters: Mapping[str, object]) -> dict[str, int | tuple[int, ...]]:  # noqa: ANN401
    """Return the integers of a document for a dataclass of integers; they must be all of its fields and no others."""
    kinds = {f.name: f.type for f in dataclasses.fields(law)}
    if set(parameters) != set(kinds):
        raise ValueError(f"a {law.name} law has the keys {sorted(kinds)}, got {sorted(map(str, parameters))}")
    return {name: _checked(name, parameters[name], kind) for name, kind in kinds.items()}


def _checked(name: str, value: object, kind: object) -> int | tuple[int, ...]:
    if kind in (int, "int"):  # its name, where annotations are not evaluated
        return _weight(name, value)
    if not isinstance(value, list | tuple):
        raise ValueError(f"{name} must be a list of integers")
    if set(map(type, value)) == {int} and min(value) >= 0 and max(value) <= TOTAL:
        return tuple(value)  # thousands of them in a table: the common case, at once
    return tuple(_weight(name, item) for item in value)


def _weight(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= TOTAL:
        raise ValueError(f"{name} must be made of integers from 0 to 2**53")
    return value
