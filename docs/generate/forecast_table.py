"""The table of forecasts beside measured lifts: from the raw lines of ``benchmarks/forecast.py`` to ``plan.md``."""

import json
import re
from pathlib import Path
from statistics import mean, stdev
from typing import Any

DOCS = Path(__file__).parent.parent
PAGE = DOCS / "plan.md"
RUNS = DOCS / "results" / "forecast.jsonl"
_MARKS = re.compile(r"(<!-- forecast: begin[^>]*-->\n).*(<!-- forecast: end -->)", re.DOTALL)
_NEAR, _SHARE = 0.5, 0.3


def settings() -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    """Return the runs of each setting: a world with a budget of answers and one of teachers."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for line in RUNS.read_text(encoding="utf-8").splitlines():
        run = json.loads(line)
        groups.setdefault((run["world"], run["epsilon"], run["teacher epsilon"]), []).append(run)
    return dict(sorted(groups.items(), key=lambda each: (each[0][0], each[0][2] or 0, each[0][1])))


def table() -> str:
    """Return the table, a line for each setting."""
    lines = [
        "| | seeds | graph alone, % | structure, % | ε | at most | forecast (95 %: between) | measured | near |",
        "|---|---:|---:|---:|---|---:|---:|---:|---|",
    ]
    last = None
    for (world, epsilon, teachers), runs in settings().items():
        found = {name: mean(run[name] for run in runs) for name in ("forecast", "low", "high", "measured", "ceiling")}
        lifts = [run["measured"] for run in runs]
        error = f" ± {stdev(lifts) / len(lifts) ** 0.5:.2f}" if len(lifts) > 1 else ""
        alone, structure = mean(run["controls"]["graph_alone"] for run in runs), mean(run["structure"] for run in runs)
        first = f"{world} | {len(runs)} | {alone:.1f} | {structure:.1f}" if world != last else " | | | "
        last = world
        budget = f"{epsilon:g}{f', teachers {teachers:g}' if teachers else ''}"
        apart = abs(found["forecast"] - found["measured"])
        near = "yes" if apart <= max(_NEAR, _SHARE * abs(found["measured"])) else "no"
        lines.append(
            f"| {first} | {budget} | {found['ceiling']:+.2f} | {found['forecast']:+.2f} ({found['low']:.2f} to "
            f"{found['high']:.2f}) | {found['measured']:+.2f}{error} | {near} |"
        )
    return "\n".join(lines) + "\n"


def written(page: str) -> str:
    """Return a page with the table between its marks."""
    return _MARKS.sub(lambda marks: marks[1] + table() + marks[2], page)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
