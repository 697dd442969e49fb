"""Public directions of a person: integers that follow from campaign, question and node.

Rule ``xoshiro128**-normal256``. The first 16 bytes of the SHA-256 of the campaign id (32 bytes), the word
``direction``, the number of the question (4 bytes, big-endian) and the node id in UTF-8 are four unsigned 32-bit words,
big-endian: the state of the generator xoshiro128** of Blackman and Vigna. Each of its outputs is four bytes, the lowest
first, and a byte is one component through the table `NORMAL`. The first components are those of direction 0, one for
each coordinate of the profile; direction 1 begins with the next output, and so on.

Everything is an operation on 32-bit words, the same in every language. Directions are public and nobody can choose
them, so they need not be hard to foresee; what a report hides is hidden by `privge.mechanisms.Nearest`.

*How normal they are.* `NORMAL` has 40 times the mean of a normal number between each two of its 256-quantiles, rounded
to an integer. A sum of many components is as good as normal; the worst profile has a single coordinate. `lone_gain` is
its exact gain: within 0.04 % of that for Gaussian directions, for 64 directions and epsilon up to 4.
"""

import hashlib
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privge._typing import Codes, Floats
from privge.ids import node_key
from privge.mechanisms.nearest import Nearest
from privge.random import TOTAL

if TYPE_CHECKING:
    import scipy.sparse

    Profiles: TypeAlias = NDArray[np.int64] | scipy.sparse.csr_array

RULE = "xoshiro128**-normal256"
"""What documents call this rule."""

State: TypeAlias = tuple[int, int, int, int]

_MASK = 2**32 - 1

# The upper half of the table, by increasing byte; the lower half is its mirror image.
_UPPER = bytes.fromhex(
    "0001010102020303030404050505060606070708080809090a0a0a0b0b0c0c0d"
    "0d0d0e0e0f0f0f101011111212121313141415151616161717181819191a1a1b"
    "1b1c1c1d1d1e1e1f1f20202121222323242425262627272829292a2b2b2c2d2e"
    "2e2f30313232333435363738393a3c3d3e3f4142444647494c4e5154585d6577"
)

NORMAL: tuple[int, ...] = (*(-value for value in reversed(_UPPER)), *_UPPER)
"""The component that each byte stands for."""

LARGEST = max(NORMAL)
"""Largest component."""

UNIT = math.sqrt(sum(value**2 for value in NORMAL) / 256)
"""Standard deviation of a component; its mean is exactly 0."""

_CHUNK = 2**22  # coordinates that are dense at once


def state_of(campaign_id: str, question: int, node: object) -> State:
    """Return the generator's state for the directions of one node."""
    digest = hashlib.sha256(_prefix(campaign_id, question) + node_key(node)).digest()
    return tuple(int.from_bytes(digest[i : i + 4], "big") for i in range(0, 16, 4))  # type: ignore[return-value]


def states_of(campaign_id: str, question: int, nodes: Sequence[object]) -> NDArray[np.uint32]:
    """Return `state_of` for many nodes, a row for each."""
    prefix = _prefix(campaign_id, question)
    stream = b"".join(hashlib.sha256(prefix + node_key(node)).digest()[:16] for node in nodes)
    return np.frombuffer(stream, dtype=">u4").astype(np.uint32).reshape(len(nodes), 4)


def directions_of(state: State, directions: int, columns: int) -> NDArray[np.int64]:
    """Return all directions of one node, a row for each. Plain Python; defines the rule, and is what a device runs."""
    stream, padded = _components(state), columns + -columns % 4
    rows = [[next(stream) for _ in range(padded)] for _ in range(directions)]
    return np.array(rows, dtype=np.int64)[:, :columns]


def scores_of(profiles: "Profiles", states: NDArray[np.uint32], directions: int) -> NDArray[np.int64]:
    """Return the inner product of each profile with each of its own directions, which are never kept. Compiled."""
    from privge.mechanisms import _kernels

    table, scores = np.array(NORMAL, dtype=np.int64), np.empty((len(states), directions), dtype=np.int64)
    columns = profiles.shape[1]
    people = max(1, _CHUNK // columns)
    for start in range(0, len(states), people):
        rows = slice(start, start + people)
        part = profiles[rows]
        padded = np.zeros((part.shape[0], columns + -columns % 4), dtype=np.int64)
        padded[:, :columns] = part if isinstance(part, np.ndarray) else part.toarray()
        _kernels.direction_scores(padded, states[rows], table, scores[rows])
    return scores


def chosen_directions(states: NDArray[np.uint32], codes: Codes, columns: int) -> NDArray[np.float32]:
    """Return the direction that each code names, in units of `UNIT`. Compiled."""
    from privge.mechanisms import _kernels

    chosen = np.empty((len(states), columns), dtype=np.float32)
    table = (np.array(NORMAL) / UNIT).astype(np.float32)
    _kernels.chosen_directions(states, codes.astype(np.int64), table, chosen)
    return chosen


def lone_gain(law: Nearest) -> float:
    """Return the exact gain for a profile with a single coordinate, where directions are least like Gaussian ones."""
    count, atoms = law.directions, np.arange(1, 257) / 256
    terms = [math.comb(count, i) * (1 - atoms) ** i * atoms ** (count - i) for i in range(count)]
    at_most = np.cumsum(terms, axis=0)  # the probability that the value of a rank is at most that of a byte
    means: Floats = np.diff(at_most, axis=1, prepend=0.0) @ np.array(NORMAL) / UNIT
    others = count - law.near
    return float(means @ np.repeat([law.high / TOTAL, law.low / TOTAL], [law.near, others]))


def _prefix(campaign_id: str, question: int) -> bytes:
    return bytes.fromhex(campaign_id) + b"direction" + question.to_bytes(4, "big")


def _components(state: State) -> Iterator[int]:
    a, b, c, d = state
    while True:
        output = _rotated(b * 5, 7) * 9
        shifted = b << 9 & _MASK
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= shifted
        d = _rotated(d, 11)
        yield from (NORMAL[output >> shift & 255] for shift in (0, 8, 16, 24))


def _rotated(word: int, by: int) -> int:
    word &= _MASK
    return (word << by | word >> (32 - by)) & _MASK
