"""New reports beside those that an embedding was made from."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge.embedding.join import Joining, feature_rows
from privge.graph import Graph
from privge.ids import Ids
from privge.reports import Reports


@dataclass(frozen=True, eq=False)
class NewReports:
    """Reports that came after others.

    Parameters
    ----------
    reports
        The new ones; they take the place of former ones of the same nodes.
    former
        Those that there were; one of a node that reported again does not count any more.
    joining
        How they are read.
    """

    reports: Reports
    former: Reports
    joining: Joining

    @cached_property
    def replaced(self) -> NDArray[np.bool_]:
        """Which of the former reports do not count any more."""
        return _among(self.former.ids, self.reports.ids)

    @cached_property
    def together(self) -> Reports:
        """All reports that count now."""
        return Reports.concatenate([self.kept, self.reports])

    def change(self, graph: Graph) -> scipy.sparse.csr_array:
        """Return new features minus former ones; only the rows of new reports are not empty."""
        new = feature_rows(graph, self.reports, self.joining).astype(np.float64)
        change = new - self.before(graph).astype(np.float64)
        change.eliminate_zeros()
        return change

    def before(self, graph: Graph) -> scipy.sparse.csr_array:
        """Return the former features of those who report again; all other rows are empty."""
        return feature_rows(graph, self.former.take(np.flatnonzero(self.replaced)), self.joining)

    def features(self, graph: Graph, rows: NDArray[np.int64], kept_rows: NDArray[np.int64]) -> scipy.sparse.csr_array:
        """Return the features of some rows of a graph, those of all new reports among them; the others are empty.

        ``kept_rows`` are the rows of the former reports that still count, -1 for those of nodes that are not there.
        """
        wanted = np.zeros(graph.nodes + 1, dtype=np.bool_)
        wanted[rows] = True  # the last entry stays False, and -1 finds it
        kept = self.kept.take(np.flatnonzero(wanted[kept_rows]))
        return feature_rows(graph, kept, self.joining) + feature_rows(graph, self.reports, self.joining)

    @cached_property
    def kept(self) -> Reports:
        """The former reports that still count."""
        return self.former.take(np.flatnonzero(~self.replaced)) if self.replaced.any() else self.former


def _among(ids: Ids, wanted: Ids) -> NDArray[np.bool_]:
    """Say which ids are among the wanted ones; as everywhere, 17 and "17" are one node."""
    if ids.dtype == wanted.dtype == np.int64:
        return np.isin(ids, wanted)
    names = set(map(str, wanted.tolist()))
    return np.fromiter((str(node) in names for node in ids.tolist()), dtype=np.bool_, count=len(ids))
