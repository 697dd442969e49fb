"""Counters in the Prometheus text format. Labels are words of this package, never anything that a sender wrote."""

import os
from bisect import bisect_left
from collections import Counter
from pathlib import Path

import msgspec

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper ends of the latency classes, in seconds."""

_EDGES = (*(f"{bucket:g}" for bucket in BUCKETS), "+Inf")

_HELP = {
    "privge_requests_total": ("counter", "Requests by route, method and status."),
    "privge_reports_total": ("counter", "Reports by what became of them, in batches and alone."),
    "privge_request_seconds": ("histogram", "Time from the head of a request to the end of its answer."),
    "privge_retired_total": ("counter", "Reports deleted because their retention was over."),
    "privge_queue_depth": ("gauge", "Reports that wait for a commit."),
    "privge_body_bytes": ("gauge", "Memory of bodies that are being read."),
}


class Metrics:
    """The counters of one worker; with a shared folder, `text` sums those of all workers.

    Parameters
    ----------
    shared
        Folder in which every worker leaves its counters (`publish`) for the others to add.
    """

    def __init__(self, shared: Path | None = None) -> None:
        self._shared = shared
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._times: dict[str, list[int]] = {}  # requests in each class of latency
        self._seconds: dict[str, float] = {}
        self._others: Counter[str] = Counter()

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request and its time."""
        self._requests[route, method, status] += 1
        self._times.setdefault(route, [0] * len(_EDGES))[bisect_left(BUCKETS, seconds)] += 1
        self._seconds[route] = self._seconds.get(route, 0.0) + seconds

    def reports(self, reason: str, count: int = 1) -> None:
        """Count reports by what became of them."""
        self._others[f'privge_reports_total{{outcome="{reason}"}}'] += count

    def retired(self, count: int) -> None:
        """Count reports deleted because their retention was over."""
        self._others["privge_retired_total"] += count

    def gauge(self, name: str, value: int) -> None:
        """Set a gauge."""
        self._others[name] = value

    def publish(self) -> None:
        """Leave the counters where other workers find them."""
        if self._shared is None:
            return
        mine = self._shared / f"{os.getpid()}"
        partial = mine.with_suffix(".partial")
        partial.write_bytes(msgspec.msgpack.encode(self._series()))
        partial.replace(mine)

    def _series(self) -> dict[str, float]:
        """Return every counter of this worker under its full name."""
        series: dict[str, float] = dict(self._others)
        for (route, method, status), count in self._requests.items():
            series[f'privge_requests_total{{route="{route}",method="{method}",status="{status}"}}'] = count
        for route, counts in self._times.items():
            for edge, count in zip(_EDGES, counts, strict=True):
                series[f'privge_request_seconds_bucket{{route="{route}",le="{edge}"}}'] = count
            series[f'privge_request_seconds_sum{{route="{route}"}}'] = self._seconds[route]
            series[f'privge_request_seconds_count{{route="{route}"}}'] = sum(counts)
        return series

    def text(self) -> str:
        """Return all counters in the text format."""
        series = self._total()
        lines: list[str] = []
        for name, (kind, meaning) in _HELP.items():
            lines += [f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"]
            if kind == "histogram":
                lines += _histogram(name, series)
            else:
                values = {key: value for key, value in series.items() if key.partition("{")[0] == name}
                lines += [
                    f"{key} {value:g}" if value < 1e6 else f"{key} {value:.0f}" for key, value in sorted(values.items())
                ]
        return "\n".join(lines) + "\n"

    def _total(self) -> dict[str, float]:
        total = self._series()
        if self._shared is not None:
            for file in self._shared.iterdir():
                if file.suffix != ".partial" and file.name != str(os.getpid()):
                    others = msgspec.msgpack.decode(file.read_bytes(), type=dict[str, float])
                    for name, value in others.items():
                        total[name] = total.get(name, 0.0) + value
        return total


def _histogram(name: str, series: dict[str, float]) -> list[str]:
    """Return the lines of a histogram: Prometheus wants the classes summed up from below."""
    lines: list[str] = []
    for route in sorted(key.partition("{")[2][:-1] for key in series if key.startswith(f"{name}_count{{")):
        below = 0.0
        for edge in _EDGES:
            key = f'{name}_bucket{{{route},le="{edge}"}}'
            below += series[key]
            lines.append(f"{key} {below:.0f}")
        lines.append(f"{name}_sum{{{route}}} {series[f'{name}_sum{{{route}}}']:.6f}")
        lines.append(f"{name}_count{{{route}}} {series[f'{name}_count{{{route}}}']:.0f}")
    return lines
