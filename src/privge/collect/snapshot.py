"""The reports of a campaign as a store holds them at one moment, named by a sequence number."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privge.collect.asking import completed
from privge.collect.stores.store import ReportBlock, Store
from privge.errors import BadData
from privge.ids import Ids
from privge.reports import Reports

_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Reports that a store held at a sequence number, or that it got since an earlier one."""

    reports: Reports
    sequence: int


def take_snapshot(store: Store, campaign: str, *, after: int = 0) -> Snapshot:
    """Read the reports of a campaign, while others may be arriving.

    The sequence number is taken first. What arrives while the reports are read is read once more and left out: it
    belongs to the next snapshot, and would otherwise be counted twice by an update. If somebody is erased while the
    reports are read, they are read again: nobody who was erased before the snapshot's end is in it.

    Parameters
    ----------
    store, campaign
        The store, and the id of a campaign in it.
    after
        Only reports stored after this sequence number.
    """
    for _ in range(_ATTEMPTS):
        state = store.campaign(campaign)
        if state is None:
            raise BadData(f"the store has no campaign {campaign[:12]}")
        ids, codes = _joined(list(store.read(campaign, after=after)), state.campaign.k)
        later, _ = _joined(list(store.read(campaign, after=state.last)), state.campaign.k)
        if store.stale_since(campaign, state.last):
            continue
        if len(later):
            names = set(map(str, later.tolist()))
            stays = np.array([str(node) not in names for node in ids.tolist()], dtype=np.bool_)
            ids, codes = ids[stays], codes[stays]
        return Snapshot(Reports(completed(state.campaign, store.shard), ids, codes), state.last)
    raise BadData("reports are being erased faster than they can be read; try again")


def _joined(blocks: list[ReportBlock], k: int) -> tuple[Ids, NDArray[np.uint16]]:
    """Join blocks; where some ids are integers and others strings, all become strings."""
    if not blocks:
        return np.empty(0, dtype=np.int64), np.empty((0, k), dtype=np.uint16)
    codes = np.concatenate([block.codes for block in blocks])
    parts: list[Ids] = [block.ids for block in blocks if len(block.ids)] or [blocks[0].ids]
    if len({part.dtype for part in parts}) > 1:
        parts = [np.array([str(node) for node in part.tolist()], dtype=np.object_) for part in parts]
    ids: Ids = np.concatenate(parts)  # type: ignore[assignment]
    return ids, codes
