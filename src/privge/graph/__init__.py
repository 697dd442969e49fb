"""Graphs: ids and a symmetric adjacency, with readers and writers. Knows nothing of privacy."""

from privge.graph.graph import Graph
from privge.graph.readers import Features, read_features, read_graph, read_ids, read_labels, write_graph

__all__ = ["Features", "Graph", "read_features", "read_graph", "read_ids", "read_labels", "write_graph"]
