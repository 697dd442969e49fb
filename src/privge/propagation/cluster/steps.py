"""The edges regime where blocks of columns are fewer than workers: all shards step at once, on all blocks.

In-place order is impossible then; Chebyshev iteration needs none, and its weights are known in advance
(see `privge.propagation.chebyshev`). In each step every shard gets the rows that it needs of the others and multiplies;
the driver sees two numbers a shard. The certificate is that of `privge.propagation.relaxation`: a plain step from
``y`` to ``y'`` contracts the error by ``1-alpha`` in the maximum norm, and its rounding has the same bound.
"""

import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from privge._waiting import gathered
from privge.propagation.cluster import homes, shards
from privge.propagation.cluster.run import Run
from privge.propagation.problem import Certificate
from privge.propagation.relaxation import is_exhausted, rounding_of_sweep

if TYPE_CHECKING:
    from distributed import Client, Future

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _State:
    """Where a pass stands: one future a shard for each vector, and the numbers of the iteration."""

    y: list["Future"]
    before: list["Future"] | None = None
    omega: float = 1.0
    precision: str = "float32"
    sweeps: int = 0
    since: int = 0
    """Sweeps in this precision."""
    saved: float = field(default_factory=time.monotonic)


class Steps:
    """The iteration for one column of tiles."""

    def __init__(self, client: "Client", run: Run, column: int) -> None:
        self.client, self.run, self.column = client, run, column
        self.homes = homes.Homes(client, len(run.row_cuts) - 1)
        self.shards = self.homes.shards
        self.checkpoints, self.name = run.folder.sub("checkpoints"), f"c{column:05d}"
        self.sweeps = 0

    def solve(self) -> None:
        """Step until the certificate holds, then write the tiles."""
        run, state = self.run, self._resume()
        while True:
            pieces = self._exchange(state.y)
            following = self._step(state, pieces)
            change, size = self._moved(following)
            state.sweeps, state.since = state.sweeps + 1, state.since + 1
            self.sweeps = state.sweeps
            certificate, exhausted = self._judge(state, change, size)
            if certificate.error <= run.walk.tolerance or (exhausted and state.precision == "float64"):
                break
            if exhausted:
                del pieces, following
                state = self._refine(state)
                continue
            del pieces  # before the next ones are made
            state.y, state.before = following, state.y
            state.omega = _next_omega(state.omega, 1 - run.walk.alpha, state.since)
            if time.monotonic() - state.saved > homes.CHECKPOINT_SECONDS:
                self._save(state)
        del following
        last = (self.column, certificate)
        self._gather(shards.finish, lambda s: (run, s, *last, self.start[s], state.y[s], pieces[s]))
        self._forget()

    def _step(self, state: _State, pieces: list[list["Future"]]) -> list["Future"]:
        before = state.before or state.y  # of a plain step it is not read
        return self.homes.each(
            shards.step, lambda s: (self.run, s, state.omega, self.start[s], state.y[s], before[s], pieces[s])
        )

    def _judge(self, state: _State, change: float, size: float) -> tuple[Certificate, bool]:
        """Return what a plain step certifies, and whether this precision can do no better."""
        run, kind = self.run, np.dtype(state.precision).type
        keep = 1 - run.walk.alpha
        largest, graph = max(size + change, self.largest_start), run.graph
        rounded = rounding_of_sweep(kind, largest, graph.largest_degree, weighted=graph.weighted)
        error = (keep * change + rounded) / run.walk.alpha * run.largest_scale
        if not math.isfinite(error):
            return Certificate(math.inf, state.sweeps, state.precision), True
        pace = keep / (1 + math.sqrt(1 - keep**2))  # what a step leaves of the error
        enough = 40 + 2 * math.log(np.finfo(kind).eps) / math.log(pace)
        exhausted = is_exhausted(kind, change, size) or state.since > enough
        return Certificate(error, state.sweeps, state.precision), exhausted

    def _refine(self, state: _State) -> _State:
        """Go on in float64 from where float32 ended; if it overflowed, from the beginning."""
        sound = math.isfinite(self._moved(state.y)[1])
        self._begin("float64")
        y = self.homes.each(shards.refined, lambda s: (state.y[s],)) if sound else list(self.start)
        return _State(y, precision="float64", sweeps=state.sweeps)

    def _begin(self, precision: str) -> None:
        """Compute the right-hand side, which stays on the workers."""
        self.start = self.homes.each(shards.start_of, lambda s: (self.run, s, self.column, precision))
        self.largest_start = self._moved(self.start)[1]

    def _resume(self) -> _State:
        """Return the state of the last checkpoint, or that of the beginning."""
        state = self._checkpoint()
        self._begin("float32" if state is None else state.precision)
        if state is None:
            return _State(list(self.start))
        logger.info("going on from the checkpoint after %d sweeps", state.sweeps)
        self._load(state)
        return state

    def _checkpoint(self) -> _State | None:
        """Return the numbers of the last checkpoint, if it is there with all its files."""
        if not self.checkpoints.exists(f"{self.name}.json"):
            return None
        state = _State([], **self.checkpoints.document(f"{self.name}.json"))
        needed = {file for vector in ("y", "before") for file in self._files(state, vector)}
        return state if needed <= set(self.checkpoints.names(".npy")) else None

    def _save(self, state: _State) -> None:
        """Write a checkpoint and go on from its files; those of the one before are removed."""
        written = set()
        for vector, futures in (("y", state.y), ("before", state.before or [])):
            files = self._files(state, vector)
            self._gather(shards.save, lambda s, f=futures, n=files: (self.run, n[s], f[s]))  # type: ignore[misc]
            written.update(files)
        numbers = {name: getattr(state, name) for name in ("omega", "precision", "sweeps", "since")}
        self.checkpoints.write_document(f"{self.name}.json", numbers)
        self._load(state)
        ours = {name for name in self.checkpoints.names(".npy") if name.startswith(self.name)}
        self.checkpoints.remove(sorted(ours - written))

    def _load(self, state: _State) -> None:
        y, before = (self._files(state, vector) for vector in ("y", "before"))
        state.y = self.homes.each(shards.load, lambda s: (self.run, y[s]))
        state.before = self.homes.each(shards.load, lambda s: (self.run, before[s]))
        state.saved = time.monotonic()

    def _forget(self) -> None:
        self.checkpoints.remove([name for name in self.checkpoints.names() if name.startswith(self.name)])

    def _files(self, state: _State, vector: str) -> list[str]:
        return [f"{self.name}-t{state.sweeps:05d}-s{s:05d}-{vector}.npy" for s in self.shards]

    def _exchange(self, y: list["Future"]) -> list[list["Future"]]:
        """Return for each shard the rows that it needs of each other one."""
        self.homes.settle()
        return [
            [self.homes.submit(of, shards.piece, self.run, of, to, y[of]) for of in self.shards if of != to]
            for to in self.shards
        ]

    def _moved(self, vectors: list["Future"]) -> tuple[float, float]:
        moved = self._gather(shards.moved, lambda s: (vectors[s],))
        change, size = np.array(moved).max(axis=0).tolist()  # keeps a NaN
        return change, size

    def _gather(self, function: Callable[..., Any], arguments: Callable[[int], tuple[Any, ...]]) -> list[Any]:
        """Return what a task for each shard returns."""
        return gathered(self.client, self.homes.each(function, arguments), self.homes.look)


def _next_omega(omega: float, keep: float, since: int) -> float:
    return 1 / (1 - keep**2 / 2) if since == 1 else 1 / (1 - keep**2 * omega / 4)
