"""Descriptions of datasets in TOML: an entry of the catalogue and a ``dataset.toml`` are the same, and read here."""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from privge.datasets.contents import Contents, NamedContents
from privge.datasets.dataset import Statistics
from privge.datasets.description import Archive, DataFile, Description, Reader
from privge.datasets.musae import read_musae
from privge.datasets.planetoid import read_planetoid
from privge.datasets.synthetic import read_synthetic
from privge.datasets.tables import read_tables, table_options
from privge.errors import BadData


@dataclass(frozen=True, slots=True)
class Format:
    """How the files of a dataset are written.

    Parameters
    ----------
    read
        Its reader: called with the files by role, and with options.
    needed, more
        The roles of files that must be there, and of those that may.
    options
        What an entry may say about it, beside what all entries say.
    stated
        Makes the reader's options of what an entry says.
    """

    read: Callable[..., Contents | NamedContents]
    needed: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    stated: Callable[[dict[str, Any]], dict[str, Any]] = dict

    def reader(self, stated: dict[str, Any]) -> Reader:
        """Return the reader with its options."""
        return partial(self.read, **self.stated(stated))


FORMATS: Final[Mapping[str, Format]] = {
    "planetoid": Format(read_planetoid, ("allx", "ally", "graph", "test.index", "tx", "ty"), options=("classes",)),
    "musae": Format(read_musae, ("edges", "features", "target"), options=("label", "classes", "largest")),
    "synthetic": Format(read_synthetic),
    "tables": Format(
        read_tables,
        ("edges", "features"),
        ("labels", "nodes"),
        ("columns", "features", "classes", "integer_ids", "missing", "low", "high"),
        table_options,
    ),
}
"""The formats by the name that an entry gives."""

_GENERAL = ("title", "licence", "homepage", "format", "files", "archive", "low", "high", "statistics", "paper_edges")
_OWN = "tables"  # of an entry that does not say


def described(name: str, entry: Mapping[str, Any], *, folder: Path | None = None) -> Description:
    """Return the description that an entry stands for; what it does not say is the default.

    Parameters
    ----------
    name
        What the dataset is called.
    entry
        As TOML has it.
    folder
        Where its files are, if they are somebody's own; then sizes, checksums and addresses need not be stated.
    """
    kind = entry.get("format", _OWN)
    if not isinstance(kind, str) or kind not in FORMATS:
        raise BadData(f"format must be one of {', '.join(FORMATS)}, got {kind!r}")
    chosen = FORMATS[kind]
    _refuse_unknown(entry, (*_GENERAL, *chosen.options))
    stated = {key: value for key, value in entry.items() if key in chosen.options}
    archive = None if "archive" not in entry else Archive(**entry["archive"])
    statistics = None if "statistics" not in entry else Statistics(**entry["statistics"])
    mixed = "features" in stated
    return Description(
        name=name,
        title=entry.get("title", name),
        licence=entry.get("licence", ""),
        homepage=entry.get("homepage", ""),
        files=_files(entry.get("files", {}), chosen, archive, own=folder is not None),
        read=chosen.reader(stated),
        low=0.0 if mixed else float(entry.get("low", 0.0)),
        high=1.0 if mixed else float(entry.get("high", 1.0)),
        statistics=statistics,
        paper_edges=entry.get("paper_edges"),
        folder=folder,
    )


def _files(stated: object, chosen: Format, archive: Archive | None, *, own: bool) -> tuple[DataFile, ...]:
    if not isinstance(stated, Mapping):
        raise BadData("files must be a table with a file for each role")
    roles = (*chosen.needed, *chosen.more)
    for role in stated:
        if role not in roles:
            raise BadData(f"files has no {role!r}; there are {', '.join(roles) or 'none in this format'}")
    for role in chosen.needed:
        if role not in stated:
            raise BadData(f'files lacks {role!r}; write {role} = "NAME" under [files]')
    return tuple(_file(role, file, archive, own=own) for role, file in stated.items())


def _file(role: str, stated: object, archive: Archive | None, *, own: bool) -> DataFile:
    """Return a file: with an address of its own, inside the archive of its dataset, or somebody's own."""
    entry: Mapping[str, Any] = {"name": stated} if isinstance(stated, str) else stated  # type: ignore[assignment]
    if not isinstance(entry, Mapping) or not isinstance(entry.get("name"), str):
        raise BadData(f"the file {role} must be a name, or a table with a name")
    _refuse_unknown(entry, ("name", "size", "sha256", "url"), f"the file {role}")
    source = entry.get("url", archive)
    if not own and (source is None or "sha256" not in entry):
        raise BadData(f"{entry['name']} needs a sha256, and an url or an archive")
    return DataFile(role, entry["name"], entry.get("size"), entry.get("sha256"), source)


def _refuse_unknown(stated: Mapping[str, Any], known: tuple[str, ...], what: str = "a dataset") -> None:
    for key in stated:
        if key not in known:
            close = difflib.get_close_matches(str(key), known, n=1)
            guess = f" (is it {close[0]!r}?)" if close else ""
            raise BadData(f"{what} has no {key!r}{guess}; it has {', '.join(dict.fromkeys(known))}")
