"""One propagation on a cluster: what it computes, where its files lie, and which of them are finished.

Everything is in a shared folder, so that a run that was stopped, by whatever, goes on where it was::

    run.json      inputs and layout; another run is not mixed with this one
    entries/      the features, by blocks of columns
    order/        columns regime: the graph in the order of the sweeps, if it pays to reorder
    shards/       edges regime: each shard's rows with local numbers, and the rows that it needs of others
    checkpoints/  edges regime: the vectors of some iteration
    tiles/        the result; a tile counts when its certificate (.json) is there
"""

import logging
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from privge._folder import Folder
from privge.errors import BadData
from privge.graph.stored import StoredGraph
from privge.propagation.cluster.entries import Entries
from privge.propagation.cluster.tiles import TiledMatrix, certificate_of
from privge.propagation.problem import Certificate, degree_scale

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Run:
    """What every task of a run is given: small, and the same for all of them.

    Parameters
    ----------
    folder
        The shared folder of the run.
    graph, entries
        The graph and the features, each in a shared folder.
    alpha, r
        As in `Problem`.
    tolerance
        What the solver must certify: that of the caller less what storing the result takes.
    precision
        Of the result, ``float32`` or ``float64``.
    regime
        ``columns`` or ``edges``.
    row_cuts, column_cuts
        The tiles of the result.
    """

    folder: Folder
    graph: StoredGraph
    entries: Entries
    alpha: float
    r: float
    tolerance: float
    precision: str
    regime: str
    row_cuts: tuple[int, ...]
    column_cuts: tuple[int, ...]

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
        """The largest ``degree^r``: what an error in y can grow by in Z."""
        return float(degree_scale(np.array([self.graph.largest_degree]), self.r)[0])

    def unfinished(self) -> list[tuple[int, int]]:
        """Return the tiles that are still to be computed."""
        done = {name.removesuffix(".json") for name in self.tiles.names(".json")}
        every = [(i, j) for j in range(len(self.column_cuts) - 1) for i in range(len(self.row_cuts) - 1)]
        return [tile for tile in every if f"r{tile[0]:05d}-c{tile[1]:05d}" not in done]

    def certificate(self) -> Certificate:
        """Return the worst certificate of all tiles; all of them must be finished."""
        every = [
            certificate_of(self.tiles, i, j)
            for j, _ in enumerate(pairwise(self.column_cuts))
            for i, _ in enumerate(pairwise(self.row_cuts))
        ]
        return Certificate.worst([certificate for certificate in every if certificate is not None])

    def begin(self) -> "Run":
        """Write down what is computed; a run that the folder holds already keeps the layout it began with."""
        inputs = {
            "graph": self.graph.fingerprint, "features": self.entries.digest, "alpha": self.alpha, "r": self.r,
            "tolerance": self.tolerance, "precision": self.precision,
        }  # fmt: skip
        layout = {"regime": self.regime, "row_cuts": list(self.row_cuts), "column_cuts": list(self.column_cuts)}
        if not self.folder.exists("run.json"):
            self.folder.write_document(
                "run.json", {"inputs": inputs, "layout": layout, "graph": self.graph.folder.address}
            )
            return self
        before = self.folder.document("run.json")
        if before["inputs"] != inputs or before["layout"]["regime"] != self.regime:
            raise BadData(f"{self.folder.address} holds another run; remove it, or give another folder")
        row_cuts, column_cuts = (tuple(before["layout"][name]) for name in ("row_cuts", "column_cuts"))
        run = Run(self.folder, self.graph, self.entries, self.alpha, self.r, self.tolerance, self.precision,
                  self.regime, row_cuts, column_cuts)  # fmt: skip
        tiles = (len(row_cuts) - 1) * (len(column_cuts) - 1)
        logger.info("going on with a run: %d of %d tiles are finished", tiles - len(run.unfinished()), tiles)
        return run
