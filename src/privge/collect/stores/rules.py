"""What becomes of a report, decided in one place for every store. Pure: no database, no clock."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime, timedelta
from fractions import Fraction

from privge.campaign import Campaign
from privge.collect.stores.store import Outcome
from privge.errors import InvalidCampaign
from privge.mechanisms.budget import exact
from privge.wire.limits import MAX_SHARD_BYTES

LIFETIME_EPSILON = 6.0
"""What a node may spend over all campaigns unless the operator says otherwise: the device's own default."""

_EPOCH = date(1970, 1, 1)


def check_collectable(campaign: Campaign, lifetime_epsilon: float | None) -> None:
    """Refuse a campaign that nobody could answer, or whose reports would never be deleted as it says."""
    campaign.check_for_devices()
    if lifetime_epsilon is not None and exact(campaign.epsilon) > exact(lifetime_epsilon):
        raise InvalidCampaign(
            "epsilon",
            f"{campaign.epsilon:g} is more than the {lifetime_epsilon:g} that a node may spend in its life here, so "
            "nobody could answer; ask for less, or raise --lifetime-epsilon of the service",
        )
    check_end(campaign)


def check_end(campaign: Campaign) -> None:
    """Refuse a campaign whose retention would never begin."""
    if without_end(campaign):
        raise InvalidCampaign("closes", "is missing: retention_days are counted from it, and would never begin")


def without_end(campaign: Campaign) -> bool:
    """Say whether a campaign promises to delete its reports some days after closing, and states no closing."""
    return campaign.retention_days is not None and campaign.closes is None


def shard_id(content: bytes) -> str:
    """Return the name of a shard, its SHA-256; one that is too large is refused."""
    if len(content) > MAX_SHARD_BYTES:
        raise ValueError(f"a shard has at most {MAX_SHARD_BYTES:,} bytes, got {len(content):,}")
    return hashlib.sha256(content).hexdigest()


def shards_of(campaign: Campaign) -> frozenset[str]:
    """Return the ids of the shards that a campaign names."""
    return frozenset() if campaign.assignment is None else frozenset(campaign.assignment.digests)


def check_shards(campaign: Campaign, present: Collection[str]) -> None:
    """Refuse a campaign of which a shard is not there."""
    if missing := shards_of(campaign).difference(present):
        raise InvalidCampaign(
            "assignment", f"{len(missing):,} of its shards are not here: add them before the campaign"
        )


def is_unused(shard: str, came: date, named: Collection[str], today: date) -> bool:
    """Say whether a shard goes: no campaign that is kept names it, and it is not of today or yesterday."""
    return shard not in named and came < today - timedelta(days=1)


def decide(
    uploads: Sequence[tuple[bytes, bytes]],
    held: Mapping[bytes, bytes | None],
    spent: Mapping[bytes, Fraction],
    *,
    price: Fraction,
    cap: Fraction | None,
    is_open: bool,
    elsewhere: Collection[bytes] = frozenset(),
) -> list[Outcome]:
    """Return one outcome for each upload, in order.

    A node that has answered keeps its answer, also after closing: a device whose acknowledgement was lost learns that
    its report is there.

    Parameters
    ----------
    uploads
        Key of the node and codes.
    held
        What is stored in this campaign: the codes, or None after erasure.
    spent
        What a node has spent in all campaigns; nodes that are absent have spent nothing.
    price, cap
        What this campaign costs, and the most a node may spend in its life.
    is_open
        Whether the campaign takes new reports.
    elsewhere
        Nodes that have a report, erased or not, in another campaign of the same round.
    """
    known = dict(held)
    broke = {key for key, total in spent.items() if cap is not None and total + price > cap}
    too_dear = cap is not None and price > cap
    outcomes = []
    for key, codes in uploads:
        if key in known:
            outcome = _again(known[key], codes)
        elif not is_open:
            outcome = Outcome.CLOSED
        elif key in elsewhere:
            outcome = Outcome.OTHER_ROUND
        elif too_dear or key in broke:
            outcome = Outcome.OVER_BUDGET
        else:
            outcome = Outcome.STORED
            known[key] = codes
        outcomes.append(outcome)
    return outcomes


def _again(held: bytes | None, codes: bytes) -> Outcome:
    if held is None:
        return Outcome.ERASED
    return Outcome.SAME if held == codes else Outcome.DIFFERENT


def retired_on(campaign: Campaign, closed: date | None) -> date | None:
    """Return the day on which the reports of a campaign are deleted, if it is known.

    Closing is the earlier of the day in the document and the day on which the operator closed it.
    """
    stated = None if campaign.closes is None else datetime.fromisoformat(campaign.closes).date()
    ends = [day for day in (stated, closed) if day is not None]
    if campaign.retention_days is None or not ends:
        return None
    try:
        return min(ends) + timedelta(days=campaign.retention_days)
    except OverflowError:
        return date.max


def to_number(day: date) -> int:
    """Return a day as the number of days since 1970."""
    return (day - _EPOCH).days


def to_day(number: int) -> date:
    """Return the day of a number."""
    return _EPOCH + timedelta(days=number)
