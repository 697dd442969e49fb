"""The heads by name."""

from typing import Literal, TypeAlias

from privge.structure.heads import Head, Logistic, Network

HeadName: TypeAlias = Literal["logistic", "network"]

_HEADS: dict[HeadName, Head] = {"logistic": Logistic(), "network": Network()}

DEFAULT_HEADS: tuple[HeadName, ...] = tuple(_HEADS)
"""Every head; what they predict is mixed or averaged."""


def heads_of(names: tuple[HeadName, ...]) -> dict[HeadName, Head]:
    """Return the heads of these names, at least one."""
    if not names:
        raise ValueError(f"at least one head is needed: {', '.join(_HEADS)}")
    for name in names:
        if name not in _HEADS:
            raise ValueError(f"heads must be among {', '.join(_HEADS)}, got {name!r}")
    return {name: _HEADS[name] for name in names}
