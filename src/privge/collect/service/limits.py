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
        self._interval, self._slack, self._nodes = 1 / rate, (burst - 1) / rate, nodes
        self._secret = secrets.token_bytes(32)
        self._full_at: OrderedDict[bytes, float] = OrderedDict()  # when the bucket of a node is full again

    def __len__(self) -> int:
        return len(self._full_at)

    def take(self, node: str | int, now: float) -> None:
        """Take one request from a node's bucket, or refuse it."""
        name = hashlib.blake2b(node_key(node), key=self._secret, digest_size=16).digest()
        full_at = max(self._full_at.pop(name, now), now)
        wait = full_at - now - self._slack  # until there is room for one more
        self._full_at[name] = full_at + self._interval if wait <= 0 else full_at
        self._trim(now)
        if wait > 0:
            raise Refused("rate", headers={"retry-after": str(int(wait) + 1)})

    def _trim(self, now: float) -> None:
        for _ in range(2):  # two for each that comes, so that the memory shrinks when it can
            if not self._full_at:
                return
            name, full_at = next(iter(self._full_at.items()))
            if full_at <= now or len(self._full_at) > self._nodes:
                del self._full_at[name]
            else:
                self._full_at.move_to_end(name)  # it is looked at again when the others have had their turn


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
