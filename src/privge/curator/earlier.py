"""An earlier embedding, and what it takes to add to it or to make the same anew."""

import logging
from dataclasses import asdict, dataclass, replace
from typing import Self

import numpy as np

from privge._typing import Progress
from privge.curator.made import Made
from privge.embedding import embed, update
from privge.embedding.embedding import Embedding
from privge.embedding.join import Joining, Unknown
from privge.errors import OtherGraph
from privge.graph import Graph
from privge.graph.inputs import as_graph
from privge.graph.stored import StoredGraph
from privge.propagation import Local
from privge.reports import Reports

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """An earlier embedding, the graph it was made from and the graph of today.

    Parameters
    ----------
    embedding
        The vectors, with what they were made from.
    graph
        The graph of today.
    before
        The graph that the embedding was made from, if it has fewer nodes or edges than that of today.
    tolerance
        Largest error that an update may add; by default as in the embedding.
    unknown
        What to do with reports of nodes that are not in the graph: ``refuse``, or ``drop`` and count them.
    """

    embedding: Embedding
    graph: Graph
    before: Graph | None = None
    tolerance: float | None = None
    unknown: Unknown = "refuse"

    def __post_init__(self) -> None:
        self.embedding.provenance.check_updatable()
        if self.before is not None and self.before.fingerprint == self.graph.fingerprint:
            object.__setattr__(self, "before", None)  # nothing was gained
        made_from = self.graph if self.before is None else self.before
        if self.embedding.provenance.graph.fingerprint != made_from.fingerprint:
            which = "another graph" if self.before is None else "another graph than the previous one that is given"
            raise OtherGraph(f"the embedding was made from {which}")

    @classmethod
    def of(
        cls,
        embedding: Embedding,
        graph: Graph | StoredGraph,
        before: Graph | StoredGraph | None,
        *,
        tolerance: float | None,
        unknown: Unknown,
    ) -> Self:
        """Take graphs in memory or in folders."""
        former = None if before is None else as_graph(before)
        return cls(embedding=embedding, graph=as_graph(graph), before=former, tolerance=tolerance, unknown=unknown)

    def compact_and_changed(self, *, news: bool) -> bool:
        """Say whether compact vectors must be made anew: their directions follow from all reports and the graph."""
        compact = self.embedding.provenance.run.projection is not None
        if compact and (news or self.before is not None):
            logger.info(
                "compact vectors are made from the beginning, with the same dimensions: their directions follow from "
                "all reports, so that they do not compare with the earlier ones"
            )
            return True
        return False

    def used(self, reports: Reports) -> Reports:
        """Return those of the older reports that are in the embedding: their nodes were in its graph."""
        made_from = self.graph if self.before is None else self.before
        return reports.take(np.flatnonzero(made_from.rows_of(reports.ids) >= 0))

    def add(self, used: Reports, news: Reports, on: Local) -> Made:
        """Add new reports to those that were used; with ``drop``, those of strangers are left out."""
        if self.unknown == "drop":
            news = known(news, self.graph)
        if not len(news) and self.before is None:
            return Made(self.embedding, 0, updated=True)
        updated = update(
            self.embedding,
            news,
            graph=self.graph,
            reports=used,
            before=self.before,
            tolerance=self.tolerance,
            threads=on.threads,
        )
        return Made(updated, len(news), updated=True)

    def anew(self, reports: Reports, on: Local, progress: Progress | None) -> Made:
        """Embed reports from the beginning, with what was asked for then."""
        made = self.embedding.provenance
        walk = made.run.walk if self.tolerance is None else replace(made.run.walk, tolerance=self.tolerance)
        joining = Joining.like(made.source, self.unknown)
        dimensions = None if made.run.projection is None else made.run.projection.dimensions
        told = asdict(walk) | asdict(joining) | {"dimensions": dimensions}
        embedding = embed(self.graph, reports, **told, on=on, progress=progress)
        return Made(embedding, len(reports), updated=False)


def known(reports: Reports, graph: Graph) -> Reports:
    """Return the reports of nodes in the graph, and say how many others are dropped."""
    rows = np.flatnonzero(graph.rows_of(reports.ids) >= 0)
    dropped = len(reports) - len(rows)
    if dropped:
        share = f"{dropped:,} of {len(reports):,} new reports ({dropped / len(reports):.1%})"
        logger.warning("dropped %s of nodes that are not in the graph", share)
    return reports.take(rows)


def remark_erased(how_many: str = "some") -> None:
    """Say why an update becomes an embedding from the beginning."""
    logger.warning(
        "%s reports were erased since the earlier embedding, and an update would keep what they left in it: embedding "
        "from the beginning",
        how_many,
    )


def remark_news(made: Made) -> None:
    """Say how many reports an update added."""
    reports = "report" if made.new_reports == 1 else "reports"
    logger.info("%s %s arrived since the earlier embedding", f"{made.new_reports:,}", reports)
