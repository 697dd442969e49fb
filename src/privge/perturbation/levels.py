"""Private values to input levels: the campaign's policy, its public bounds, its grid. No message holds one."""

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats, Indices, Levels
from privge.campaign import Campaign
from privge.errors import BadData


def levels_of(campaign: Campaign, values: Floats, indices: Indices) -> Levels:
    """Apply the campaign's policy to sampled values and round them to input levels."""
    low, high = bound_of(campaign.low, indices), bound_of(campaign.high, indices)
    absent = np.isnan(values)
    outside = outside_bounds(campaign, values, indices)
    for trouble, policy, words in (
        (absent, campaign.missing, "missing"),
        (outside, campaign.out_of_bounds, "outside its public bounds"),
    ):
        if policy == "refuse" and trouble.any():
            feature = int(indices[trouble][0])
            name = "" if campaign.names is None else f" ({campaign.names[feature]!r})"
            raise BadData(f"feature {feature}{name} is {words}, and the campaign's policy is to refuse")
    middle = outside if campaign.out_of_bounds == "midpoint" else np.zeros_like(outside)
    # A bound may be as large as a float: halve before subtracting, so that nothing overflows.
    normalised = (np.clip(values, low, high) / 2 - low / 2) / (high / 2 - low / 2) * 2 - 1
    stand_in = {"low": -1.0, "high": 1.0}.get(campaign.missing, 0.0)
    return campaign.law.level(np.where(absent, stand_in, np.where(middle, 0.0, normalised)))


def outside_bounds(campaign: Campaign, values: Floats, indices: Indices) -> NDArray[np.bool_]:
    """Say which values lie outside their public bounds; a missing one does not."""
    return (values < bound_of(campaign.low, indices)) | (values > bound_of(campaign.high, indices))


def bound_of(bound: float | tuple[float, ...], indices: Indices) -> Floats:
    """Return the public bound of each sampled feature."""
    return np.asarray(bound) if isinstance(bound, float) else np.asarray(bound)[indices]
