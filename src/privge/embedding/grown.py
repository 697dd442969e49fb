"""A finished embedding for a graph that gained nodes and edges: everything by id, whatever the order of the rows."""

import logging
from dataclasses import replace

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge.embedding.computation import Computation
from privge.embedding.embedding import Embedding
from privge.embedding.former import check_former
from privge.embedding.join import check_strangers, feature_rows
from privge.embedding.new_reports import NewReports
from privge.embedding.provenance import PublicGraph
from privge.errors import BadData
from privge.graph import Graph
from privge.graph.labelled import all_found
from privge.ids import Ids
from privge.propagation import ENGINES, ChangeTooLarge, Growth, Local, Matrix, Walk, propagate_growth
from privge.propagation.propagate import propagate_here

logger = logging.getLogger(__name__)


def update_for_grown_graph(
    embedding: Embedding, before: Graph, graph: Graph, new: NewReports, walk: Walk, threads: int
) -> Embedding:
    """Correct an embedding for another graph, or compute it anew if that is faster: see `privge.update`."""
    growth = Growth(before, graph, _places(before, graph))
    reported, kept = graph.rows_of(new.reports.ids), graph.rows_of(new.kept.ids)
    check_strangers(int((reported < 0).sum()), len(reported), "refuse")
    _check_number(embedding, growth, new, kept)
    rows = np.union1d(growth.changed, reported)
    _check_former(embedding, growth, new, rows, threads)
    features = new.features(graph, rows, kept)
    try:
        _check_engine(embedding)
        matrix, run = _corrected(embedding, growth, features, rows, walk, threads)
    except ChangeTooLarge:
        logger.info("%d of %d rows changed: everything is computed anew", len(rows), graph.nodes)
        matrix, run = _anew(embedding, graph, new, walk, threads)
    participation = (int((kept >= 0).sum()) + len(reported)) / max(1, graph.nodes)
    made = embedding.provenance.with_other_reports(participation)
    return Embedding(graph.ids, matrix, replace(made, graph=PublicGraph.of(graph), run=run))


def _check_former(embedding: Embedding, growth: Growth, new: NewReports, rows: NDArray[np.int64], threads: int) -> None:
    """Refuse other former reports than those in the embedding where the residual is computed from what is given."""
    before, changed = growth.before, np.zeros(growth.graph.nodes, dtype=np.bool_)
    changed[rows] = True
    former = np.flatnonzero(changed[growth.place])
    wanted = np.zeros(before.nodes + 1, dtype=np.bool_)
    wanted[former] = True  # the last entry stays False, and -1 finds it
    reports = new.former.take(np.flatnonzero(wanted[before.rows_of(new.former.ids)]))
    features = feature_rows(before, reports, new.joining)
    run = embedding.provenance.run
    check_former(run, _in_order(embedding, before), before, features, former, threads)


def _check_number(embedding: Embedding, growth: Growth, new: NewReports, kept: NDArray[np.int64]) -> None:
    """Refuse other reports than those in the embedding: one that is left out would stay in its vectors, unseen.

    They are counted, among the nodes of the former graph; ``kept`` are the rows of those that still count.
    """
    former = np.zeros(growth.graph.nodes + 1, dtype=np.bool_)
    former[growth.place] = True  # the last entry stays False, and -1 finds it
    replaced = growth.graph.rows_of(new.former.ids[new.replaced])
    given = int(former[kept].sum() + former[replaced].sum())
    used = round(embedding.provenance.source.participation * growth.before.nodes)
    if given != used:
        raise BadData(
            f"the embedding was made from the reports of {used:,} nodes, and {given:,} of its nodes are among the "
            "former reports that are given; give those that it was made from, or make it anew"
        )


def _check_engine(embedding: Embedding) -> None:
    """Pass on only what an engine of this package certified: others bound errors, and `Growth` needs a residual."""
    engine = embedding.provenance.run.engine.split("+")[0]
    if engine not in ENGINES:
        logger.info("what the engine %s certifies does not hold for another graph", engine)
        raise ChangeTooLarge


def _corrected(
    embedding: Embedding,
    growth: Growth,
    features: scipy.sparse.csr_array,
    rows: NDArray[np.int64],
    walk: Walk,
    threads: int,
) -> tuple[Matrix, Computation]:
    made = embedding.provenance.run
    former = _in_order(embedding, growth.before)
    matrix, run = propagate_growth(growth, former, features, rows, walk, threads)
    certificate = growth.carried(made.certificate, walk.r) + run.error
    engine = f"{made.engine.split('+')[0]}+push"
    return matrix, replace(made, certificate=certificate, seconds=run.seconds, engine=engine)


def _anew(embedding: Embedding, graph: Graph, new: NewReports, walk: Walk, threads: int) -> tuple[Matrix, Computation]:
    """Compute everything from the beginning; reports that were dropped before are dropped again."""
    features = feature_rows(graph, new.together, replace(new.joining, unknown="drop"))
    matrix, run = propagate_here(graph, features, walk, Local(threads=threads), None)
    return matrix, replace(Computation.of(walk, run), tolerance=embedding.provenance.run.tolerance)


def _places(before: Graph, graph: Graph) -> NDArray[np.int64]:
    """Return the row in the new graph of each node of the former one, all of which must be there."""
    if _same(before.ids, graph.ids[: before.nodes]):
        return np.arange(before.nodes)
    why = "an update adds nodes and removes none: make the embedding anew"
    return all_found(graph.rows_of(before.ids), f"nodes of the former graph are not in the new one; {why}")


def _in_order(embedding: Embedding, graph: Graph) -> Matrix:
    """Return the vectors in the order of a graph, each of whose nodes has one."""
    matrix = np.asarray(embedding.matrix)
    if _same(embedding.ids, graph.ids):
        return matrix
    rows = graph.rows_of(embedding.ids)
    if len(rows) != graph.nodes or not np.array_equal(np.sort(rows), np.arange(graph.nodes)):
        raise BadData("the embedding does not have one vector for each node of the former graph")
    ordered = np.empty_like(matrix)
    ordered[rows] = matrix
    return ordered


def _same(ids: Ids, others: Ids) -> bool:
    return ids.dtype == others.dtype and np.array_equal(ids, others)
