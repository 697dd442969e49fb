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
    from privge.tasks import classify

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
    "classify",
    "convert_graph",
    "embed",
    "propagate",
    "update",
]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "privge._version": ["__version__"],
        "privge.campaign": ["Campaign"],
        "privge.embedding": ["Embedding", "PrivGE", "embed", "update"],
        "privge.errors": ["PrivgeError"],
        "privge.graph": ["Graph", "StoredGraph", "as_graph", "convert_graph"],
        "privge.propagation": ["Local", "OnCluster", "propagate"],
        "privge.reports": ["Report", "ReportParts", "Reports"],
        "privge.tasks": ["classify"],
    },
)
