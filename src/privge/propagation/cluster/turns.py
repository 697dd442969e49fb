"""The edges regime where there are enough blocks of columns: shards take turns, in place.

A sweep of over-relaxation goes over the rows of the graph in their order, each row seeing those before it as they are
now and those after it as they were. Across machines that order costs nothing if there are several blocks of columns:
while shard 1 sweeps its rows of one block, shard 0 is already at the next block. So each block passes from shard to
shard, sweep after sweep, and with at least as many blocks as threads nobody waits. What a shard gets is what it
would see in one process: rows of the shards before it from this sweep, rows of those behind it from the last.

So a sweep *is* that of `privge.propagation.relaxation`, whatever the number of shards, and so are its convergence
(`D - (1-alpha) A` is symmetric and positive definite, for every graph), its Gauss-Seidel sweep and its certificate.
No row that was read is old, and nothing depends on when a task is done.

*Refinement.* Vectors and halos are float32 throughout. Where float32 cannot certify the tolerance, what the solution so
far leaves of the right-hand side is computed in float64, ``right' = right - (I - (1-alpha) P) y``, which needs halo rows
of the float32 ``y`` only, and the same sweeps solve for the correction: ``y* = y + c*`` with ``(I - (1-alpha) P) c* =
right'``. The correction is small, and so is its rounding. In the bound, each ``right'`` adds what computing it rounds:
the operations of a float64 sweep, on numbers of at most ``|right| + 2 |y|`` (see `rounding_of_sweep`), and as much for
adding corrections up; errors of right-hand sides reach the solution by ``1 / alpha`` at most. Each right-hand side is
measured in a power of two near its largest entry, which is exact and keeps float32 from overflow and underflow.
"""

import logging
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from privge._waiting import Chain, gathered, side_by_side
from privge.propagation._kernels.gather import LANES
from privge.propagation.cluster import homes, inplace, shards
from privge.propagation.cluster.run import Run
from privge.propagation.problem import Certificate
from privge.propagation.relaxation import is_exhausted, rounding_of_sweep

if TYPE_CHECKING:
    from distributed import Client, Future

logger = logging.getLogger(__name__)

_EPS = float(np.finfo(np.float64).eps)

_REFINED_AT_MOST = 8

_NUMBERS = ("target", "sweeps", "since", "unit", "largest", "certifies", "exhausted", "rounded", "reach", "refined")


@dataclass(slots=True)
class _Block:
    """Where a block of columns stands: one future a shard for each vector, and the numbers of the iteration."""

    number: int
    target: float
    """What over-relaxation must get the change below before a sweep certifies it, in y."""
    right: list["Future"] = field(default_factory=list)
    """The right-hand side, in float64; empty for the first, which can be computed again."""
    total: list["Future"] = field(default_factory=list)
    """The sum of the solutions so far, in float64; empty before the first refinement."""
    start: list["Future"] = field(default_factory=list)
    """``right / unit`` in float32."""
    y: list["Future"] = field(default_factory=list)
    """Its solution, in float32; empty while it is zero."""
    sweeps: int = 0
    since: int = 0
    """Sweeps for this right-hand side."""
    unit: float = 1.0
    largest: float = 0.0
    """Largest entry of ``start``."""
    certifies: bool = False
    """Whether the next sweep is a Gauss-Seidel sweep, whose change certifies."""
    exhausted: bool = False
    rounded: float = 0.0
    """What computing the right-hand side and the sum rounded, at most."""
    reach: float = 0.0
    """What no entry of ``total`` exceeds."""
    refined: int = 0
    """How many right-hand sides there were before this one."""
    saved: float = field(default_factory=time.monotonic)

    def saves(self) -> list[str]:
        """Return which vectors a checkpoint holds; the first right-hand side can be computed again."""
        return [*(["y"] if self.since else []), *(["right", "total"] if self.refined else [])]


class Turns:
    """The iteration for one column of tiles."""

    def __init__(self, client: "Client", run: Run, column: int) -> None:
        self.client, self.run, self.column = client, run, column
        self.homes = homes.Homes(client, len(run.row_cuts) - 1)
        self.shards = self.homes.shards
        self.checkpoints = run.folder.sub("checkpoints")
        self.keep = 1 - run.walk.alpha
        self.omega = 2 / (1 + math.sqrt(1 - self.keep**2))
        self.sweeps = 0

    def solve(self) -> None:
        """Sweep over all blocks until each is certified, then write the tiles."""
        first, last = (self.run.column_cuts[self.column + more] for more in (0, 1))
        target = self.run.walk.tolerance * self.run.walk.alpha / self.keep / self.run.largest_scale
        blocks = [_Block(number, target) for number in range(first // LANES, -(-last // LANES))]
        certificates: list[Certificate] = []
        side_by_side(self.client, [self._solve(block, certificates) for block in blocks], self.homes.look)
        certificate = Certificate.worst(certificates)
        parts = [
            [(block.total[s] if block.total else None, block.unit, block.y[s]) for block in blocks] for s in self.shards
        ]
        finishing = self.homes.each(inplace.finish, lambda s: (self.run, s, self.column, certificate, parts[s]))
        gathered(self.client, finishing, self.homes.look)
        for block in blocks:
            self._forget(block)

    def _solve(self, block: _Block, certificates: list[Certificate]) -> Chain:
        """Solve one block; see `side_by_side`."""
        if not self._resume(block):
            yield from self._begin(block, self._right_side(block))
        while True:
            self._sweep(block)
            change, size = _largest((yield self.homes.soon(shards.moved, block.y)))
            block.sweeps, block.since = block.sweeps + 1, block.since + 1
            self.sweeps = max(self.sweeps, block.sweeps)
            certificate, refines = self._judge(block, change, size)
            if certificate is not None:
                certificates.append(certificate)
                return
            if refines:
                yield from self._refine(block, size)
            if time.monotonic() - block.saved > homes.CHECKPOINT_SECONDS:
                yield from self._save(block)

    def _sweep(self, block: _Block) -> None:
        """Let each shard relax its rows of a block in turn."""
        self.homes.settle()
        # Past its usual count of sweeps, over-relaxation gives way to Gauss-Seidel, which contracts in every sweep.
        plain = block.certifies or block.since >= 200 + 8 / self.run.walk.alpha
        before: list[Future | None] = [*block.y] or [None for _ in self.shards]
        block.y = []
        for s in self.shards:
            pieces = self._pieces(s, [*block.y, *before[s:]])
            given = (self.run, s, 1.0 if plain else self.omega, block.start[s], before[s], pieces)
            block.y.append(self.homes.submit(s, inplace.turn, *given))

    def _pieces(self, to: int, vectors: Sequence["Future | None"]) -> list["Future | None"]:
        """Return the rows that a shard needs of each other one; None where they are zeros."""
        return [
            vector and self.homes.submit(of, inplace.piece, self.run, of, to, vector, soon=True)
            for of, vector in enumerate(vectors)
            if of != to
        ]

    def _judge(self, block: _Block, change: float, size: float) -> tuple[Certificate | None, bool]:
        """Return the certificate if this was the last sweep, and whether the rest needs a right-hand side of its own."""
        graph, walk, growth = self.run.graph, self.run.walk, self.run.largest_scale / self.run.walk.alpha
        precision = "float64" if block.refined else "float32"
        if not math.isfinite(size):
            return Certificate(math.inf, block.sweeps, precision), False
        largest = max(size + change, block.largest)
        rounded = block.unit * rounding_of_sweep(
            np.float32, largest, graph.largest_degree, weighted=graph.weighted
        )
        before = block.rounded + (_EPS * (block.reach + block.unit * size) if block.refined else 0.0)
        refinable = rounded > before and block.refined < _REFINED_AT_MOST
        if block.certifies:
            block.certifies = False
            error = growth * (self.keep * block.unit * change + rounded + before)
            if error <= walk.tolerance or (block.exhausted and not refinable):
                return Certificate(error, block.sweeps, precision), False
            if block.exhausted:
                return None, True
            block.target /= 2
        block.exhausted = is_exhausted(np.float32, change, size)
        if block.exhausted and refinable and growth * rounded > walk.tolerance:
            return None, True  # no sweep could certify it
        block.certifies = block.exhausted or block.unit * change <= block.target
        return None, False

    def _refine(self, block: _Block, size: float) -> Chain:
        """Compute what is left of the right-hand side, and go on with that."""
        run, unit, y = self.run, block.unit, block.y
        right, total = block.right or self._right_side(block), block.total or [None for _ in self.shards]
        given = [(run, s, unit, right[s], y[s], self._pieces(s, y)) for s in self.shards]
        left = self.homes.each(inplace.remainder, lambda s: given[s])
        block.total = self.homes.each(inplace.added, lambda s: (total[s], unit, y[s]))
        block.reach += unit * size
        involved = unit * block.largest + 2 * block.reach
        block.rounded += rounding_of_sweep(
            np.float64, involved, run.graph.largest_degree, weighted=run.graph.weighted
        )
        block.sweeps, block.refined = block.sweeps + 1, block.refined + 1
        yield from self._begin(block, left)
        block.right = left

    def _begin(self, block: _Block, right: list["Future"]) -> Chain:
        """Take up a right-hand side, in units of about its largest entry."""
        _, largest = _largest((yield self.homes.soon(shards.moved, right)))
        block.unit = 2.0 ** (math.frexp(largest)[1] - 1) if math.isfinite(largest) and largest > 0 else 1.0
        block.largest, block.since, block.exhausted, block.y = largest / block.unit, 0, False, []
        block.start = self._in_units(block, right)

    def _right_side(self, block: _Block) -> list["Future"]:
        return self.homes.each(inplace.right_side, lambda s: (self.run, s, block.number))

    def _in_units(self, block: _Block, right: list["Future"]) -> list["Future"]:
        return self.homes.each(inplace.in_units, lambda s: (right[s], block.unit))

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
        yield [
            self.homes.submit(s, shards.save, self.run, files[vector][s], getattr(block, vector)[s])
            for vector in files
            for s in self.shards
        ]
        self.checkpoints.write_document(f"{self._name(block)}.json", {name: getattr(block, name) for name in _NUMBERS})
        self._load(block)
        self._forget(block, {name for names in files.values() for name in names} | {f"{self._name(block)}.json"})

    def _load(self, block: _Block) -> None:
        for vector in block.saves():
            files = self._files(block, vector)
            setattr(block, vector, self.homes.each(shards.load, lambda s, f=files: (self.run, f[s])))  # type: ignore[misc]
        block.start = self._in_units(block, block.right or self._right_side(block))
        block.saved = time.monotonic()

    def _forget(self, block: _Block, but: set[str] = frozenset()) -> None:
        """Remove the files of a block."""
        ours = {name for name in self.checkpoints.names() if name.startswith(self._name(block))}
        self.checkpoints.remove(sorted(ours - but))

    def _name(self, block: _Block) -> str:
        return f"b{block.number:05d}"

    def _files(self, block: _Block, vector: str) -> list[str]:
        return [f"{self._name(block)}-t{block.sweeps:05d}-s{s:05d}-{vector}.npy" for s in self.shards]


def _largest(moved: list[tuple[float, float]]) -> tuple[float, float]:
    """Return the largest change and size of all shards."""
    change, size = np.array(moved).max(axis=0).tolist()  # keeps a NaN
    return change, size
