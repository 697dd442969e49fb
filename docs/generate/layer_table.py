"""The table of layers, from the import contract in pyproject.toml and the first line of each module's docstring.

``python docs/generate/layer_table.py`` writes it into the pages that show it; a test fails while they are stale.
"""

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "src" / "privge"
PAGES = (ROOT / "CONTRIBUTING.md", ROOT / "docs" / "architecture.md")
_PLACE = re.compile(r"(<!-- layers: begin[^>]*-->\n).*?(<!-- layers: end -->)", re.DOTALL)


def contracts() -> list[dict[str, object]]:
    """Return the import contracts, the one about layers first."""
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    return sorted(linter["contracts"], key=lambda contract: contract["type"] != "layers")


def layers() -> list[list[str]]:
    """Return the names of the modules in each layer, the lowest layer first."""
    lines = contracts()[0]["layers"]
    return [re.split(r"\s*[:|]\s*", line) for line in reversed(lines)]


def table() -> str:
    """Return the layers, and the contracts that hold besides, as Markdown."""
    rows = ["| layer | module | what lives there |", "|---:|---|---|"]
    for number, names in enumerate(layers()):
        rows += [f"| {number} | `{_shown(name)}` | {_purpose(name)} |" for name in names]
    besides = [f"* {contract['name']}." for contract in contracts()[1:]]
    return "\n".join([*rows, "", "Checked besides:", "", *besides, ""])


def refreshed(page: str) -> str:
    """Return the text of a page with the table as it is now."""
    text, places = _PLACE.subn(lambda place: f"{place[1]}{table()}{place[2]}", page)
    if places != 1:
        raise ValueError(f"a page with the table has one place for it, not {places}")
    return text


def _path(name: str) -> Path:
    package = SOURCE / name / "__init__.py"
    return package if package.exists() else SOURCE / f"{name}.py"


def _shown(name: str) -> str:
    return f"{name}/" if _path(name).name == "__init__.py" else f"{name}.py"


def _purpose(name: str) -> str:
    docstring = ast.get_docstring(ast.parse(_path(name).read_text(encoding="utf-8"))) or ""
    return docstring.partition("\n")[0].replace("``", "`").replace("|", r"\|").removesuffix(".")


def main() -> None:
    """Write the table where it is shown."""
    for page in PAGES:
        page.write_text(refreshed(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
