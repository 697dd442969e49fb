"""New reports into a finished embedding, in time that grows with what changed."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._machine import processors
from privge.embedding.embedding import Embedding
from privge.embedding.join import Joining, feature_rows
from privge.errors import BadData, CampaignMismatch
from privge.graph import Graph, GraphData, as_graph
from privge.ids import Ids
from privge.propagation import Matrix, propagate_change
from privge.reports import Reports


def update(
    embedding: Embedding,
    new_reports: Reports,
    *,
    graph: GraphData,
    reports: Reports,
    tolerance: float | None = None,
    threads: int | None = None,
) -> Embedding:
    """Add new or replaced reports to a finished embedding, in time that grows with what changed.

    Propagation is linear, so the change of the features is propagated by itself and added. It takes the cheaper of
    two ways: push, which visits only the neighbourhood of the change, or relaxation of the touched columns.

    Parameters
    ----------
    embedding
        What `embed` returned for ``graph`` and ``reports``.
    new_reports
        Reports of the same campaign. A node that had a report gets the new one instead.
    graph
        The graph that the embedding was made from, in any form that `privge.as_graph` takes; it is checked against its
        fingerprint.
    reports
        The reports that the embedding was made from.
    tolerance
        Largest error that the update may add; by default that of the embedding. The certificate of the result is
        the sum of both.
    threads
        By default one for each processor.
    """
    made, graph = embedding.provenance, as_graph(graph)
    if graph.fingerprint != made.graph.fingerprint:
        raise BadData("the embedding was made from another graph")
    for part in (reports, new_reports):
        if part.campaign.id != made.source.campaign:
            raise CampaignMismatch(
                f"the embedding is of campaign {made.source.campaign[:12]}, not {part.campaign.id[:12]}"
            )
    walk = made.run.walk if tolerance is None else replace(made.run.walk, tolerance=tolerance)
    change = _change(graph, reports, new_reports, Joining(made.source.decoding, made.source.clip))  # type: ignore[arg-type]
    with ThreadPoolExecutor(1) as pool:  # the copy waits for memory, the push for the cache: they go well together
        copy = pool.submit(np.array, embedding.matrix)
        correction, run = propagate_change(graph, change, walk, threads=threads or processors())
        matrix: Matrix = copy.result()
    rounded = correction.add_to(matrix)
    joined = len(new_reports) - int(_among(reports.ids, new_reports.ids).sum())
    computation = replace(
        made.run,
        certificate=made.run.certificate + run.certificate.error + rounded,
        seconds=run.seconds,
        engine=f"{made.run.engine.split('+')[0]}+{run.engine}",
    )
    participation = made.source.participation + joined / max(1, graph.nodes)
    updated = replace(made.with_source(participation=participation), run=computation)
    return Embedding(embedding.ids, matrix, updated)


def _change(graph: Graph, reports: Reports, new_reports: Reports, joining: Joining) -> scipy.sparse.csr_array:
    """Return new features minus old ones; only the rows of new reports are not empty."""
    old = reports.take(np.flatnonzero(_among(reports.ids, new_reports.ids)))
    new, gone = (feature_rows(graph, part, joining).astype(np.float64) for part in (new_reports, old))
    return new - gone


def _among(ids: Ids, wanted: Ids) -> NDArray[np.bool_]:
    """Say which ids are among the wanted ones; as everywhere, 17 and "17" are one node."""
    if ids.dtype == wanted.dtype == np.int64:
        return np.isin(ids, wanted)
    names = set(map(str, wanted.tolist()))
    return np.fromiter((str(node) in names for node in ids.tolist()), dtype=np.bool_, count=len(ids))
