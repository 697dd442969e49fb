"""The Python code of the README and of the pages with examples runs as it stands."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def python_blocks(path):
    return re.findall(r"```python\n(.*?)```", (ROOT / path).read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.mark.parametrize("path", ["README.md", "docs/index.md", "docs/mechanisms.md", "docs/propagation.md"])
def test_python_blocks_run(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = python_blocks(path)
    assert blocks
    exec(compile("\n".join(blocks), path, "exec"), {})


def test_the_campaign_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs/campaigns.md").read_text(encoding="utf-8")
    toml = re.search(r"```toml\n(.*?)```", page, flags=re.DOTALL).group(1)
    Path("campaign.toml").write_text(toml, encoding="utf-8")
    scope = {}
    code = "\n".join(["import numpy as np", "X = np.zeros((3, 2))", *python_blocks("docs/campaigns.md")])
    exec(compile(code, "docs/campaigns.md", "exec"), scope)
    assert len(scope["reports"]) == 3


def test_every_relative_link_of_the_readme_exists():
    for target in re.findall(r"\]\((?!http)([^)#]+)", (ROOT / "README.md").read_text(encoding="utf-8")):
        assert (ROOT / target).exists(), target
