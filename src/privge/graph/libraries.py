"""Graphs of networkx, scipy and PyTorch Geometric. None of them but scipy need be installed."""

import logging
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._files.matrices import SparseMatrix
from privge._typing import Floats
from privge.errors import BadData
from privge.graph._adjacency import weights_of_networkx
from privge.graph._weights import as_weights
from privge.graph.edge_lists import Nodes, Weight, remark_weights
from privge.graph.graph import Graph

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
    name = "weight" if weight is True else weight or None
    if name is None and any("weight" in attributes for _, _, attributes in data.edges(data=True)):
        remark_weights("the attribute 'weight' of edges", "weight=True")
    if nodes is None:
        return Graph.from_networkx(data, weight=name)
    order = list(nodes)
    if len(order) != len(data) or not all(node in data for node in order):
        raise BadData("nodes must name every node of the networkx graph once")
    if data.is_directed():
        logger.warning("the networkx graph is directed: every edge now counts both ways")
    weights = None if name is None else weights_of_networkx(data, name)
    return Graph.from_edges(list(data.edges()), nodes=order, weights=weights)


def graph_of_matrix(data: SparseMatrix, weight: Weight, nodes: Nodes | None) -> Graph:
    """Return the graph of a square sparse matrix."""
    graph = Graph.from_scipy(data, ids=None if nodes is None else list(nodes), weighted=bool(weight))
    values = scipy.sparse.coo_array(data).data
    if not weight and values.size and (values != values[0]).any():
        remark_weights("what the matrix holds beside its pattern", "weight=True")
    return graph


def graph_of_pyg(data: PygData, weight: Weight, nodes: Nodes | None) -> Graph:
    """Return the graph of a ``Data``; ids are 0, 1, ... unless ``nodes`` names them."""
    index = _numpy(data.edge_index)
    if index.ndim != 2 or index.shape[0] != 2:
        raise BadData(f"an edge_index has shape (2, m), got {index.shape}")
    size = data.num_nodes if data.num_nodes is not None else int(index.max(initial=-1)) + 1
    if index.size and not 0 <= index.min() <= index.max() < size:
        raise BadData(f"the edge_index holds a node that is not among the {size:,} nodes")
    values = _field(data, weight, index.shape[1])
    matrix = scipy.sparse.coo_array((values, (index[0], index[1])), shape=(size, size))
    return Graph.from_scipy(matrix, ids=None if nodes is None else list(nodes), weighted=bool(weight))


def _field(data: PygData, weight: Weight, edges: int) -> Floats:
    """Return the weights of a ``Data``, or ones if they are not asked for; if it has some then, say so."""
    found = [name for name in _FIELDS if getattr(data, name, None) is not None]
    if not weight:
        if found:
            remark_weights(f"the field {found[0]!r}", f"weight={found[0]!r}")
        return np.ones(edges)
    name = (found or _FIELDS)[0] if weight is True else weight
    values = getattr(data, name, None)
    if values is None:
        raise BadData(f"the Data has no field {name!r}, which was asked for as weight")
    numbers = _numpy(values)
    return as_weights(numbers[:, 0] if numbers.ndim == 2 and numbers.shape[1] == 1 else numbers, edges)


def _numpy(tensor: Any) -> NDArray[Any]:  # noqa: ANN401 (a tensor of torch, which is not a dependency)
    return np.asarray(tensor.detach().cpu() if hasattr(tensor, "detach") else tensor)
