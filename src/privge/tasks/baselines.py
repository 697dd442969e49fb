"""What the graph gives without any features: the controls that a head on features must beat."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypedDict, Unpack, overload

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._typing import Floats
from privge.graph import Graph, GraphData
from privge.graph.inputs import as_ordered_graph
from privge.graph.labelled import LabelledGraph, Rows
from privge.graph.labels import Classes, LabelsById, LabelsByRow
from privge.graph.pairs import NodePairs
from privge.propagation import Local, Matrix, propagate
from privge.structure.pagerank import pagerank_of_pairs, part_of_degrees
from privge.tasks.by_id import Node
from privge.tasks.metrics import accuracy, auc
from privge.tasks.private_labels import LabelNoise
from privge.tasks.splits import EdgeSplit, NodeSplit

GRID = tuple((alpha, r) for alpha in (0.02, 0.05, 0.1, 0.2) for r in (0.0, 0.5))
"""Values of alpha and r among which `best_label_propagation` chooses."""

BACKGROUNDS = (0.0, 0.2, 0.5, 1.0)
"""Shares of the leading eigenvector among which `best_ppr_scores` chooses."""


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


@overload
def propagate_labels(
    graph: GraphData, labels: LabelsById, train: Iterable[object] | None = None, **options: Unpack[PageRank]
) -> dict[Node, Any]: ...
@overload
def propagate_labels(
    graph: GraphData, labels: LabelsByRow, train: Iterable[object] | None = None, **options: Unpack[PageRank]
) -> Classes: ...
def propagate_labels(
    graph: GraphData,
    labels: LabelsByRow | LabelsById,
    train: Iterable[object] | None = None,
    **options: Unpack[PageRank],
) -> Classes | dict[Node, Any]:
    """Let the training labels walk over the graph by personalized PageRank; each node takes its strongest class.

    Parameters
    ----------
    graph
        The graph.
    labels
        One for each row of the graph, or by id: a mapping, a Series, or a pair of ids and classes. Only those of
        ``train`` are read.
    train
        Nodes whose label is known: rows, or ids if labels are given by id. By default all that have a label.
    options
        ``alpha`` (0.1 if it is left out), ``r`` (0), ``tolerance`` (1e-6) and ``threads`` of `privge.propagate`.

    Returns
    -------
    NDArray | dict
        A class for each node, in the graph's order or by id, as labels are given; the most frequent one where no
        training label arrives.
    """
    known = _Known.of(graph, labels)
    return known.named(known.strongest(known.rows(train), **options))


def label_mass(
    graph: GraphData,
    labels: LabelsByRow | LabelsById,
    train: Iterable[object] | None = None,
    noise: LabelNoise | None = None,
    **options: Unpack[PageRank],
) -> tuple[Classes, Matrix]:
    """Return the classes of the training labels, and how much of each arrives at each node; see `propagate_labels`.

    With the ``noise`` of labels that were given under randomised response, classes are all that could be answered, and
    the mass is an unbiased estimate of that of the true labels. (The strongest class is the same without it.)
    """
    known = _Known.of(graph, labels)
    rows = known.rows(train)
    if noise is None:
        places, _, mass = known.mass(rows, **options)
        return known.labels.classes[places], mass
    chosen: PageRank = {**_LABELS, **options}
    start = scipy.sparse.csr_array(noise.soft(known.labels)[rows])
    placed = scipy.sparse.csr_array(
        (start.data, (rows[start.tocoo().row], start.indices)), shape=(known.graph.nodes, len(noise.classes))
    )
    return np.array(noise.classes), _walked(known.graph, placed, **chosen)


@overload
def best_label_propagation(
    graph: GraphData, labels: LabelsById, split: NodeSplit, *, threads: int | None = None
) -> dict[Node, Any]: ...
@overload
def best_label_propagation(
    graph: GraphData, labels: LabelsByRow, split: NodeSplit, *, threads: int | None = None
) -> Classes: ...
def best_label_propagation(
    graph: GraphData, labels: LabelsByRow | LabelsById, split: NodeSplit, *, threads: int | None = None
) -> Classes | dict[Node, Any]:
    """Return `propagate_labels` with the alpha and r of `GRID` that do best on the validation nodes."""
    known = _Known.of(graph, labels)
    train, validation = (known.rows(nodes) for nodes in (split.train, split.validation))
    candidates = [known.strongest(train, alpha=alpha, r=r, threads=threads) for alpha, r in GRID]
    scores = [accuracy(known.labels.places[validation], found[validation]) for found in candidates]
    return known.named(candidates[int(np.argmax(scores))])


@dataclass(frozen=True, eq=False)
class _Known(LabelledGraph):
    """What label propagation makes of the labels of a graph."""

    def mass(self, train: Rows, **options: Unpack[PageRank]) -> tuple[Rows, Rows, Matrix]:
        """Return the places of the training classes, which of them each training row has, and what arrives."""
        chosen: PageRank = {**_LABELS, **options}
        places, columns = np.unique(self.labels.places[train], return_inverse=True)
        if len(places) == 0 or places[0] < 0:
            raise ValueError("every training node needs a label, and there must be at least one")
        return places, columns, _walk(self.graph, train, columns, **chosen)

    def strongest(self, train: Rows, **options: Unpack[PageRank]) -> Rows:
        """Return the place of each row's class."""
        places, columns, mass = self.mass(train, **options)
        arrives = mass.max(axis=1) > {**_LABELS, **options}["tolerance"]
        found: Rows = places[np.where(arrives, mass.argmax(axis=1), np.bincount(columns).argmax())]
        return found

    def named(self, places: Rows) -> Classes | dict[Node, Any]:
        classes: Classes = self.labels.classes[places]
        return dict(zip(self.graph.ids.tolist(), classes.tolist(), strict=True)) if self.by_id else classes


def ppr_scores(
    graph: GraphData, pairs: NodePairs, *, background: float = 0.0, **options: Unpack[SymmetricPageRank]
) -> Floats:
    """Score pairs by personalized PageRank, in its symmetric form (r = 1/2), with no features at all.

    One column of the matrix scores all pairs of its node, so few are computed: see `privge.structure.pagerank`.

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
    graph = as_ordered_graph(graph)
    chosen: SymmetricPageRank = {**_PAIRS, **options}
    _check_options(chosen, SymmetricPageRank)
    on = Local(threads=chosen.get("threads"))
    scores = pagerank_of_pairs(graph, pairs, alpha=chosen["alpha"], tolerance=chosen["tolerance"], on=on)
    return scores - background * part_of_degrees(graph, pairs)


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
    eigenpart = part_of_degrees(graph, pairs)
    candidates = [np.split(plain - background * eigenpart, ends) for background in BACKGROUNDS]
    best = int(np.argmax([auc(positives, negatives) for positives, negatives, *_ in candidates]))
    validation, validation_negatives, test, test_negatives = candidates[best]
    return (test, test_negatives) if part == "test" else (validation, validation_negatives)


def _walk(graph: Graph, rows: Rows, columns: NDArray[np.integer], **options: Unpack[PageRank]) -> Matrix:
    """Return what arrives at each node, column by column, of the ones that stand at these rows and columns."""
    ones = np.ones(len(rows), dtype=np.float32)
    start = scipy.sparse.csr_array((ones, (rows, columns)), shape=(graph.nodes, int(columns.max()) + 1))
    return _walked(graph, start, **options)


def _walked(graph: Graph, start: scipy.sparse.csr_array, **options: Unpack[PageRank]) -> Matrix:
    _check_options(options, PageRank)
    alpha, r, tolerance = options["alpha"], options["r"], options["tolerance"]
    on = Local(threads=options.get("threads"))
    return propagate(graph, start, alpha=alpha, r=r, tolerance=tolerance, on=on)[0]


def _check_options(options: Mapping[str, object], known: type) -> None:
    unknown = sorted(options.keys() - known.__annotations__.keys())
    if unknown:
        raise TypeError(f"{unknown[0]!r} is not an option of a baseline")
