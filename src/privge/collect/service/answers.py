"""Answers: a response, and the word for it that is counted."""

from functools import cache
from typing import NamedTuple

import msgspec
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from privge.collect.service.problems import REASONS, Refused, problem, result
from privge.wire.messages import JSON_TYPE

_PIECE = 2**16


class InPieces(Response):
    """A large body, handed to the server as fast as it is taken: who does not read holds one piece, not all of it."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 (as any response)
        """Send it."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        body = bytes(self.body)
        for start in range(0, len(body), _PIECE):
            end = start + _PIECE
            await send({"type": "http.response.body", "body": body[start:end], "more_body": end < len(body)})


class Answer(NamedTuple):
    """What is sent back, and its reason in the table of `problems`."""

    reason: str
    response: Response


def json_answer(body: object, reason: str = "ok", *, status: int | None = None, **headers: str) -> Answer:
    """Answer with a wire type as JSON."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    content = msgspec.json.encode(body)
    return Answer(reason, Response(content, status or REASONS[reason].status, named, JSON_TYPE))


@cache
def report_answer(reason: str) -> Answer:
    """Answer what became of a report: a result if it is stored, otherwise a problem."""
    if REASONS[reason].status < 400:
        return json_answer(result(reason), reason)
    return Answer(reason, problem(Refused(reason)))
