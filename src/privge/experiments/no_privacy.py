"""The control *no privacy*: what the law ``none`` would give, without a report for every feature of everybody.

The commands' ``none`` sends all d features of a person, rounded to the public grid, and reads them as every law is
read: low bounds are -1, high bounds are 1. For thousands of sparse features that is a full matrix of codes. Propagation
is linear, so the same vectors come from the sparse features and one column of ones.
"""

from dataclasses import asdict, replace

import numpy as np
import scipy.sparse

from privge._typing import Floats
from privge.campaign import Campaign
from privge.graph import Graph
from privge.perturbation.levels import levels_of
from privge.propagation import Local, Matrix, Walk, propagate
from privge.random import source_for


def no_privacy_vectors(
    graph: Graph, features: scipy.sparse.csr_array, campaign: Campaign, walk: Walk, on: Local
) -> Matrix:
    """Return what ``embed(graph, campaign.simulate(features))`` gives, up to the tolerance of the walk.

    Parameters
    ----------
    graph
        Who knows whom.
    features
        One sparse row for each node, in the graph's order, within the campaign's bounds.
    campaign
        Of the mechanism ``none``, with one pair of bounds.
    walk, on
        How it is propagated.
    """
    if campaign.mechanism != "none" or not (isinstance(campaign.low, float) and isinstance(campaign.high, float)):
        raise ValueError("the campaign must have the mechanism 'none' and one pair of bounds")
    half = replace(walk, tolerance=walk.tolerance / 2)  # the error is that of two parts
    zero = _read(np.zeros(1), campaign)[0]
    above = (_read(features.data, campaign) - zero, features.indices, features.indptr)
    vectors, _ = propagate(graph, scipy.sparse.csr_array(above, shape=features.shape), **asdict(half), on=on)
    everywhere = scipy.sparse.csr_array(np.full((graph.nodes, 1), zero))
    vectors += propagate(graph, everywhere, **asdict(half), on=on)[0]
    return vectors


def _read(values: Floats, campaign: Campaign) -> Floats:
    """Return what is decoded from the reports of these values."""
    indices = np.zeros(values.shape, dtype=np.int32)  # all features have the same bounds
    return campaign.law.decode(campaign.law.sample(levels_of(campaign, values, indices), source_for(0)))
