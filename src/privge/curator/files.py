"""Embeddings of reports in files: from the beginning, or only what a newer file has beyond an older one.

Which reports are in an earlier embedding cannot be read off its vectors. So the digest of the reports is written down
with them: whoever has the file with that digest knows them one by one, and can say which of a newer file are new.
"""

from dataclasses import asdict

import numpy as np

from privge._typing import Progress
from privge.curator.earlier import Earlier, remark_erased, remark_news
from privge.curator.made import Made
from privge.curator.matching import rows_among
from privge.embedding import embed
from privge.embedding.embedding import Embedding
from privge.embedding.join import AS_IN_THE_PAPER, Joining, Unknown
from privge.embedding.smoothed import AS_GIVEN, Automatic
from privge.errors import CampaignMismatch, NotUpdatable
from privge.graph import Graph
from privge.graph.stored import StoredGraph
from privge.propagation import HERE, Local, Place, Walk
from privge.reports import Reports
from privge.reports.parts import ReportParts

_WALK = Walk()


def embed_reports(
    graph: Graph | StoredGraph,
    reports: Reports | ReportParts,
    *,
    walk: Walk = _WALK,
    automatic: Automatic = AS_GIVEN,
    joining: Joining = AS_IN_THE_PAPER,
    on: Place = HERE,
    progress: Progress | None = None,
) -> Made:
    """Embed all reports of a file or a folder, and write down which they were; see `privge.embed`."""
    embedding = embed(graph, reports, **automatic.options(walk), **asdict(joining), on=on, progress=progress)
    count = reports.reports if isinstance(reports, ReportParts) else len(reports)
    return Made(embedding, count, updated=False).with_source(reports_digest=reports.digest)


def update_from_reports(
    graph: Graph | StoredGraph,
    previous: Embedding,
    older: Reports | ReportParts,
    newer: Reports | ReportParts,
    *,
    before: Graph | StoredGraph | None = None,
    tolerance: float | None = None,
    unknown: Unknown = "refuse",
    on: Local = HERE,
    progress: Progress | None = None,
) -> Made:
    """Add what newer reports have beyond the older ones to an embedding of the older ones.

    If some of the older ones are gone, everything is embedded anew, because an update would keep what they left.

    Parameters
    ----------
    graph
        What the reports are spread over.
    previous
        An earlier embedding that `embed_reports` or this function made.
    older
        The reports that it was made from; their digest proves it.
    newer
        All reports of today: the same, and new ones. If none of the older ones is among them, they are refused.
    before
        The graph that the embedding was made from, if it has gained nodes or edges since.
    tolerance, unknown, on, progress
        As for `privge.update` and `privge.embed`.
    """
    _check_proof(previous, older, newer)
    earlier = Earlier.of(previous, graph, before, tolerance=tolerance, unknown=unknown)
    digest, (old, new) = newer.digest, (_whole(older), _whole(newer))
    gone = _gone(new, old)
    if gone:
        remark_erased(f"{gone:,} of {len(old):,}")
        made = earlier.anew(new, on, progress)
    elif earlier.compact_and_changed(news=digest != older.digest):
        made = earlier.anew(new, on, progress)
    else:
        used = earlier.used(old)
        made = earlier.add(used, new.take(np.flatnonzero(rows_among(used.ids, new.ids) < 0)), on)
        remark_news(made)
    return made.with_source(reports_digest=digest)


def _check_proof(previous: Embedding, older: Reports | ReportParts, newer: Reports | ReportParts) -> None:
    """Refuse what cannot be proven: that the embedding is of the older reports, and that both answer one campaign."""
    made = previous.provenance.source
    for reports in (older, newer):
        if reports.campaign.id != made.campaign:
            told = f"campaign {made.campaign[:12]}, not {reports.campaign.id[:12]}"
            raise CampaignMismatch(f"the embedding was made from {told}")
    if made.reports_digest is None:
        raise NotUpdatable("the embedding does not say which reports it was made from, so what is new is not known")
    if made.reports_digest != older.digest:
        raise NotUpdatable("the embedding was not made from the previous reports that are given: their digest differs")


def _gone(newer: Reports, older: Reports) -> int:
    """Count the older reports that are not among the newer ones; a node whose report is another one is refused."""
    rows = rows_among(newer.ids, older.ids)
    changed = int((newer.codes[rows[rows >= 0]] != older.codes[rows >= 0]).any(axis=1).sum())
    if changed:
        raise NotUpdatable(f"{changed:,} nodes have another report than before, where each node reports once")
    gone = int((rows < 0).sum())
    if gone and gone == len(older):
        raise NotUpdatable(
            f"none of its {gone:,} reports is among the newer ones, which must be all reports of today: those of the "
            "earlier embedding and the new ones"
        )
    return gone


def _whole(reports: Reports | ReportParts) -> Reports:
    return reports if isinstance(reports, Reports) else reports.whole()
