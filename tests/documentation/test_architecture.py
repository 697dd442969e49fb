"""What the pages say about the code is true of it: the layers, and every dotted name."""

import re
from importlib import import_module
from pathlib import Path

import layer_table
import pytest

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
NAME = re.compile(r"`(privge(?:\.\w+)+)(?:\([^`]*\))?`")


def named():
    return sorted(
        {(page.relative_to(ROOT).as_posix(), name) for page in PAGES for name in NAME.findall(page.read_text("utf-8"))}
    )


def resolve(dotted):
    """Return what a dotted name stands for: a module, or something in one."""
    names = dotted.split(".")
    for end in range(len(names), 0, -1):
        try:
            found = import_module(".".join(names[:end]))
        except ModuleNotFoundError as error:
            if not dotted.startswith(error.name or " "):
                raise
            continue
        for name in names[end:]:
            found = getattr(found, name)
        return found
    raise LookupError(dotted)


@pytest.mark.parametrize("page", layer_table.PAGES, ids=lambda page: page.name)
def test_the_table_of_layers_is_that_of_the_import_contract(page):
    text = page.read_text(encoding="utf-8")
    assert text == layer_table.refreshed(text), "run: python docs/generate/layer_table.py"


def test_every_module_of_the_package_is_in_a_layer():
    shown = {name for layer in layer_table.layers() for name in layer}
    modules = {path.stem for path in layer_table.SOURCE.glob("*.py")} - {"__init__", "__main__"}
    packages = {path.parent.name for path in layer_table.SOURCE.glob("*/__init__.py")}
    assert shown == modules | packages


def test_a_page_without_a_place_for_the_table_is_refused():
    with pytest.raises(ValueError, match="not 0"):
        layer_table.refreshed("# A page\n")


@pytest.mark.parametrize(("page", "name"), named())
def test_every_dotted_name_exists(page, name):
    assert resolve(name) is not None, page


def test_the_four_journeys_name_their_functions():
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    journeys = re.split(r"^### \d\. ", text[: text.index("## Mechanisms are")], flags=re.MULTILINE)[1:]
    assert len(journeys) == 4
    assert all(len(NAME.findall(journey)) >= 10 for journey in journeys)


def test_a_name_that_does_not_exist_is_found():
    with pytest.raises((AttributeError, LookupError)):
        resolve("privge.embedding.embed.absent")
    with pytest.raises((AttributeError, LookupError)):
        resolve("privge.absent.embed")
