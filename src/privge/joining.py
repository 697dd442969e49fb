"""Reports and features meet the graph: by id, and nobody is lost without a word."""

import logging
from typing import Literal, TypeAlias

import numpy as np

from privge.errors import BadData
from privge.graph import Graph
from privge.tables import FeatureData, Features, features_of, is_table

logger = logging.getLogger(__name__)

Unknown: TypeAlias = Literal["refuse", "drop"]

_ALIKE = "are ids written alike in both? 007 is not 7, and blanks count"


def check_strangers(strangers: int, reports: int, unknown: Unknown) -> None:
    """Refuse reports of nodes that are not in the graph, or say how many are dropped; all of them never are."""
    if not strangers:
        return
    if strangers == reports:
        raise BadData(f"none of the {reports:,} reports is of a node in the graph; {_ALIKE}")
    if unknown == "refuse":
        raise BadData(
            f"{strangers:,} of {reports:,} reports are of nodes that are not in the graph; drop them or add the nodes"
        )
    dropped = f"{strangers:,} of {reports:,} reports ({strangers / reports:.1%})"
    logger.warning("dropped %s of nodes that are not in the graph", dropped)


def in_graph_order(graph: Graph, data: FeatureData) -> Features:
    """Return one row of features for each node: those of a table by id, those of a matrix as they stand."""
    if not is_table(data):
        features = features_of(data, ids=graph.ids)
        if features.matrix.shape[0] != graph.nodes:
            raise BadData(f"{features.matrix.shape[0]:,} rows of features for a graph of {graph.nodes:,} nodes")
        return features
    features = features_of(data)
    rows = graph.rows_of(features.ids)
    strangers = int((rows < 0).sum())
    absent = graph.nodes - (len(rows) - strangers)
    if strangers or absent:
        raise BadData(
            f"{strangers:,} of {len(rows):,} rows of features are of nodes that are not in the graph, and "
            f"{absent:,} of {graph.nodes:,} nodes have no row; {_ALIKE} (the ids of a table are its column id, or the "
            "index of a data frame without one; only a matrix goes by the graph's order)"
        )
    order = np.argsort(rows)
    return Features(graph.ids, features.matrix[order], features.names)
