"""What datasets there are. They are listed in ``catalogue.toml``, beside this file; nothing here knows one by name."""

import tomllib
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib.resources import files
from typing import Any, Final

from privge._imports.plugins import Plugins
from privge.datasets.contents import Contents
from privge.datasets.dataset import Statistics
from privge.datasets.description import Archive, DataFile, Description
from privge.datasets.musae import read_musae
from privge.datasets.planetoid import read_planetoid
from privge.datasets.synthetic import read_synthetic

FORMATS: Final[Mapping[str, Callable[..., Contents]]] = {
    "planetoid": read_planetoid,
    "musae": read_musae,
    "synthetic": read_synthetic,
}
"""The reader of each format; it is called with the files by role, and with the options of the dataset."""


def _described(name: str, entry: dict[str, Any]) -> Description:
    """Return the description that an entry of the list stands for; what it does not say is the default."""
    statistics, archive = entry.pop("statistics", None), entry.pop("archive", None)
    source = None if archive is None else Archive(**archive)
    return Description(
        name=name,
        files=tuple(_file(role, file, source) for role, file in entry.pop("files", {}).items()),
        read=partial(FORMATS[entry.pop("format")], **entry.pop("options", {})),
        statistics=None if statistics is None else Statistics(**statistics),
        **entry,
    )


def _file(role: str, entry: dict[str, Any], archive: Archive | None) -> DataFile:
    """Return a file: with an address of its own, or else inside the archive of its dataset."""
    source = entry.get("url", archive)
    if source is None:
        raise ValueError(f"catalogue.toml: {entry['name']} has neither an url nor an archive")
    return DataFile(role, entry["name"], entry.get("size"), entry["sha256"], source)


def _listed() -> dict[str, Description]:
    text = files("privge.datasets").joinpath("catalogue.toml").read_text(encoding="utf-8")
    return {name: _described(name, entry) for name, entry in tomllib.loads(text).items()}


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
