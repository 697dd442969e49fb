"""Datasets of anybody's own: a folder with a ``dataset.toml``, which says what an entry of the catalogue says."""

import re
from os import PathLike, fspath
from pathlib import Path
from typing import Final

from privge._files.toml import read_toml
from privge.datasets.description import Description
from privge.datasets.entries import described
from privge.errors import BadData, DatasetMissing

DATASET: Final = "dataset.toml"
"""The file that makes a folder a dataset."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")  # names of files are made of it


def is_place(name: str) -> bool:
    """Say whether what stands for a dataset is the place of a folder rather than a name of the catalogue."""
    return "/" in name or "\\" in name or name.startswith((".", "~")) or (Path(name) / DATASET).is_file()


def described_in(place: str | PathLike[str]) -> Description:
    """Return the description of the dataset in a folder.

    Parameters
    ----------
    place
        The folder, or its dataset.toml.
    """
    path = Path(fspath(place)).expanduser()
    folder = path.parent if path.name == DATASET else path
    file = folder / DATASET
    if not file.is_file():
        missing = "there is no such folder" if not folder.is_dir() else f"there is no {DATASET} in this folder"
        raise DatasetMissing(f"{folder}: {missing}; docs/own-data.md shows how to write one")
    entry = read_toml(file)
    name = entry.pop("name", folder.resolve().name)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise BadData(
            f"{file}: the name {name!r} must be letters, digits, dots, dashes and underscores, at most 64; give "
            'another one with name = "..."'
        )
    try:
        return described(name, entry, folder=folder)
    except (BadData, TypeError, ValueError) as error:
        raise BadData(f"{file}: {error}") from error
