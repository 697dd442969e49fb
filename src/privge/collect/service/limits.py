"""What one sender may take from the others: a rate for each node, and places and bytes for bodies."""

import hashlib
import secrets
from collections import Counter, OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from privge.collect.service.problems import Refused
from privge.ids import node_key

if TYPE_CHECKING:
    from asyncio import Timeout


class RateLimit:
    """A token bucket for each node, for a bounded number of them.

    Nodes are remembered by a keyed hash that means nothing outside this process, and only until their bucket is full
    again, because a full bucket is what a node without one has.

    Parameters
    ----------
    rate, burst
        Requests a second in the long run, and at once.
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
        for _ in range(2):  # two for each that comes, so that there are fewer when there can be
            if not self._full_at:
                return
            name, full_at = next(iter(self._full_at.items()))
            if full_at <= now or len(self._full_at) > self._nodes:
                del self._full_at[name]
            else:
                self._full_at.move_to_end(name)  # it is looked at again when the others have had their turn


class Arrival:
    """One body: on its way at first, then worked on."""

    __slots__ = ("deadline", "node", "size", "turned_out", "working")

    def __init__(self, node: bytes) -> None:
        self.node = node
        self.size = 0  # bytes that arrived
        self.deadline: Timeout | None = None
        self.working = False
        self.turned_out = False  # had to make room for others


class Room:
    """Room for one kind of request: places for those that are worked on, bytes for bodies.

    A body on its way has no place, and counts with the bytes that arrived, whatever was announced. When the bytes or
    the number on their way run out, the one that has been on its way for the longest must go. An honest body is there
    in a moment; so it is the stalled and the dripping that make room for it, however many they are.

    Parameters
    ----------
    places
        Most requests that are worked on at once; one more is refused as busy.
    arriving
        Most bodies on their way at once.
    size
        Most bytes of all bodies, on their way or worked on.
    each
        Most bodies of one node at once, on their way or worked on.
    """

    def __init__(self, *, places: int, arriving: int, size: int, each: int | None = None) -> None:
        self._places, self._most_arriving, self._size, self._each = places, arriving, size, each
        self._arriving: dict[Arrival, None] = {}  # the oldest first
        self._of: Counter[bytes] = Counter()
        self._working = 0
        self.used = 0

    def enter(self, node: str | int | None = None) -> Arrival:
        """Let a body come."""
        key = b"" if node is None else node_key(node)
        if self._each is not None and node is not None and self._of[key] >= self._each:
            raise Refused("rate", headers={"retry-after": "1"})
        if len(self._arriving) >= self._most_arriving:
            self._turn_out(next(iter(self._arriving)))
        arrival = Arrival(key)
        self._arriving[arrival] = None
        self._of[key] += 1
        return arrival

    def grow(self, arrival: Arrival, size: int) -> None:
        """Count bytes that arrived."""
        self._check(arrival)
        arrival.size += size
        self.used += size
        while self.used > self._size:
            self._turn_out(next(iter(self._arriving)))
            self._check(arrival)

    def admit(self, arrival: Arrival) -> None:
        """Give a place to a body that is there."""
        self._check(arrival)
        self._take_place()
        arrival.working = True
        del self._arriving[arrival]

    def leave(self, arrival: Arrival) -> None:
        """Take back all that a body has."""
        self._arriving.pop(arrival, None)
        self._working -= arrival.working
        self.used -= arrival.size
        self._of[arrival.node] -= 1
        if not self._of[arrival.node]:
            del self._of[arrival.node]

    @contextmanager
    def place(self) -> Iterator[None]:
        """Give a place to a request that has no body."""
        self._take_place()
        try:
            yield
        finally:
            self._working -= 1

    def _take_place(self) -> None:
        if self._working >= self._places:
            raise Refused("busy")
        self._working += 1

    def _turn_out(self, arrival: Arrival) -> None:
        del self._arriving[arrival]
        self.used -= arrival.size
        arrival.size, arrival.turned_out = 0, True
        if arrival.deadline is not None and not arrival.deadline.expired():
            arrival.deadline.reschedule(0)  # its time is over now

    @staticmethod
    def _check(arrival: Arrival) -> None:
        if arrival.turned_out:
            raise Refused("busy")
