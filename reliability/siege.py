"""Connections that announce bodies and do not send them, or byte by byte: honest people hardly notice.

The besiegers are a process of their own. They keep their number: a connection that the service ends is opened again.
"""

import asyncio
import contextlib
import math
import multiprocessing
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Self

from reliability.attacks import more_files
from reliability.client import send
from reliability.people import CAMPAIGN, Crowd, batch, post, put
from reliability.server import SERVICE, Server

LARGEST = 4 * 2**20  # bytes of the largest batch
_AGAIN = 1.0  # seconds until a besieger comes back

Besiegers = Callable[[Crowd], list[bytes]]
"""Makes what each connection sends at once."""


def idle_batches(crowd: Crowd, count: int = 8) -> list[bytes]:
    """Announce the largest batch and send nothing of it: strangers, people with a token, and one person again."""
    shown = [*[""] * count, *_tokens(crowd, "batch", count), *_tokens(crowd, "again", 1) * count]
    return [post(token, LARGEST) for token in shown]


def idle_singles(crowd: Crowd, count: int = 520) -> list[bytes]:
    """Announce ten bytes and send none: people with a token, 20 connections each; strangers are refused at once."""
    return [put(token, b"", content_length=10) for token in 20 * _tokens(crowd, "single", count // 20)]


def dripping_bodies(crowd: Crowd, count: int = 520) -> list[bytes]:
    """Begin to send: reports of people with a token, and one batch for every twenty of them."""
    tokens, others = _tokens(crowd, "drip", count // 20), _tokens(crowd, "drop", count // 20)
    codes = bytes(2 * CAMPAIGN.k)
    return [put(token, codes)[: -len(codes)] for token in 20 * tokens] + [post(token, LARGEST) for token in others]


def _tokens(crowd: Crowd, name: str, count: int) -> list[str]:
    return [crowd.person(f"{name}-{number}", b"").token for number in range(count)]


class Siege:
    """Besiegers of a port, in a process of their own; they come and go as they are told.

    Parameters
    ----------
    port
        Of the service.
    starts
        What each connection sends at once.
    drip
        Whether each sends a byte a second from then on.
    """

    def __init__(self, port: int, starts: Sequence[bytes], *, drip: bool) -> None:
        spawned = multiprocessing.get_context("spawn")
        self._pipe, other = spawned.Pipe()
        self._process = spawned.Process(target=_obey, args=(other, port, starts, drip), daemon=True)

    def __enter__(self) -> Self:
        self._process.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.join()

    @contextlib.contextmanager
    def around(self) -> Iterator[None]:
        """Let them come, and go in the end."""
        self._tell("come")
        try:
            yield
        finally:
            self._tell("go")

    def _tell(self, word: str) -> None:
        self._pipe.send(word)
        if not self._pipe.poll(60):
            raise TimeoutError("the besiegers do not answer")
        self._pipe.recv()


def _obey(pipe: Connection, port: int, starts: Sequence[bytes], drip: bool) -> None:  # noqa: FBT001 (for a process)
    more_files()
    asyncio.run(_come_and_go(pipe, port, starts, drip=drip))


async def _come_and_go(pipe: Connection, port: int, starts: Sequence[bytes], *, drip: bool) -> None:
    async def sit(start: bytes) -> None:
        while True:
            with contextlib.suppress(OSError):
                await _sit(port, start, drip=drip)
            await asyncio.sleep(_AGAIN)

    loop, seats = asyncio.get_running_loop(), []
    while word := await loop.run_in_executor(None, pipe.recv):
        for seat in seats:
            seat.cancel()
        await asyncio.gather(*seats, return_exceptions=True)
        seats = [asyncio.create_task(sit(start)) for start in starts] if word == "come" else []
        await asyncio.sleep(_AGAIN)  # until the service has noticed
        pipe.send(word)


async def _sit(port: int, start: bytes, *, drip: bool) -> None:
    """Hold one connection until the service ends it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(start)
        end = asyncio.create_task(reader.read())
        while not end.done():
            await asyncio.wait([end], timeout=1.0 if drip else None)
            if drip and not end.done():
                writer.write(b"x")
        await end
    finally:
        writer.close()


@dataclass
class Besieged:
    """What honest people noticed."""

    besiegers: int
    shares: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    singles: Counter[int] = field(default_factory=Counter)
    batches: Counter[int] = field(default_factory=Counter)

    @property
    def share(self) -> float:
        """Median of the honest rate under siege over the one without, measured in turn."""
        return statistics.median(self.shares)

    @property
    def between(self) -> tuple[float, float]:
        """Where the median lies with 95 % confidence: between two of the ordered shares, whatever their law."""
        count, ordered = len(self.shares), sorted(self.shares)
        rank = max(0, math.floor(count / 2 - 0.98 * math.sqrt(count)))  # 1.96 standard deviations of a fair coin
        return ordered[rank], ordered[count - 1 - rank]

    def __str__(self) -> str:
        told = ", ".join(f"{count:,} × {status}" for status, count in sorted((self.singles + self.batches).items()))
        (low, high), rate = self.between, statistics.median(self.rates)
        return (
            f"{self.besiegers:,} connections kept up; honest people: {told}; honest rate {self.share:.0%} of "
            f"{rate:,.0f}/s (median of {len(self.shares)} pairs; 95 %: {low:.0%} to {high:.0%})"
        )

    @property
    def polite(self) -> bool:
        """Whether every honest report was stored, however fast."""
        return set(self.singles) == {201} and set(self.batches) == {200}

    @property
    def kept(self) -> bool:
        """Whether, besides, the honest rate stayed within 10 %."""
        return self.polite and self.share >= 0.9


def besiege(
    folder: Path, besiegers: Besiegers, *, drip: bool = False, rounds: int, reports: int,
    program: Sequence[str] = SERVICE,
) -> Besieged:  # fmt: skip
    """Compare the honest rate with and without besiegers, in turn; honest people send singles and batches."""
    more_files()
    crowd = Crowd()
    starts = besiegers(crowd)
    result = Besieged(len(starts))
    with Server(folder, program=program) as server, Siege(server.port, starts, drip=drip) as siege:
        _honest(server, crowd, reports, Besieged(0))  # warm
        for number in range(rounds):
            rates = {}
            for loud in (True, False) if number % 2 else (False, True):
                with siege.around() if loud else contextlib.nullcontext():
                    rates[loud] = _honest(server, crowd, reports, result)
            result.rates.append(rates[False])
            result.shares.append(rates[True] / rates[False])
    return result


def _honest(server: Server, crowd: Crowd, reports: int, result: Besieged) -> float:
    """Send reports one by one, then some in batches; return how many single ones were stored a second."""
    requests = [person.single for person in crowd.take(reports)]
    sent = send(server.port, requests, 64)
    result.singles += sent.counts
    result.batches += send(server.port, [batch(crowd.take(50)) for _ in range(4)], 2).counts
    return sent.counts[201] / sent.seconds
