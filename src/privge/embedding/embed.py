"""From reports and a graph to one vector for each node."""

from dataclasses import replace
from typing import Literal, TypedDict, Unpack

from privge._typing import Decoding, Progress
from privge.embedding.compact import compact, remark_cost
from privge.embedding.computation import Computation
from privge.embedding.embedding import Embedding
from privge.embedding.join import Joining, Unknown, feature_rows
from privge.embedding.known_noise import known_noise
from privge.embedding.provenance import Provenance, Source
from privge.embedding.smoothed import SMOOTHERS, Family, alpha_for, reported, smoothed
from privge.graph import GraphData, StoredGraph, as_graph
from privge.propagation import DEFAULT_ALPHA, DEFAULT_R, DEFAULT_TOLERANCE, HERE, OnCluster, Place, Walk
from privge.propagation.propagate import propagate_here
from privge.reports import Reports
from privge.reports.parts import ReportParts


class Computing(TypedDict, total=False):
    """Where something is computed, and who is told how far it is."""

    on: Place
    progress: Progress | None


def embed(
    graph: GraphData,
    reports: Reports | ReportParts,
    *,
    alpha: float | Literal["auto"] = DEFAULT_ALPHA,
    r: float = DEFAULT_R,
    tolerance: float = DEFAULT_TOLERANCE,
    smoother: Family | None = None,
    dimensions: int | None = None,
    decoding: Decoding = "raw",
    clip: float | None = None,
    unknown: Unknown = "refuse",
    **computing: Unpack[Computing],
) -> Embedding:
    """Spread the reports over the graph. Post-processing: it costs no privacy.

    Parameters
    ----------
    graph
        The public graph, in any form that `privge.as_graph` takes.
    reports
        At most one report a node. Nodes without a report get the midpoint.
    alpha
        Decay factor of the paper, in (0, 1); or ``auto``, which chooses it by Stein's unbiased risk: from the reports
        and the known noise of their law, without labels.
    r
        Convolution coefficient of the paper, in [0, 1].
    tolerance
        Largest error of any entry, certified.
    smoother
        Instead of propagating with ``alpha`` and ``r``, estimate the clean features by the smoother that has the
        smallest risk: ``auto`` for any, or the name of a family (`privge.smoothing.FAMILIES`). What it is expected to
        gain stands in ``provenance.run.smoothing``.
    dimensions
        Keep so many columns instead of all: the leading directions of the vectors, found without computing the others
        (`privge.propagation.leading`). Which they are stands in ``provenance.run.projection``.
    decoding
        ``raw`` as in the paper, or ``unbiased``.
    clip
        Largest magnitude of a decoded coordinate (`privge.Reports.decode`); None leaves them as they are.
    unknown
        What to do with reports of nodes that are not in the graph: ``refuse``, or ``drop`` and count them.
    computing
        ``on``, where to compute: `privge.Local`, this machine (if it is left out), or `privge.OnCluster`, a Dask
        cluster. ``progress``, called with the columns done and the columns in all.
    """
    if smoother is not None and dimensions is not None:
        raise ValueError("a smoother estimates all columns: leave out dimensions, or the smoother")
    if smoother is not None and smoother not in SMOOTHERS:
        raise ValueError(f"smoother must be one of {', '.join(SMOOTHERS)}, got {smoother!r}")
    on, progress = computing.pop("on", HERE), computing.pop("progress", None)
    if computing:
        raise TypeError(f"embed() got an unexpected keyword argument {next(iter(computing))!r}")
    walk = Walk(DEFAULT_ALPHA if alpha == "auto" else alpha, r, tolerance)
    joining = Joining(decoding, clip, unknown)
    if not isinstance(reports, Reports | ReportParts):
        raise TypeError(
            f"embed takes reports, got {type(reports).__name__}; campaign.simulate(features) makes reports of "
            "features, and PrivGE(graph=graph).fit(features) does both"
        )
    if isinstance(on, OnCluster):
        if alpha == "auto" or smoother is not None:
            raise ValueError("a smoother is chosen on this machine, not on a cluster; give alpha as a number")
        if dimensions is not None:
            raise ValueError("compact vectors are made on this machine, not on a cluster: leave out dimensions")
        from privge.embedding.cluster import embed_on_cluster

        shared = graph if isinstance(graph, StoredGraph) else as_graph(graph)
        return embed_on_cluster(on, shared, reports, walk, joining, progress)
    graph = as_graph(graph)
    if isinstance(reports, ReportParts):
        reports = reports.whole()
    features = feature_rows(graph, reports, joining)
    participation = int(reported(features).sum()) / max(1, graph.nodes)
    source = Source.of(reports.campaign, joining, participation)
    smoothing = None
    if smoother is not None or alpha == "auto":
        known = known_noise(features, reports.campaign, joining)
        if smoother is not None:
            made = smoothed(graph, features, known, smoother, progress)
            return Embedding(graph.ids, made.matrix, Provenance.of(source, graph, Computation.of_smoothed(made)))
        smoothing = alpha_for(graph, features, known, r)
        walk = replace(walk, alpha=smoothing.alpha)
    if dimensions is None:
        remark_cost(features.shape)
        matrix, run = propagate_here(graph, features, walk, on, progress)
        return Embedding(graph.ids, matrix, Provenance.of(source, graph, Computation.of(walk, run, smoothing)))
    matrix, run, projection = compact(graph, features, walk, on, reports.campaign.id, dimensions, progress)
    computation = Computation.of(walk, run, smoothing, projection)
    return Embedding(graph.ids, matrix, Provenance.of(source, graph, computation))
