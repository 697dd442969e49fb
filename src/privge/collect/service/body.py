"""Read a body: of the right type, no larger than allowed, and in time."""

import asyncio
from contextlib import suppress
from types import TracebackType

from starlette.requests import Request

from privge.collect.service.limits import Arrival, Room
from privge.collect.service.problems import Refused

_AT_END = "privge.body"  # in the scope: whether somebody who began to read the body came to its end
_DRAIN_DIGITS = 5  # below 100,000 bytes
_DRAIN_SECONDS = 2.0
_PARTS = 64  # a body may come in so many parts, and one more for each
_PART = 256  # bytes; each part costs work, so that a body of single bytes would be a cheap attack


def header(request: Request, name: bytes) -> str:
    """Return a header by its lower-case name, or nothing; starlette's own look-up takes ten times as long."""
    for key, value in request.scope["headers"]:
        if key == name:
            text: str = value.decode("latin-1")
            return text
    return ""


async def drain(request: Request) -> bool:
    """Let a small body that nobody wants arrive before it is refused; return whether no body is left unread.

    Otherwise the connection would be closed on a client that still sends, and it might never see why.
    """
    if (at_end := request.scope.get(_AT_END)) is not None:
        return bool(at_end)
    length = header(request, b"content-length")
    if length in ("", "0"):
        return not header(request, b"transfer-encoding")
    if not (length.isascii() and length.isdecimal() and len(length) <= _DRAIN_DIGITS):
        return False
    with suppress(TimeoutError):
        async with asyncio.timeout(_DRAIN_SECONDS):
            for _ in range(_PARTS):
                message = await request.receive()
                if not message.get("more_body", False):
                    return bool(message["type"] == "http.request")
    return False


class Body:
    """The body of a request, within an ``async with``; it has its place and its bytes until the block ends.

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
    room
        Where bodies of this kind have their place.
    node
        Who sends it.
    """

    def __init__(
        self, request: Request, media_type: str, *, limit: int, seconds: float, room: Room, node: str | int | None
    ) -> None:
        given = header(request, b"content-type")
        if given != media_type and given.partition(";")[0].strip().lower() != media_type:
            raise Refused("media_type")
        self._declared = _declared(request)
        if self._declared is not None and self._declared > limit:
            raise Refused("too_large")
        self._request, self._limit, self._seconds, self._room, self._node = request, limit, seconds, room, node

    async def __aenter__(self) -> bytes:
        self._arrival = arrival = self._room.enter(self._node)
        self._request.scope[_AT_END] = False
        try:
            async with asyncio.timeout(self._seconds) as arrival.deadline:
                body = await self._read(arrival)
            self._room.admit(arrival)
        except TimeoutError:
            self._room.leave(arrival)
            raise Refused("busy" if arrival.turned_out else "too_slow") from None
        except BaseException:
            self._room.leave(arrival)
            raise
        return body

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._room.leave(self._arrival)

    async def _read(self, arrival: Arrival) -> bytes:
        parts: list[bytes] = []
        while True:
            message = await self._request.receive()
            if message["type"] == "http.disconnect":  # half a body; who only stopped sending may still listen
                raise Refused("incomplete")
            part: bytes = message.get("body", b"")
            if arrival.size + len(part) > self._limit:
                raise Refused("too_large")
            self._room.grow(arrival, len(part))
            parts.append(part)
            if not message.get("more_body", False):
                break
            if len(parts) > _PARTS + arrival.size // _PART:
                raise Refused("too_slow")
        self._request.scope[_AT_END] = True
        if self._declared not in (None, arrival.size):
            raise Refused("incomplete")
        return parts[0] if len(parts) == 1 else b"".join(parts)


def _declared(request: Request) -> int | None:
    text = header(request, b"content-length")
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise Refused("incomplete")
    return int(text)
