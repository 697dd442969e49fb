"""Requests of the last while, summed up for the log."""

import logging
from dataclasses import dataclass

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Sum:
    count: int = 0
    seconds: float = 0.0
    slowest: float = 0.0


class Summary:
    """Counts requests by route, method, status and outcome until `write` logs and forgets them."""

    def __init__(self) -> None:
        self._sums: dict[tuple[str, str, int, str], _Sum] = {}

    def add(self, route: str, method: str, status: int, outcome: str, seconds: float) -> None:
        """Count a request."""
        entry = self._sums.setdefault((route, method, status, outcome), _Sum())
        entry.count += 1
        entry.seconds += seconds
        entry.slowest = max(entry.slowest, seconds)

    def write(self) -> None:
        """Log one line for each kind of request, and begin anew."""
        sums, self._sums = self._sums, {}
        for (route, method, status, outcome), entry in sorted(sums.items()):
            fields = {
                "route": route,
                "method": method,
                "status": status,
                "outcome": outcome,
                "count": entry.count,
                "mean_ms": round(1000 * entry.seconds / entry.count, 2),
                "slowest_ms": round(1000 * entry.slowest, 2),
            }
            logger.info("requests", extra={"fields": fields})
