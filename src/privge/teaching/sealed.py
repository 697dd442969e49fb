"""Hashes of the fields of a public file, so that a field which was changed by hand is found and named.

A hash keeps nobody from writing another file. It tells what was written by the package, with what it claims about its
teachers, from what was edited since.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

import rfc8785

from privge.errors import BadData

SEAL = "hashes"
"""The field that holds the hash of every other one."""


def sealed(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document with the SHA-256 of each of its fields, as canonical JSON."""
    fields = {name: content for name, content in document.items() if name != SEAL}
    return {**fields, SEAL: {name: _hash(content) for name, content in fields.items()}}


def check_seal(document: Mapping[str, Any]) -> None:
    """Refuse a document that `sealed` did not make, and name the first field that differs."""
    hashes = document.get(SEAL)
    if not isinstance(hashes, Mapping):
        raise BadData(f"the field {SEAL!r} is missing: there is no telling whether the file is as it was written")
    for name in dict.fromkeys((*document, *hashes)):
        if name != SEAL and (name not in document or name not in hashes or _hash(document[name]) != hashes[name]):
            raise BadData(
                f"the field {name!r} is not as it was written: the file was changed by hand, and no longer says what "
                "teachers taught; write it again"
            )


def _hash(content: object) -> str:
    return hashlib.sha256(_canonical(content)).hexdigest()


def _canonical(content: object) -> bytes:
    try:
        return rfc8785.dumps(content)  # type: ignore[arg-type]
    except rfc8785.CanonicalizationError as error:
        raise BadData(f"it holds a value that JSON has no one form for: {error}") from error
