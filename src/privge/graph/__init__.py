"""Graphs: ids and a symmetric adjacency, with readers and writers. Knows nothing of privacy."""

from privge.graph.conversion import convert_graph
from privge.graph.graph import Graph
from privge.graph.readers import read_features, read_graph, read_ids, read_labels, write_graph
from privge.graph.stored import StoredGraph, save_graph
from privge.tables import Features

__all__ = [
    "Features",
    "Graph",
    "StoredGraph",
    "convert_graph",
    "read_features",
    "read_graph",
    "read_ids",
    "read_labels",
    "save_graph",
    "write_graph",
]
