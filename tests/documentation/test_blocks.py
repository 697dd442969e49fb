"""Every code block of the documentation runs as it stands, or says why it does not."""

import os
import re
import sys
from pathlib import Path

import pytest

from documentation.blocks import ROOT, RUN, blocks_of, run_page
from privge.datasets import DATASETS
from privge.datasets.cache import DataDirectory
from privge.datasets.catalogue import datasets
from privge.mechanisms import laws
from privge.propagation import engines

PAGES = {
    page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8")
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if "results" not in page.parts
}
DATA = Path(os.environ.get("PRIVGE_DATA") or ROOT.parent / "shared" / "datasets")
ELSEWHERE = {
    "docs/collect.md": "tests/device/test_walkthrough.py",
    **{f"docs/{page}.md": "tests/documentation/test_worked_examples.py" for page in ("audit", "explain", "plan")},
}
"""Pages whose blocks another test runs, and looks at what their commands print."""


def runnable(text):
    return [block for block in blocks_of(text) if block.language in RUN and not block.reason]


def out_of_reach(text):
    """Return the datasets that a page needs and whose files are not at hand."""
    needed = {block.needs for block in blocks_of(text)} - {""}
    return {name for name in needed if DataDirectory(DATA, ours=False).missing(DATASETS[name])}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working directory; the modules and plug-ins that a page brings are gone afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PRIVGE_DATA", str(DATA))
    modules = set(sys.modules)
    forget_plugins()
    yield tmp_path
    for name in set(sys.modules) - modules:
        if (tmp_path / f"{name}.py").exists():
            del sys.modules[name]
    forget_plugins()


def forget_plugins():
    for found in (laws, engines, datasets):
        found.cache_clear()


@pytest.mark.parametrize("page", [page for page, text in PAGES.items() if runnable(text) and page not in ELSEWHERE])
def test_the_blocks_of_a_page_run(page, folder):
    missing = out_of_reach(PAGES[page])
    run_page(PAGES[page], folder, page, without=missing)
    if missing:
        pytest.skip(f"all but the blocks that need {', '.join(missing)}, which is not in {DATA}")


@pytest.mark.parametrize(("page", "test"), ELSEWHERE.items())
def test_what_is_run_elsewhere_is_run_there(page, test):
    assert Path(page).name in (ROOT / test).read_text(encoding="utf-8")
    assert any(block.language == "console" for block in runnable(PAGES[page]))


def test_every_fence_is_read():
    for page, text in PAGES.items():
        fences = re.findall(r"^```", text, flags=re.MULTILINE)
        assert len(fences) == 2 * len(blocks_of(text)), page


def test_every_marker_is_understood_and_every_reason_is_a_sentence():
    for page, text in PAGES.items():
        markers = re.findall(r"^<!-- (?:not run|needs)[^>]*-->", text, flags=re.MULTILINE)
        assert len(markers) == sum(bool(block.reason or block.needs) for block in blocks_of(text)), page
        assert all(len(block.reason.split()) >= 3 for block in blocks_of(text) if block.reason), page


def test_python_that_fails_is_found(tmp_path):
    with pytest.raises(ZeroDivisionError):
        run_page("```python\nx = 1\n```\n\n```python\nx / 0\n```\n", tmp_path)


def test_a_command_that_fails_is_found(tmp_path):
    with pytest.raises(AssertionError, match="No such option"):
        run_page("```console\n$ privge --version\n$ privge demo --absent\nand an answer\n```\n", tmp_path)


def test_blocks_of_a_page_share_names_shell_and_folder(folder):
    page = """
```toml
# settings.toml
value = 7
```

```python
import tomllib
from pathlib import Path

value = tomllib.loads(Path("settings.toml").read_text())["value"]
```

```console
$ WORD=seven
```

<!-- not run: it would end the test -->
```console
$ exit 1
```

```console
$ echo $WORD \\
    eight > word.txt
```

```python
word = Path("word.txt").read_text()
```
"""
    scope = run_page(page, folder)
    assert (scope["value"], scope["word"]) == (7, "seven eight\n")
