"""One propagation on a cluster: what it computes, where its files lie, and which of them are finished.

Everything is in a shared folder, so that a run that was stopped, by whatever, goes on where it was. Its name says what
is computed: a task that outlives its run, or another run in the same place, writes the same bytes or elsewhere::

    run-<digest of the inputs>/
        entries/          the features, by blocks of columns
        columns/ edges/   the regime
            layout.json   how the result is cut, and the engine
            order/        columns: the graph in the order of the sweeps, if it pays to reorder
            shards/       edges: each shard's rows with local numbers, and the rows that it needs of others
            checkpoints/  edges: the vectors of some iteration
            tiles/        the result; a tile counts when its certificate (.json) is there
"""

import hashlib
import logging
from dataclasses import astuple, dataclass, replace

import numpy as np

from privge._files.folder import Folder
from privge._typing import Floats
from privge.errors import ClusterFailed
from privge.graph.stored import StoredGraph
from privge.propagation.cluster.entries import Entries
from privge.propagation.cluster.tiles import TiledMatrix, certificate_of, tile_name
from privge.propagation.problem import Certificate
from privge.propagation.strengths import largest_scale_of, node_scale, unit_of
from privge.propagation.walk import Walk

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Inputs:
    """What determines the result.

    Parameters
    ----------
    graph
        The graph, in a folder that all workers share.
    features
        A digest of the features, or of whatever they are made from.
    walk
        ``alpha``, ``r`` and the tolerance.
    """

    graph: StoredGraph
    features: str
    walk: Walk

    def folder(self, place: Folder) -> Folder:
        """Return the folder of a run with these inputs."""
        numbers = [float(number).hex() for number in astuple(self.walk)]
        told = " ".join([self.graph.fingerprint, self.features, *numbers])
        return place.sub(f"run-{hashlib.sha256(told.encode()).hexdigest()[:24]}")


@dataclass(frozen=True, slots=True)
class Run:
    """What every task of a run is given: small, and the same for all of them.

    Parameters
    ----------
    folder
        The folder of the run and its regime, where tasks leave what they finished.
    graph, entries
        The graph and the features, each in a shared folder.
    walk
        The caller's, with what the solver must certify: the tolerance less what storing the result takes.
    precision
        Of the result, ``float32`` or ``float64``.
    row_cuts, column_cuts
        The tiles of the result.
    engine
        ``sor``, or ``chebyshev`` for shards that step at once.
    """

    folder: Folder
    graph: StoredGraph
    entries: Entries
    walk: Walk
    precision: str
    row_cuts: tuple[int, ...]
    column_cuts: tuple[int, ...]
    engine: str = "sor"

    @property
    def tiles(self) -> Folder:
        """Where the result lies."""
        return self.folder.sub("tiles")

    @property
    def result(self) -> TiledMatrix:
        """The finished matrix."""
        return TiledMatrix(self.tiles, self.row_cuts, self.column_cuts, np.dtype(self.precision))

    @property
    def largest_scale(self) -> float:
        """The largest ``strength^r``: what an error in y can grow by in Z."""
        return largest_scale_of(self.graph, self.walk.r)

    def scale(self, first: int = 0, last: int | None = None) -> Floats:
        """Return ``strength^r`` of the rows from ``first`` to before ``last``."""
        return node_scale(self.graph.strengths(first, last), self.walk.r, unit_of(self.graph))

    def begin(self) -> "Run":
        """Write down how the result is cut; a run that was begun before keeps its cuts and its engine."""
        for part in ("", "order", "shards", "checkpoints", "tiles"):
            self.folder.sub(part).remove_leftovers()
        if not self.folder.exists("layout.json"):
            cuts = {"row_cuts": list(self.row_cuts), "column_cuts": list(self.column_cuts)}
            self.folder.write_document("layout.json", {**cuts, "engine": self.engine})
            return self
        before = self.folder.document("layout.json")
        engine = before.get("engine", self.engine)
        run = replace(self, row_cuts=tuple(before["row_cuts"]), column_cuts=tuple(before["column_cuts"]), engine=engine)
        every = len(run.every_tile())
        logger.info("going on with a run: %d of %d tiles are finished", every - len(run.unfinished()), every)
        return run

    def unfinished(self) -> list[tuple[int, int]]:
        """Return the tiles that are still to be computed."""
        done = set(self.tiles.names(".json"))
        return [tile for tile in self.every_tile() if f"{tile_name(*tile)}.json" not in done]

    def certificate(self) -> Certificate:
        """Return the worst certificate of all tiles, each of which must be there."""
        certificates = [certificate_of(self.tiles, *tile) for tile in self.every_tile()]
        if None in certificates:
            raise ClusterFailed(f"{self.tiles.address}: what workers finished is not there: do all share this folder?")
        return Certificate.worst([certificate for certificate in certificates if certificate is not None])

    def every_tile(self) -> list[tuple[int, int]]:
        """Return row and column of all tiles."""
        return [(i, j) for j in range(len(self.column_cuts) - 1) for i in range(len(self.row_cuts) - 1)]
