"""From reports and a graph to one vector for each node."""

import numpy as np

from privge._typing import Decoding, Progress
from privge.embedding.embedding import Embedding
from privge.embedding.join import Joining, Unknown, feature_rows
from privge.embedding.provenance import Provenance, Source
from privge.graph import GraphData, StoredGraph, as_graph
from privge.propagation import DEFAULT_ALPHA, DEFAULT_R, DEFAULT_TOLERANCE, HERE, OnCluster, Place, Walk
from privge.propagation.propagate import propagate_here
from privge.reports import Reports
from privge.reports.parts import ReportParts


def embed(
    graph: GraphData,
    reports: Reports | ReportParts,
    *,
    alpha: float = DEFAULT_ALPHA,
    r: float = DEFAULT_R,
    tolerance: float = DEFAULT_TOLERANCE,
    decoding: Decoding = "raw",
    clip: float | None = None,
    unknown: Unknown = "refuse",
    on: Place = HERE,
    progress: Progress | None = None,
) -> Embedding:
    """Spread the reports over the graph. Post-processing: it costs no privacy.

    Parameters
    ----------
    graph
        The public graph, in any form that `privge.as_graph` takes.
    reports
        At most one report a node. Nodes without a report get the midpoint.
    alpha
        Decay factor of the paper, in (0, 1).
    r
        Convolution coefficient of the paper, in [0, 1].
    tolerance
        Largest error of any entry, certified.
    decoding
        ``raw`` as in the paper, or ``unbiased``.
    clip
        Largest magnitude of a decoded coordinate (`privge.Reports.decode`); None leaves them as they are.
    unknown
        What to do with reports of nodes that are not in the graph: ``refuse``, or ``drop`` and count them.
    on
        Where to compute: `privge.Local`, this machine, or `privge.OnCluster`, a Dask cluster.
    progress
        Called with the columns done and the columns in all.
    """
    walk, joining = Walk(alpha, r, tolerance), Joining(decoding, clip, unknown)
    if not isinstance(reports, Reports | ReportParts):
        raise TypeError(
            f"embed takes reports, got {type(reports).__name__}; campaign.simulate(features) makes reports of "
            "features, and PrivGE(graph=graph).fit(features) does both"
        )
    if isinstance(on, OnCluster):
        from privge.embedding.cluster import embed_on_cluster

        shared = graph if isinstance(graph, StoredGraph) else as_graph(graph)
        return embed_on_cluster(on, shared, reports, walk, joining, progress)
    graph = as_graph(graph)
    if isinstance(reports, ReportParts):
        reports = Reports.concatenate([reports.read(part) for part in range(len(reports))])
    features = feature_rows(graph, reports, joining)
    matrix, run = propagate_here(graph, features, walk, on, progress)
    participation = int((np.diff(features.indptr) > 0).sum()) / max(1, graph.nodes)
    source = Source.of(reports.campaign, joining, participation)
    return Embedding(graph.ids, matrix, Provenance.of(source, graph, walk, run))
