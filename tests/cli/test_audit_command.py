"""``privge audit``: what it prints, and its exit codes."""

import json
import math
from contextlib import closing
from fractions import Fraction

import pytest
from click.testing import CliRunner

import privge as pg
from privge.cli import main
from privge.mechanisms import LAWS, law_for
from privge.mechanisms.exponential import exp_below

PRIVATE = [name for name, law in LAWS.items() if law.fixed_epsilon is None]


def run(*arguments):
    return CliRunner().invoke(main, ["audit", *map(str, arguments)], catch_exceptions=False)


@pytest.mark.parametrize("name", PRIVATE)
def test_every_mechanism_holds_with_an_exact_ratio_and_a_bound_below_it(name):
    result = run("--mechanism", name, "--epsilon", 1, "--k", 5, "--dimensions", 500, "--levels", 33, "--json")
    found = json.loads(result.stdout)
    numerator, denominator = map(int, found["worst_ratio"].split("/"))
    assert result.exit_code == 0
    assert found["holds"] is True
    assert found["empirical_lower_bound"] <= found["realised_epsilon"] <= 1
    assert numerator > denominator


def test_a_table_with_one_unit_too_many_ends_with_an_exit_code(tmp_path):
    law = law_for("multibit", 1.0, levels=2)
    rows = [law.weights(level).tolist() for level in range(2)]
    document = {"weights": rows, "epsilon": 1.0, "k": 1}
    path = tmp_path / "law.json"
    path.write_text(json.dumps(document))
    assert run("--law", path, "--json").exit_code == 0
    above = math.floor(rows[1][0] * exp_below(Fraction(1))) + 1  # the least weight that is too much
    rows[0] = [above, sum(rows[0]) - above]
    path.write_text(json.dumps(document))
    result = run("--law", path, "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["holds"] is False


@pytest.fixture
def campaign(tmp_path):
    made = pg.Campaign(names=["age", "town"], dimensions=2, low=0, high=1, mechanism="hds", epsilon=1.0, k=1, levels=17)
    made.save(tmp_path / "campaign.json")
    return tmp_path / "campaign.json"


def test_a_campaign_is_audited_and_its_certificate_checked_again(campaign, tmp_path):
    page = tmp_path / "certificate.html"
    result = run(campaign, "-o", page, "--draws", 20_000)
    assert result.exit_code == 0
    assert "Everything holds." in result.stdout
    assert run("--check", page).exit_code == 0
    page.write_text(page.read_text().replace("Everything that was audited holds", "Everything is perfect"))
    assert run("--check", page, "--json").exit_code == 1


def test_planned_campaigns_are_added_up(campaign, tmp_path):
    planned = pg.Campaign(names=["age"], dimensions=1, low=0, high=1, mechanism="hds", epsilon=2.0, levels=17)
    planned.save(tmp_path / "planned.json")
    arguments = (campaign, "--planned", tmp_path / "planned.json", "--draws", 0, "--json")
    found = json.loads(run(*arguments).stdout)["over_time"]
    assert (found["now"], found["after"]) == (1.0, 3.0)
    assert [each["name"] for each in found["repeats"]] == ["age"]
    assert run(*arguments, "--lifetime-epsilon", 2).exit_code == 1


def test_nothing_to_audit_is_wrong_usage():
    assert run().exit_code == 2
    assert run("--embedding", "z.parquet").exit_code == 2
    assert run("--mechanism", "hds").exit_code == 2


def test_a_file_that_is_not_there_is_bad_data(tmp_path):
    assert run(tmp_path / "none.json").exit_code == 3


def test_a_store_is_proven_whole_and_what_it_does_not_have_is_said(campaign, tmp_path):
    from privge.collect.stores import open_store

    held = pg.Campaign(dimensions=3, low=0, high=1, mechanism="hds", epsilon=1.0, levels=17)
    with closing(open_store(str(tmp_path / "store.db"))) as store:
        store.add_campaign(held, by="dave")
    page = tmp_path / "certificate.html"
    result = run(campaign, "--store", tmp_path / "store.db", "--draws", 0, "-o", page)
    assert f"campaign {held.id[:12]}: promises epsilon = 1" in result.stdout
    named = pg.Campaign.load(campaign).id
    assert f"campaign {named[:12]} is not in the store: no report of it was looked at" in result.stdout
    checked = run("--check", page, "--store", tmp_path / "store.db", "--json")
    found = json.loads(checked.stdout)
    assert found["holds"] is True
    assert any("is not in the store" in each for each in found["remarks"])
    assert len(found["proven"]) == 2


def test_a_check_is_about_the_campaign_that_is_given_and_passes_nothing_over(campaign, tmp_path):
    other = pg.Campaign(dimensions=2, low=0, high=1, mechanism="hds", epsilon=1.0, levels=17, purpose="another")
    other.save(tmp_path / "other.json")
    page = tmp_path / "certificate.html"
    run(campaign, "-o", page, "--draws", 0)
    assert run(campaign, "--check", page).exit_code == 0
    result = run(tmp_path / "other.json", "--check", page)
    assert result.exit_code == 1
    assert "not about this campaign" in result.stdout
    for passed_over in (["--planned", campaign], ["--mechanism", "hds"], ["--draws", 7], ["-o", tmp_path / "x.html"]):
        assert run("--check", page, *passed_over).exit_code == 2


def test_campaigns_without_names_are_said_to_leave_repeats_open(tmp_path):
    for name in ("one", "two"):
        made = pg.Campaign(dimensions=2, low=0, high=1, mechanism="hds", epsilon=1.0, levels=17, purpose=name)
        made.save(tmp_path / f"{name}.json")
    result = run(tmp_path / "one.json", "--planned", tmp_path / "two.json", "--draws", 0)
    assert "2 campaigns do not name their features" in result.stdout


def test_what_is_published_is_audited_with_columns_of_ones_own(tmp_path):
    from privge.datasets.synthetic import social_network
    from privge.graph import write_graph

    world = social_network(120, seed=1)
    made = pg.Campaign(dimensions=world.features.shape[1], low=0, high=1, mechanism="hds", epsilon=1.0)
    ids = world.graph.ids.tolist()
    pg.embed(world.graph, made.simulate(world.features, ids=ids, seed=0)).to_parquet(tmp_path / "z.parquet")
    people = zip(ids, world.labels, strict=True)
    (tmp_path / "a.csv").write_text("who,team\n" + "".join(f"{node},t{label}\n" for node, label in people))
    (tmp_path / "n.csv").write_text("\n".join(["id", *ids]))
    write_graph(world.graph, tmp_path / "e.csv")
    _, _, edges = (tmp_path / "e.csv").read_text().partition("\n")
    (tmp_path / "e.csv").write_text(f"x,y\n{edges}")
    attribute = ["--attribute", tmp_path / "a.csv", "--id-column", "attribute=who", "--label-column", "team"]
    graph = ["--graph", tmp_path / "e.csv", "--source", "x", "--target", "y", "--nodes", tmp_path / "n.csv"]
    result = run("--embedding", tmp_path / "z.parquet", *attribute, *graph)
    assert result.exit_code == 0, result.output
    assert "graph and embedding" in result.stdout
