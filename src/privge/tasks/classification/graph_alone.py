"""What the graph says of the classes without any vectors, so that no labelled node sees its own label."""

import numpy as np

from privge._typing import Floats, Progress
from privge.graph import Graph
from privge.propagation import Local, propagate
from privge.structure import node_channel
from privge.structure.walks import PSEUDO, Seeds
from privge.tasks.baselines import GRID
from privge.tasks.classification.known import Known
from privge.tasks.logit import normalised

_FLOOR = 1e-4  # of a share, below the logarithm


def label_propagation(graph: Graph, known: Known, *, threads: int | None = None) -> Floats:
    """Return the logarithm of the share of each class in what arrives at each node by personalized PageRank.

    Of alpha and r those of `privge.tasks.baselines.GRID` are taken that find most labelled nodes, each of them by the
    labels of the other parts.

    Parameters
    ----------
    graph
        The graph, whose rows are those of the labelled nodes.
    known
        The labelled nodes.
    threads
        By default one for each processor.
    """
    seeds = Seeds(known.rows, known.targets, known.folds, len(known.classes), known.parts)
    start, most = seeds.start(graph.nodes), -1
    best = np.empty((0, 0), dtype=np.float32)
    for alpha, r in GRID:
        walked, _ = propagate(graph, start, alpha=alpha, r=r, tolerance=1e-6, on=Local(threads=threads))
        arrived = seeds.arriving(walked)
        found = int((arrived[known.rows].argmax(axis=1) == known.targets).sum())
        if found > most:
            best, most = arrived, found
    return _shares(best.astype(np.float64))


def structure(graph: Graph, known: Known, *, seed: int, threads: int | None, progress: Progress | None) -> Floats:
    """Return the logarithms of the probabilities of `privge.structure.node_channel`, from the known labels alone.

    Of a node without friends the graph says nothing, and what heads say of it they have learnt from nodes with some. It
    gets the shares of the classes, which are those among the other parts for a labelled node.

    Parameters
    ----------
    graph, known, threads
        As for `label_propagation`.
    seed, progress
        As for `privge.structure.node_channel`.
    """
    labels = np.full(graph.nodes, -1)
    labels[known.rows] = known.targets
    logs = normalised(node_channel(graph, labels, seed=seed, threads=threads, progress=progress).log)
    alone = graph.degrees == 0
    logs[alone] = np.log(known.shares)
    for fold in range(known.parts):
        mine = known.rows[known.folds == fold]
        logs[mine[alone[mine]]] = np.log(known.shares_without(fold))
    return logs


def _shares(arrived: Floats) -> Floats:
    """Return the logarithms of shares, drawn to those of equally frequent classes where little arrives."""
    mass = arrived.sum(axis=1, keepdims=True)
    reached = mass[mass > 0]
    pseudo = PSEUDO * float(np.median(reached)) if len(reached) else 1.0
    return normalised(np.log((arrived + pseudo / arrived.shape[1]) / (mass + pseudo) + _FLOOR))
