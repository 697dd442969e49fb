"""What reports say of people, ready to be spread over a graph without some of its edges.

Vectors that were propagated over held-out edges cannot be judged by them: an edge would explain itself. So vectors are
made again on the graph without these edges. From reports that is `privge.embed` again. From a finished embedding it is
possible too, because propagation is linear and can be undone: in ``Z = alpha X + (1 - alpha) D^(r-1) A D^(-r) Z`` all
but X is known. An embedding of another graph, or one that did not come from a walk, is refused.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse

from privge.embedding.channel import PRIVATE
from privge.embedding.embedding import Embedding
from privge.embedding.join import AS_IN_THE_PAPER, Joining, feature_rows
from privge.errors import BadData
from privge.graph import Graph
from privge.graph.labelled import Rows
from privge.ids import Ids
from privge.propagation import Local, Matrix, Walk, propagate
from privge.reports import Reports

_BLOCK = 64  # columns that are undone at once
_ALIKE = "see whether ids are written alike: 007 is not 7"
_OTHERWISE = "give the reports (--reports or --store), from which they can be made again"


class NotJudged(BadData):
    """What these vectors add cannot be judged by held-out edges; the message says why."""


@dataclass(frozen=True, eq=False, slots=True)
class Signals:
    """A row of numbers for each node, before it walks, and how it walks."""

    rows: scipy.sparse.csr_array
    walk: Walk

    @classmethod
    def of_reports(cls, graph: Graph, reports: Reports, walk: Walk, joining: Joining = AS_IN_THE_PAPER) -> Self:
        """Decode reports into the rows of a graph."""
        return cls(feature_rows(graph, reports, joining), walk)

    @classmethod
    def of_rows(cls, graph: Graph, ids: Ids, rows: scipy.sparse.csr_array, walk: Walk) -> Self:
        """Put rows by id into the order of a graph; whoever is not in it is left out, and nobody must not be left."""
        places = graph.rows_of(ids)
        if not (places >= 0).any():
            raise BadData(f"none of the {len(ids):,} ids is a node of the graph; {_ALIKE}")
        order = np.full(graph.nodes, len(ids))
        order[places[places >= 0]] = np.flatnonzero(places >= 0)
        nobody = scipy.sparse.csr_array((1, rows.shape[1]), dtype=rows.dtype)
        return cls(scipy.sparse.csr_array(scipy.sparse.vstack([rows, nobody], format="csr")[order]), walk)

    @classmethod
    def of_embedding(cls, graph: Graph, embedding: Embedding) -> Self:
        """Undo the walk of an embedding of this very graph; only its private channel walked."""
        if PRIVATE not in embedding.channels:
            raise NotJudged(f"the embedding has no channel {PRIVATE!r}, and others do not follow from the graph alone")
        private = embedding.channel(PRIVATE)
        run, made_of = private.provenance.run, private.provenance.graph
        if made_of.fingerprint != graph.fingerprint:
            raise NotJudged(
                f"the embedding was made from another graph ({made_of.nodes:,} nodes, {made_of.edges:,} edges), so "
                f"what walked over it cannot be found again; {_OTHERWISE}"
            )
        if (run.smoothing is not None and run.smoothing.chosen == "smoother") or not 0 < run.alpha < 1:
            raise NotJudged(f"the vectors did not come from a walk over the graph, which could be undone; {_OTHERWISE}")
        if run.projection is not None:  # its directions were found with the edges that are to be hidden
            raise NotJudged(
                f"the vectors are compact, and their columns were chosen with all edges at hand; {_OTHERWISE}"
            )
        walk = Walk(run.alpha, run.r, run.tolerance)
        return cls(undone(graph, private.matrix, walk, run.certificate), walk)

    def in_order(self, order: Rows) -> "Signals":
        """Return these of nodes in another order."""
        return Signals(self.rows[order], self.walk)

    def compact(self, columns: int, seed: int) -> "Signals":
        """Return rows of at most so many columns: wider ones by a random projection, as propagation is linear.

        Inner products of two rows are kept within ``1 / sqrt(columns)`` of the product of their lengths, as a standard
        deviation. The projection is public and follows from the seed.
        """
        width = self.rows.shape[1]
        if width <= columns:
            return self
        generator = np.random.default_rng([seed, 36])
        projection = generator.standard_normal((width, columns), dtype=np.float32) / np.float32(np.sqrt(columns))
        return Signals(scipy.sparse.csr_array(self.rows @ projection), self.walk)

    def shuffled(self, seed: int) -> "Signals":
        """Return a control: everybody who reported has somebody else's row."""
        reported = np.flatnonzero(np.diff(self.rows.indptr))
        order = np.arange(self.rows.shape[0])
        order[reported] = np.random.default_rng([seed, 32]).permutation(reported)
        return self.in_order(order)

    def noise(self, seed: int) -> "Signals":
        """Return the control structure-only: everybody who reported has pure noise, as long and as loud as reports are.

        Which columns and which numbers depends on the seed alone; how many of both is the mean over all reports.
        """
        reported, width = np.flatnonzero(np.diff(self.rows.indptr)), self.rows.shape[1]
        each = min(width, max(1, round(self.rows.nnz / max(1, len(reported)))))
        loud = float(np.sqrt(np.mean(np.square(self.rows.data, dtype=np.float64)))) if self.rows.nnz else 0.0
        generator = np.random.default_rng([seed, 37])
        counts = np.zeros(self.rows.shape[0], dtype=np.int64)
        counts[reported] = each
        columns = np.empty((len(reported), each), dtype=np.int32)
        for line in columns:
            line[:] = np.sort(generator.choice(width, each, replace=False)) if each < width else np.arange(width)
        values = generator.uniform(-1, 1, columns.size).astype(np.float32) * np.float32(loud * np.sqrt(3))
        pointers = np.concatenate([[0], np.cumsum(counts)])
        return Signals(scipy.sparse.csr_array((values, columns.ravel(), pointers), shape=self.rows.shape), self.walk)

    def on(self, graph: Graph, threads: int | None = None) -> Matrix:
        """Let them walk over a graph, whose nodes stand in the order of these rows."""
        walk = self.walk
        place = Local(threads=threads)
        return propagate(graph, self.rows, alpha=walk.alpha, r=walk.r, tolerance=walk.tolerance, on=place)[0]


def undone(graph: Graph, matrix: Matrix, walk: Walk, error: float) -> scipy.sparse.csr_array:
    """Return what was propagated: ``X = (Z - (1 - alpha) D^(r-1) A D^(-r) Z) / alpha``, within what rounding left.

    Parameters
    ----------
    graph
        The graph it was propagated over.
    matrix
        What came out, Z.
    walk
        How.
    error
        No entry of Z is farther than this from exact; entries of X that this may have made are set to 0.
    """
    strengths = np.maximum(graph.strengths, 1e-300)
    left, right = np.where(graph.degrees > 0, strengths ** (walk.r - 1), 0), strengths**-walk.r
    step = (
        scipy.sparse.diags_array(left)
        @ graph.to_scipy()
        @ scipy.sparse.diags_array(np.where(graph.degrees > 0, right, 0))
    )
    bound = error * (1 + (1 - walk.alpha) * np.asarray(step.sum(axis=1)).ravel()) / walk.alpha
    parts = []
    for first in range(0, matrix.shape[1], _BLOCK):
        block = np.asarray(matrix[:, first : first + _BLOCK], dtype=np.float64)
        back = (block - (1 - walk.alpha) * (step @ block)) / walk.alpha
        back[np.abs(back) <= bound[:, None]] = 0
        parts.append(scipy.sparse.csr_array(back.astype(np.float32)))
    return scipy.sparse.csr_array(scipy.sparse.hstack(parts, format="csr"))
