"""Reports and features meet the graph: by id, and nobody is lost without a word."""

import logging
from typing import Literal, TypeAlias

import numpy as np
import scipy.sparse

from privge._typing import Decoding
from privge.errors import BadData
from privge.graph import Graph
from privge.perturbation.features import FeatureData, Features, features_of, is_table
from privge.reports import Reports

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


def spread_rows(
    graph: Graph,
    reports: Reports,
    decoding: Decoding = "raw",
    unknown: Unknown = "refuse",
    *,
    clip: float | None = None,
) -> scipy.sparse.csr_array:
    """Decode the reports and place them in the graph's rows; nodes without a report have an empty row."""
    if unknown not in ("refuse", "drop"):
        raise ValueError(f"unknown must be 'refuse' or 'drop', got {unknown!r}")
    rows = graph.rows_of(reports.ids)
    check_strangers(int((rows < 0).sum()), len(rows), unknown)
    known = np.flatnonzero(rows >= 0)
    order = known[np.argsort(rows[known], kind="stable")]
    decoded = reports.decode(decoding, clip=clip)[order]
    indptr = np.zeros(graph.nodes + 1, dtype=np.int64)
    indptr[rows[order] + 1] = reports.campaign.k
    return scipy.sparse.csr_array(
        (decoded.data, decoded.indices, np.cumsum(indptr)), shape=(graph.nodes, reports.campaign.dimensions)
    )
