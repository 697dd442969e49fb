"""People by their number of friends, to see where something helps."""

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.graph.pairs import NodePairs

EVERYBODY: Final = "everybody"
FEW: Final = "0 to 2 friends"
SOME: Final = "3 to 10 friends"
MANY: Final = "more friends"

_MOST: Final = {EVERYBODY: (0, np.inf), FEW: (0, 2), SOME: (3, 10), MANY: (11, np.inf)}
GROUPS: Final = tuple(_MOST)


def by_friends(degrees: NDArray[np.integer]) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield each group of people by its name, and who is in it; first everybody. Groups may be empty.

    Parameters
    ----------
    degrees
        How many friends each person has.
    """
    for name, (least, most) in _MOST.items():
        yield name, (degrees >= least) & (degrees <= most)


def shares_by_friends(degrees: NDArray[np.integer], right: NDArray[np.bool_]) -> dict[str, float | None]:
    """Return the share of people for whom something is right, by group; None where there is nobody."""
    groups = {name: right[inside] for name, inside in by_friends(degrees)}
    return {name: float(group.mean()) if group.size else None for name, group in groups.items()}


def of_pairs(degrees: NDArray[np.integer], pairs: NodePairs) -> NDArray[np.integer]:
    """Return the friends of the end that has fewer: what is known of a pair is known by that end."""
    fewer: NDArray[np.integer] = degrees[pairs].min(axis=1)
    return fewer


def auc_by_friends(
    degrees: NDArray[np.integer], pairs: tuple[NodePairs, NodePairs], scores: tuple[Floats, Floats]
) -> dict[str, float | None]:
    """Return the AUC of pairs that are joined against pairs that are not, by group; None where one side is empty."""
    from privge.tasks.metrics import auc

    sides = [dict(by_friends(of_pairs(degrees, side))) for side in pairs]
    found: dict[str, float | None] = {}
    for name in GROUPS:
        joined, apart = (score[side[name]] for score, side in zip(scores, sides, strict=True))
        found[name] = auc(joined, apart) if joined.size and apart.size else None
    return found
