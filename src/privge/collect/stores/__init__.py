"""Where reports are kept. One protocol, one file a store; `open_store` finds it by its address."""

from privge.collect.stores.opening import open_store
from privge.collect.stores.store import (
    Arrived,
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
    "Arrived",
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
