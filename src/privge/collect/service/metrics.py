"""Counters for Prometheus. Labels are words of this package, never anything that a sender wrote.

Counting is a line in a dictionary, because it is done for every request; prometheus_client writes the text. Its own
sharing among processes needs a variable of the environment that is set before it is imported, and leaves that to
whoever starts the process. Here a worker leaves its counters in a folder that it is given, once a second, and whichever
worker is asked adds them up.
"""

import os
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeAlias

import msgspec
from prometheus_client import generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper ends of the latency classes, in seconds."""

REQUESTS: Final = "privge_requests_total"
REPORTS: Final = "privge_reports_total"
SECONDS: Final = "privge_request_seconds"
_SUM = f"{SECONDS}_sum"
RETIRED: Final = "privge_retired_total"
QUEUE: Final = "privge_queue_depth"
BODIES: Final = "privge_body_bytes"

_EDGES = (*(f"{bucket:g}" for bucket in BUCKETS), "+Inf")

_Counts: TypeAlias = defaultdict[tuple[str, tuple[str, ...]], float]  # by name and values of the labels
_Series: TypeAlias = dict[tuple[str, ...], float]


class Metrics(Collector):
    """The counters of one worker; with a shared folder, `text` sums those of all workers.

    Parameters
    ----------
    shared
        Folder in which every worker leaves its counters (`publish`) for the others to add.
    """

    def __init__(self, shared: Path | None = None) -> None:
        self._shared = shared
        self._counts: _Counts = defaultdict(float)

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request and its time."""
        counts = self._counts
        counts[REQUESTS, (route, method, str(status))] += 1
        counts[SECONDS, (route, _EDGES[bisect_left(BUCKETS, seconds)])] += 1
        counts[_SUM, (route,)] += seconds

    def reports(self, reason: str, count: int = 1) -> None:
        """Count reports by what became of them."""
        self._counts[REPORTS, (reason,)] += count

    def retired(self, count: int) -> None:
        """Count reports deleted because their retention was over."""
        self._counts[RETIRED, ()] += count

    def gauge(self, name: str, value: int) -> None:
        """Set a gauge."""
        self._counts[name, ()] = value

    def publish(self) -> None:
        """Leave the counters where other workers find them."""
        if self._shared is None:
            return
        mine = self._shared / f"{os.getpid()}"
        partial = mine.with_suffix(".partial")
        partial.write_bytes(msgspec.msgpack.encode([(*key, value) for key, value in self._counts.items()]))
        partial.replace(mine)

    def outcomes(self) -> dict[str, int]:
        """Return how many reports got which outcome, at all workers, since they were started."""
        return {outcome: int(count) for (outcome,), count in sorted(self._total()[REPORTS].items())}

    def text(self) -> bytes:
        """Return all counters in the text format."""
        return generate_latest(self)

    def collect(self) -> Iterator[Metric]:
        """Yield the counters of all workers, as prometheus_client asks for them."""
        series = self._total()
        requests = CounterMetricFamily(
            REQUESTS, "Requests by route, method and status.", labels=("route", "method", "status")
        )
        reports = CounterMetricFamily(
            REPORTS, "Reports by what became of them, in batches and alone.", labels=("outcome",)
        )
        yield _filled(requests, series[REQUESTS])
        yield _filled(reports, series[REPORTS])
        yield _latencies(series[SECONDS], series[_SUM])
        retired = CounterMetricFamily(RETIRED, "Reports deleted because their retention was over.", labels=())
        yield _filled(retired, series[RETIRED])
        yield _filled(GaugeMetricFamily(QUEUE, "Reports that wait for a commit.", labels=()), series[QUEUE])
        yield _filled(GaugeMetricFamily(BODIES, "Bytes of bodies that are being read.", labels=()), series[BODIES])

    def _total(self) -> defaultdict[str, _Series]:
        total: defaultdict[str, _Series] = defaultdict(dict)
        for name, labels, value in [*((*key, value) for key, value in self._counts.items()), *self._others()]:
            total[name][labels] = total[name].get(labels, 0) + value
        return total

    def _others(self) -> Iterator[tuple[str, tuple[str, ...], float]]:
        """Yield what the other workers have left."""
        for file in self._shared.iterdir() if self._shared is not None else ():
            if file.suffix != ".partial" and file.name != str(os.getpid()):
                yield from msgspec.msgpack.decode(file.read_bytes(), type=list[tuple[str, tuple[str, ...], float]])


def _filled(family: CounterMetricFamily | GaugeMetricFamily, series: _Series) -> Metric:
    for labels, value in sorted(series.items()):
        family.add_metric(labels, value)
    return family


def _latencies(counts: _Series, sums: _Series) -> Metric:
    """Return the histogram: Prometheus wants the classes summed up from below."""
    meaning = "Time from the head of a request to the end of its answer."
    family = HistogramMetricFamily(SECONDS, meaning, labels=("route",))
    for (route,), seconds in sorted(sums.items()):
        below, buckets = 0.0, []
        for edge in _EDGES:
            below += counts.get((route, edge), 0)
            buckets.append((edge, below))
        family.add_metric((route,), buckets, seconds)
    return family
