"""`public_prior`: what structure and every known label say of each node, with labelled nodes left in the dark.

Two structural channels are made. One learns from the training labels; its rows of training nodes are out of fold, and
it never saw the validation labels but for calibration, so its rows of all labelled nodes may be judged by their
labels. The other learns from nearly all labels, and has the rows of everybody else: the labels that judge answers
help the structure as well, and a comparison with it is fair.
"""

from dataclasses import replace

import numpy as np

from privge._typing import Progress
from privge.graph import GraphData
from privge.graph.labelled import Rows
from privge.graph.labels import LabelsByRow
from privge.structure import NodeChannel, node_channel
from privge.structure.calibration import at_temperature
from privge.structure.named import DEFAULT_HEADS, HeadName

_KEPT = 0.2  # share of the validation labels that only choose and calibrate in the second channel


def public_prior(
    graph: GraphData,
    labels: LabelsByRow,
    *,
    train: Rows,
    validation: Rows,
    heads: tuple[HeadName, ...] = DEFAULT_HEADS,
    seed: int = 0,
    progress: Progress | None = None,
) -> NodeChannel:
    """Return the channel that roles, questions and fusion start from.

    No row of a labelled node knows that node's own label: the module says how the two channels come together.

    Parameters
    ----------
    graph
        The public graph.
    labels
        Classes by row; only those of ``train`` and ``validation`` are read.
    train, validation
        Rows of labelled nodes: to learn from, and to judge by.
    heads
        As for `privge.structure.node_channel`.
    seed
        As for `privge.structure.node_channel`.
    progress
        Called with the channels done, of two.
    """
    held = node_channel(graph, labels, train=train, validation=validation, heads=heads, seed=seed)
    if progress is not None:
        progress(1, 2)
    order = np.random.default_rng([seed, 31]).permutation(validation)
    kept, more = np.split(order, [max(1, int(_KEPT * len(validation)))])
    if len(more) == 0:
        return held
    every = node_channel(
        graph,
        labels,
        train=np.union1d(train, more),
        validation=np.sort(kept),
        heads=heads,
        seed=seed,
    )
    # The first channel was calibrated by all validation labels, the second by few: take the first one's temperature.
    probabilities = at_temperature(every.probabilities, held.temperature / every.temperature)
    labelled = np.concatenate([train, validation])
    probabilities[labelled] = held.probabilities[labelled]
    if progress is not None:
        progress(2, 2)
    return replace(held, probabilities=probabilities)
