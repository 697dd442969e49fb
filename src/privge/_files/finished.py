"""A folder of Parquet parts that says when it is finished: ``_SUCCESS``, written last, as Spark and others do."""

from typing import Any

from privge._files.folder import Folder
from privge.errors import BadData

_SUCCESS = "_SUCCESS"


def finish(folder: Folder, **counts: str | int) -> None:
    """Say that a folder is finished, and what its parts add up to; ``parts`` is their number."""
    folder.write_document(_SUCCESS, counts)


def reopen(folder: Folder) -> None:
    """Take back that a folder is finished, before its parts are written anew."""
    folder.remove([_SUCCESS])


def is_finished(folder: Folder) -> bool:
    """Say whether a folder is finished."""
    return folder.exists(_SUCCESS)


def finished_parts(folder: Folder) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the names of the parts of a finished folder, in order, and what `finish` said of them."""
    names = tuple(folder.names(".parquet"))
    if not folder.exists(_SUCCESS):
        absent = (
            "this is not a folder of Parquet parts" if not names else "the folder is unfinished: there is no _SUCCESS"
        )
        raise BadData(f"{folder.address}: {absent}; run the command that writes it again")
    counts = folder.document(_SUCCESS)
    if not isinstance(counts, dict) or counts.get("parts") != len(names):
        raise BadData(f"{folder.address}: there are {len(names)} parts, and _SUCCESS does not say so")
    if not names:
        raise BadData(f"{folder.address}: there are no parts")
    return names, counts
