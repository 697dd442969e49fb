"""privge: graph embeddings from features that never leave the device in the clear.

The names below are imported when they are first used: a service or a device that needs a campaign alone does not pay
for compilers and file formats.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privge.campaign import Campaign
    from privge.embedding import PrivGE, embed, update
    from privge.errors import PrivgeError
    from privge.graph import Graph, StoredGraph, convert_graph
    from privge.parts import ReportParts
    from privge.propagation import propagate
    from privge.reports import Report, Reports
    from privge.vectors import Embedding

    __version__: str

_HOMES = {
    "Campaign": "privge.campaign",
    "Embedding": "privge.vectors",
    "Graph": "privge.graph",
    "PrivGE": "privge.embedding",
    "PrivgeError": "privge.errors",
    "Report": "privge.reports",
    "ReportParts": "privge.parts",
    "Reports": "privge.reports",
    "StoredGraph": "privge.graph",
    "convert_graph": "privge.graph",
    "embed": "privge.embedding",
    "propagate": "privge.propagation",
    "update": "privge.embedding",
}

__all__ = [
    "Campaign",
    "Embedding",
    "Graph",
    "PrivGE",
    "PrivgeError",
    "Report",
    "ReportParts",
    "Reports",
    "StoredGraph",
    "__version__",
    "convert_graph",
    "embed",
    "propagate",
    "update",
]


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        value: object = version("privge")
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module 'privge' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
