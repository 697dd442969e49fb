"""Whether one person's values fit a campaign: for that person alone, before anything is drawn or sent."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from privge.campaign import Campaign
from privge.perturbation.draw import FeatureVector, raw_values_at, values_at
from privge.perturbation.levels import outside_bounds
from privge.perturbation.own_answers import own_misfits


@dataclass(frozen=True, slots=True)
class Fitting:
    """Which features of a person have no usable value; they would be replaced by the campaign's rule.

    Parameters
    ----------
    features
        How many features the campaign has; a report may ask for fewer.
    missing
        The features whose value is missing or not a number.
    outside
        The features whose value lies outside the bounds.
    """

    features: int
    missing: tuple[int, ...]
    outside: tuple[int, ...]


def check_values(campaign: Campaign, x: FeatureVector) -> Fitting:
    """Look at all values of one person, not only at those that a report would ask for. Nothing is drawn."""
    if campaign.questions is not None:
        return _answers(campaign, x)
    columns = np.arange(campaign.dimensions, dtype=np.int32)
    values = np.array(values_at(campaign, x, columns.tolist()), dtype=np.float64)
    missing, outside = np.flatnonzero(np.isnan(values)), np.flatnonzero(outside_bounds(campaign, values, columns))
    return Fitting(campaign.dimensions, tuple(missing.tolist()), tuple(outside.tolist()))


def _answers(campaign: Campaign, x: FeatureVector) -> Fitting:
    misfits, names = own_misfits(campaign, partial(raw_values_at, campaign, x)), campaign.raw_names or ()
    places = {name: place for place, name in enumerate(names)}
    missing = [places[each.feature.name] for each in misfits if each.absent and each.feature.name in places]
    outside = [places[each.feature.name] for each in misfits if each.outside and each.feature.name in places]
    return Fitting(campaign.raw_width, tuple(sorted(missing)), tuple(sorted(outside)))
