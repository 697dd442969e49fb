"""How far the embedding of a node can be from that of the clean features: a bound that anybody can compute.

Entry j of node v is ``z~ = sum over u of Pi(v,u) y(u,j)``, with ``y`` the decoded report of u; clean features would
give ``z = sum of Pi(v,u) x(u,j)``. Reports of different people are independent, and so are the indices that they draw:

    ``|z~ - z| <= bias sum_v + tail_v``

where ``sum_v`` is the sum of the row of v, ``bias`` how far the mean of y is from x at most, and ``tail_v`` what
Bernstein's or Bennett's inequality gives for a sum with variance ``variance length_v^2`` and terms of at most
``reach largest_v``. Both hold for every feature matrix whatever, so the smaller one does; which that is depends on
public numbers alone. For all d entries of a node together, the chance is divided by d.

Besides, every decoded value has at most the magnitude ``largest``, so ``|z~ - z| <= (largest + 1) sum_v`` *always*. A
bound that says less than this says nothing.

*What it assumes.* Everybody reports, and honestly. Features are what is left after the campaign's bounds have clipped
them. The rounding of a feature to the grid is part of the bias, unless features are on the grid.
"""

from dataclasses import dataclass

import numpy as np

from privge._typing import Decoding, Floats
from privge.analysis.rows import RowNorms
from privge.analysis.tails import bennett, bernstein
from privge.analysis.worst_case import Coordinate
from privge.campaign import Campaign
from privge.ids import Ids


@dataclass(frozen=True, eq=False, slots=True)
class NodeBounds:
    """For each node, what ``|z~ - z|`` exceeds with at most a given chance; normalised, features go from -1 to 1.

    Parameters
    ----------
    ids
        Whose.
    chance
        How often the bound of a node may fail.
    entries
        Of how many entries of the node it holds together.
    bias
        The part that no number of people makes smaller.
    bernstein
        The random part, by Bernstein's inequality.
    bennett
        The random part, by Bennett's inequality.
    always
        What holds with certainty.
    """

    ids: Ids
    chance: float
    entries: int
    bias: Floats
    bernstein: Floats
    bennett: Floats
    always: Floats

    @property
    def by_bernstein(self) -> Floats:
        """Bias and Bernstein."""
        return self.bias + self.bernstein

    @property
    def bound(self) -> Floats:
        """The smallest of all."""
        return np.minimum(self.bias + np.minimum(self.bernstein, self.bennett), self.always)


def node_bounds(
    coordinate: Coordinate | Campaign,
    norms: RowNorms,
    *,
    chance: float = 0.05,
    entries: int | None = None,
    decoding: Decoding = "raw",
    on_grid: bool = False,
) -> NodeBounds:
    """Bound the distance between what is embedded and what clean features would give, for each node.

    Parameters
    ----------
    coordinate
        A campaign of features, or one coordinate of any mechanism, as it is decoded.
    norms
        The rows of the propagation matrix.
    chance
        How often the bound of a node may fail.
    entries
        Of how many entries of a node it holds together; by default of all, or of one if there is no campaign.
    decoding
        How the reports of a campaign are decoded. A coordinate was decoded already.
    on_grid
        Whether every feature is a level of the grid, so that nothing is rounded: yes or no, for instance.
    """
    worst, together = coordinate, entries or 1
    if isinstance(worst, Campaign):
        together = entries or worst.dimensions
        worst = Coordinate.of(worst.sampled, decoding)
    each = chance / together
    variance = worst.variance * norms.lengths**2
    return NodeBounds(
        norms.ids,
        chance,
        together,
        bias=(worst.bias + (0.0 if on_grid else worst.rounding)) * norms.sums,
        bernstein=bernstein(variance, worst.scale * norms.largest, each),
        bennett=bennett(variance, worst.reach * norms.largest, each),
        always=(worst.largest + 1) * norms.sums,
    )
