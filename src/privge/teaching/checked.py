"""Whether the file of a plan holds one: each person once, in one role, with probabilities and classes that can be."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from privge.errors import BadData

if TYPE_CHECKING:
    from privge.teaching.plan import Plan

_SUM = 1e-6  # by which a sum of probabilities may miss 1


def check_plan(plan: "Plan", roles: list[str], known_roles: frozenset[str]) -> None:
    """Refuse a plan in which somebody is named twice or something cannot be, and name the column.

    ``roles`` are those of each person as the file has them, ``known_roles`` those that there are.
    """
    ids, prior, classes = plan.structure.ids, plan.structure.probabilities, len(plan.structure.classes)
    _require(len(set(ids.tolist())) == len(ids), "id", "somebody is named twice, and could teach and be asked")
    _require(known_roles.issuperset(roles), "role", f"it must be one of {', '.join(sorted(known_roles))}")
    _require(classes > 1 and prior.shape == (len(ids), classes), "prior", "it must have a number for each class")
    _require(
        bool((prior >= 0).all() and (np.abs(prior.sum(axis=1) - 1) < _SUM).all()),
        "prior",
        "it must hold probabilities, which sum to 1",
    )
    _require(_among(plan.labels, classes), "label", "it must be the place of a class, or -1")
    _require(bool((plan.labels[plan.roles.judges] >= 0).all()), "judges", "whoever judges must have a label")
    asked = plan.roles.classes
    sizes = (asked >= 0).sum(axis=1)
    _require(
        _among(asked, classes) and bool((sizes > 1).all()), "classes", "it must name two classes of the plan or more"
    )
    _require(bool(np.isfinite(plan.epsilon)) and plan.epsilon > 0, "epsilon", "it must be a number above 0")


def _among(places: NDArray[np.int64], classes: int) -> bool:
    return bool(((places >= -1) & (places < classes)).all())


def _require(holds: bool, what: str, rule: str) -> None:  # noqa: FBT001 (a condition)
    if not holds:
        raise BadData(f"{what!r} cannot be of a plan: {rule}")
