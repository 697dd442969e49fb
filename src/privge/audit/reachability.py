"""Samplers that work in floats, and whether an output of one input is possible at all for another.

In real numbers every output of the square wave, the piecewise or the Laplace mechanism is possible for every input. In
floats it is not: which doubles can come out depends on the input, so that some outputs give it away. An attacker can
test that: fix the uniforms that choose a branch, and bisect the last one, in which a branch is monotone, for the word
that gives the very output.

The event is *no word was found that gives this output for the other input*. Drawn for that other input, the event
never comes about but where the search misses a branch, which the bound accounts for; drawn for the first, it comes
about for most outputs of float code.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.audit.attack import ALPHA, lower_bound
from privge.random import WORD_BITS, NotPrivateSeededSource

Uniforms: TypeAlias = NDArray[np.float64]
Draw: TypeAlias = Callable[[float, Uniforms], Floats]
"""From an input and uniforms, a column for each, to outputs; monotone in the last uniform if the others are fixed."""

_BRANCHES = 64


@dataclass(frozen=True, slots=True)
class Reachability:
    """How many outputs of one input are impossible for another, and of that other itself: there the search failed.

    Both counts together prove that epsilon is at least ``lower``.
    """

    outputs: int
    impossible: int
    missed: int
    lower: float


def reachability(
    draw: Draw, here: float, there: float, *, uniforms: int, outputs: int = 2000, seed: int = 0
) -> Reachability:
    """Draw outputs for two inputs, and look for a word that gives each of them for the second.

    Parameters
    ----------
    draw
        The sampler under test.
    here, there
        Two inputs.
    uniforms
        How many uniforms a draw takes; all but the last choose a branch.
    outputs
        How many outputs to look at, for each input.
    seed
        Of the uniforms: this is a test of code, and nobody's data.
    """
    words = NotPrivateSeededSource(seed, "reachability")
    given = [words.words(outputs * uniforms).reshape(outputs, uniforms) / 2.0**WORD_BITS for _ in range(2)]
    branches = words.words(_BRANCHES * (uniforms - 1)).reshape(_BRANCHES, uniforms - 1) / 2.0**WORD_BITS
    found = [_reached(draw, draw(x, given[i]), there, branches) for i, x in enumerate((here, there))]
    impossible, missed = (outputs - int(each.sum()) for each in found)
    return Reachability(outputs, impossible, missed, lower_bound(impossible, missed, outputs, ALPHA))


def _reached(draw: Draw, outputs: Floats, there: float, branches: Uniforms) -> NDArray[np.bool_]:
    reached = np.zeros(len(outputs), dtype=np.bool_)
    for branch in branches:
        left = np.flatnonzero(~reached)
        if left.size == 0:
            break
        reached[left] = _in_branch(draw, outputs[left], there, branch)
    return reached


def _in_branch(draw: Draw, outputs: Floats, there: float, branch: Uniforms) -> NDArray[np.bool_]:
    """Bisect the last uniform for the first word whose output is not before the wanted one."""

    def at(words: NDArray[np.int64]) -> Floats:
        fixed = np.broadcast_to(branch, (len(words), branch.size))
        return draw(there, np.column_stack([fixed, words / 2.0**WORD_BITS]))

    low, high = np.zeros(len(outputs), dtype=np.int64), np.full(len(outputs), 2**WORD_BITS - 1, dtype=np.int64)
    rising = at(high) >= at(low)
    while (low < high).any():
        middle = (low + high) // 2
        values = at(middle)
        before = np.where(rising, values < outputs, values > outputs)
        low, high = np.where(before & (low < high), middle + 1, low), np.where(before, high, middle)
    return np.asarray(at(low) == outputs)
