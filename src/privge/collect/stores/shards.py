"""Shards in a store: public data that campaigns name by its hash."""

import hashlib
from collections.abc import Collection
from datetime import date, timedelta

from privge.campaign import Campaign
from privge.collect.stores.rounds import known
from privge.collect.stores.rules import to_number
from privge.collect.stores.session import Session
from privge.errors import InvalidCampaign
from privge.wire.limits import MAX_SHARD_BYTES

_UNUSED = timedelta(days=1)  # a campaign has so long to follow its shards


def named_by(campaign: Campaign) -> frozenset[str]:
    """Return the ids of the shards of a campaign."""
    return frozenset() if campaign.assignment is None else frozenset(campaign.assignment.digests)


def insert_shard(session: Session, content: bytes, day: date) -> str:
    """Keep a shard, unless it is here; return its id."""
    if len(content) > MAX_SHARD_BYTES:
        raise ValueError(f"a shard has at most {MAX_SHARD_BYTES:,} bytes, got {len(content):,}")
    identity = hashlib.sha256(content).hexdigest()
    statement = (
        "INSERT INTO shards (id, day, content) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET day = excluded.day"
    )
    session.rows(statement, identity, to_number(day), content)
    return identity


def find_shard(session: Session, shard: str) -> bytes | None:
    """Return a shard by its id."""
    found = session.rows("SELECT content FROM shards WHERE id = ?", shard) if known(session) else []
    return bytes(found[0][0]) if found else None


def check_present(session: Session, campaign: Campaign) -> None:
    """Refuse a campaign of which a shard is not here."""
    if missing := count_missing(session, campaign):
        raise InvalidCampaign("assignment", f"{missing:,} of its shards are not here: add them before the campaign")


def count_missing(session: Session, campaign: Campaign) -> int:
    """Count the shards that a campaign names and that are not here."""
    named = named_by(campaign)
    return len(named - _present(session)) if named else 0


def forget_unused(session: Session, named: Collection[str], today: date) -> int:
    """Delete shards that nobody names, from the second day on; return how many."""
    if not known(session):
        return 0
    old = session.rows("SELECT id FROM shards WHERE day < ?", to_number(today - _UNUSED))
    unused = [identity for (identity,) in old if identity not in named]
    for identity in unused:
        session.rows("DELETE FROM shards WHERE id = ?", identity)
    return len(unused)


def count_changed(session: Session) -> int:
    """Count the shards that are not what their hash says."""
    each = ((identity, find_shard(session, identity) or b"") for identity in _present(session))
    return sum(hashlib.sha256(content).hexdigest() != identity for identity, content in each)


def _present(session: Session) -> set[str]:
    return {identity for (identity,) in session.rows("SELECT id FROM shards")} if known(session) else set()
