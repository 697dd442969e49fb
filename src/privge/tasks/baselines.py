"""What the graph gives without any features: the controls that a head on features must beat."""

from typing import Final, Literal, TypedDict, Unpack

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._typing import Floats
from privge.graph import Graph
from privge.propagation import Local, Matrix, propagate
from privge.tasks.metrics import accuracy, auc
from privge.tasks.splits import EdgeSplit, NodeSplit, Pairs, Rows

GRID = tuple((alpha, r) for alpha in (0.02, 0.05, 0.1, 0.2) for r in (0.0, 0.5))
"""Values of alpha and r among which `best_label_propagation` chooses."""

BACKGROUNDS = (0.0, 0.2, 0.5, 1.0)
"""Shares of the leading eigenvector among which `best_ppr_scores` chooses."""

_COLUMNS = 512  # of the personalized PageRank matrix at once


class SymmetricPageRank(TypedDict, total=False):
    """Options of the baselines, each as of `privge.propagate`; those left out are the defaults of the baseline."""

    alpha: float
    tolerance: float
    threads: int | None


class PageRank(SymmetricPageRank, total=False):
    """The same with ``r``, where any form of personalized PageRank will do."""

    r: float


_LABELS: Final[PageRank] = {"alpha": 0.1, "r": 0.0, "tolerance": 1e-6}
_PAIRS: Final[SymmetricPageRank] = {"alpha": 0.3, "tolerance": 1e-4}


def propagate_labels(
    graph: Graph, labels: NDArray[np.integer], train: Rows, **options: Unpack[PageRank]
) -> NDArray[np.integer]:
    """Let the training labels walk over the graph by personalized PageRank; each node takes its strongest class.

    Parameters
    ----------
    graph
        The graph.
    labels
        One for each node; only those of ``train`` are read.
    train
        Rows whose label is known.
    options
        ``alpha`` (0.1 if it is left out), ``r`` (0), ``tolerance`` (1e-6) and ``threads`` of `privge.propagate`.

    Returns
    -------
    NDArray[np.integer]
        A class for each node; the most frequent one where no training label arrives.
    """
    classes, mass = label_mass(graph, labels, train, **options)
    most_frequent = np.unique(labels[train], return_counts=True)[1].argmax()
    arrives = mass.max(axis=1) > {**_LABELS, **options}["tolerance"]
    predicted: NDArray[np.integer] = classes[np.where(arrives, mass.argmax(axis=1), most_frequent)]
    return predicted


def label_mass(
    graph: Graph, labels: NDArray[np.integer], train: Rows, **options: Unpack[PageRank]
) -> tuple[NDArray[np.integer], Matrix]:
    """Return the classes of the training labels, and how much of each arrives at each node; see `propagate_labels`."""
    classes, columns = np.unique(labels[train], return_inverse=True)
    chosen: PageRank = {**_LABELS, **options}
    return classes, _walk(graph, train, columns, **chosen)


def best_label_propagation(
    graph: Graph, labels: NDArray[np.integer], split: NodeSplit, *, threads: int | None = None
) -> NDArray[np.integer]:
    """Return `propagate_labels` with the alpha and r of `GRID` that do best on the validation nodes."""
    candidates = [propagate_labels(graph, labels, split.train, alpha=alpha, r=r, threads=threads) for alpha, r in GRID]
    scores = [accuracy(labels[split.validation], predicted[split.validation]) for predicted in candidates]
    return candidates[int(np.argmax(scores))]


def ppr_scores(graph: Graph, pairs: Pairs, *, background: float = 0.0, **options: Unpack[SymmetricPageRank]) -> Floats:
    """Score pairs by personalized PageRank, in its symmetric form (r = 1/2), with no features at all.

    The form is symmetric, so one end of a pair suffices: columns are computed for a set of nodes that touches
    every pair, a block at a time.

    Parameters
    ----------
    graph
        Training edges only.
    pairs
        Rows of nodes.
    background
        Share of the leading eigenvector's part, ``sqrt(d_u d_v) / sum(d)``, that is taken off. That part is the
        same whether u and v are near or far; it knows degrees only.
    options
        ``alpha`` (0.3 if it is left out), ``tolerance`` (1e-4) and ``threads`` of `privge.propagate`.
    """
    chosen: SymmetricPageRank = {**_PAIRS, **options}
    sources, targets = _cover(pairs, graph.nodes)
    scores = np.empty(len(pairs))
    wanted = np.unique(sources)
    for start in range(0, len(wanted), _COLUMNS):
        block = wanted[start : start + _COLUMNS]
        proximity = _walk(graph, block, np.arange(len(block)), r=0.5, **chosen)
        mine = np.flatnonzero((sources >= block[0]) & (sources <= block[-1]))
        scores[mine] = proximity[targets[mine], np.searchsorted(block, sources[mine])]
    return scores - background * _eigenpart(graph, pairs)


def best_ppr_scores(
    split: EdgeSplit,
    *,
    alpha: float = 0.3,
    part: Literal["test", "validation"] = "test",
    threads: int | None = None,
) -> tuple[Floats, Floats]:
    """Return the scores of the pairs and of the negatives of a part, from the training edges alone.

    They are `ppr_scores` with the background of `BACKGROUNDS` that does best on the validation pairs.
    """
    graph = split.train_graph
    groups = (split.validation, split.validation_negatives, split.test, split.test_negatives)
    pairs = np.concatenate(groups)
    ends = np.cumsum([len(group) for group in groups])[:-1]
    plain = ppr_scores(graph, pairs, alpha=alpha, threads=threads)
    eigenpart = _eigenpart(graph, pairs)
    candidates = [np.split(plain - background * eigenpart, ends) for background in BACKGROUNDS]
    best = int(np.argmax([auc(positives, negatives) for positives, negatives, *_ in candidates]))
    validation, validation_negatives, test, test_negatives = candidates[best]
    return (test, test_negatives) if part == "test" else (validation, validation_negatives)


def _walk(graph: Graph, rows: Rows, columns: NDArray[np.integer], **options: Unpack[PageRank]) -> Matrix:
    """Return what arrives at each node, column by column, of the ones that stand at these rows and columns."""
    ones = np.ones(len(rows), dtype=np.float32)
    start = scipy.sparse.csr_array((ones, (rows, columns)), shape=(graph.nodes, int(columns.max()) + 1))
    alpha, r, tolerance = options["alpha"], options["r"], options["tolerance"]
    on = Local(threads=options.get("threads"))
    return propagate(graph, start, alpha=alpha, r=r, tolerance=tolerance, on=on)[0]


def _eigenpart(graph: Graph, pairs: Pairs) -> Floats:
    """Return what the leading eigenvector contributes to the symmetric form, if the graph is connected."""
    part: Floats = np.sqrt(graph.degrees[pairs].prod(axis=1)) / max(1, len(graph.indices))
    return part


def _cover(pairs: Pairs, nodes: int) -> tuple[Rows, Rows]:
    """Turn each pair so that its first end is the one in more pairs: fewer different first ends remain."""
    count = np.bincount(pairs.ravel(), minlength=nodes)
    turned = count[pairs[:, 1]] > count[pairs[:, 0]]
    return np.where(turned, pairs[:, 1], pairs[:, 0]), np.where(turned, pairs[:, 0], pairs[:, 1])
