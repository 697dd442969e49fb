"""Where reports are kept. One protocol, two stores: SQLite (embedded) and PostgreSQL."""

from privge.collect.stores.opening import open_store
from privge.collect.stores.store import (
    CampaignState,
    Erased,
    Holding,
    Outcome,
    ReportBlock,
    Standing,
    Store,
    Upload,
)

__all__ = ["CampaignState", "Erased", "Holding", "Outcome", "ReportBlock", "Standing", "Store", "Upload", "open_store"]
