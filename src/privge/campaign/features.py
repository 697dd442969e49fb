"""Kinds of campaign fields with one entry for each feature: public bounds and names."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from privge.campaign.field import Kind
from privge.campaign.kinds import Number, Text
from privge.errors import InvalidCampaign

if TYPE_CHECKING:
    from privge.campaign.campaign import Campaign

Bounds: TypeAlias = float | tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Bound(Kind[Bounds]):
    """One number for all features, or one for each; equal ones collapse to one."""

    def check(self, name: str, value: object, above: "Campaign") -> Bounds:
        number = Number()
        if not isinstance(value, Sequence | np.ndarray) or isinstance(value, str):
            return number.check(name, value, above)
        if len(value) != above.dimensions:
            raise InvalidCampaign(
                name, f"must have one entry for each of {above.dimensions} features, got {len(value)}"
            )
        each = tuple(number.check(f"{name}[{j}]", item, above) for j, item in enumerate(value))
        return each[0] if len(set(each)) == 1 else each

    def plain(self, value: Bounds) -> object:
        return value if isinstance(value, float) else list(value)


@dataclass(frozen=True, slots=True)
class UpperBound(Bound):
    """A bound above ``low``, for every feature."""

    def check(self, name: str, value: object, above: "Campaign") -> Bounds:
        highs = Bound.check(self, name, value, above)
        # Halved as in the perturbation, so that no range overflows; one that vanishes there is refused here.
        below, top = np.broadcast_arrays(np.atleast_1d(above.low) / 2, np.atleast_1d(highs) / 2)
        wrong = np.flatnonzero(top - below <= 0)
        if wrong.size:
            j = int(wrong[0])
            raise InvalidCampaign("low", f"must be below high, got {2 * below[j]} and {2 * top[j]} for feature {j}")
        return highs


@dataclass(frozen=True, slots=True)
class Names(Kind[tuple[str, ...]]):
    """Distinct names, one for each feature."""

    def check(self, name: str, value: object, above: "Campaign") -> tuple[str, ...]:
        if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != above.dimensions:
            raise InvalidCampaign(name, f"must be a list of {above.dimensions} names, one for each feature")
        each = tuple(Text().check(f"{name}[{j}]", item, above) for j, item in enumerate(value))
        first_use: dict[str, int] = {}
        for j, word in enumerate(each):
            if first_use.setdefault(word, j) != j:
                raise InvalidCampaign(f"{name}[{j}]", f"{word!r} is used twice")
        return each

    def plain(self, value: tuple[str, ...]) -> object:
        return list(value)
