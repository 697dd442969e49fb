"""Where reports are kept. One protocol, two stores: SQLite (embedded) and PostgreSQL."""

from privge.collect.stores.opening import open_store
from privge.collect.stores.store import (
    Block,
    CampaignState,
    Erased,
    Holding,
    Outcome,
    Standing,
    Store,
    Upload,
)

__all__ = ["Block", "CampaignState", "Erased", "Holding", "Outcome", "Standing", "Store", "Upload", "open_store"]
