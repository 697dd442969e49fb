"""The table of recommendations: from lines of ``benchmarks/recommend.py --accuracy`` to the page ``recommend.md``."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import scipy.stats

DOCS = Path(__file__).parent.parent
PAGE = DOCS / "recommend.md"
LINES = DOCS / "results" / "recommend.jsonl"
_MARKS = re.compile(r"(<!-- recommend: begin[^>]*-->\n).*?(<!-- recommend: end -->)", re.DOTALL)
_MEASURES = {"hits": "hits@10", "reciprocal": "MRR", "area": "AUC"}
_PARTS = ("common friends", "personalized PageRank", "pair channel")
_CONTROLS = ("shuffled", "structure-only")  # of which a gain over their own noise would say nothing
_ORDER = ("at random", "most friends", *_PARTS, "structure")

Scores = dict[str, list[dict[str, float]]]


def tables(path: Path = LINES) -> str:
    """Return a table for each dataset, and below it what the fusion adds to the best of its parts."""
    if not path.is_file():
        return ""
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    datasets = dict.fromkeys(record["dataset"] for record in records)
    return "\n".join(_table(name, [record for record in records if record["dataset"] == name]) for name in datasets)


def _table(dataset: str, records: Sequence[dict[str, object]]) -> str:
    scores = _by_name(records)
    rows = [f"| {dataset}, % | " + " | ".join([*_MEASURES.values(), "gate open"]) + " |", "|---|" + "---:|" * 4]
    for name, runs in scores.items():
        shown = [_mean([100 * run[measure] for run in runs]) for measure in _MEASURES]
        opened = f"{sum(bool(run['open']) for run in runs)} of {len(runs)}" if "open" in runs[0] else ""
        rows.append(f"| {name} | {' | '.join(shown)} | {opened} |")
    return "\n".join([*rows, "", *_gains(scores), ""])


def _gains(scores: Scores) -> list[str]:
    """Return the fusion minus the best single part of each split, with its interval."""
    lines = []
    for name, runs in scores.items():
        if not name.startswith("fused") or any(control in name for control in _CONTROLS):
            continue
        parts = [*_PARTS, name.replace("fused", "vectors")]
        seeds = {run["seed"] for run in runs}
        for measure in ("hits", "reciprocal"):
            best = {
                seed: max(run[measure] for part in parts for run in scores[part] if run["seed"] == seed)
                for seed in seeds
            }
            gains = [100 * (run[measure] - best[run["seed"]]) for run in runs]
            lines.append(
                f"* {name} minus the best of its parts in each split, {_MEASURES[measure]}: {_interval(gains)}"
            )
    return lines


def _by_name(records: Sequence[dict[str, object]]) -> Scores:
    """Return the runs of each score, one for each split; those of the structure are the same for every kind."""
    found: dict[str, dict[object, dict[str, float]]] = {name: {} for name in _ORDER}
    for record in records:
        for name, run in dict(record["scores"]).items():  # type: ignore[call-overload]
            found.setdefault(name, {})[record["seed"]] = {**run, "seed": record["seed"]}
    return {name: list(runs.values()) for name, runs in found.items() if runs}


def _mean(values: Sequence[float]) -> str:
    mean = sum(values) / len(values)
    if len(values) == 1:
        return f"{mean:.2f} (1 split)"
    return f"{mean:.2f} ± {_error(values):.2f}" + ("" if len(values) >= 10 else f" ({len(values)} splits)")


def _interval(values: Sequence[float]) -> str:
    mean = sum(values) / len(values)
    if len(values) == 1:
        return f"{mean:+.2f} points (1 split)"
    reach = float(scipy.stats.t.ppf(0.975, len(values) - 1)) * _error(values)
    return f"{mean:+.2f} points (95 %: {mean - reach:+.2f} to {mean + reach:+.2f}; {len(values)} splits)"


def _error(values: Sequence[float]) -> float:
    count, mean = len(values), sum(values) / len(values)
    return (sum((value - mean) ** 2 for value in values) / (count - 1) / count) ** 0.5


def written(page: str) -> str:
    """Return a page with the tables between its marks."""
    return _MARKS.sub(lambda marks: marks[1] + tables() + marks[2], page)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
