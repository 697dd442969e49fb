"""The public contract of one collection: what is asked, under which law, of whom."""

from privge.campaign.assignment import Assignment
from privge.campaign.campaign import Campaign
from privge.campaign.indices import INDEX_RULE, indices_matrix, indices_of
from privge.campaign.privacy import MAX_K

__all__ = [
    "INDEX_RULE",
    "MAX_K",
    "Assignment",
    "Campaign",
    "indices_matrix",
    "indices_of",
]
