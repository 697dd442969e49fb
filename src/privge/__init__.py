"""privge: graph embeddings from features that never leave the device in the clear.

The names below are imported when they are first used: a service or a device that needs a campaign alone does not pay
for compilers and file formats.
"""

from typing import TYPE_CHECKING

from privge._imports import lazy

if TYPE_CHECKING:
    from privge._version import __version__
    from privge.campaign import Campaign
    from privge.embedding import Embedding, PrivGE, embed, update
    from privge.errors import PrivgeError
    from privge.graph import Graph, StoredGraph, as_graph, convert_graph
    from privge.propagation import Local, OnCluster, propagate
    from privge.reports import Report, ReportParts, Reports

__all__ = [
    "Campaign",
    "Embedding",
    "Graph",
    "Local",
    "OnCluster",
    "PrivGE",
    "PrivgeError",
    "Report",
    "ReportParts",
    "Reports",
    "StoredGraph",
    "__version__",
    "as_graph",
    "convert_graph",
    "embed",
    "propagate",
    "update",
]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "Campaign": "privge.campaign",
        "Embedding": "privge.embedding",
        "Graph": "privge.graph",
        "Local": "privge.propagation",
        "OnCluster": "privge.propagation",
        "PrivGE": "privge.embedding",
        "PrivgeError": "privge.errors",
        "Report": "privge.reports",
        "ReportParts": "privge.reports",
        "Reports": "privge.reports",
        "StoredGraph": "privge.graph",
        "__version__": "privge._version",
        "as_graph": "privge.graph",
        "convert_graph": "privge.graph",
        "embed": "privge.embedding",
        "propagate": "privge.propagation",
        "update": "privge.embedding",
    },
)
