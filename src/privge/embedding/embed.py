"""From reports and a graph to one vector for each node."""

from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from privge._files.folder import Folder
from privge._typing import Decoding, Progress
from privge.embedding.embedding import Embedding
from privge.embedding.join import Unknown, spread_rows
from privge.embedding.provenance import provenance_of
from privge.graph import Graph
from privge.graph.stored import StoredGraph
from privge.propagation import DEFAULT_TOLERANCE, Engine, propagate
from privge.reports import Reports
from privge.reports.parts import ReportParts

if TYPE_CHECKING:
    from privge._dask import Cluster
    from privge.propagation.cluster import Regime


def embed(
    graph: Graph | StoredGraph,
    reports: Reports | ReportParts,
    *,
    alpha: float = 0.1,
    r: float = 0.5,
    tolerance: float = DEFAULT_TOLERANCE,
    engine: str | Engine | None = None,
    decoding: Decoding = "raw",
    clip: float | None = None,
    unknown: Unknown = "refuse",
    threads: int | None = None,
    memory: int | None = None,
    cluster: "Cluster | None" = None,
    folder: str | PathLike[str] | Folder | None = None,
    regime: "Regime" = "auto",
    progress: Progress | None = None,
) -> Embedding:
    """Spread the reports over the graph. Post-processing: it costs no privacy.

    Parameters
    ----------
    graph
        The public graph, in memory or on disk.
    reports
        At most one report a node. Nodes without a report get the midpoint.
    alpha
        Decay factor of the paper, in (0, 1).
    r
        Convolution coefficient of the paper, in [0, 1].
    tolerance
        Largest error of any entry, certified.
    engine
        ``sor`` (the default), ``push``, ``chebyshev``, ``exact``, or an engine object; not for a cluster.
    decoding
        ``raw`` as in the paper, or ``unbiased``.
    clip
        Largest magnitude of a decoded coordinate (`privge.Reports.decode`); None leaves them as they are.
    unknown
        What to do with reports of nodes that are not in the graph: ``refuse``, or ``drop`` and count them.
    threads
        By default one for each processor; the result does not depend on it.
    memory
        Bytes that the result may take in memory; a larger one goes to a temporary memory-mapped file. By
        default half of the machine's memory.
    cluster
        A Dask scheduler that does the work, as for `privge.propagate`.
    folder
        For a cluster: a folder that its workers share, as for `privge.propagate`.
    regime
        For a cluster: how the work is cut, as for `privge.propagate`.
    progress
        Called with the columns done and the columns in all.
    """
    if cluster is not None:
        from privge.embedding.cluster import embed_on_cluster

        if engine is not None:
            raise ValueError("engine is decided by the regime of the cluster: leave it out")
        return embed_on_cluster(
            cluster, graph, reports, alpha=alpha, r=r, tolerance=tolerance, decoding=decoding, clip=clip,
            unknown=unknown, folder=folder, regime=regime, progress=progress,
        )  # fmt: skip
    graph = graph.graph() if isinstance(graph, StoredGraph) else graph
    if isinstance(reports, ReportParts):
        reports = Reports.concatenate([reports.read(part) for part in range(len(reports))])
    features = spread_rows(graph, reports, decoding, unknown, clip=clip)
    matrix, run = propagate(
        graph,
        features,
        alpha=alpha,
        r=r,
        tolerance=tolerance,
        engine=engine or "sor",
        threads=threads,
        memory=memory,
        progress=progress,
    )
    participation = int((np.diff(features.indptr) > 0).sum()) / max(1, graph.nodes)
    provenance = provenance_of(
        graph, reports.campaign, run, alpha=alpha, r=r, decoding=decoding, clip=clip, participation=participation
    )
    return Embedding(graph.ids, matrix, provenance)
