"""What the README shows is there, and is what the committed results and the demo say."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from privge.cli import main
from privge.experiments.beyond.table import Table as Beyond
from privge.experiments.cell import Cell
from privge.experiments.comparison import Table
from privge.experiments.plan import HDS, task_plan
from privge.experiments.results import Results

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_every_relative_link_exists(page):
    for target in re.findall(r"\]\((?!http)([^)#]+)", (ROOT / page).read_text(encoding="utf-8")):
        assert (ROOT / target).exists(), target


def test_the_table_of_the_readme_is_that_of_the_committed_results():
    text = (ROOT / "README.md").read_text(encoding="utf-8").replace("\N{MINUS SIGN}", "-")
    found = Table(Results(ROOT / "docs/results"))
    for task, epsilon in (("nodes", 0.01), ("links", 1)):
        part = text[text.index(f"| **{task}, ") :]
        for dataset in ("cora", "pubmed", "facebook", "wikipedia"):
            row = re.search(rf"^\| {dataset.capitalize()}, (\d+).*$", part, flags=re.MULTILINE)
            one = found.comparison(Cell(task, dataset, HDS, epsilon, task_plan(task).datasets[dataset].k))
            controls = (one.structure_only, one.shuffled, one.graph_alone, one.no_privacy)
            lifts = (one.lift, one.lift_over_shuffled, one.lift_over_graph_alone)
            assert row.group(0).split(" | ")[1:9] == [str(value) for value in (one.value, *controls, *lifts)]
            assert int(row.group(1)) == one.value.repeats


def test_the_table_beyond_the_paper_is_that_of_the_committed_results():
    text = (ROOT / "README.md").read_text(encoding="utf-8").replace("\N{MINUS SIGN}", "-")
    part = text[text.index("### Beyond the paper") : text.index("## Beyond one machine")]
    datasets = {"the demo's network": "demo", "platform, 2 classes": "platform", "platform, 4 classes": "platform-4"}
    datasets |= {name: name.lower() for name in ("Cora", "Pubmed", "Facebook", "Wikipedia")}
    rows = re.findall(r"^\| (.+): taught \| [\d.]+ \| (.*) \|$", part, flags=re.MULTILINE)
    assert rows
    for name, cells in rows:
        found = Beyond(ROOT / "docs/results", datasets[name])
        gains = [str(found.gain(trial)) for trial in found.trials("taught")[:3]]
        assert cells.split(" | ")[:3] == gains


def test_the_readme_shows_what_the_demo_prints(tmp_path):
    """It is seeded, but libraries differ in the last bits: words must agree, and numbers within two points."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"```text\n(People whose.*?)```", text, flags=re.DOTALL).group(1)
    printed = CliRunner().invoke(main, ["demo", "-o", str(tmp_path / "page.html")]).stdout
    tables = [lines[: lines.index("At ε = 1")] for lines in (shown, printed)]
    forms = [re.sub(r" *\d+\.\d+", " N", table) for table in tables]
    assert forms[0] == forms[1]
    numbers = [[float(number) for number in re.findall(r"\d+\.\d+", table)] for table in tables]
    assert numbers[0] == pytest.approx(numbers[1], abs=2.0)
