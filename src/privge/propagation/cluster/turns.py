"""The edges regime where there are enough blocks of columns: shards take turns, in place.

A sweep of over-relaxation goes over the rows of the graph in their order, each row seeing those before it as they are
now and those after it as they were. Across machines that order costs nothing if there are several blocks of columns:
while shard 1 sweeps its rows of one block, shard 0 is already at the next block. So each block passes from shard to
shard, sweep after sweep, and with at least as many blocks as threads nobody waits. What a shard gets is what it
would see in one process: rows of the shards before it from this sweep, rows of those behind it from the last.

So a sweep *is* that of `privge.propagation.relaxation`, whatever the number of shards, but for what a byte an entry
leaves out of the rows of others (`privge.propagation.cluster.messages`): no row that was read is old, and nothing
depends on when a task is done. It converges as that does (`D - (1-alpha) A` is symmetric and positive definite, for
every graph), and the certificate measures where it ends.

*Where it begins.* P keeps the mean of ``y`` by strength, so that of the solution is the mean of the right-hand side,
divided by alpha. It is what moves slowest through the graph; so ``y`` begins as the right-hand side plus what is
missing of that mean. The certificate is about where it ends.

*Certificate and refinement.* Vectors and halos are float32 at most. When a sweep changes so little that it may be
enough, what ``y`` leaves of the right-hand side is computed in float64: ``left = right - (I - (1-alpha) P) y``, which
needs halo rows of the float32 ``y`` only, whole ones. Row sums of P are at most 1, so ``|y - y*| <= max |left| /
alpha``, however ``y`` came about. If that is not enough, more sweeps follow; if float32 can do no better, the same
sweeps solve for the correction: ``(I - (1-alpha) P) c* = left`` and ``y* = y + c*``. It is small, and so is its
rounding. Each right-hand side is measured in a power of two near its largest entry, which is exact and keeps float32
from overflow and underflow.

*Rounding.* A row of ``left`` is computed as the residual that certifies a block of one process, all of it in float64,
and has the same bound (`rounding_of_residual`) with ``|right| + 2 |y|`` for the largest number involved. It is added up
over all right-hand sides; adding ``y`` and corrections up rounds by half a unit of their sum each time, which the
residual sees twice at most.
"""

import logging
import math
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from privge._waiting import Chain, gathered, side_by_side
from privge.propagation._kernels.gather import LANES
from privge.propagation.cluster import homes, inplace, shards
from privge.propagation.cluster.run import Run
from privge.propagation.problem import Certificate
from privge.propagation.relaxation import is_exhausted, rounding_of_residual

if TYPE_CHECKING:
    from distributed import Client, Future

logger = logging.getLogger(__name__)

_EPS = float(np.finfo(np.float64).eps)

_TINY = float(np.finfo(np.float64).tiny)

_REFINED_AT_MOST = 8

_IDLE = 0.75  # a sweep that leaves more than that of its change, where over-relaxation leaves less than half

_LEFT_BY_CHANGE = 0.5  # what a sweep leaves of the right-hand side, by its change, usually: when it pays to look

_NUMBERS = ("sweeps", "since", "unit", "largest", "change", "rounded", "reach", "refined", "left_by_change")


@dataclass(slots=True)
class _Block:
    """Where a block of columns stands: one future a shard for each vector, and the numbers of the iteration."""

    number: int
    right: list["Future"] = field(default_factory=list)
    """The right-hand side, in float64; empty for the first, which can be computed again."""
    total: list["Future"] = field(default_factory=list)
    """The sum of the solutions so far, in float64; empty for the first right-hand side."""
    start: list["Future"] = field(default_factory=list)
    """``right / unit`` in float32."""
    stands: list["Future"] = field(default_factory=list)
    """Its solution, in float32, and what shards know of each other's rows of it."""
    sweeps: int = 0
    since: int = 0
    """Sweeps for this right-hand side."""
    unit: float = 1.0
    largest: float = 0.0
    """Largest entry of the right-hand side."""
    change: float = math.inf
    """By how much the last sweep changed ``y``."""
    rounded: float = 0.0
    """What computing right-hand sides and sums rounded, at most."""
    reach: float = 0.0
    """What no entry of ``total`` exceeds."""
    refined: int = 0
    """How many right-hand sides there were before this one."""
    left_by_change: float = _LEFT_BY_CHANGE
    """What a sweep leaves of the right-hand side, by its change, as far as it was seen."""
    spent: bool = False
    """Whether more sweeps are of no use for this right-hand side."""
    saved: float = field(default_factory=time.monotonic)

    def saves(self) -> list[str]:
        """Return which vectors a checkpoint holds."""
        return ["y", "known", "right", "total"] if self.refined else ["y", "known"]


class Turns:
    """The iteration for one column of tiles."""

    def __init__(self, client: "Client", run: Run, column: int) -> None:
        self.client, self.run, self.column = client, run, column
        self.homes = homes.Homes(client, len(run.row_cuts) - 1)
        self.shards = self.homes.shards
        self.checkpoints = run.folder.sub("checkpoints")
        self.keep = 1 - run.walk.alpha
        self.growth = run.largest_scale / run.walk.alpha  # of what is left, in an error of Z
        self.omega = 2 / (1 + math.sqrt(1 - self.keep**2))
        self.usual = 200 + 8 / run.walk.alpha  # sweeps
        self.sweeps = 0

    def solve(self) -> None:
        """Sweep over all blocks until each is certified, then write the tiles."""
        first, last = (self.run.column_cuts[self.column + more] for more in (0, 1))
        blocks = [_Block(number) for number in range(first // LANES, -(-last // LANES))]
        certificates: list[Certificate] = []
        side_by_side(self.client, [self._solve(block, certificates) for block in blocks], self.homes.look)
        certificate = Certificate.worst(certificates)
        parts = [
            [(block.total[s] if block.total else None, block.unit, block.stands[s]) for block in blocks]
            for s in self.shards
        ]
        finishing = self.homes.each(inplace.finish, lambda s: (self.run, s, self.column, certificate, parts[s]))
        gathered(self.client, finishing, self.homes.look)
        for block in blocks:
            self._forget(block)

    def _solve(self, block: _Block, certificates: list[Certificate]) -> Chain:
        """Solve one block; see `side_by_side`."""
        if not self._resume(block):
            yield from self._begin(block)
        while True:
            self._sweep(block)
            change, size = _largest((yield self.homes.soon(shards.moved, block.stands)))
            block.sweeps, block.since = block.sweeps + 1, block.since + 1
            self.sweeps = max(self.sweeps, block.sweeps)
            if self._judge(block, change, size):
                left = self._remainder(block)
                _, largest = _largest((yield self.homes.soon(shards.moved, left)))
                certificate, goes_on = self._certify(block, largest, size)
                if not goes_on:
                    certificates.append(certificate)
                    return
                if block.spent:
                    yield from self._refine(block, left)
                del left
            if time.monotonic() - block.saved > homes.CHECKPOINT_SECONDS:
                yield from self._save(block)

    def _sweep(self, block: _Block) -> None:
        """Let each shard relax its rows of a block in turn."""
        self.homes.settle()
        # Past its usual count of sweeps, over-relaxation gives way to Gauss-Seidel, which contracts in every sweep.
        past = block.since >= self.usual
        for s in self.shards:
            heard = self._between(s, inplace.news, block.stands)
            given = (self.run, s, 1.0 if past else self.omega, block.start[s], block.stands[s], heard)
            block.stands[s] = self.homes.submit(s, inplace.turn, *given, past)

    def _between(self, to: int, function: Callable[..., Any], vectors: Sequence["Future"]) -> list["Future"]:
        """Return what a shard gets of each other one."""
        return [
            self.homes.submit(of, function, self.run, of, to, vector, soon=True)
            for of, vector in enumerate(vectors)
            if of != to
        ]

    def _judge(self, block: _Block, change: float, size: float) -> bool:
        """Say whether it is time to look what is left of the right-hand side."""
        before, block.change = block.change, change
        idle = is_exhausted(np.float32, change, size) and change > _IDLE * before  # only rounding moves the rows now
        block.spent = not math.isfinite(size) or idle or change == 0 or block.since >= 2 * self.usual
        expected = block.left_by_change * block.unit * change + block.rounded
        return block.spent or self.growth * expected <= self.run.walk.tolerance

    def _remainder(self, block: _Block) -> list["Future"]:
        """Compute what the solution leaves of the right-hand side."""
        right = block.right or self.homes.each(inplace.right_side, lambda s: (self.run, s, block.number))
        own = self.homes.each(inplace.own, lambda s: (block.stands[s],))
        pieces = [self._between(s, inplace.piece, own) for s in self.shards]
        given = [(self.run, s, block.unit, right[s], block.stands[s], pieces[s]) for s in self.shards]
        block.sweeps += 1
        return self.homes.each(inplace.remainder, lambda s: given[s])

    def _certify(self, block: _Block, left: float, size: float) -> tuple[Certificate, bool]:
        """Return what is certified, given the largest that is left, and whether to go on.

        It goes on with more sweeps, or with what is left if those are of no use.
        """
        graph, walk = self.run.graph, self.run.walk
        reach = block.reach + block.unit * size
        rounded = block.rounded + _EPS * reach
        rounded += rounding_of_residual(block.largest + 2 * reach, graph.largest_degree, weighted=graph.weighted)
        error = self.growth * (left + rounded)
        certificate = Certificate(
            error if math.isfinite(error) else math.inf, block.sweeps, "float64" if block.refined else "float32"
        )
        if error <= walk.tolerance:
            return certificate, False
        if not block.spent:
            block.left_by_change = max(block.left_by_change, left / (block.unit * block.change))
            return certificate, True
        block.reach, block.rounded = reach, rounded
        helps = left <= block.largest / 2 and self.growth * rounded < walk.tolerance
        return certificate, helps and block.refined < _REFINED_AT_MOST

    def _refine(self, block: _Block, left: list["Future"]) -> Chain:
        """Go on with what is left."""
        total: list[Future | None] = [*block.total] or [None for _ in self.shards]
        unit, stands = block.unit, list(block.stands)
        block.total = self.homes.each(inplace.added, lambda s: (total[s], unit, stands[s]))
        block.right, block.refined = left, block.refined + 1
        yield from self._begin(block)

    def _begin(self, block: _Block) -> Chain:
        """Take up a right-hand side, in units of about its largest entry."""
        if block.right:
            found = yield self.homes.each(inplace.weighed, lambda s: (self.run, s, block.right[s]))
        else:
            found = yield self.homes.each(inplace.first_weighed, lambda s: (self.run, s, block.number))
        largest = float(np.max([size for size, _, _ in found]))  # keeps a NaN
        block.unit = 2.0 ** (math.frexp(largest)[1] - 1) if math.isfinite(largest) and largest > 0 else 1.0
        block.largest, block.since, block.change, block.left_by_change = largest, 0, math.inf, _LEFT_BY_CHANGE
        with np.errstate(over="ignore", invalid="ignore"):
            whole = max(sum(strength for _, strength, _ in found), _TINY)
            mean = sum(strength / whole * part for _, strength, part in found)
            missing = self.keep / self.run.walk.alpha * mean / block.unit
        missing = np.where(np.abs(missing) <= 1 / self.run.walk.alpha, missing, 0.0)  # as it is but for overflow
        block.start = self._in_units(block)
        y = self.homes.each(inplace.beginning, lambda s: (self.run, s, block.start[s], missing))
        self._open(block, y, y)

    def _open(self, block: _Block, y: Sequence["Future"], known: Sequence["Future"]) -> None:
        """Let all shards know what they shall know of each other."""
        pieces = [self._between(s, inplace.piece, known) for s in self.shards]
        block.stands = self.homes.each(inplace.opened, lambda s: (y[s], known[s], pieces[s]))

    def _in_units(self, block: _Block) -> list["Future"]:
        unit, right = block.unit, block.right
        if right:
            return self.homes.each(inplace.in_units, lambda s: (right[s], unit))
        return self.homes.each(inplace.first_in_units, lambda s: (self.run, s, block.number, unit))

    def _resume(self, block: _Block) -> bool:
        """Take up the last checkpoint of a block, if it is there with all its files."""
        name = f"{self._name(block)}.json"
        if not self.checkpoints.exists(name):
            return False
        found = _Block(block.number, **self.checkpoints.document(name))
        if not {file for vector in found.saves() for file in self._files(found, vector)} <= set(
            self.checkpoints.names(".npy")
        ):
            return False
        for number in _NUMBERS:
            setattr(block, number, getattr(found, number))
        logger.info("block %d: going on from the checkpoint after %d sweeps", block.number, block.sweeps)
        self._load(block)
        return True

    def _save(self, block: _Block) -> Chain:
        """Write a checkpoint and go on from its files; those of the one before are removed."""
        files = {vector: self._files(block, vector) for vector in block.saves()}
        parts = [self.homes.each(part, lambda s: (block.stands[s],)) for part in (inplace.own, inplace.known)]
        vectors = zip(files.values(), (*parts, block.right, block.total), strict=False)  # the last two if it has them
        yield [
            self.homes.submit(s, shards.save, self.run, names[s], vector[s])
            for names, vector in vectors
            for s in self.shards
        ]
        self.checkpoints.write_document(f"{self._name(block)}.json", {name: getattr(block, name) for name in _NUMBERS})
        self._load(block)
        self._forget(block, {name for names in files.values() for name in names} | {f"{self._name(block)}.json"})

    def _load(self, block: _Block) -> None:
        files = [self._files(block, vector) for vector in block.saves()]
        loaded = [self.homes.each(shards.load, lambda s, f=names: (self.run, f[s])) for names in files]  # type: ignore[misc]
        self._open(block, *loaded[:2])
        block.right, block.total = loaded[2:] or ([], [])
        block.start = self._in_units(block)
        block.saved = time.monotonic()

    def _forget(self, block: _Block, but: Collection[str] = ()) -> None:
        """Remove the files of a block."""
        ours = {name for name in self.checkpoints.names() if name.startswith(self._name(block))}
        self.checkpoints.remove(sorted(ours.difference(but)))

    def _name(self, block: _Block) -> str:
        return f"b{block.number:05d}"

    def _files(self, block: _Block, vector: str) -> list[str]:
        return [f"{self._name(block)}-t{block.sweeps:05d}-s{s:05d}-{vector}.npy" for s in self.shards]


def _largest(moved: list[tuple[float, float]]) -> tuple[float, float]:
    """Return the largest change and size of all shards."""
    change, size = np.array(moved).max(axis=0).tolist()  # keeps a NaN
    return change, size
