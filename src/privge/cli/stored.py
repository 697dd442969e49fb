"""Embeddings of what a store holds: from the beginning, or only what arrived since the last one."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import click
import numpy as np

from privge.cli.options import existing
from privge.collect.snapshot import Snapshot, take_snapshot
from privge.collect.stores import Store
from privge.embedding import update
from privge.embedding.embedding import Embedding
from privge.errors import BadData, CampaignMismatch
from privge.graph import Graph
from privge.reports import Reports


@dataclass(frozen=True, slots=True)
class Made:
    """An embedding of a store, and how it came about."""

    embedding: Embedding
    new_reports: int
    updated: bool  # False if it was made from the beginning

    def summary(self) -> dict[str, object]:
        """Return what a machine may want to know of it."""
        made = self.embedding.provenance
        return {
            "campaign": made.source.campaign,
            "store_sequence": made.source.store_sequence,
            "new_reports": self.new_reports,
            "updated": self.updated,
        }


def campaign_in(store: Store, wanted: str | None) -> str:
    """Return the id of a campaign by its first digits; without any, that of the only campaign."""
    known = [state.campaign.id for state in store.campaigns()]
    found = [name for name in known if name.startswith(wanted or "")]
    if len(found) == 1:
        return found[0]
    if not known:
        raise BadData("the store has no campaign")
    if wanted is None:
        raise click.UsageError(f"The store has {len(known)} campaigns; say which with --campaign.")
    raise BadData(f"the store has {len(found) or 'no'} campaigns whose id begins with {wanted[:64]!r}")


def previous_embedding(path: Path, graph: Graph, campaign: str) -> Embedding:
    """Read an embedding that can be updated from a store."""
    previous = Embedding.from_parquet(existing(path))
    made = previous.provenance.source
    if made.campaign != campaign:
        raise CampaignMismatch(f"{path}: made from campaign {made.campaign[:12]}, not {campaign[:12]}")
    if made.store_sequence is None:
        raise BadData(f"{path}: not made from a store, so what is new since is not known; leave out --update")
    if previous.provenance.graph.fingerprint != graph.fingerprint:
        raise BadData(f"{path}: made from another graph; leave out --update to embed from the beginning")
    return previous


def embed_snapshot(store: Store, campaign: str, embed: Callable[[Reports], Embedding]) -> Made:
    """Embed everything that the store holds of a campaign."""
    snapshot = take_snapshot(store, campaign)
    if not len(snapshot.reports):
        raise BadData(f"campaign {campaign[:12]} has no reports yet, or none any more")
    return Made(_stamped(embed(snapshot.reports), snapshot), len(snapshot.reports), updated=False)


def embed_news(
    store: Store, graph: Graph, previous: Embedding, *, tolerance: float | None, threads: int | None, drop_unknown: bool
) -> Made | None:
    """Add what arrived since the previous embedding; None if reports were removed, which only a new one forgets."""
    made = previous.provenance.source
    since, state = made.store_sequence, store.campaign(made.campaign)
    if since is None or state is None:
        raise BadData("the embedding was not made from this store")
    if since > state.last:
        raise BadData(
            "the embedding is newer than the store, which may have been restored from a backup; leave out --update"
        )
    snapshot = take_snapshot(store, made.campaign, after=since)
    if store.stale_since(made.campaign, since) or not state.reports:  # erased, or all retired
        return None
    news = _known(snapshot.reports, graph) if drop_unknown else snapshot.reports
    if not len(news):
        return Made(_stamped(previous, snapshot), 0, updated=True)
    # A node's report never changes in a store, so none of the new reports replaces an old one.
    replaced = Reports(news.campaign, [], np.empty((0, news.campaign.k), dtype=np.uint16))
    updated = update(previous, news, graph=graph, reports=replaced, tolerance=tolerance, threads=threads)
    return Made(_stamped(updated, snapshot), len(news), updated=True)


def _known(reports: Reports, graph: Graph) -> Reports:
    rows = np.flatnonzero(graph.rows_of(reports.ids) >= 0)
    if len(rows) < len(reports):
        dropped = len(reports) - len(rows)
        click.echo(
            f"dropped {dropped:,} of {len(reports):,} new reports ({dropped / len(reports):.1%}) of nodes that are not "
            "in the graph",
            err=True,
        )
    return reports.take(rows)


def _stamped(embedding: Embedding, snapshot: Snapshot) -> Embedding:
    return replace(embedding, provenance=embedding.provenance.with_source(store_sequence=snapshot.sequence))
