"""How fast: durable single uploads over 64 connections, and batches."""

import statistics
import time
from dataclasses import dataclass, field
from pathlib import Path

from privge.collect.stores import open_store
from reliability.client import quantile, send
from reliability.people import Crowd, batch
from reliability.server import Server

CONNECTIONS = 64


@dataclass
class Singles:
    """What single uploads took."""

    reports: int = 0
    seconds: float = 0.0
    server: float = 0.0
    client: float = 0.0
    latencies: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        each = 1e6 / self.reports
        return (
            f"{self.reports / self.seconds:,.0f}/s, p50 {quantile(self.latencies, 0.5):.1f} ms, "
            f"p99 {quantile(self.latencies, 0.99):.1f} ms; "
            f"memory {self.memory[0]:.0f} MB, after {self.seconds:.0f} s {self.memory[-1]:.0f} MB; "
            f"processor {each * self.server:.0f} µs server + {each * self.client:.0f} µs client a report"
        )

    @property
    def kept(self) -> bool:
        """Whether rate, latency and memory are as promised."""
        warm = statistics.median(self.memory[: len(self.memory) // 2 + 1])
        flat = max(self.memory) < 150 and self.memory[-1] < 1.1 * warm + 5
        return self.reports / self.seconds >= 2000 and quantile(self.latencies, 0.99) <= 100 and flat


def single_uploads(folder: Path, *, seconds: float, slice_size: int = 10_000) -> Singles:
    """Upload for so long; requests are made between slices, while the clock stands."""
    measured, crowd = Singles(), Crowd()
    with Server(folder) as server:
        send(server.port, [person.single for person in crowd.take(500)], CONNECTIONS)  # warm
        while measured.seconds < seconds:
            requests = [person.single for person in crowd.take(slice_size)]
            before = server.processor
            sent = send(server.port, requests, CONNECTIONS)
            measured.server += server.processor - before
            measured.client += sent.processor
            measured.seconds += sent.seconds
            measured.reports += len(requests)
            measured.latencies += sent.latencies
            measured.memory.append(server.memory)
            if set(sent.counts) != {201}:
                raise AssertionError(f"not every report was stored: {dict(sent.counts)}")
        if server.count() != crowd.given:
            raise AssertionError(f"{crowd.given} reports were acknowledged, {server.count()} are stored")
    measured.latencies.sort()
    return measured


@dataclass
class Batches:
    """What batches took."""

    reports: int = 0
    seconds: float = 0.0
    server: float = 0.0
    client: float = 0.0
    memory: float = 0.0
    size: int = 0

    def __str__(self) -> str:
        each = 1e6 / self.reports
        return (
            f"{self.reports / self.seconds:,.0f} reports/s; {self.reports:,} in {self.seconds:.0f} s; store "
            f"{self.size / 1e6:.0f} MB ({self.size / self.reports:.0f} bytes a report); memory {self.memory:.0f} MB; "
            f"processor {each * self.server:.1f} µs server + {each * self.client:.1f} µs client a report"
        )

    @property
    def kept(self) -> bool:
        """Whether rate and size are as promised for a million reports."""
        share = self.reports / 1_000_000
        return self.reports / self.seconds >= 15_000 and self.seconds <= 90 * share and self.size <= 130e6 * share


def batch_uploads(folder: Path, *, reports: int, batch_size: int = 5_000, at_once: int = 20) -> Batches:
    """Upload so many reports in batches over two connections; they are made while the clock stands."""
    measured, crowd = Batches(), Crowd()
    with Server(folder) as server:
        while measured.reports < reports:
            count = min(at_once, -(-(reports - measured.reports) // batch_size))
            requests = [batch(crowd.take(batch_size)) for _ in range(count)]
            before = server.processor
            sent = send(server.port, requests, 2, keep=True)
            measured.server += server.processor - before
            measured.client += sent.processor
            measured.seconds += sent.seconds
            measured.reports += count * batch_size
            measured.memory = max(measured.memory, server.memory)
            stored = sum(body.count(b'"stored"') for body in sent.bodies.values())
            if set(sent.counts) != {200} or stored != count * batch_size:
                raise AssertionError(f"{stored} of {count * batch_size} reports were stored: {dict(sent.counts)}")
        time.sleep(0.1)
    store = open_store(server.store)
    measured.size = store.size()
    store.close()
    return measured
