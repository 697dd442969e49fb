"""Where reports are kept. One protocol, one file a store; `open_store` finds it by its address."""

from privge.collect.stores.opening import open_store
from privge.collect.stores.store import (
    CampaignState,
    Erased,
    Holding,
    Outcome,
    ReportBlock,
    Spent,
    Standing,
    Store,
    Upload,
)

__all__ = [
    "CampaignState",
    "Erased",
    "Holding",
    "Outcome",
    "ReportBlock",
    "Spent",
    "Standing",
    "Store",
    "Upload",
    "open_store",
]
