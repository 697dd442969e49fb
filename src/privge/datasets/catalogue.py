"""What datasets there are. They are listed in ``catalogue.toml``, beside this file; nothing here knows one by name."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from privge._imports.plugins import Plugins
from privge.datasets.description import Description
from privge.datasets.entries import described


def _listed() -> dict[str, Description]:
    text = files("privge.datasets").joinpath("catalogue.toml").read_text(encoding="utf-8")
    return {name: described(name, entry) for name, entry in tomllib.loads(text).items()}


DATASETS: Final[Mapping[str, Description]] = _listed()
"""Every dataset by name: the paper's five in its order, then the others."""


@cache
def datasets() -> Plugins[Description]:
    """Return every dataset by its name: `DATASETS`, and those that other packages bring as ``privge.datasets``."""
    return Plugins("datasets", DATASETS, _accepted)


def _accepted(name: str, member: object) -> Description:
    if not isinstance(member, Description):
        raise ValueError("it is not a privge.datasets.Description")
    if member.name != name:
        raise ValueError(f"it calls itself {member.name!r}")
    return member
