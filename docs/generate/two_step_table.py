"""The table of teach, then ask: from the raw lines of ``privge simulate two-step`` to the page ``teaching.md``."""

import json
import re
from pathlib import Path

from privge.experiments.two_steps import NULLS, Summary, summaries

DOCS = Path(__file__).parent.parent
PAGE = DOCS / "teaching.md"
_MARKS = re.compile(r"(<!-- two-step: begin[^>]*-->\n).*(<!-- two-step: end -->)", re.DOTALL)
_WORLDS = {
    "demo": "demo's network",
    "platform": "platform, 2 classes",
    "platform-4": "platform, 4 classes",
    "pubmed": "Pubmed",
    "wikipedia": "Wikipedia, size of a profile",
}
_FEW = "0 to 2 friends"


def table() -> str:
    """Return the table of every world whose lines are there."""
    lines = [
        "| | structure, % | ε | everybody | 0 to 2 friends | " + " | ".join([*NULLS, "no privacy"]) + " |",
        "|---|---:|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, shown in _WORLDS.items():
        path = DOCS / "results" / f"two-step-{name}.jsonl"
        if path.is_file():
            lines += _rows(shown, [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()])
    return "\n".join(lines) + "\n"


def _rows(shown: str, records: list[dict[str, object]]) -> list[str]:
    found = {(one.method, one.epsilon, one.teacher_epsilon, one.panel): one for one in summaries(records)}
    structure = sum(float(str(record["structure"])) for record in records) / len(records)
    best = _lift(found["no privacy", None, None, 0], "everybody")
    rows = []
    for (method, epsilon, teachers, panel), one in found.items():
        if method == "taught":
            nulls = (found.get((null, epsilon, teachers, panel)) for null in NULLS)
            budget = f"{epsilon:g}{f', teachers {teachers:g}' if teachers else ''}{f', panel {panel}' if panel else ''}"
            controls = [*(_lift(null, "everybody") for null in nulls), best]
            cells = [budget, _lift(one, "everybody"), _lift(one, _FEW), *controls]
            first = f"{shown}, {one.seeds} seeds | {structure:.1f}" if not rows else " | "
            rows.append(f"| {first} | " + " | ".join(cells) + " |")
    return rows


def _lift(one: Summary | None, people: str) -> str:
    if one is None or people not in one.lifts:
        return ""
    mean, error = one.lifts[people]
    return f"{mean:+.2f} ± {error:.2f}"


def written(page: str) -> str:
    """Return a page with the table between its marks."""
    return _MARKS.sub(lambda marks: marks[1] + table() + marks[2], page)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
