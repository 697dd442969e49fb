"""Every law by its name: those of this package, and those that other packages bring."""

import inspect
import math
from fractions import Fraction
from functools import cache

from privge._imports.plugins import Plugins
from privge.mechanisms.law import Law
from privge.mechanisms.mechanism import DEFAULT_LEVELS
from privge.mechanisms.verification import OWN

LAWS: dict[str, type[Law]] = {law.name: law for law in OWN}
"""The laws of this package by the name that campaigns and the command line use."""


@cache
def laws() -> Plugins[type[Law]]:
    """Return every law by its name: `LAWS`, and those that other packages bring as ``privge.mechanisms``.

    A law from outside is enumerated before it is used (`privge.mechanisms.verify`). A campaign document names a law
    and brings its integers, never code: what runs on a device was installed there.
    """
    return Plugins("mechanisms", LAWS, _accepted)


def _accepted(name: str, member: object) -> type[Law]:
    if not (isinstance(member, type) and issubclass(member, Law)):
        raise ValueError("it is not a subclass of privge.mechanisms.Law")
    if inspect.isabstract(member):
        raise ValueError(f"it leaves out {', '.join(sorted(member.__abstractmethods__))}")
    if getattr(member, "name", None) != name:
        raise ValueError(f"it calls itself {getattr(member, 'name', None)!r}")
    if not getattr(getattr(member, "__dataclass_params__", None), "frozen", False):
        raise ValueError("it is not a frozen dataclass")
    return member


def law_for(mechanism: str, epsilon: float, k: int = 1, levels: int = DEFAULT_LEVELS) -> Law:
    """Build the one-dimensional law that spends exactly a ``k``-th of epsilon, without rounding it."""
    if mechanism not in laws():
        raise ValueError(f"mechanism must be one of {', '.join(laws())}, got {mechanism!r}")
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    kind = laws()[mechanism]
    if kind.fixed_epsilon is not None:
        return kind.for_epsilon(epsilon, levels)
    if not (math.isfinite(epsilon) and epsilon > 0):
        raise ValueError(f"epsilon must be a finite number above 0, got {epsilon!r}")
    return kind.for_epsilon(Fraction(epsilon) / k, levels)
