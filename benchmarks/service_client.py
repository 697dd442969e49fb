"""A client that costs little itself: prepared requests over many connections, answers read by their length."""

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Measured:
    seconds: float = 0.0
    statuses: Counter = field(default_factory=Counter)
    latencies: list = field(default_factory=list)

    @property
    def rate(self):
        return sum(self.statuses.values()) / self.seconds

    def quantile(self, share):
        ordered = sorted(self.latencies)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class _Connection(asyncio.Protocol):
    def __init__(self, requests, measured, done):
        self._requests, self._measured, self._done = requests, measured, done
        self._buffer = b""

    def connection_made(self, transport):
        self._transport = transport
        self._next()

    def _next(self):
        request = next(self._requests, None)
        if request is None:
            self._transport.close()
            return
        self._start = time.perf_counter()
        self._transport.write(request)

    def data_received(self, data):
        self._buffer += data
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            return
        head = self._buffer[:end].lower()
        length = int(head.partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        if len(self._buffer) < end + 4 + length:
            return
        self._measured.statuses[int(head[9:12])] += 1
        self._measured.latencies.append(time.perf_counter() - self._start)
        self._buffer = b""
        self._next()

    def connection_lost(self, error):
        if error is not None:
            self._measured.statuses[0] += 1
        if not self._done.done():
            self._done.set_result(None)


async def _send(port, requests, connections):
    loop = asyncio.get_running_loop()
    measured, waiting, shared = Measured(), [], iter(requests)
    start = time.perf_counter()
    for _ in range(connections):
        done = loop.create_future()
        waiting.append(done)
        try:
            await loop.create_connection(lambda done=done: _Connection(shared, measured, done), "127.0.0.1", port)
        except OSError:
            measured.statuses[0] += 1
            done.set_result(None)
    await asyncio.gather(*waiting)
    measured.seconds = time.perf_counter() - start
    return measured


def send(port, requests, connections):
    """Send all requests over so many connections, each as soon as the one before is answered."""
    return asyncio.run(_send(port, requests, connections))
