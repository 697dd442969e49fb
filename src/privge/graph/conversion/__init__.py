"""A graph of any size into a folder, in bounded memory."""

from privge.graph.conversion.convert import convert_graph

__all__ = [
    "convert_graph",
]
