"""The table of the bounds of nodes: from lines of ``benchmarks/bounds.py -o`` to the page ``theory.md``."""

import json
import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent.parent
PAGE = DOCS / "theory.md"
LINES = DOCS / "results" / "bounds.jsonl"
_MARKS = re.compile(r"(<!-- bounds: begin[^>]*-->\n).*?(<!-- bounds: end -->)", re.DOTALL)
_NETWORKS = {"cora": "Cora", "pubmed": "Pubmed", "synthetic": "made-up, 3,000 people"}
_HEAD = (
    "network",
    "mechanism, ε, k of d",
    "checks",
    "inside",
    "bound / seen",
    "with Bernstein alone",
    "always / bound",
    "paper / seen",
    "inside, no largest entry",
    "inside, no bias",
)


def table(path: Path = LINES) -> str:
    """Return the table; nothing if nothing was measured."""
    if not path.is_file():
        return ""
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rows = [_row(record) for network in _NETWORKS for record in records if record["network"] == network]
    head = [f"| {' | '.join(_HEAD)} |", "|---|---|" + "---:|" * (len(_HEAD) - 2)]
    return "\n".join([*head, *rows, ""])


def _row(record: dict[str, Any]) -> str:
    unbiased = ", unbiased" if record["case"].endswith("unbiased") else ""
    cells = [
        _NETWORKS[record["network"]],
        f"`{record['mechanism']}`{unbiased}, {record['epsilon']:g}, {record['k']} of {record['dimensions']:,}",
        f"{record['checks']:,}",
        _share(record["inside"]),
        _pair(record["looseness"]),
        _pair(record["looseness_bernstein"]),
        f"{record['always']:.1f}",
        "" if record["paper"] is None else f"{record['paper']:.0f}",
        _share(record["without_reach"]),
        _share(record["without_bias"]),
    ]
    return f"| {' | '.join(cells)} |"


def _share(share: float) -> str:
    return f"{100 * share:.1f} %"


def _pair(pair: list[float]) -> str:
    return f"{pair[0]:.1f} (worst {pair[1]:.1f})"


def written(page: str) -> str:
    """Return a page with the table between its marks."""
    return _MARKS.sub(lambda marks: marks[1] + table() + marks[2], page)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
