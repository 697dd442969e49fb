"""``privge plan``: text, JSON and page, and what is refused."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from click.testing import CliRunner

import privge as pg
from privge.cli import main
from privge.datasets import social_network
from privge.graph import write_graph

NAMES = [f"interest {place}" for place in range(6)]


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    folder = tmp_path_factory.mktemp("town")
    made = social_network(people=600, communities=3, interests=6, degree=6, homophily=0.6, seed=5)
    ids = made.graph.ids
    write_graph(made.graph, folder / "edges.csv")
    known, panel = np.arange(0, 600, 2), np.arange(0, 300, 2)
    labels = [f"group {place}" for place in made.labels[known]]
    pa.csv.write_csv(pa.table({"id": ids.tolist()}), folder / "nodes.csv")
    pa.csv.write_csv(pa.table({"id": ids[known].tolist(), "label": labels}), folder / "known.csv")
    columns = {name: made.features[panel, place] for place, name in enumerate(NAMES)}
    pa.csv.write_csv(pa.table({"id": ids[panel].tolist(), **columns}), folder / "panel.csv")
    campaign = pg.Campaign(dimensions=6, names=NAMES, low=0, high=1, mechanism="hds", epsilon=2.0)
    campaign.save(folder / "campaign.json")
    campaign.simulate(made.features[panel], ids=ids[panel].tolist(), seed=0).to_parquet(folder / "pilot.parquet")
    return folder


def run(town, *arguments, labels=True):
    own = ["--labels", town / "known.csv"] if labels else []
    place = ["--graph", town / "edges.csv", "--nodes", town / "nodes.csv", "--campaign", town / "campaign.json"]
    quick = ["--prior", "label propagation"]
    return CliRunner().invoke(main, ["plan", *map(str, [*place, *own, *quick, *arguments])], catch_exceptions=False)


def test_it_ends_in_a_verdict_beside_controls(town):
    result = run(town)
    assert result.exit_code == 0
    assert "majority" in result.stdout
    assert "graph alone (label propagation)" in result.stdout
    assert "the prior is label propagation" in result.stdout
    assert result.stdout.rstrip().endswith("Fewer than 0.5 points are not worth it.")


def test_a_panel_is_told_what_it_spends_and_a_page_is_written(town, tmp_path):
    result = run(town, "--panel", town / "panel.csv", "-o", tmp_path / "plan.html")
    assert result.exit_code == 0
    assert "no local privacy" in result.stderr
    assert "! The 150 people of the panel" in result.stdout
    assert "<svg" in (tmp_path / "plan.html").read_text(encoding="utf-8")


def test_json_has_the_grid(town):
    result = run(town, "--pilot", town / "pilot.parquet", "--epsilon", 1, "--participation", 0.5, "--json")
    found = json.loads(result.stdout)
    assert [each["epsilon"] for each in found["ceilings"]] == [1.0, 2.0]
    assert {each["participation"] for each in found["forecasts"]} == {0.5}
    assert found["recovered"] is not None
    assert found["costs"]["people"] == 600
    assert found["best reports"][0]["k"] >= 1


def test_without_labels_there_are_no_controls(town):
    result = run(town, labels=False)
    assert result.exit_code == 0
    assert "no label is known" in result.stdout


def test_wrong_usage_and_bad_data_have_their_exit_codes(town, tmp_path):
    assert run(town, "-o", tmp_path / "plan.pdf").exit_code == 2
    assert run(town, "--participation", 0).exit_code == 2
    assert run(town, "--epsilon", "nan").exit_code == 2
    assert run(town, "--panel", tmp_path / "absent.csv").exit_code == 3
    result = run(town, "--panel", town / "panel.csv", labels=False)
    assert result.exit_code == 3
    assert "needs known labels" in result.stderr


def test_a_panel_that_lacks_a_feature_is_refused_by_its_name(town, tmp_path):
    lines = (town / "panel.csv").read_text(encoding="utf-8").replace("interest 3", "interest X")
    (tmp_path / "panel.csv").write_text(lines, encoding="utf-8")
    result = run(town, "--panel", tmp_path / "panel.csv", "-o", tmp_path / "plan.html")
    assert result.exit_code == 3
    assert "interest 3" in result.stderr
    assert not (tmp_path / "plan.html").exists()


def test_each_table_may_have_its_own_column_of_ids(town, tmp_path):
    for name, column in (("known", "member"), ("panel", "person")):
        text = (town / f"{name}.csv").read_text(encoding="utf-8")
        (tmp_path / f"{name}.csv").write_text(text.replace('"id"', f'"{column}"', 1), encoding="utf-8")
    tables = ["--labels", tmp_path / "known.csv", "--panel", tmp_path / "panel.csv"]
    result = run(town, *tables, "--id-column", "labels=member", "--id-column", "panel=person", labels=False)
    assert result.exit_code == 0, result.stderr
