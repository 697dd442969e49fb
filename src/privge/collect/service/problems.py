"""The one table from what happened to what is answered.

A reason is a word that is also the outcome in metrics and logs, so nothing else about a request need be kept. The texts
are constants: nothing that a sender wrote can get into an answer, except the field of a (public) campaign document.
"""

from typing import NamedTuple

import msgspec
from starlette.responses import Response

from privge.collect.stores.store import Outcome
from privge.errors import Busy, StoreMismatch, StoreUnavailable
from privge.wire.bodies import Problem, Result
from privge.wire.limits import MAX_BATCH
from privge.wire.messages import HELD, NOT_ASKED, OPEN, PROBLEM_TYPE
from privge.wire.tokens import InvalidToken


class Reason(NamedTuple):
    """A status, and what it means here."""

    status: int
    title: str
    detail: str


REASONS: dict[str, Reason] = {
    # What became of a report: the outcomes of a store.
    Outcome.STORED.value: Reason(201, "Stored", "The report is stored."),
    Outcome.SAME.value: Reason(200, "Stored before", "This very report was stored before."),
    Outcome.DIFFERENT.value: Reason(409, "Another report is stored", "A node reports once; the first report stays."),
    Outcome.CLOSED.value: Reason(410, "Closed", "The campaign takes no more reports."),
    Outcome.ERASED.value: Reason(410, "Erased", "The node's report was erased; it does not report again."),
    Outcome.OVER_BUDGET.value: Reason(403, "Over budget", "The node's lifetime budget does not allow this report."),
    Outcome.OTHER_ROUND.value: Reason(
        403,
        "Reported in this round",
        "The node has reported in another campaign of this round, and reports once in it.",
    ),
    Outcome.UNKNOWN.value: Reason(404, "Unknown campaign", "There is no such campaign."),
    OPEN: Reason(200, "Open", "A report of this node would be stored."),
    HELD: Reason(200, "Held", "A report of this node is stored."),
    NOT_ASKED: Reason(403, "Not asked", "The campaign asks certain people, and this node is not one of them."),
    "not_open_yet": Reason(503, "Not open yet", "The campaign takes no reports yet; try again when it opens."),
    # Malformed: counted by these words, never kept.
    "length": Reason(422, "Wrong length", "A report has exactly two bytes for each of the campaign's k codes."),
    "code_range": Reason(422, "Code out of range", "A code is not an output of the campaign's law."),
    "digest": Reason(422, "Wrong report id", "The report id must be the SHA-256 of the body."),
    "batch": Reason(422, "Not a batch", f"A batch is a msgpack array of at most {MAX_BATCH:,} [token, codes] pairs."),
    "campaign": Reason(422, "Not a campaign", "The body must be a canonical campaign document."),
    "shard": Reason(422, "Wrong shard id", "The id of a shard must be the SHA-256 of the body."),
    "unknown_shard": Reason(404, "Unknown shard", "There is no such shard."),
    "media_type": Reason(415, "Wrong content type", "This body is not of the content type of the route."),
    "too_large": Reason(413, "Too large", "The body is larger than anything that belongs here."),
    "too_slow": Reason(408, "Too slow", "The body did not arrive in time."),
    "incomplete": Reason(400, "Incomplete", "The body ended early."),
    # Who asks, and how often.
    "unauthorized": Reason(401, "Not authorized", "A valid token for this is needed."),
    "operator_name": Reason(400, "Not a name", "A name has at most 64 letters, digits, spaces and . _ @ + -"),
    "rate": Reason(429, "Too many requests", "This node asks too often; wait a little."),
    "busy": Reason(503, "Busy", "The service has too much to do; try again."),
    "unavailable": Reason(503, "Unavailable", "The store does not answer; nothing was acknowledged; try again."),
    # Forms of the pages for people.
    "form": Reason(422, "Not a form", "This is not what the form sends."),
    "stale_form": Reason(
        403, "Form too old", "The form was open for too long, or was sent before. Nothing was changed."
    ),
    "other_site": Reason(403, "From elsewhere", "This form was not sent by this page. Nothing was changed."),
    "no_operator": Reason(
        404, "No operator", "The service was started without an admin token, so nobody can administer it from here."
    ),
    # The rest of HTTP.
    "ok": Reason(200, "Done", "Done."),
    "no_route": Reason(404, "Not found", "There is nothing here."),
    "method": Reason(405, "Wrong method", "This is not asked that way."),
    "internal": Reason(500, "Internal error", "Something is wrong with the service; nothing was acknowledged."),
}


class Refused(Exception):
    """A request is answered with a reason of the table; ``detail`` replaces the text, ``headers`` are added."""

    def __init__(self, reason: str, *, detail: str | None = None, headers: dict[str, str] | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail
        self.headers = headers or {}


_ERRORS: dict[type, str] = {
    InvalidToken: "unauthorized",
    Busy: "busy",
    StoreUnavailable: "unavailable",
    StoreMismatch: "unavailable",
}


def reason_of(error: Exception) -> str:
    """Return the reason that an error amounts to; what is not in the table is internal."""
    if isinstance(error, Refused):
        return error.reason
    return next((_ERRORS[kind] for kind in type(error).__mro__ if kind in _ERRORS), "internal")


def refusal(error: Exception, retry_seconds: int) -> Refused:
    """Return the refusal that an error amounts to, with the headers of its status."""
    refused = error if isinstance(error, Refused) else Refused(reason_of(error))
    match REASONS[refused.reason].status:
        case 401:
            refused.headers.setdefault("www-authenticate", "Bearer")
        case 503:
            refused.headers.setdefault("retry-after", str(retry_seconds))
    return refused


def problem(refused: Refused) -> Response:
    """Return a refusal as application/problem+json."""
    status, title, detail = REASONS[refused.reason]
    body = Problem(f"urn:privge:{refused.reason}", title, status, refused.detail or detail)
    return Response(msgspec.json.encode(body), status, refused.headers, PROBLEM_TYPE)


def result(reason: str) -> Result:
    """Return what became of one report of a batch, or of one alone."""
    return Result(REASONS[reason].status, reason)
