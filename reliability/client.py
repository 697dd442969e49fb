"""A client that costs little itself, because it shares the processors with the service.

Requests are prepared bytes; answers are read by their length. A connection that is lost is opened again while requests
are left; the request that was on it is left unanswered (status 0). A request that was never sent has status -1.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field


@dataclass
class Sent:
    """Of each request: its status (0 without an answer, -1 not sent), the seconds it took and, if kept, the body."""

    statuses: list[int]
    seconds_each: list[float]
    bodies: dict[int, bytes] = field(default_factory=dict)
    seconds: float = 0.0
    processor: float = 0.0  # seconds of the client's own processor time

    @property
    def counts(self) -> Counter[int]:
        """How often each status was answered."""
        return Counter(self.statuses)

    @property
    def latencies(self) -> list[float]:
        """Milliseconds of the requests that were answered, in order of size."""
        return sorted(1000 * each for each, status in zip(self.seconds_each, self.statuses, strict=True) if status > 0)


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return a quantile of ordered values."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


def send(port: int, requests: Sequence[bytes], connections: int = 1, *, keep: bool = False, patience: int = 0) -> Sent:
    """Send all requests over so many connections, each as soon as the one before is answered.

    Parameters
    ----------
    keep
        Whether to keep the bodies of the answers.
    patience
        How often a lane opens a connection again after one that was lost or refused; more than that ends the lane.
    """
    sent = Sent([-1] * len(requests), [0.0] * len(requests))
    start, processor = time.perf_counter(), time.process_time()
    asyncio.run(_send(port, requests, connections, sent, keep=keep, patience=patience))
    sent.seconds, sent.processor = time.perf_counter() - start, time.process_time() - processor
    return sent


async def _send(
    port: int, requests: Sequence[bytes], connections: int, sent: Sent, *, keep: bool, patience: int
) -> None:
    left = iter(range(len(requests)))
    await asyncio.gather(*(_lane(port, requests, left, sent, keep=keep, patience=patience) for _ in range(connections)))


async def _lane(
    port: int, requests: Sequence[bytes], left: Iterator[int], sent: Sent, *, keep: bool, patience: int
) -> None:
    loop = asyncio.get_running_loop()
    for attempt in range(patience + 1):
        if attempt:
            await asyncio.sleep(0.01)
        done = loop.create_future()
        try:
            await loop.create_connection(
                lambda done=done: _Connection(requests, left, sent, done, keep), "127.0.0.1", port
            )
        except OSError:
            continue
        if await done:
            return


class _Connection(asyncio.Protocol):
    def __init__(self, requests, left, sent, done, keep):
        self._requests, self._left, self._sent, self._done, self._keep = requests, left, sent, done, keep
        self._buffer = b""
        self._current = -1

    def connection_made(self, transport):
        self._transport = transport
        self._next()

    def _next(self):
        self._current = next(self._left, -1)
        if self._current < 0:
            self._done.set_result(True)
            self._transport.close()
            return
        self._sent.statuses[self._current] = 0
        self._start = time.perf_counter()
        self._transport.write(self._requests[self._current])

    def data_received(self, data):
        self._buffer = self._buffer + data if self._buffer else data
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0 or self._current < 0:
            return
        head = self._buffer[:end].lower()
        length = int(head.partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        if len(self._buffer) < end + 4 + length:
            return
        self._sent.statuses[self._current] = int(head[9:12])
        self._sent.seconds_each[self._current] = time.perf_counter() - self._start
        if self._keep:
            self._sent.bodies[self._current] = self._buffer[end + 4 :]
        self._buffer = b""
        if b"connection: close" in head:
            self._transport.close()
        else:
            self._next()

    def connection_lost(self, error):  # noqa: ARG002 (asyncio's own signature)
        if not self._done.done():
            self._done.set_result(False)
