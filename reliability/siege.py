"""Connections that announce bodies and do not send them, or byte by byte: honest people hardly notice.

The besiegers are a process of their own. They keep their number: a connection that the service ends is opened again.
"""

import asyncio
import contextlib
import multiprocessing
import statistics
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
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
    """Besiegers around a port, as a context.

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
        self._ready = spawned.Event()
        self._process = spawned.Process(target=_besiege, args=(port, starts, drip, self._ready), daemon=True)

    def __enter__(self) -> Self:
        self._process.start()
        if not self._ready.wait(60):
            raise TimeoutError("the besiegers did not come")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.join()


def _besiege(port: int, starts: Sequence[bytes], drip: bool, ready) -> None:  # noqa: FBT001 (called by a process)
    more_files()
    asyncio.run(_surround(port, starts, drip=drip, ready=ready))


async def _surround(port: int, starts: Sequence[bytes], *, drip: bool, ready) -> None:
    async def sit(start: bytes) -> None:
        while True:
            with contextlib.suppress(OSError):
                await _sit(port, start, drip=drip)
            await asyncio.sleep(_AGAIN)

    seats = [asyncio.create_task(sit(start)) for start in starts]
    await asyncio.sleep(1.0)
    ready.set()
    await asyncio.gather(*seats)


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

    def __str__(self) -> str:
        told = ", ".join(f"{count:,} × {status}" for status, count in sorted((self.singles + self.batches).items()))
        return (
            f"{self.besiegers:,} connections kept up; honest people: {told}; honest rate {self.share:.0%} "
            f"({min(self.shares):.0%} to {max(self.shares):.0%} of {statistics.median(self.rates):,.0f}/s)"
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
    with Server(folder, program=program) as server:
        _honest(server, crowd, reports, Besieged(0))  # warm
        for number in range(rounds):
            if number % 2:
                quiet = _honest(server, crowd, reports, result)
            with Siege(server.port, starts, drip=drip):
                loud = _honest(server, crowd, reports, result)
            if number % 2 == 0:
                time.sleep(_AGAIN)  # until the service has noticed that they left
                quiet = _honest(server, crowd, reports, result)
            result.rates.append(quiet)
            result.shares.append(loud / quiet)
    return result


def _honest(server: Server, crowd: Crowd, reports: int, result: Besieged) -> float:
    """Send reports one by one, then some in batches; return how many single ones were stored a second."""
    requests = [person.single for person in crowd.take(reports)]
    sent = send(server.port, requests, 64)
    result.singles += sent.counts
    result.batches += send(server.port, [batch(crowd.take(50)) for _ in range(4)], 2).counts
    return sent.counts[201] / sent.seconds
