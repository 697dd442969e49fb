"""The public contract of one collection: what is asked, under which law, of whom."""

from privge.campaign.campaign import MAX_K, Campaign
from privge.campaign.indices import INDEX_RULE, indices_matrix, indices_of

__all__ = [
    "INDEX_RULE",
    "MAX_K",
    "Campaign",
    "indices_matrix",
    "indices_of",
]
