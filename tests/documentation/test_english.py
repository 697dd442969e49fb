"""Plain English: turns of phrase that make a reader stop do not come back."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
THINGS = "campaign|embedding|file|graph|law|matrix|number|part|report|store|token"
STOPS = re.compile(rf"so-?manieth|\b(?<!there )(?:is|are|was) no (?:{THINGS})\b", re.IGNORECASE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_has_no_phrase_that_is_read_twice(page):
    text = page.read_text(encoding="utf-8").replace('"is no graph"', "")  # the guide quotes it
    assert [found[0] for found in STOPS.finditer(" ".join(text.split()))] == []


def test_such_a_phrase_is_found():
    assert STOPS.search("This is no graph.")
    assert not STOPS.search("There is no graph here.")
