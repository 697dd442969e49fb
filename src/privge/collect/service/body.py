"""Read a body: of the right type, no larger than allowed, and in time."""

import asyncio
from contextlib import suppress
from types import TracebackType

from starlette.requests import Request

from privge.collect.service.limits import Allowance
from privge.collect.service.problems import ClientGone, Refused

_BEGUN = "privge.body"  # set in the scope once somebody reads the body
_DRAIN_SECONDS = 2.0


def header(request: Request, name: bytes) -> str:
    """Return a header by its lower-case name, or nothing; starlette's own look-up takes ten times as long."""
    for key, value in request.scope["headers"]:
        if key == name:
            text: str = value.decode("latin-1")
            return text
    return ""


async def drain(request: Request) -> None:
    """Let a small body (below 100,000 bytes) that nobody wants arrive before it is refused.

    Otherwise the connection would be closed on a client that still sends, and it might never see why.
    """
    length = header(request, b"content-length")
    if request.scope.get(_BEGUN) or not (length.isascii() and length.isdecimal() and len(length) < 6 and int(length)):
        return
    with suppress(TimeoutError):
        async with asyncio.timeout(_DRAIN_SECONDS):
            while (message := await request.receive())["type"] == "http.request" and message.get("more_body", False):
                pass


class Body:
    """The body of a request, within an ``async with``; its memory is accounted for until the block ends.

    A body that says it is too large is refused before any of it is read; one that turns out to be, as soon as it is.

    Parameters
    ----------
    request
        Whose body it is.
    media_type
        The content type that it must have.
    limit
        Most bytes.
    seconds
        Time in which it must arrive.
    allowance
        Memory for all bodies under way.
    """

    def __init__(self, request: Request, media_type: str, *, limit: int, seconds: float, allowance: Allowance) -> None:
        given = header(request, b"content-type")
        if given != media_type and given.partition(";")[0].strip().lower() != media_type:
            raise Refused("media_type")
        self._declared = _declared(request)
        if self._declared is not None and self._declared > limit:
            raise Refused("too_large")
        self._request, self._limit, self._seconds, self._allowance = request, limit, seconds, allowance
        self._reserved = limit if self._declared is None else self._declared

    async def __aenter__(self) -> bytes:
        self._allowance.take(self._reserved)
        self._request.scope[_BEGUN] = True
        try:
            async with asyncio.timeout(self._seconds):
                return await self._read()
        except TimeoutError:
            self._allowance.give(self._reserved)
            raise Refused("too_slow") from None
        except BaseException:
            self._allowance.give(self._reserved)
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._allowance.give(self._reserved)

    async def _read(self) -> bytes:
        parts: list[bytes] = []
        size = 0
        while True:
            message = await self._request.receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            part: bytes = message.get("body", b"")
            size += len(part)
            if size > self._limit:
                raise Refused("too_large")
            parts.append(part)
            if not message.get("more_body", False):
                break
        if self._declared not in (None, size):
            raise Refused("incomplete")
        return parts[0] if len(parts) == 1 else b"".join(parts)


def _declared(request: Request) -> int | None:
    text = header(request, b"content-length")
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise Refused("incomplete")
    return int(text)
