"""The files that pages are made of: style and scripts, which come with the package."""

import hashlib
from base64 import b64encode
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from privge.collect.service.answers import Answer
from privge.collect.service.body import header
from privge.collect.service.problems import Refused
from privge.collect.service.service import Service

PATH: Final = "/assets/{file}"
"""Where they are."""

_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}


class Asset(NamedTuple):
    """A file: its bytes, their type, and their SHA-384 as a page states it beside a link."""

    content: bytes
    kind: str
    integrity: str


@cache
def assets() -> dict[str, Asset]:
    """Return all files by name."""
    found = {}
    for file in files("privge.pages").joinpath("assets").iterdir():
        kind = _TYPES.get("." + file.name.rpartition(".")[2])
        if kind is not None:
            content = file.read_bytes()
            found[file.name] = Asset(content, kind, "sha384-" + b64encode(hashlib.sha384(content).digest()).decode())
    return found


async def asset(service: Service, request: Request) -> Answer:  # noqa: ARG001 (all routes are called alike)
    """Return a file of the pages."""
    found = assets().get(request.path_params["file"])
    if found is None:
        raise Refused("no_route")
    tag = f'"{found.integrity}"'
    headers = {"etag": tag, "cache-control": "no-cache", "x-content-type-options": "nosniff"}
    if header(request, b"if-none-match") == tag:
        return Answer("ok", Response(b"", 304, headers))
    return Answer("ok", Response(found.content, 200, headers, found.kind))
