"""What a curator does with collected reports: embed all of them, or only what is new since the last time."""

from privge.curator.files import embed_reports, update_from_reports
from privge.curator.made import Made
from privge.curator.stores import embed_store, find_campaign, update_from_store

__all__ = ["Made", "embed_reports", "embed_store", "find_campaign", "update_from_reports", "update_from_store"]
