"""New reports, nodes and edges into a finished embedding, in time that grows with what changed."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from privge._machine import processors
from privge.embedding.embedding import Embedding
from privge.embedding.former import check_former, native
from privge.embedding.grown import update_for_grown_graph
from privge.embedding.join import Joining
from privge.embedding.new_reports import NewReports
from privge.errors import BadData, CampaignMismatch, NotUpdatable
from privge.graph import Graph, GraphData, as_graph
from privge.propagation import Matrix, Walk, propagate_change
from privge.reports import Reports


def update(
    embedding: Embedding,
    new_reports: Reports,
    *,
    graph: GraphData,
    reports: Reports,
    before: GraphData | None = None,
    tolerance: float | None = None,
    threads: int | None = None,
) -> Embedding:
    """Add new or replaced reports, nodes and edges to a finished embedding, in time that grows with what changed.

    Propagation is linear, so a change of the features is propagated by itself and added. It takes the cheaper of two
    ways: push, which visits only the neighbourhood of the change, or relaxation of the touched columns. A change of the
    graph is corrected where neighbourhoods changed (`privge.propagation.growth`), or everything is computed anew if so
    much changed that this is faster.

    Parameters
    ----------
    embedding
        What `embed` or `update` returned for the former graph and ``reports``.
    new_reports
        Reports of the same campaign, or none of them. A node that had a report gets the new one instead.
    graph
        The graph as it is now, in any form that `privge.as_graph` takes: the one that the embedding was made from; or,
        with ``before``, one that has all its nodes, in any order, and gained nodes or edges, lost edges, or has other
        weights.
    reports
        The reports that the embedding was made from.
    before
        The graph that the embedding was made from, if ``graph`` is another; it is checked against its fingerprint.
    tolerance
        Largest error that the update may add, besides what storing the result costs; by default that of the embedding.
        The certificate of the result is the sum of both; what the former one is worth for a grown graph, `Growth` says.
    threads
        By default one for each processor.
    """
    for part in (reports, new_reports):
        if not isinstance(part, Reports):
            raise TypeError(f"update takes reports, got {type(part).__name__}; Reports.from_parquet reads a file")
    made, graph = embedding.provenance, as_graph(graph)
    before = None if before is None else as_graph(before)
    made.check_updatable()
    if made.run.projection is not None:
        raise NotUpdatable(
            "the vectors are compact, and their directions follow from all reports: make them anew with the same "
            "dimensions, which privge.curator does by itself"
        )
    for part in (reports, new_reports):
        if part.campaign.id != made.source.campaign:
            raise CampaignMismatch(
                f"the embedding is of campaign {made.source.campaign[:12]}, not {part.campaign.id[:12]}"
            )
    walk = made.run.walk if tolerance is None else replace(made.run.walk, tolerance=tolerance)
    new = NewReports(new_reports, reports, Joining.like(made.source))
    if graph.fingerprint == made.graph.fingerprint:
        return _update_features(embedding, graph, new, walk, threads or processors())
    if before is None or before.fingerprint != made.graph.fingerprint:
        raise BadData(
            "the embedding was made from another graph; if this is that graph grown, give the former one as 'before'"
        )
    return update_for_grown_graph(embedding, before, graph, new, walk, threads or processors())


def _update_features(embedding: Embedding, graph: Graph, new: NewReports, walk: Walk, threads: int) -> Embedding:
    """Add what new reports change, on the same graph."""
    made = embedding.provenance
    rows = graph.rows_of(new.reports.ids)
    rows = rows[rows >= 0]  # others are refused, or dropped, when features are joined
    check_former(made.run, np.asarray(embedding.matrix), graph, new.before(graph), rows, threads)
    change = new.change(graph)
    joined = len(new.reports) - int(new.replaced.sum())
    told = made.with_other_reports(made.source.participation + joined / max(1, graph.nodes))
    if not change.nnz:
        return Embedding(embedding.ids, embedding.matrix, told)
    with ThreadPoolExecutor(1) as pool:  # the copy waits for memory, the push for the cache: they go well together
        copy = pool.submit(np.array, embedding.matrix, dtype=native(embedding.matrix.dtype))
        correction, run = propagate_change(graph, change, walk, threads=threads)
        matrix: Matrix = copy.result()
    rounded = correction.add_to(matrix, threads=threads)
    computation = replace(
        made.run,
        certificate=made.run.certificate + run.certificate.error + rounded,
        seconds=run.seconds,
        engine=f"{made.run.engine.split('+')[0]}+{run.engine}",
    )
    return Embedding(embedding.ids, matrix, replace(told, run=computation))
