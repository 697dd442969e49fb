"""The tables of the structural channel: from lines of ``benchmarks/structure.py -o`` to the page ``structure.md``."""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from privge.experiments.cell import Cell, Task
from privge.experiments.results import Results
from privge.mechanisms import NoPrivacy

DOCS = Path(__file__).parent.parent
PAGE = DOCS / "structure.md"
LINES = DOCS / "results" / "structure.jsonl"
_MARKS = re.compile(r"(<!-- structure: begin[^>]*-->\n).*?(<!-- structure: end -->)", re.DOTALL)
_DATASETS = {
    "cora": "Cora",
    "pubmed": "Pubmed",
    "facebook": "Facebook",
    "wikipedia": "Wikipedia",
    "demo": "demo's network, logistic regression alone",
}
_NODES = {"accuracy": "structure", "label_propagation": "label propagation", "majority": "majority class"}
_LINKS = {
    "auc": "structure",
    "ppr": "PageRank",
    "isolated_flag": "isolated end alone",
    "auc_without_isolated": "structure, without",
    "ppr_without_isolated": "PageRank, without",
    "isolated_pairs": "pairs left out",
}
_TASKS: dict[Task, tuple[str, dict[str, str], str]] = {
    "nodes": ("nodes, accuracy", _NODES, "accuracy"),
    "links": ("links, AUC", _LINKS, "auc"),
}

Record = dict[str, object]


def tables(path: Path = LINES) -> str:
    """Return a table for nodes and one for links; nothing if nothing was measured."""
    if not path.is_file():
        return ""
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    made = [_table(task, [record for record in records if record["task"] == task]) for task in _TASKS]
    return "\n".join(table for table in made if table)


def _table(task: Task, records: Sequence[Record]) -> str:
    title, columns, metric = _TASKS[task]
    rows = []
    for dataset, shown in _DATASETS.items():
        runs = [record for record in records if record["dataset"] == dataset]
        if runs:
            measured = [_mean(_number(run[name]) for run in runs) for name in columns]
            rows.append(f"| {shown} | " + " | ".join([*measured, _no_privacy(task, dataset, metric, runs)]) + " |")
    if not rows:
        return ""
    head = f"| {title}, % | " + " | ".join([*columns.values(), "no privacy"]) + " |"
    return "\n".join([head, "|---|" + "---:|" * (len(columns) + 1), *rows, ""])


def _no_privacy(task: Task, dataset: str, metric: str, runs: Sequence[Record]) -> str:
    """Return what the paper's way finds with clean features on the same splits, as far as it was measured."""
    splits, cell = {run["split"] for run in runs}, Cell(task, dataset, NoPrivacy)
    found = Results(DOCS / "results").read(task, dataset) if dataset != "demo" else {}
    return _mean(
        _number(record[metric]) for (one, _), record in found.items() if one == cell and record["split"] in splits
    )


def _mean(values: Iterable[float]) -> str:
    """Return mean and standard error; with fewer splits than six, how many there are."""
    listed = list(values)
    if not listed:
        return ""
    count, mean = len(listed), sum(listed) / len(listed)
    if count == 1:
        return f"{mean:.2f} (1 split)"
    error = (sum((value - mean) ** 2 for value in listed) / (count - 1) / count) ** 0.5
    return f"{mean:.2f} ± {error:.2f}" + ("" if count >= 6 else f" ({count} splits)")


def _number(value: object) -> float:
    return float(str(value))


def written(page: str) -> str:
    """Return a page with the tables between its marks."""
    return _MARKS.sub(lambda marks: marks[1] + tables() + marks[2], page)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
