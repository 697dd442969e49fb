import json
import re

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import ttest_rel

from privge.cli import main
from privge.datasets import social_network
from privge.experiments.demo import Accuracies, Accuracy


def test_the_network_is_homophilous_uneven_and_repeatable():
    network = social_network(1000, seed=3)
    table = network.graph.to_edges().to_pydict()
    rows = [network.graph.rows_of(table[side]) for side in ("source", "target")]
    inside = (network.labels[rows[0]] == network.labels[rows[1]]).mean()
    assert 0.5 < inside < 0.85
    assert network.graph.degrees.max() > 5 * network.graph.degrees.mean()
    assert ((network.features >= 0) & (network.features <= 1)).all()
    again = social_network(1000, seed=3)
    assert again.graph.fingerprint == network.graph.fingerprint
    assert (again.features == network.features).all()


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    page = tmp_path_factory.mktemp("demo") / "sub" / "report.html"
    result = CliRunner().invoke(main, ["demo", "--people", "1000", "-o", str(page), "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout), page.read_text(encoding="utf-8")


def words(html):
    return re.sub(r"data:image[^\"]+", "", html)


def test_the_demo_ends_with_a_page_that_loads_nothing_from_elsewhere(demo):
    _, html = demo
    assert html.count("data:image/png;base64,") == 2
    assert "http" not in words(html)


def test_the_demo_shows_all_three_controls(demo):
    found = {row["name"]: row["mean"] for row in demo[0]["results"]}
    assert list(found) == ["structure only", "graph alone", "epsilon 1", "epsilon 3", "epsilon 6", "no privacy"]
    assert found["no privacy"] > found["epsilon 6"] > found["structure only"] > 100 / 6 - 5
    assert found["graph alone"] > found["epsilon 6"]
    for name, mean in found.items():
        assert re.search(rf"{name}.*?{mean:.1f}", words(demo[1]), flags=re.DOTALL)


def test_the_demo_s_lifts_are_paired_with_both_controls(demo):
    rows = {row["name"]: row for row in demo[0]["results"]}
    for control in ("structure only", "graph alone"):
        mine, theirs = (np.array(rows[name]["values"]) for name in ("epsilon 6", control))
        lift = rows["epsilon 6"]["lift_over_" + control.replace(" ", "_")]
        expected = ttest_rel(mine, theirs).confidence_interval()
        assert lift["mean"] == pytest.approx((mine - theirs).mean(), abs=1e-3)
        assert (lift["low"], lift["high"]) == pytest.approx((expected.low, expected.high), abs=1e-3)


def test_the_demo_says_that_the_graph_alone_is_better(demo):
    document, html = demo
    assert any("graph alone is better" in sentence for sentence in document["conclusions"])
    assert all(sentence in html for sentence in document["conclusions"])
    assert "comes from the graph" not in html  # structure-only is not the best that a graph can give


def test_conclusions_follow_the_numbers():
    def case(name, values):
        return Accuracy(name, "control", "", tuple(values))

    structure, mine = case("structure only", [20.0, 21.0, 20.5]), case("epsilon 6", [60.0, 61.0, 61.0])

    def said(graph_alone, structure=structure):
        found = Accuracies(
            structure, case("graph alone", graph_alone), (structure, mine), case("no privacy", [99.0] * 3)
        )
        return " ".join(found.conclusions())

    assert "epsilon 6" in said([50.0, 50.5, 50.0])
    assert "beat the graph alone" in said([50.0, 50.5, 50.0])
    assert "so is noise" in said([50.0, 50.5, 50.0], structure=case("structure only", [59.0, 61.0, 60.0]))
    assert "graph alone is better" in said([90.0, 91.0, 90.0])
    assert "cannot be told from the graph alone" in said([59.0, 62.0, 61.0])
