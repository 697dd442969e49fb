"""Honest people who upload all the time while something is broken and repaired; and what they were told."""

import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Self

from reliability.client import send
from reliability.people import Crowd, Person
from reliability.server import Server


@dataclass
class Outage:
    """What people were told before, during and after an outage, and what is stored in the end."""

    before: Counter[int]
    during: Counter[int]
    after: Counter[int]
    slowest: float  # seconds until an answer during the outage
    recovered: float  # seconds from the repair to the next report that was stored
    ready: int  # status of /readyz during the outage
    lost: int
    damage: list[str]

    def __str__(self) -> str:
        during = ", ".join(f"{count:,} × {status}" for status, count in sorted(self.during.items()))
        problems = "; ".join(self.damage) or "no damage"
        return (
            f"{during} during it, each within {self.slowest:.1f} s, {self.lost} lost, {problems}; "
            f"stored again after {self.recovered:.1f} s"
        )

    @property
    def kept(self) -> bool:
        """Whether people met nothing but 503, nothing was lost, and the service came back by itself."""
        said = {*self.before, *self.during, *self.after}
        return self.during[503] > 0 and said <= {-1, 0, 200, 201, 503} and not self.lost and not self.damage


@dataclass
class Traffic:
    """Uploads in a thread, as a context."""

    server: Server
    crowd: Crowd = field(default_factory=Crowd)
    group: int = 16
    pause: float = 0.02
    statuses: list[tuple[float, int]] = field(default_factory=list)
    slowest: list[tuple[float, float]] = field(default_factory=list)
    stored: list[Person] = field(default_factory=list)
    waiting: list[Person] = field(default_factory=list)

    def __enter__(self) -> Self:
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._work)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._end.is_set():
            self._upload(self.crowd.take(self.group))
            time.sleep(self.pause)

    def _upload(self, people: list[Person]) -> None:
        sent = send(self.server.port, [person.single for person in people], self.group)
        now = time.monotonic()
        self.statuses += [(now, status) for status in sent.statuses]
        self.slowest.append((now, max(sent.seconds_each)))
        for person, status in zip(people, sent.statuses, strict=True):
            (self.stored if status in (200, 201) else self.waiting).append(person)

    def between(self, start: float, end: float) -> Counter[int]:
        """Count what was answered between two moments."""
        return Counter(status for moment, status in self.statuses if start <= moment < end)

    def wait_for(self, status: int, since: float, seconds: float = 120.0) -> float:
        """Wait until a status is answered; return the seconds since a moment."""
        while time.monotonic() < since + seconds:
            moments = [moment for moment, each in list(self.statuses) if each == status and moment > since]
            if moments:
                return moments[0] - since
            time.sleep(0.02)
        raise TimeoutError(f"no {status} within {seconds} s")

    def drain(self) -> None:
        """Let those who were not stored send the same bytes again."""
        people, self.waiting = self.waiting, []
        if people:
            self._upload(people)


def suffer(server: Server, break_it, repair_it, *, seconds: float) -> Outage:
    """Break something under load, repair it, and see what people were told and what is stored."""
    with Traffic(server) as traffic:
        start = time.monotonic()
        traffic.wait_for(201, start)
        broken = time.monotonic()
        break_it()
        traffic.wait_for(503, broken)
        time.sleep(seconds)
        ready = server.status("/readyz")
        repaired = time.monotonic()
        repair_it()
        recovered = traffic.wait_for(201, time.monotonic())
        time.sleep(seconds / 2)
    end = time.monotonic()
    server.wait(end)
    traffic.drain()
    held = server.held()
    lost = sum(held.get(person.node) != person.codes for person in traffic.stored) + len(traffic.waiting)
    lost += len(held) != len(traffic.stored)
    return Outage(
        traffic.between(start, broken), traffic.between(broken, repaired), traffic.between(repaired, end),
        max(seconds for moment, seconds in traffic.slowest if broken <= moment <= end), recovered, ready, lost,
        server.damage(),
    )  # fmt: skip
