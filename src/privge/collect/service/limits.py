"""What one sender may take from the others: a rate for each node, and memory for bodies."""

import hashlib
import secrets
from collections import OrderedDict

from privge.collect.service.problems import Refused
from privge.ids import node_key


class RateLimit:
    """A token bucket for each node, in bounded memory.

    Nodes are remembered by a keyed hash that means nothing outside this process, and only until their bucket is full
    again, because a full bucket is what a node without one has.

    Parameters
    ----------
    rate
        Requests a second in the long run.
    burst
        Requests at once.
    nodes
        Most nodes to remember.
    """

    def __init__(self, rate: float, burst: int, nodes: int) -> None:
        self._rate, self._burst, self._nodes = rate, float(burst), nodes
        self._forget = burst / rate
        self._secret = secrets.token_bytes(32)
        self._buckets: OrderedDict[bytes, tuple[float, float]] = OrderedDict()  # the longest idle first

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, node: str | int, now: float) -> None:
        """Take one request from a node's bucket, or refuse it."""
        name = hashlib.blake2b(node_key(node), key=self._secret, digest_size=16).digest()
        level, since = self._buckets.pop(name, (self._burst, now))
        level = min(self._burst, level + (now - since) * self._rate)
        allowed = level >= 1
        self._buckets[name] = (level - 1 if allowed else level, now)
        self._trim(now)
        if not allowed:
            raise Refused("rate", headers={"retry-after": str(int((1 - level) / self._rate) + 1)})

    def _trim(self, now: float) -> None:
        for _ in range(2):  # two for each that comes, so that the memory shrinks when it can
            if not self._buckets:
                return
            name, (_, since) = next(iter(self._buckets.items()))
            if len(self._buckets) <= self._nodes and now - since < self._forget:
                return
            del self._buckets[name]


class Allowance:
    """Memory that bodies under way may take together."""

    def __init__(self, size: int) -> None:
        self._size = size
        self.used = 0

    def take(self, size: int) -> None:
        """Set memory aside for a body, or refuse it as busy."""
        if self.used + size > self._size:
            raise Refused("busy")
        self.used += size

    def give(self, size: int) -> None:
        """Give memory back."""
        self.used -= size
