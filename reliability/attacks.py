"""Senders who crawl, stop, shout or lie: they get a timeout or a 4xx, and honest people hardly notice."""

import contextlib
import resource
import socket
import statistics
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from reliability.client import send
from reliability.people import CAMPAIGN, Crowd, put
from reliability.server import Server


def more_files() -> None:
    """Allow this process as many connections as it may have."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


@dataclass
class Overload:
    """What many more people at once than the service takes on were told."""

    counts: Counter[int]
    seconds: float
    lost: int
    recovered: float
    memory: float

    def __str__(self) -> str:
        said = ", ".join(f"{count:,} × {status}" for status, count in sorted(self.counts.items()))
        return (
            f"{said} in {self.seconds:.0f} s ({self.counts[201] / self.seconds:,.0f} stored/s); "
            f"{self.lost} acknowledged lost; recovered in {self.recovered:.2f} s; memory {self.memory:.0f} MB"
        )

    @property
    def kept(self) -> bool:
        """Whether some were refused, all politely, and the service was soon itself again."""
        refused = self.counts[503] + self.counts[429]
        return set(self.counts) <= {200, 201, 429, 503} and refused > 0 and not self.lost and self.recovered < 5


def overload(folder: Path, *, connections: int, reports: int) -> Overload:
    """Ask over many more connections than requests are taken on at once (512); a tenth comes from one node."""
    more_files()
    crowd = Crowd()
    with Server(folder) as server:
        people = crowd.take(reports)
        loud = crowd.person("loud", people[0].codes)
        everybody = [loud if number % 10 == 0 else person for number, person in enumerate(people)]
        sent = send(server.port, [person.single for person in everybody], connections, patience=3)
        start = time.perf_counter()
        while True:
            after = send(server.port, [crowd.take(1)[0].single])
            if after.statuses == [201] and after.latencies[0] < 1000:
                break
        recovered, memory = time.perf_counter() - start, server.memory
        held = server.held()
    acknowledged = [each for each, status in zip(everybody, sent.statuses, strict=True) if status in (200, 201)]
    lost = sum(held.get(str(each.node)) != each.codes for each in acknowledged)  # one node is text, so all are
    return Overload(sent.counts, sent.seconds, lost, recovered, memory)


@dataclass
class Attacked:
    """What attackers were told, and what honest people noticed."""

    answers: dict[str, str] = field(default_factory=dict)
    expected: bool = True
    shares: list[float] = field(default_factory=list)
    honest: Counter[int] = field(default_factory=Counter)

    @property
    def share(self) -> float:
        """Median of the honest rate under attack over the one without, measured in turn."""
        return statistics.median(self.shares)

    def __str__(self) -> str:
        told = ", ".join(f"{what}: {answer}" for what, answer in self.answers.items())
        return f"{told}; honest rate {self.share:.0%} ({min(self.shares):.0%} to {max(self.shares):.0%})"

    @property
    def polite(self) -> bool:
        """Whether attackers were refused as expected and every honest report was stored, however fast."""
        return self.expected and set(self.honest) == {201}

    @property
    def kept(self) -> bool:
        """Whether, besides, the honest rate stayed within 10 %."""
        return self.polite and self.share >= 0.9


def attack(folder: Path, *, crawlers: int, rounds: int, reports: int, timeout: float = 3.0) -> Attacked:
    """Send bad requests of every kind, then compare the honest rate with and without crawlers about.

    ``timeout`` is what the service allows for a head and for a body.
    """
    more_files()
    crowd, result = Crowd(), Attacked()
    limits = ("--body-seconds", str(timeout), "--head-seconds", str(timeout))
    with Server(folder, *limits) as server:
        _ask_badly(server, crowd, result, 3 * timeout + 2)
        send(server.port, [person.single for person in crowd.take(500)], 64)  # warm
        for number in range(rounds):
            quiet = lambda: _honest(server, crowd, reports, result)  # noqa: E731
            loud = lambda: _honest_among(server, crowd, reports, result, crawlers)  # noqa: E731
            first, second = (quiet, loud) if number % 2 else (loud, quiet)
            one, other = first(), second()
            result.shares.append(one / other if number % 2 == 0 else other / one)
        if server.count() != sum(result.honest.values()) + 500:
            result.expected = False
    return result


def _honest(server: Server, crowd: Crowd, reports: int, result: Attacked) -> float:
    sent = send(server.port, [person.single for person in crowd.take(reports)], 64)
    result.honest += sent.counts
    return reports / sent.seconds


def _honest_among(server: Server, crowd: Crowd, reports: int, result: Attacked, crawlers: int) -> float:
    person, *_ = crowd.take(1)
    with contextlib.ExitStack() as connections:
        for number in range(crawlers):
            crawler = connections.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            crawler.sendall(person.single[:-3] if number % 2 else person.single[:60])  # in the body, or in the head
        for _ in range(crawlers // 15):
            large = connections.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            large.sendall(put(person.token, person.codes, content_length=10_000_000))
        return _honest(server, crowd, reports, result)


def _ask_badly(server: Server, crowd: Crowd, result: Attacked, longest: float) -> None:
    person, *_ = crowd.take(1)
    good, token, codes = person.single, person.token, person.codes
    cases = {
        "half a head": (good[:60], (0, 400, 408)),
        "half a body": (good[:-3], (408,)),
        "10 MB announced": (put(token, codes, content_length=10_000_000), (413,)),
        "wrong type": (put(token, codes, content_type="text/plain"), (415,)),
        "too short": (put(token, codes[:-2]), (422,)),
        "wrong digest": (good.replace(codes, bytes(2 * CAMPAIGN.k)), (422,)),
        "no token": (put("", codes), (401,)),
    }
    for what, (request, expected) in cases.items():
        status, seconds = _exchange(server, request)
        result.expected &= status in expected and seconds < longest
        result.answers[what] = f"closed after {seconds:.0f} s" if status == 0 else str(status)
    status, _ = _exchange(server, good[:-3], half_close=True)
    result.expected &= status == 400
    result.answers["half a body and a half-close"] = str(status)
    answered = _pipelined(server, [each.single for each in crowd.take(3)], result)
    result.expected &= answered == 3
    result.answers["3 pipelined"] = f"{answered} answered"
    result.expected &= _send_megabytes(server, put(token, codes, content_length=10_000_000))
    result.expected &= _cut(server, good[:-3]) and person.node not in server.held()


def _pipelined(server: Server, requests: list[bytes], result: Attacked) -> int:
    """Send requests at once, before any is answered; return how many were stored."""
    answer = b""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(b"".join(requests))
        while answer.count(b"HTTP/1.1 ") < len(requests) and (part := connection.recv(65_536)):
            answer += part
    stored = answer.count(b"HTTP/1.1 201 ")
    result.honest[201] += stored
    return stored


def _exchange(server: Server, request: bytes, *, half_close: bool = False) -> tuple[int, float]:
    """Send bytes as they are; return the status of the answer (0 for none) and the seconds until it ended."""
    start, answer = time.monotonic(), b""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(request)
        if half_close:
            connection.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionError):
            while b"\r\n\r\n" not in answer and (part := connection.recv(65_536)):
                answer += part
    return int(answer[9:12] or 0), time.monotonic() - start


def _send_megabytes(server: Server, request: bytes) -> bool:
    """Send 10 MB all the same; return whether the service stopped reading long before the end, or refused."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(request + bytes(10_000_000))
        with contextlib.suppress(ConnectionError):
            return connection.recv(100)[9:12] in (b"413", b"")
    return True


def _cut(server: Server, request: bytes) -> bool:
    """Send a part and go away; return whether the service is well."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(request)
    time.sleep(0.2)
    return server.status("/readyz") == 200
