"""Graphs: ids and a symmetric adjacency, with readers and writers. Knows nothing of privacy."""

from privge._files.columns import read_ids
from privge.graph.conversion import convert_graph
from privge.graph.edge_columns import EdgeColumns
from privge.graph.graph import Graph
from privge.graph.inputs import GraphData, as_graph
from privge.graph.readers import read_graph, write_graph
from privge.graph.stored import StoredGraph, save_graph

__all__ = [
    "EdgeColumns",
    "Graph",
    "GraphData",
    "StoredGraph",
    "as_graph",
    "convert_graph",
    "read_graph",
    "read_ids",
    "save_graph",
    "write_graph",
]
