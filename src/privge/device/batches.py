"""Many reports in few requests: msgpack arrays of ``[token, codes]``, with an outcome for each.

Before that, many questions in few requests: arrays of tokens, with what a report of each node would get.
"""

import logging
import re
from collections import Counter
from collections.abc import Callable, Sequence

import msgspec

from privge._typing import Progress
from privge.device.web import Client, Reply
from privge.errors import ServiceRefused, ServiceUnavailable
from privge.reports import Reports
from privge.wire.bodies import Result
from privge.wire.codes import encode
from privge.wire.messages import BATCH_TYPE
from privge.wire.tokens import TokenOf, authorization

logger = logging.getLogger(__name__)

_LARGEST_ANSWER = 2**22
_GOOD = (200, 201)
_REASON = re.compile("[a-z_]{1,40}")  # it is printed


def ask_batches(client: Client, nodes: Sequence[str | int], *, token_of: TokenOf, size: int = 1_000) -> list[str]:
    """Return, by the reason that the service gives, what a report of each node would get: ``open`` if it were stored.

    Nothing is sent but tokens. Whoever draws a report before this is answered may have drawn it for nothing.

    Parameters
    ----------
    nodes
        Whom to ask for.
    token_of
        Returns the token of a node.
    size
        Nodes in one request.
    """
    reasons = [""] * len(nodes)

    def post(some: list[int]) -> list[Result]:
        tokens = [token_of(nodes[row]) for row in some]
        return _post(client, client.address.standings, tokens, tokens)

    def settle(results: dict[int, Result]) -> None:
        for row, result in results.items():
            reasons[row] = result.reason

    for first in range(0, len(nodes), size):
        _settle(client, list(range(first, min(first + size, len(nodes)))), post, settle)
    return reasons


def send_batches(
    client: Client,
    reports: Reports,
    rows: Sequence[int],
    *,
    token_of: TokenOf,
    acknowledge: Callable[[list[int]], None],
    size: int = 1_000,
    progress: Progress | None = None,
) -> Counter[str]:
    """Send reports; return how many had which outcome, by the reason that the service gives.

    Parameters
    ----------
    reports, rows
        What to send.
    token_of
        Returns the token of a node.
    acknowledge
        Called with the rows that the service has stored, after each request.
    size
        Reports in one request.
    progress
        Called with the reports done and the reports in all.
    """
    outcomes: Counter[str] = Counter()

    def post(some: list[int]) -> list[Result]:
        tokens = [token_of(node) for node in reports.ids[some].tolist()]
        codes = (encode(reports.codes[row]) for row in some)
        return _post(client, client.address.reports, tokens, list(zip(tokens, codes, strict=True)))

    def settle(results: dict[int, Result]) -> None:
        if good := [row for row, result in results.items() if result.status in _GOOD]:
            acknowledge(good)
        outcomes.update(result.reason for result in results.values())

    for first in range(0, len(rows), size):
        _settle(client, list(rows[first : first + size]), post, settle)
        if progress is not None:
            progress(min(first + size, len(rows)), len(rows))
    return outcomes


def _settle(
    client: Client,
    rows: list[int],
    post: Callable[[list[int]], list[Result]],
    settle: Callable[[dict[int, Result]], None],
) -> None:
    """Post one batch, and again the part of it that the service asks to post later; hand on what is settled."""
    for failures in range(client.patience.attempts):
        results = dict(zip(rows, post(rows), strict=True))
        later = {row for row, result in results.items() if result.status == 429 or result.status >= 500}
        settle({row: result for row, result in results.items() if row not in later})
        rows = [row for row in rows if row in later]
        if not rows:
            return
        seconds = client.patience.delay(failures, None)
        logger.info("the service puts off %d of a batch; trying again in %.0f s", len(rows), seconds)
        client.patience.sleep(seconds)
    raise ServiceUnavailable(f"the service put off {len(rows)} reports again and again; run the same command later")


def _post(client: Client, path: str, tokens: list[str], items: Sequence[object]) -> list[Result]:
    """Post a batch in the name of the first of its tokens that the service accepts; without one it reads no batch."""
    for position, token in enumerate(tokens):
        answer = _ask(client, path, token, [] if position else items)  # nothing is enough to see if it is accepted
        if position and answer.status == 200:
            answer = _ask(client, path, token, items)
        if answer.status != 401:
            return _results(answer, len(items))
    return [Result(401, "unauthorized")] * len(items)


def _ask(client: Client, path: str, token: str, items: Sequence[object]) -> Reply:
    return client.ask(
        "POST",
        path,
        body=msgspec.msgpack.encode(items),
        headers={**authorization(token), "Content-Type": BATCH_TYPE, "Accept": BATCH_TYPE},
        largest=_LARGEST_ANSWER,
    )


def _results(answer: Reply, count: int) -> list[Result]:
    if answer.status != 200:
        raise ServiceRefused(answer.status, f"the service refuses the batch with {answer.status}: {answer.detail}")
    decode = msgspec.msgpack.decode if answer.kind == BATCH_TYPE else msgspec.json.decode
    try:
        results = decode(answer.body, type=list[Result])
    except msgspec.DecodeError as error:
        raise ServiceRefused(answer.status, "the service's answer to the batch cannot be read") from error
    if not all(_REASON.fullmatch(result.reason) for result in results):
        raise ServiceRefused(answer.status, "the service's answer to the batch cannot be read")
    if len(results) != count:
        raise ServiceRefused(answer.status, f"the service answers for {len(results)} of {count} reports")
    return results
