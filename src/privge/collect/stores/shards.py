"""Shards in a store: public data that campaigns name by its hash."""

import hashlib
from collections.abc import Collection
from datetime import date

from privge.campaign import Campaign
from privge.collect.stores.rounds import known
from privge.collect.stores.rules import is_unused, shard_id, shards_of, to_day, to_number
from privge.collect.stores.session import Session


def insert_shard(session: Session, content: bytes, day: date) -> str:
    """Keep a shard, or the day of one that is here; return its id."""
    identity = shard_id(content)
    session.rows(
        "INSERT INTO shards (id, day, content) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET day = excluded.day",
        identity,
        to_number(day),
        content,
    )
    return identity


def find_shard(session: Session, shard: str) -> bytes | None:
    """Return a shard by its id."""
    found = session.rows("SELECT content FROM shards WHERE id = ?", shard) if known(session) else []
    return bytes(found[0][0]) if found else None


def present(session: Session) -> set[str]:
    """Return the ids of all shards."""
    return {identity for (identity,) in session.rows("SELECT id FROM shards")} if known(session) else set()


def forget_unused(session: Session, named: Collection[str], today: date) -> None:
    """Delete shards that no campaign needs which is kept."""
    held = session.rows("SELECT id, day FROM shards") if known(session) else []
    for identity, day in held:
        if is_unused(identity, to_day(day), named, today):
            session.rows("DELETE FROM shards WHERE id = ?", identity)


def count_missing(session: Session, campaign: Campaign) -> int:
    """Count the shards that a campaign names and that are not here."""
    named = shards_of(campaign)
    return len(named - present(session)) if named else 0


def count_changed(session: Session) -> int:
    """Count the shards that are not what their hash says."""
    each = ((identity, find_shard(session, identity) or b"") for identity in present(session))
    return sum(hashlib.sha256(content).hexdigest() != identity for identity, content in each)
