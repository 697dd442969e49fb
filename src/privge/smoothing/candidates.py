"""Which smoothers there are to choose from: a grid of each family."""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from privge.graph import Graph
from privge.smoothing.clusters import Clusters, clusters_of
from privge.smoothing.pagerank import PageRank
from privge.smoothing.shrinkage import Shrinkage
from privge.smoothing.smoother import Smoother
from privge.smoothing.spectrum import Spectral, spectrum_of

FAMILIES = ("pagerank", "spectral", "clusters", "shrinkage")
"""What a smoother can be."""

ALPHAS = (0.02, 0.05, 0.1, 0.2, 0.5)
"""Decay factors that are tried."""

RS = (0.0, 0.5, 1.0)
"""Convolution coefficients that are tried."""

RANKS = (1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64)
"""Numbers of eigenvectors and of clusters that are tried; 1 of eigenvectors only."""

_PROBES = (64, 256)  # at least and at most
_PROBED = 1 << 25  # entries of all probes together, at most, if that is more than a quarter of the least


def candidates_for(
    graph: Graph,
    columns: int,
    *,
    families: Collection[str] = FAMILIES,
    observed: NDArray[np.bool_] | None = None,
    rs: tuple[float, ...] = RS,
) -> list[Smoother]:
    """Return the smoothers to choose from.

    Parameters
    ----------
    graph
        The graph.
    columns
        Of the matrix that is smoothed: with fewer probes than columns, probing would be the larger uncertainty.
    families
        Some of `FAMILIES`.
    observed
        Which nodes have a row of their own; by default all.
    rs
        Convolution coefficients to try.
    """
    unknown = sorted(set(families) - set(FAMILIES))
    if unknown:
        raise ValueError(f"a smoother is one of {', '.join(FAMILIES)}, got {', '.join(unknown)}")
    seen = np.ones(graph.nodes, dtype=np.bool_) if observed is None else observed
    found: list[Smoother] = [Shrinkage()] if "shrinkage" in families else []
    if {"spectral", "clusters"} & set(families):
        found += _from_spectrum(graph, families, seen)
    if "pagerank" in families:
        found += PageRank.family(graph, ALPHAS, rs, probes=_probes(graph.nodes, columns))
    return found


def _from_spectrum(graph: Graph, families: Collection[str], observed: NDArray[np.bool_]) -> list[Smoother]:
    """Return projections and clusters; a rank is at most a fiftieth of the nodes, and 16 is always tried."""
    ranks = [rank for rank in RANKS if rank <= max(16, graph.nodes // 50) and rank < graph.nodes - 1]
    if not ranks or not graph.edges:
        return []
    vectors = spectrum_of(graph, ranks[-1])
    found: list[Smoother] = []
    if "spectral" in families:
        found += [Spectral(vectors[:, :rank]) for rank in ranks]
    if "clusters" in families:
        found += [Clusters(clusters_of(vectors[:, :rank], rank), observed) for rank in ranks if rank > 1]
    return found


def _probes(nodes: int, columns: int) -> int:
    least, most = _PROBES
    return max(least // 4, min(max(least, columns), most, _PROBED // max(1, nodes)))
