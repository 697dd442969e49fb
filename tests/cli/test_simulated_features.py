"""Features on the command line: by name, by id, within bounds that somebody stated."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from privge import Campaign, Reports
from privge.cli import main
from privge.embedding.embedding import Embedding
from privge.reports.parts import ReportParts

AGES, LIKES = [20.0, 40.0, 60.0, 80.0], [0.0, 100.0, 300.0, 400.0]
CAMPAIGN = {"names": ["age", "likes"], "low": [0.0, 0.0], "high": [80.0, 400.0], "mechanism": "none", "levels": 33}


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def campaign(tmp_path):
    lines = ["dimensions = 2", *(f"{field} = {json.dumps(value)}" for field, value in CAMPAIGN.items())]
    (tmp_path / "c.toml").write_text("\n".join([*lines, "k = 2"]))
    return tmp_path / "c.toml"


@pytest.fixture
def edges(tmp_path):
    (tmp_path / "g.csv").write_text("source,target\n1,2\n2,3\n3,4\n4,1\n")
    return tmp_path / "g.csv"


def write(path, header, *columns):
    rows = [",".join(map(str, row)) for row in zip(range(1, 5), *columns, strict=True)]
    path.write_text("\n".join([f"id,{header}", *rows]) + "\n")
    return path


def write_part(path, **columns):
    pq.write_table(pa.table({"id": np.arange(1, 5), **columns}), path)


def levels(reports):
    return (reports.codes / 32).tolist()


EXPECTED = [[age / 80, likes / 400] for age, likes in zip(AGES, LIKES, strict=True)]


def test_columns_go_to_the_features_of_their_names(tmp_path, campaign):
    features = write(tmp_path / "f.csv", "likes,town,age", LIKES, ["x"] * 4, AGES)
    result = run("perturb", "--features", features, "--campaign", campaign, "-o", tmp_path / "r.parquet")
    assert result.exit_code == 0, result.stderr
    assert levels(Reports.from_parquet(tmp_path / "r.parquet")) == [
        [round(v * 32) / 32 for v in row] for row in EXPECTED
    ]
    assert "left out 1 column that is not a feature of the campaign: 'town'" in result.stderr


def test_parts_go_by_name_too(tmp_path, campaign):
    (tmp_path / "f").mkdir()
    write_part(tmp_path / "f" / "0.parquet", likes=LIKES, town=["x"] * 4, age=AGES)
    result = run("perturb", "--features", tmp_path / "f", "--campaign", campaign, "-o", tmp_path / "r")
    assert result.exit_code == 0, result.stderr
    assert levels(ReportParts.open(tmp_path / "r").read(0)) == [[round(v * 32) / 32 for v in row] for row in EXPECTED]
    assert result.stderr.count("left out 1 column") == 1


def test_a_name_that_is_nearly_right_is_not_accepted(tmp_path, campaign):
    write(tmp_path / "f.csv", "Age,likes", AGES, LIKES)
    (tmp_path / "f").mkdir()
    write_part(tmp_path / "f" / "0.parquet", Age=AGES, likes=LIKES)
    for features, output in (("f.csv", "r.parquet"), ("f", "r")):
        result = run("perturb", "--features", tmp_path / features, "--campaign", campaign, "-o", tmp_path / output)
        assert result.exit_code == 3
        assert "there is no column for 1 of 2 features: 'age' (is it 'Age'?)" in result.stderr
        assert "f/0.parquet" in result.stderr or "f.csv" in result.stderr


def test_embed_takes_a_campaign_file(tmp_path, campaign, edges):
    features = write(tmp_path / "f.csv", "likes,age", LIKES, AGES)
    output = tmp_path / "z.parquet"
    arguments = ["embed", "--graph", edges, "--features", features, "--campaign", campaign, "-o", output]
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    assert Embedding.from_parquet(output).provenance.source.campaign == Campaign.load(campaign).id
    result = run(*arguments, "--high", 5)
    assert result.exit_code == 2
    assert "--high has no effect with --campaign" in result.stderr
    Reports(Campaign.load(campaign), [1], np.zeros((1, 2), dtype=np.uint16)).to_parquet(tmp_path / "r.parquet")
    result = run("embed", "--graph", edges, "--reports", tmp_path / "r.parquet", "--campaign", campaign, "-o", output)
    assert result.exit_code == 2
    assert "--campaign has no effect with --reports" in result.stderr
    result = run("embed", "--graph", edges, "--features", features, "--campaign", tmp_path / "no.toml", "-o", output)
    assert result.exit_code == 3
    assert "no.toml: no such file" in result.stderr


def test_a_campaign_from_options_has_the_names_of_the_columns(tmp_path):
    features = write(tmp_path / "f.csv", "b,a", [0.5] * 4, [0.25] * 4)
    (tmp_path / "f").mkdir()
    write_part(tmp_path / "f" / "0.parquet", b=[0.5] * 4, a=[0.25] * 4)
    assert run("perturb", "--features", features, "--epsilon", 1, "-o", tmp_path / "r.parquet").exit_code == 0
    assert run("perturb", "--features", tmp_path / "f", "--epsilon", 1, "-o", tmp_path / "r").exit_code == 0
    assert Reports.from_parquet(tmp_path / "r.parquet").campaign.names == ("b", "a")
    assert ReportParts.open(tmp_path / "r").campaign.names == ("b", "a")


def test_a_campaign_without_names_says_that_the_order_decides(tmp_path):
    features = write(tmp_path / "f.csv", "b,a", [0.5] * 4, [0.25] * 4)
    Campaign(dimensions=2, low=0, high=1, mechanism="hds", epsilon=1.0, k=1).save(tmp_path / "c.json")
    result = run("perturb", "--features", features, "--campaign", tmp_path / "c.json", "-o", tmp_path / "r.parquet")
    assert result.exit_code == 0, result.stderr
    assert "the campaign names no features, so the columns go in their own order: b, a" in result.stderr


def test_values_outside_unstated_bounds_are_refused(tmp_path, edges):
    features = write(tmp_path / "f.csv", "age,likes", AGES, [0.5] * 4)
    (tmp_path / "f").mkdir()
    write_part(tmp_path / "f" / "0.parquet", age=AGES, likes=[0.5] * 4)
    before = sorted(tmp_path.iterdir())
    for arguments in (
        ("perturb", "--features", features, "-o", tmp_path / "r.parquet"),
        ("perturb", "--features", tmp_path / "f", "-o", tmp_path / "r"),
        ("embed", "--graph", edges, "--features", features, "-o", tmp_path / "z.parquet"),
    ):
        result = run(*arguments, "--epsilon", 1)
        assert result.exit_code == 3
        assert "1 of 2 columns have values outside 0..1, where no bounds are stated: 'age'" in result.stderr
        assert "--low and --high" in result.stderr
        assert "--campaign" in result.stderr
        assert len(result.stderr.splitlines()) == 1
        assert sorted(tmp_path.iterdir()) == before


def test_stated_bounds_clip_and_say_so(tmp_path, edges):
    features = write(tmp_path / "f.csv", "age,likes", AGES, [0.5] * 4)
    (tmp_path / "f").mkdir()
    write_part(tmp_path / "f" / "0.parquet", age=AGES, likes=[0.5] * 4)
    for arguments in (
        ("perturb", "--features", features, "-o", tmp_path / "r.parquet"),
        ("perturb", "--features", tmp_path / "f", "-o", tmp_path / "r"),
        ("embed", "--graph", edges, "--features", features, "-o", tmp_path / "z.parquet"),
    ):
        result = run(*arguments, "--epsilon", 1, "--k", 2, "--low", 0, "--high", 1)
        assert result.exit_code == 0, result.stderr
        assert "age: 4 of 4 values clipped to 0..1" in result.stderr
        assert "likes:" not in result.stderr
        assert "clipped" not in result.stdout


@pytest.mark.parametrize("command", [("perturb",), ("embed", "--graph", "g.csv")])
def test_an_epsilon_that_is_missing_is_asked_for(tmp_path, command):
    features = write(tmp_path / "f.csv", "a", [0.5] * 4)
    result = run(*command, "--features", features, "-o", tmp_path / "r.parquet")
    assert result.exit_code == 2
    assert "Give --epsilon" in result.stderr
    assert "None" not in result.stderr


@pytest.mark.parametrize("drop", [[], ["--drop-unknown"]])
def test_features_of_nobody_in_the_graph_are_no_embedding(tmp_path, drop):
    (tmp_path / "g.csv").write_text("source,target\nann,bob\nbob,cid\n")
    features = write(tmp_path / "f.csv", "a", [0.5] * 4)
    output = tmp_path / "z.parquet"
    result = run("embed", "--graph", tmp_path / "g.csv", "--features", features, "--epsilon", 1, "-o", output, *drop)
    assert result.exit_code == 3
    assert "f.csv: none of the 4 reports is of a node in the graph; are ids written alike in both?" in result.stderr
    assert not output.exists()
