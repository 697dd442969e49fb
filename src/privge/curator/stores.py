"""Embeddings of what a store holds: from the beginning, or only what arrived since the last one."""

from dataclasses import asdict

import numpy as np

from privge._typing import Progress
from privge.collect.snapshot import take_snapshot
from privge.collect.stores import Store
from privge.curator.earlier import Earlier, remark_erased, remark_news
from privge.curator.made import Made
from privge.curator.matching import rows_among
from privge.embedding import embed
from privge.embedding.embedding import Embedding
from privge.embedding.join import AS_IN_THE_PAPER, Joining, Unknown
from privge.embedding.smoothed import AS_GIVEN, Automatic
from privge.errors import BadData, CampaignMismatch, NotUpdatable
from privge.graph import Graph
from privge.graph.stored import StoredGraph
from privge.propagation import HERE, Local, Place, Walk
from privge.reports import Reports

_WALK = Walk()


def find_campaign(store: Store, wanted: str | None = None) -> str:
    """Return the id of a campaign by its first digits; without any, that of the only campaign.

    Several campaigns where none was asked for are a ``ValueError``: the caller must choose.
    """
    ids = [state.campaign.id for state in store.campaigns()]
    found = [name for name in ids if name.startswith(wanted or "")]
    if len(found) == 1:
        return found[0]
    if not ids:
        raise BadData("the store has no campaign")
    if wanted is None:
        raise ValueError(f"the store has {len(ids)} campaigns, and none is chosen")
    raise BadData(f"the store has {len(found) or 'no'} campaigns whose id begins with {wanted[:64]!r}")


def embed_store(
    store: Store,
    graph: Graph | StoredGraph,
    *,
    campaign: str | None = None,
    walk: Walk = _WALK,
    automatic: Automatic = AS_GIVEN,
    joining: Joining = AS_IN_THE_PAPER,
    on: Place = HERE,
    progress: Progress | None = None,
) -> Made:
    """Embed everything that a store holds of a campaign.

    Up to where the store was read is written down with the vectors, so that `update_from_store` can go on from there.

    Parameters
    ----------
    store
        Where the reports are.
    graph
        What they are spread over.
    campaign
        The id of a campaign, or how it begins; by default the only one.
    walk, joining, on, progress
        As for `privge.embed`.
    automatic
        What of it Stein's unbiased risk chooses.
    """
    snapshot = take_snapshot(store, find_campaign(store, campaign))
    _refuse_none(snapshot.reports)
    embedding = embed(graph, snapshot.reports, **automatic.options(walk), **asdict(joining), on=on, progress=progress)
    made = Made(embedding, len(snapshot.reports), updated=False)
    return made.with_source(store_sequence=snapshot.sequence)


def update_from_store(
    store: Store,
    graph: Graph | StoredGraph,
    previous: Embedding,
    *,
    before: Graph | StoredGraph | None = None,
    tolerance: float | None = None,
    unknown: Unknown = "refuse",
    campaign: str | None = None,
    on: Local = HERE,
    progress: Progress | None = None,
) -> Made:
    """Add what arrived in a store since an earlier embedding of it.

    If reports were erased since, everything is embedded anew, because an update would keep what they left behind.

    Parameters
    ----------
    store, graph
        Where the reports are now, and what they are spread over.
    previous
        An earlier embedding that `embed_store` or this function made.
    before
        The graph that the embedding was made from, if it has gained nodes or edges since.
    tolerance, unknown
        As for `privge.update` and `privge.embed`.
    campaign
        If it is given, the campaign that the embedding must be of: its id, or how it begins.
    on, progress
        As for `privge.update` and `privge.embed`.
    """
    asked = None if campaign is None else find_campaign(store, campaign)
    since = _sequence(previous, asked)
    earlier = Earlier.of(previous, graph, before, tolerance=tolerance, unknown=unknown)
    return _updated(store, earlier, since, on, progress)


def _updated(store: Store, earlier: Earlier, since: int, on: Local, progress: Progress | None) -> Made:
    name = earlier.embedding.provenance.source.campaign
    state = store.campaign(name)
    if state is None:
        raise NotUpdatable("the embedding was not made from this store, which does not have its campaign")
    if since > state.last:
        raise NotUpdatable("the embedding is newer than the store, which may have been restored from a backup")
    # Everything first, then the news: what arrives in between is news, and is counted once.
    whole = None if earlier.before is None else take_snapshot(store, name)
    news = take_snapshot(store, name, after=since)
    erased = store.stale_since(name, since) or not state.reports  # or all retired
    if erased:
        remark_erased()
    if erased or earlier.compact_and_changed(news=len(news.reports) > 0):
        now = take_snapshot(store, name)
        _refuse_none(now.reports)
        return earlier.anew(now.reports, on, progress).with_source(store_sequence=now.sequence)
    used, more = _nobody(news.reports), news.reports  # a node's report never changes in a store: none is replaced
    if whole is not None:
        older = whole.reports.take(np.flatnonzero(rows_among(news.reports.ids, whole.reports.ids) < 0))
        used = earlier.used(older)
        strangers = older.take(np.flatnonzero(rows_among(used.ids, older.ids) < 0))
        more = Reports.concatenate([strangers, news.reports])
    made = earlier.add(used, more, on)
    remark_news(made)
    return made.with_source(store_sequence=news.sequence)


def _sequence(previous: Embedding, campaign: str | None) -> int:
    """Return up to where the store was read; an embedding of which this is not known cannot be updated."""
    made = previous.provenance.source
    if campaign is not None and made.campaign != campaign:
        raise CampaignMismatch(f"the embedding was made from campaign {made.campaign[:12]}, not {campaign[:12]}")
    if made.store_sequence is None:
        raise NotUpdatable("the embedding was not made from a store, so what is new since is not known")
    return made.store_sequence


def _refuse_none(reports: Reports) -> None:
    if not len(reports):
        raise BadData(f"campaign {reports.campaign.id[:12]} has no reports yet, or none any more")


def _nobody(reports: Reports) -> Reports:
    return Reports(reports.campaign, [], np.empty((0, reports.campaign.k), dtype=np.uint16))
