import csv
import json

import pytest
from click.testing import CliRunner

from privge.analysis import Coordinate, best_k, node_bounds, row_norms, sampled_for
from privge.cli import main
from privge.graph import read_graph

EDGES = "source,target\na,b\nb,c\nc,a\nc,d\nd,e\n"


def run(*arguments):
    return CliRunner().invoke(main, ["analyse", *map(str, arguments)])


def answer(*arguments):
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


@pytest.fixture
def edges(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text(EDGES)
    return path


def test_mechanisms_are_compared_as_the_library_compares_them():
    document = answer("mechanisms", "--epsilon", 8, "--dimensions", 50, "--k", 2, "--levels", 33)
    rows = {(row["mechanism"], row["decoding"]): row for row in document["mechanisms"]}
    assert set(rows) == {
        ("hds", "raw"),
        ("hds", "unbiased"),
        ("piecewise", "raw"),
        ("multibit", "raw"),
        ("laplace", "raw"),
    }
    exact = Coordinate.of(sampled_for("hds", 8.0, 2, 50, levels=33), "unbiased")
    assert rows["hds", "unbiased"]["law"]["variance"] == exact.variance
    assert rows["multibit", "raw"]["best_k"]["estimate"]["k"] == best_k("multibit", 8.0, 50).k
    assert "laplace" in run("mechanisms", "--epsilon", 8, "--levels", 33).output


def test_the_printed_constant_and_the_right_one_are_both_shown():
    text = run("paper", "--epsilon", 1, "--dimensions", 1433).output
    assert "1.72 times as much" in text
    assert "hds, piecewise, multibit is more than what always holds: it says nothing" in text
    document = answer("paper", "--epsilon", 1, "--dimensions", 1433)
    assert document["lemma"]["C_as_printed"] > document["lemma"]["C"]
    assert [one["says_something"] for one in document["theorems"]] == [False, True, False, False]
    assert document["theorems"][1]["always"] is None  # which JSON can say, infinity it cannot


def test_each_node_gets_the_bound_of_its_own_row(edges, tmp_path):
    output = tmp_path / "bounds.csv"
    result = run("nodes", "--graph", edges, "--dimensions", 6, "--epsilon", 2, "--levels", 33, "-o", output)
    assert result.exit_code == 0, result.output
    with output.open() as file:
        found = {row["id"]: float(row["bound"]) for row in csv.DictReader(file)}
    norms = row_norms(read_graph(edges))
    expected = node_bounds(Coordinate.of(sampled_for("hds", 2.0, 1, 6, levels=33)), norms, entries=6)
    assert found == pytest.approx(dict(zip(norms.ids.tolist(), expected.bound.tolist(), strict=True)))
    assert "bound, the smallest" in result.output


def test_a_simulation_says_how_often_the_bound_holds_and_how_loose_it_is(edges):
    document = answer(
        "nodes", "--graph", edges, "--dimensions", 6, "--epsilon", 2, "--levels", 33, "--draws", 20, "--sample", 4
    )
    assert document["nodes_bounded"] == 4
    assert document["simulated"]["checks"] == 80
    assert document["simulated"]["inside"] >= 0.95
    assert document["simulated"]["looseness"][0] >= 1
    assert document["theorem"]["mechanism"] == "hds"


def test_a_campaign_in_a_file_says_what_is_asked(edges, tmp_path):
    path = tmp_path / "campaign.toml"
    path.write_text('dimensions = 6\nlow = 0\nhigh = 1\nmechanism = "multibit"\nepsilon = 2\nk = 1\n')
    document = answer("nodes", "--graph", edges, "--campaign", path)
    assert document["entries"] == 6
    assert document["theorem"]["mechanism"] == "multibit"
    assert "has no effect" in run("nodes", "--graph", edges, "--campaign", path, "--epsilon", 1).output


@pytest.mark.parametrize("command", [("mechanisms",), ("nodes", "--dimensions", 3, "--epsilon", 1)])
def test_a_picture_is_drawn(edges, tmp_path, command):
    picture = tmp_path / "picture.svg"
    graph = ("--graph", edges) if command[0] == "nodes" else ()
    assert run(*command, *graph, "--levels", 33, "--picture", picture).exit_code == 0
    assert "</svg>" in picture.read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("mechanisms", "--k", 3, "--dimensions", 2), "more than the 2 features"),
        (("mechanisms", "--epsilon", "nan"), "finite"),
        (("mechanisms", "--picture", "a.txt"), "must end in"),
        (("paper", "--delta", 1), "--delta"),
        (("nodes", "--graph", "{edges}"), "Give --campaign, or --dimensions"),
        (("nodes", "--graph", "{edges}", "--dimensions", 3), "epsilon"),
        (
            ("nodes", "--graph", "{edges}", "--dimensions", 3, "--mechanism", "structure", "--decoding", "unbiased"),
            "says nothing of a feature",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(edges, arguments, said):
    result = run(*(str(edges) if argument == "{edges}" else argument for argument in arguments))
    assert result.exit_code == 2, result.output
    assert said in result.output


def test_controls_have_bounds_too(edges):
    document = answer("nodes", "--graph", edges, "--dimensions", 3, "--mechanism", "none", "--levels", 33)
    assert document["theorem"] is None
    assert document["bound"][2] == pytest.approx(document["bias"][2])


def test_a_campaign_of_questions_is_refused_by_its_name(edges, tmp_path):
    path = tmp_path / "questions.toml"
    path.write_text('epsilon = 1\n[[questions]]\nkind = "yes_no"\ntitle = "Yes?"\nfeature = "x"\n')
    result = run("nodes", "--graph", edges, "--campaign", path)
    assert result.exit_code != 0
    assert "questions.toml" in result.output
