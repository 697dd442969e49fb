"""Many reports in few requests: msgpack arrays of ``[token, codes]``, with an outcome for each."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from privge._typing import Progress
from privge.device.web import Service
from privge.errors import ServiceRefused, ServiceUnavailable
from privge.reports import Reports

MAX_BATCH: Final = 5_000
"""Most reports in one request."""

_LARGEST_ANSWER = 2**22
_GOOD = (200, 201)


class _Result(msgspec.Struct, frozen=True):
    status: int
    reason: str


def send_batches(
    service: Service,
    reports: Reports,
    rows: Sequence[int],
    *,
    token_of: Callable[[str | int], str],
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
    for first in range(0, len(rows), size):
        outcomes += _send_patiently(service, reports, list(rows[first : first + size]), token_of, acknowledge)
        if progress is not None:
            progress(min(first + size, len(rows)), len(rows))
    return outcomes


def _send_patiently(
    service: Service,
    reports: Reports,
    rows: list[int],
    token_of: Callable[[str | int], str],
    acknowledge: Callable[[list[int]], None],
) -> Counter[str]:
    """Send one batch, and again the part of it that the service asks to send later."""
    outcomes: Counter[str] = Counter()
    nodes = dict(zip(rows, reports.ids[rows].tolist(), strict=True))
    for failures in range(service.patience.attempts):
        items = [(token_of(nodes[row]), reports.codes[row].astype("<u2").tobytes()) for row in rows]
        results = dict(zip(rows, _post(service, items), strict=True))
        if good := [row for row, result in results.items() if result.status in _GOOD]:
            acknowledge(good)
        later = {row: result for row, result in results.items() if result.status == 429 or result.status >= 500}
        outcomes.update(result.reason for row, result in results.items() if row not in later)
        rows = list(later)
        if not rows:
            return outcomes
        service.patience.wait(failures, None)
    raise ServiceUnavailable(f"the service put off {len(rows)} reports again and again; run the same command later")


def _post(service: Service, items: list[tuple[str, bytes]]) -> list[_Result]:
    answer = service.ask(
        "POST",
        f"{service.address.path}/reports",
        body=msgspec.msgpack.encode(items),
        headers={"Content-Type": "application/msgpack", "Accept": "application/msgpack"},
        largest=_LARGEST_ANSWER,
    )
    if answer.status != 200:
        raise ServiceRefused(answer.status, f"the service refuses the batch with {answer.status}: {answer.detail}")
    decode = msgspec.msgpack.decode if answer.kind == "application/msgpack" else msgspec.json.decode
    try:
        results = decode(answer.body, type=list[_Result])
    except msgspec.DecodeError as error:
        raise ServiceRefused(answer.status, "the service's answer to the batch cannot be read") from error
    if len(results) != len(items):
        raise ServiceRefused(answer.status, f"the service answers for {len(results)} of {len(items)} reports")
    return results
