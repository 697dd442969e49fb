"""From reports and a graph to one vector for each node."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._folder import Folder
from privge._parameters import Parameters
from privge._typing import Decoding, Progress
from privge.bounds import Bound, assumed, by_column, check_features
from privge.campaign import Campaign
from privge.errors import BadData, CampaignMismatch
from privge.graph import Graph
from privge.graph.stored import StoredGraph
from privge.ids import Ids
from privge.joining import Unknown, check_strangers, in_graph_order
from privge.parts import ReportParts
from privge.propagation import DEFAULT_TOLERANCE, Engine, Matrix, processors, propagate, propagate_change
from privge.reports import Reports
from privge.tables import FeatureData
from privge.vectors import Embedding, provenance_of

if TYPE_CHECKING:
    from privge._cluster import Cluster
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
        from privge.clustered import embed_on_cluster

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


def update(
    embedding: Embedding,
    new_reports: Reports,
    *,
    graph: Graph,
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
        The graph that the embedding was made from; it is checked against its fingerprint.
    reports
        The reports that the embedding was made from.
    tolerance
        Largest error that the update may add; by default that of the embedding. The certificate of the result is
        the sum of both.
    threads
        By default one for each processor.
    """
    provenance = embedding.provenance
    if graph.fingerprint != provenance.graph:
        raise BadData("the embedding was made from another graph")
    for part in (reports, new_reports):
        if part.campaign.id != provenance.campaign:
            raise CampaignMismatch(
                f"the embedding is of campaign {provenance.campaign[:12]}, not {part.campaign.id[:12]}"
            )
    change = _change(graph, reports, new_reports, provenance.decoding, provenance.clip)
    with ThreadPoolExecutor(1) as pool:  # the copy waits for memory, the push for the cache: they go well together
        copy = pool.submit(np.array, embedding.matrix)
        correction, run = propagate_change(
            graph,
            change,
            alpha=provenance.alpha,
            r=provenance.r,
            tolerance=provenance.tolerance if tolerance is None else tolerance,
            threads=threads or processors(),
        )
        matrix: Matrix = copy.result()
    rounded = correction.add_to(matrix)
    joined = len(new_reports) - int(_among(reports.ids, new_reports.ids).sum())
    updated = replace(
        provenance,
        certificate=provenance.certificate + run.certificate.error + rounded,
        participation=provenance.participation + joined / max(1, graph.nodes),
        seconds=run.seconds,
        engine=f"{provenance.engine.split('+')[0]}+{run.engine}",
    )
    return Embedding(embedding.ids, matrix, updated)


def spread_rows(
    graph: Graph,
    reports: Reports,
    decoding: Decoding = "raw",
    unknown: Unknown = "refuse",
    *,
    clip: float | None = None,
) -> scipy.sparse.csr_array:
    """Decode the reports and place them in the graph's rows; nodes without a report have an empty row."""
    if unknown not in ("refuse", "drop"):
        raise ValueError(f"unknown must be 'refuse' or 'drop', got {unknown!r}")
    rows = graph.rows_of(reports.ids)
    check_strangers(int((rows < 0).sum()), len(rows), unknown)
    known = np.flatnonzero(rows >= 0)
    order = known[np.argsort(rows[known], kind="stable")]
    decoded = reports.decode(decoding, clip=clip)[order]
    indptr = np.zeros(graph.nodes + 1, dtype=np.int64)
    indptr[rows[order] + 1] = reports.campaign.k
    return scipy.sparse.csr_array(
        (decoded.data, decoded.indices, np.cumsum(indptr)), shape=(graph.nodes, reports.campaign.dimensions)
    )


def _change(
    graph: Graph, reports: Reports, new_reports: Reports, decoding: str, clip: float | None
) -> scipy.sparse.csr_array:
    """Return new features minus old ones; only the rows of new reports are not empty."""
    old = reports.take(np.flatnonzero(_among(reports.ids, new_reports.ids)))
    new, gone = (spread_rows(graph, part, decoding, clip=clip).astype(np.float64) for part in (new_reports, old))  # type: ignore[arg-type]
    return new - gone


def _among(ids: Ids, wanted: Ids) -> NDArray[np.bool_]:
    """Say which ids are among the wanted ones; as everywhere, 17 and "17" are one node."""
    if ids.dtype == wanted.dtype == np.int64:
        return np.isin(ids, wanted)
    names = set(map(str, wanted.tolist()))
    return np.fromiter((str(node) in names for node in ids.tolist()), dtype=np.bool_, count=len(ids))


class PrivGE(Parameters):
    """The whole method in scikit-learn's form: perturb, propagate, embed.

    ``fit_transform(graph, features)`` simulates every device. Parameters are those of `privge.Campaign` and
    `privge.embed`; ``get_params``, ``set_params`` and ``sklearn.base.clone`` work as for any estimator.

    Parameters
    ----------
    mechanism
        As for `privge.Campaign`.
    epsilon
        Privacy budget of a person's whole report; None for the controls.
    k
        Features that each person reports; by default `privge.mechanisms.default_k`.
    low
        Public lower bound: one number for all features, one for each, or a mapping from the name of a column. If it is
        left out it is 0, and features with a value below are refused.
    high
        Public upper bound, likewise. If it is left out it is 1, and features with a value above are refused.
    levels
        Input levels of the public grid; by default those of `privge.Campaign`.
    missing
        What a missing value counts as: ``midpoint``, ``low`` or ``high`` (an even grid has no midpoint), or ``refuse``.
    alpha
        As for `privge.embed`.
    r
        As for `privge.embed`.
    tolerance
        As for `privge.embed`.
    engine
        As for `privge.embed`.
    decoding
        As for `privge.embed`.
    clip
        As for `privge.embed`.
    seed
        None draws from the operating system; a seed repeats and is NOT PRIVATE.
    """

    def __init__(
        self,
        *,
        mechanism: str = "hds",
        epsilon: float | None = 1.0,
        k: int | None = None,
        low: Bound | Mapping[str, float] | None = None,
        high: Bound | Mapping[str, float] | None = None,
        levels: int | None = None,
        missing: str = "midpoint",
        alpha: float = 0.1,
        r: float = 0.5,
        tolerance: float = DEFAULT_TOLERANCE,
        engine: str = "sor",
        decoding: Decoding = "raw",
        clip: float | None = None,
        seed: int | None = None,
    ) -> None:
        self.mechanism = mechanism
        self.epsilon = epsilon
        self.k = k
        self.low = low
        self.high = high
        self.levels = levels
        self.missing = missing
        self.alpha = alpha
        self.r = r
        self.tolerance = tolerance
        self.engine = engine
        self.decoding = decoding
        self.clip = clip
        self.seed = seed

    def fit(self, graph: Graph, features: FeatureData) -> Self:
        """Perturb everybody's features and embed; results end in an underscore.

        Parameters
        ----------
        graph
            The public graph.
        features
            One row for each node: a table of pandas, polars or pyarrow, whose rows are joined with the nodes by id (its
            column ``id``, or the index of a data frame without one) and whose columns name the campaign's features; or
            a matrix whose rows are in the graph's order.
        """
        people = in_graph_order(graph, features)
        check_features(people, assumed(self.low, self.high), "low= and high=, numbers or mappings from column names")
        low, high = (by_column(bound, people.names) for bound in (self.low, self.high))
        self.campaign_ = Campaign(
            dimensions=people.matrix.shape[1],
            low=0.0 if low is None else low,
            high=1.0 if high is None else high,
            mechanism=self.mechanism,
            epsilon=self.epsilon,
            k=self.k,
            levels=self.levels,
            missing=self.missing,
            names=people.names,
        )
        self.reports_ = self.campaign_.simulate(people, seed=self.seed)
        self.embedding_ = embed(
            graph,
            self.reports_,
            alpha=self.alpha,
            r=self.r,
            tolerance=self.tolerance,
            engine=self.engine,
            decoding=self.decoding,
            clip=self.clip,
        )
        return self

    def fit_transform(self, graph: Graph, features: FeatureData) -> Matrix:
        """Return the matrix of vectors, in the graph's order; parameters as for `fit`."""
        return self.fit(graph, features).embedding_.matrix

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "embedding_")
