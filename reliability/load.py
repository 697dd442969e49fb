"""The load suite: speed, memory, overload and attackers. Run it on a machine that does nothing else."""

from collections.abc import Sequence
from pathlib import Path

from reliability.attacks import attack, overload
from reliability.table import Scenario, main
from reliability.throughput import batch_uploads, single_uploads


def scenarios() -> Sequence[Scenario]:
    """Return the promises of this suite."""
    return (
        Scenario(
            "Single uploads, each acknowledged when it is on the disk, 64 connections",
            "≥ 2,000/s, p99 ≤ 100 ms, memory flat below 150 MB over 2 minutes",
            _judged(lambda folder: single_uploads(folder, seconds=120)),
        ),
        Scenario(
            "Batches of 5,000, k = 20",
            "≥ 15,000 reports/s; 1,000,000 in ≤ 90 s; store ≤ 130 MB",
            _judged(lambda folder: batch_uploads(folder, reports=1_000_000)),
        ),
        Scenario(
            "Five times as many at once as the service takes on (2,560 connections)",
            "only 429 and 503 besides success, recovers in < 5 s",
            _judged(lambda folder: overload(folder, connections=2_560, reports=20_000)),
        ),
        Scenario(
            "Slow loris, truncated body, 10 MB, wrong content type; 300 crawlers",
            "timeout or 4xx; honest rate within 10 %",
            _judged(lambda folder: attack(folder, crawlers=300, rounds=6, reports=6_000)),
        ),
    )


def _judged(measure):
    def judged(folder: Path) -> tuple[str, bool]:
        result = measure(folder)
        return str(result), result.kept

    return judged


if __name__ == "__main__":
    main("load", scenarios, __doc__)
