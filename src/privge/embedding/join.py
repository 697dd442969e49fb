"""Reports and features meet the graph: by id, and nobody is lost without a word."""

import logging
from dataclasses import astuple, dataclass, fields
from typing import Any, Literal, NamedTuple, Self, TypeAlias

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._typing import Decoding
from privge.errors import BadData
from privge.graph import Graph, StoredGraph
from privge.ids import Ids
from privge.perturbation.features import FeatureData, Features, features_of, is_table
from privge.reports import Reports

logger = logging.getLogger(__name__)

Unknown: TypeAlias = Literal["refuse", "drop"]

_ALIKE = "are ids written alike in both? 007 is not 7, and blanks count"


@dataclass(frozen=True, slots=True)
class Reading:
    """How reports become numbers.

    It is what `privge.Reports.decode` is told, and what provenance writes down.

    Parameters
    ----------
    decoding
        ``raw`` as in the paper, or ``unbiased``.
    clip
        Largest magnitude of a decoded coordinate (`privge.Reports.decode`); None leaves them as they are.
    """

    decoding: Decoding = "raw"
    clip: float | None = None

    @property
    def reading(self) -> dict[str, Any]:
        """What is said here, by name; what a subclass adds is left out."""
        return {field.name: getattr(self, field.name) for field in fields(Reading)}

    def decoded(self, reports: Reports) -> scipy.sparse.csr_array:
        """Return the numbers of reports."""
        return reports.decode(**self.reading)


@dataclass(frozen=True, slots=True)
class Joining(Reading):
    """How reports become rows of the graph.

    Parameters
    ----------
    decoding, clip
        As of `Reading`.
    unknown
        What to do with reports of nodes that are not in the graph: ``refuse``, or ``drop`` and count them.
    """

    unknown: Unknown = "refuse"

    def __post_init__(self) -> None:
        if self.unknown not in ("refuse", "drop"):
            raise ValueError(f"unknown must be 'refuse' or 'drop', got {self.unknown!r}")

    @classmethod
    def like(cls, former: Reading, unknown: Unknown = "refuse") -> Self:
        """Read reports as others were read before."""
        return cls(**former.reading, unknown=unknown)

    @property
    def key(self) -> str:
        """A text that is another for another joining: results of two joinings are kept apart by it."""
        return " ".join(map(str, astuple(self)))


AS_IN_THE_PAPER = Joining()
"""Raw decoding, nothing clipped, nobody unknown."""


class Joined(NamedTuple):
    """Where reports stand in the graph: their rows, in order; which report stands there; how many stand nowhere."""

    rows: NDArray[np.int64]
    reports: NDArray[np.int64]
    strangers: int


def joined(graph: Graph | StoredGraph, ids: Ids) -> Joined:
    """Find the rows of the nodes that reported."""
    rows = graph.rows_of(ids)
    known = np.flatnonzero(rows >= 0)
    order = known[np.argsort(rows[known], kind="stable")]
    return Joined(rows[order], order, len(rows) - len(known))


def feature_rows(graph: Graph, reports: Reports, joining: Joining = AS_IN_THE_PAPER) -> scipy.sparse.csr_array:
    """Decode the reports into the graph's rows; nodes without a report have an empty row."""
    found = joined(graph, reports.ids)
    check_strangers(found.strangers, len(reports), joining.unknown)
    decoded = joining.decoded(reports)[found.reports]
    indptr = np.zeros(graph.nodes + 1, dtype=np.int64)
    indptr[found.rows + 1] = np.diff(decoded.indptr)
    return scipy.sparse.csr_array(
        (decoded.data, decoded.indices, np.cumsum(indptr)), shape=(graph.nodes, decoded.shape[1])
    )


def check_strangers(strangers: int, reports: int, unknown: Unknown) -> None:
    """Refuse reports of nodes that are not in the graph, or say how many are dropped; all of them never are."""
    if not strangers:
        return
    if strangers == reports:
        raise BadData(
            f"none of the {reports:,} reports is of a node in the graph; {_ALIKE}; if nodes are new, add them"
        )
    if unknown == "refuse":
        raise BadData(
            f"{strangers:,} of {reports:,} reports are of nodes that are not in the graph; add the nodes "
            "(--nodes, a table of all ids, with or without edges; in Python the nodes= of the graph), or drop these "
            "reports (--drop-unknown; in Python unknown='drop')"
        )
    dropped = f"{strangers:,} of {reports:,} reports ({strangers / reports:.1%})"
    logger.warning("dropped %s of nodes that are not in the graph", dropped)


def with_ids(graph: Graph, data: FeatureData, *, by_position: bool) -> Features:
    """Return features with the ids of their rows, in their own order.

    Parameters
    ----------
    graph
        The public graph.
    data
        A table, whose rows have ids of their own; or a matrix.
    by_position
        Whether the rows of a matrix stand in the graph's order. Otherwise they are of nodes 0, 1, ....
    """
    if is_table(data) or not by_position:
        return features_of(data)
    features = features_of(data, ids=graph.ids)
    if features.matrix.shape[0] != graph.nodes:
        raise BadData(f"{features.matrix.shape[0]:,} rows of features for a graph of {graph.nodes:,} nodes")
    if _numbered_otherwise(graph.ids):
        raise BadData(
            "the rows of the matrix could be of nodes 0, 1, ... or stand in the graph's order, which is another; give "
            "a table with ids, or the graph in that order: privge.as_graph(..., nodes=range(n))"
        )
    return features


def _numbered_otherwise(ids: Ids) -> bool:
    """Say whether ids are 0, 1, ... in another order: then the number of a row is the id of another node."""
    numbers = np.arange(len(ids))
    return ids.dtype == np.int64 and not np.array_equal(ids, numbers) and np.array_equal(np.sort(ids), numbers)


def in_graph_order(graph: Graph, features: Features) -> Features:
    """Return one row of features for each node of the graph, joined by id; nobody may be left over on either side."""
    if 0 in features.matrix.shape:
        what = "feature(s)" if len(features.ids) else "people"
        raise BadData(f"0 {what} (shape={features.matrix.shape}) while a minimum of 1 is required.")
    rows = graph.rows_of(features.ids)
    strangers = int((rows < 0).sum())
    absent = graph.nodes - (len(rows) - strangers)
    if absent and not strangers:
        raise BadData(
            f"{absent:,} of {graph.nodes:,} nodes have no row of features, where everybody is fitted at once; "
            "campaign.simulate and privge.embed do without those who did not report; cross-validate what comes after "
            "PrivGE, on its vectors"
        )
    if strangers:
        raise BadData(
            f"{strangers:,} of {len(rows):,} rows of features are of nodes that are not in the graph, and "
            f"{absent:,} of {graph.nodes:,} nodes have no row; {_ALIKE} (the ids of a table are its column id, or the "
            "index of a data frame without one; people without an edge are named by privge.as_graph(..., nodes=ids))"
        )
    order = np.argsort(rows)
    in_order = bool((order[:-1] < order[1:]).all())
    return Features(graph.ids, features.matrix if in_order else features.matrix[order], features.names)
