"""Graphs of networkx, scipy and PyTorch Geometric. None of them but scipy need be installed."""

import logging
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard

import numpy as np
import pyarrow as pa
import scipy.sparse
from numpy.typing import NDArray

from privge._files.matrices import SparseMatrix, checked_matrix
from privge._typing import Floats
from privge.errors import BadData
from privge.graph.edge_lists import Nodes, Weight, graph_of_edges
from privge.graph.graph import Graph
from privge.ids import as_ids

if TYPE_CHECKING:
    import networkx

logger = logging.getLogger(__name__)

_FIELDS = ("edge_weight", "edge_attr")
"""Fields of a PyG ``Data`` that may hold one weight for each edge, the likelier first."""


class NetworkxGraph(Protocol):
    """A graph of networkx: Graph, DiGraph, MultiGraph or MultiDiGraph."""

    def is_directed(self) -> bool:
        """Say whether edges have a direction."""

    def is_multigraph(self) -> bool:
        """Say whether two nodes may have several edges."""


class PygData(Protocol):
    """A ``Data`` of PyTorch Geometric: edges as two rows of node numbers."""

    edge_index: Any

    @property
    def num_nodes(self) -> int | None:
        """How many nodes there are."""


def is_networkx(data: object) -> "TypeGuard[networkx.Graph]":
    """Say whether data is a graph of networkx, of any kind."""
    return hasattr(data, "is_multigraph") and hasattr(data, "is_directed")


def is_pyg(data: object) -> TypeGuard[PygData]:
    """Say whether data is a ``Data`` of PyTorch Geometric."""
    return hasattr(data, "edge_index") and hasattr(data, "num_nodes")


def graph_of_networkx(data: "networkx.Graph", weight: Weight, nodes: Nodes | None) -> Graph:
    """Return a graph of networkx; several edges between two nodes become one, whose weight is their sum."""
    if not weight and any("weight" in attributes for _, _, attributes in data.edges(data=True)):
        _remark_weights("weight")
    if not weight and nodes is None:
        return Graph.from_networkx(data)
    order = list(data.nodes() if nodes is None else nodes)
    if len(order) != len(data) or not all(node in data for node in order):
        raise BadData("nodes must name every node of the networkx graph once")
    if data.is_directed():
        logger.warning("the networkx graph is directed: every edge now counts both ways")
    return graph_of_edges(list(data.edges()), order, _attribute(data, weight))


def _attribute(data: "networkx.Graph", weight: Weight) -> Floats | None:
    """Return the weight of each edge, if weights are asked for; every edge must have one."""
    if not weight:
        return None
    name = "weight" if weight is True else weight
    values = [value for _, _, value in data.edges(data=name)]
    absent = sum(value is None for value in values)
    if absent:
        raise BadData(f"{absent:,} of {len(values):,} edges have no attribute {name!r}, which was asked for as weight")
    return _weights(values, len(values))


def graph_of_matrix(data: SparseMatrix, weight: Weight, nodes: Nodes | None) -> Graph:
    """Return the graph of a square sparse matrix; an asymmetric one is added to its transpose."""
    if not weight:
        graph = Graph.from_scipy(data, ids=None if nodes is None else list(nodes))
        stored = scipy.sparse.coo_array(data).data
        if stored.size and (stored != stored[0]).any():
            logger.warning("the graph is read without its weights (the values of the matrix); weight=True honours them")
        return graph
    if data.ndim != 2 or data.shape[0] != data.shape[1]:
        raise BadData(f"an adjacency matrix must be square, got shape {data.shape}")
    return _weighted(scipy.sparse.csr_array(checked_matrix(data)), nodes)


def graph_of_pyg(data: PygData, weight: Weight, nodes: Nodes | None) -> Graph:
    """Return the graph of a ``Data``; ids are 0, 1, ... unless ``nodes`` names them."""
    index = _numpy(data.edge_index)
    if index.ndim != 2 or index.shape[0] != 2:
        raise BadData(f"an edge_index has shape (2, m), got {index.shape}")
    size = data.num_nodes if data.num_nodes is not None else int(index.max(initial=-1)) + 1
    if index.size and not 0 <= index.min() <= index.max() < size:
        raise BadData(f"the edge_index holds a node that is not among the {size:,} nodes")
    values = _field(data, weight, index.shape[1])
    entries = np.ones(index.shape[1]) if values is None else values
    matrix = scipy.sparse.coo_array((entries, (index[0], index[1])), shape=(size, size))
    if values is None:
        return Graph.from_scipy(matrix, ids=None if nodes is None else list(nodes))
    return _weighted(matrix.tocsr(), nodes)  # which adds up what stands twice


def _weighted(matrix: scipy.sparse.csr_array, nodes: Nodes | None) -> Graph:
    ids = as_ids(np.arange(matrix.shape[0]) if nodes is None else nodes)
    if len(ids) != matrix.shape[0]:
        raise BadData(f"nodes has {len(ids)} entries for {matrix.shape[0]} rows")
    if (matrix != matrix.T).nnz:
        logger.warning("the adjacency is not symmetric: every entry now counts both ways")
        matrix = matrix + matrix.T
    upper = scipy.sparse.triu(matrix, format="coo")
    upper.eliminate_zeros()
    names = pa.array(ids)
    ends = {name: names.take(pa.array(axis)) for name, axis in zip(("source", "target"), upper.coords, strict=True)}
    return graph_of_edges(pa.table(ends), ids, upper.data.astype(np.float64))


def _remark_weights(name: str) -> None:
    logger.warning("the graph is read without its weights (%r); weight=%r honours them", name, name)


def _field(data: PygData, weight: Weight, edges: int) -> Floats | None:
    """Return the weights of a ``Data`` if they are asked for; if it has some and they are not, say so."""
    found = [name for name in _FIELDS if getattr(data, name, None) is not None]
    if not weight:
        if found:
            _remark_weights(found[0])
        return None
    name = (found or _FIELDS)[0] if weight is True else weight
    values = getattr(data, name, None)
    if values is None:
        raise BadData(f"the Data has no field {name!r}, which was asked for as weight")
    return _weights(_numpy(values), edges)


def _weights(values: object, edges: int) -> Floats:
    try:
        weights = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise BadData("weights must be numbers, one for each edge") from error
    if weights.size != edges or weights.ndim not in (1, 2):
        raise BadData(f"weights must be one number for each of {edges:,} edges, got shape {weights.shape}")
    return weights.ravel()


def _numpy(tensor: Any) -> NDArray[Any]:  # noqa: ANN401 (a tensor of torch, which is not a dependency)
    return np.asarray(tensor.detach().cpu() if hasattr(tensor, "detach") else tensor)
