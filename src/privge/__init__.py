"""privge: graph embeddings from features that never leave the device in the clear."""

from importlib.metadata import version

from privge.campaign import Campaign
from privge.embedding import PrivGE, embed, update
from privge.errors import PrivgeError
from privge.graph import Graph
from privge.propagation import propagate
from privge.reports import Report, Reports
from privge.vectors import Embedding

__version__ = version("privge")

__all__ = [
    "Campaign",
    "Embedding",
    "Graph",
    "PrivGE",
    "PrivgeError",
    "Report",
    "Reports",
    "__version__",
    "embed",
    "propagate",
    "update",
]
