"""What a simulation had to change before it could perturb: values outside their bounds, and missing ones.

Who may see the counts. They depend on private values, so they are for whoever holds those values already and asks for
a simulation, and go to the log of that process. They are never part of `privge.reports.Reports`, which leave it, nor
written beside them. Of one person a count is a bit about the value itself: a device tells it to that person alone.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from privge._typing import Indices
from privge.campaign import Campaign

_SHOWN = 5  # features in the log, the worst first, if there are many
_FEW = 8  # features that are all named
_TREATED = {
    "clip": "clipped to",
    "midpoint": "taken as the midpoint of",
    "low": "taken as the low end of",
    "high": "taken as the high end of",
    "refuse": "refused beyond",  # never said: an error says it
}


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts by feature.

    Parameters
    ----------
    features
        The features that somebody reported, in order, each once.
    reported
        How many values of each were reported.
    outside
        How many of these lay outside their public bounds.
    absent
        How many were missing.
    """

    features: NDArray[np.int64]
    reported: NDArray[np.int64]
    outside: NDArray[np.int64]
    absent: NDArray[np.int64]

    @classmethod
    def of(cls, dimensions: int, indices: Indices, outside: Sequence[Indices], absent: Sequence[Indices]) -> Self:
        """Count the features of all values that were reported, and of those among them that were in trouble."""
        if dimensions <= indices.size:
            every = np.bincount(indices.ravel(), minlength=dimensions)
            features = np.flatnonzero(every)
            reported = every[features]
        else:
            features, reported = np.unique(indices, return_counts=True)
        nothing = np.empty(0, dtype=np.int32)

        def count(found: Sequence[Indices]) -> NDArray[np.int64]:
            places = np.searchsorted(features, np.concatenate([nothing, *found]))
            return np.bincount(places, minlength=len(features))

        return cls(features.astype(np.int64), reported, count(outside), count(absent))

    @classmethod
    def joined(cls, tallies: Iterable[Self]) -> Self:
        """Add up the tallies of parts."""
        parts = list(tallies)
        features = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *(part.features for part in parts)]))
        sums = np.zeros((3, len(features)), dtype=np.int64)
        for part in parts:
            sums[:, np.searchsorted(features, part.features)] += (part.reported, part.outside, part.absent)
        return cls(features, *sums)

    def sentences(self, campaign: Campaign) -> Iterator[str]:
        """Say what was changed: a line for each feature, the worst first, and one for all others together."""
        outside, absent = _TREATED[campaign.out_of_bounds], f"missing, {_TREATED[campaign.missing]}"
        for counts, words in ((self.outside, outside), (self.absent, absent)):
            worst = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
            shown = shown_of(len(worst))
            for place in worst[:shown].tolist():
                name, bounds = _described(campaign, int(self.features[place]))
                yield f"{name}: {counts[place]:,} of {self.reported[place]:,} values {words} {bounds}"
            rest = worst[shown:]
            if rest.size:
                all_of, bounds = f"{len(rest):,} more features", "their bounds"
                yield f"{all_of}: {counts[rest].sum():,} of {self.reported[rest].sum():,} values {words} {bounds}"


def shown_of(features: int) -> int:
    """Return how many features a log names: all if they are few, or else the worst."""
    return features if features <= _FEW else _SHOWN


def _described(campaign: Campaign, feature: int) -> tuple[str, str]:
    name = f"feature {feature}" if campaign.names is None else campaign.names[feature]
    low, high = (bound if isinstance(bound, float) else bound[feature] for bound in (campaign.low, campaign.high))
    return name if name.isprintable() else repr(name), f"{low:g}..{high:g}"
