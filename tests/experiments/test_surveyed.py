"""``privge evaluate --features --campaign``: mixed tables by the questions of a campaign, with every control."""

import json
from functools import partial

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from privge.campaign import Campaign
from privge.cli import main
from privge.datasets import social_network
from privge.datasets.joined import NamedParts
from privge.errors import BadData, InvalidCampaign
from privge.experiments import run as run_module
from privge.experiments.evaluate import Evaluation, own_of
from privge.experiments.own import fingerprint_of
from privge.experiments.results import Results
from privge.experiments.surveyed import surveyed
from privge.perturbation.features import features_of
from privge.perturbation.raw import raw_features_of
from privge.questions import Direction, Encoding, NumberFeature
from privge.tasks import SteadyClassifier
from privge.tasks.classification.candidates import Logistic
from privge.tasks.settings import Settings

TOML = """
purpose = "Which team suits whom?"
epsilon = 3.0
k = 2
[[questions]]
kind = "number"
name = "age"
low = 0
high = 100
[[questions]]
kind = "choice"
name = "town"
values = ["north", "south", "east", "elsewhere"]
[[questions]]
kind = "yes-no"
name = "reads"
"""
MADE = social_network(240, 3, 6, seed=1)
CONTROLS = ("structure_only", "shuffled", "structure_channel", "no_privacy")


def mixed():
    """Whose town is their team; ages are noise, some are missing or too high, and one person lives on Mars."""
    towns = np.array(["north", "south", "east"], dtype=object)[MADE.labels]
    towns[5] = "mars"
    ages = np.random.default_rng(0).uniform(0, 100, 240).round()
    ages[:3], ages[3] = np.nan, 200
    columns = {"id": MADE.graph.ids, "reads": ["yes", "no"] * 120, "town": towns, "age": ages, "shoe": 40}
    return pd.DataFrame(columns)


def run(*arguments):
    return CliRunner().invoke(main, [str(a) for a in arguments])


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("surveyed")
    (folder / "survey.toml").write_text(TOML)
    mixed().to_csv(folder / "people.csv", index=False)
    source, target = MADE.graph.to_scipy().nonzero()
    ids = MADE.graph.ids
    pd.DataFrame({"source": ids[source], "target": ids[target]}).to_csv(folder / "edges.csv", index=False)
    pd.DataFrame({"id": ids, "label": MADE.labels}).to_csv(folder / "labels.csv", index=False)
    return folder


def evaluated(place, *options):
    files = ("--graph", place / "edges.csv", "--features", place / "people.csv", "--labels", place / "labels.csv")
    return run("evaluate", *files, *options)


@pytest.fixture
def one_candidate(monkeypatch):
    """Let the default head choose among one, for speed."""
    monkeypatch.setattr(run_module, "SteadyClassifier", partial(SteadyClassifier, candidates=(Logistic(1.0),)))


def joined(frame=None, campaign=None, labels=None):
    asked = Campaign.from_document(campaign or toml()) if not isinstance(campaign, Campaign) else campaign
    people = raw_features_of(asked, mixed() if frame is None else frame, None)
    known = (MADE.graph.ids, (MADE.labels if labels is None else labels).astype(object))
    return surveyed("own", NamedParts(MADE.graph, True, people, known), asked)


def toml():
    import tomllib

    return tomllib.loads(TOML)


@pytest.mark.usefixtures("one_candidate")
def test_a_mixed_table_is_evaluated_by_the_questions_of_a_campaign(place):
    how = ("--campaign", place / "survey.toml", "--task", "nodes", "--repeats", 2, "--results", place / "one")
    result = evaluated(place, *how, "--json")
    assert result.exit_code == 0, result.output
    (one,) = map(json.loads, result.stdout.splitlines())
    assert (one["baseline"], one["epsilon"], one["k"]) == ("campaign", 3.0, 2), "the file states both"
    assert all(0 < one[control] <= 100 for control in CONTROLS)
    assert one["no_privacy"] > 85, "the town tells the team"
    assert max(one["structure_only"], one["shuffled"]) < one["mean"] < one["no_privacy"]
    assert one["worth"] == min(one["lift"], one["lift_over_shuffled"])
    said = result.stderr.splitlines()
    for words in ("left out 1 column that is not a feature of the campaign: 'shoe'", "values not in the list"):
        assert sum(words in line for line in said) == 1, "it is said once, and not in every repeat"
    assert run("report", place / "one").exit_code == 0
    assert one["sentence"] in (place / "one" / "report.md").read_text()


@pytest.mark.usefixtures("one_candidate")
def test_budgets_of_the_command_come_before_that_of_the_file(place):
    how = ("--campaign", place / "survey.toml", "--task", "nodes", "--repeats", 1, "--results", place / "two")
    result = evaluated(place, *how, "--epsilon", 1, "--epsilon", 6, "--k", 1, "--json")
    assert result.exit_code == 0, result.output
    assert [(row["epsilon"], row["k"]) for row in map(json.loads, result.stdout.splitlines())] == [(1, 1), (6, 1)]
    cells = {(cell.method.name, cell.features) for cell, _ in Results(place / "two").read("nodes", "own")}
    assert cells >= {("campaign", "own"), ("campaign", "shuffled"), ("structure", "own"), ("none", "own")}


def test_the_campaign_keeps_its_laws_unless_the_budget_is_another():
    data = joined()
    same, other = data.at(3.0, 2, "why"), data.at(1.0, 1, "why")
    assert [each.laws for each in same.questions] == [each.laws for each in data.campaign.questions]
    assert 0.9 < other.realised_epsilon <= 1 < data.campaign.realised_epsilon <= 3
    assert (other.raw_names, other.purpose, other.k) == (data.campaign.raw_names, "why", 1)
    short = Campaign(dimensions=1, names=["age"], low=0, high=100, mechanism="piecewise", epsilon=2.0, levels=65)
    people = features_of(mixed()[["id", "age"]])
    numbers = surveyed("own", NamedParts(MADE.graph, True, people, None), short)
    assert numbers.at(2.0, 1, "").law == short.law
    assert (numbers.at(1.0, 1, "").mechanism, numbers.at(1.0, 1, "").levels) == ("piecewise", 65)
    assert 0.9 < numbers.at(1.0, 1, "").realised_epsilon <= 1


def test_the_order_of_lines_does_not_matter():
    frame, data = mixed(), joined()
    other = joined(frame.sample(frac=1, random_state=1))
    campaign = data.at(3.0, 2, "why")
    assert (data.simulated(campaign, 7).codes == other.simulated(campaign, 7).codes).all()
    assert fingerprint_of(data) == fingerprint_of(other)


def test_shuffled_values_are_those_of_others_and_everybody_keeps_what_is_asked():
    data = joined()
    campaign, whose = data.at(500.0, 3, "why"), np.roll(np.arange(240), 1)
    own, others = data.simulated(campaign, 7), data.simulated(campaign, 7, whose)
    assert own.ids.tolist() == others.ids.tolist() == MADE.graph.ids.tolist()
    town = slice(1, 5)  # at this budget an answer of a choice is the truth
    assert (own.decode().toarray()[:, town] == data.truth().toarray()[:, town]).all()
    assert (others.decode().toarray()[:, town] == data.truth().toarray()[whose, town]).all()


def test_who_has_no_row_does_not_report_and_strangers_are_left_out(caplog):
    frame = mixed()
    frame.loc[0, "id"] = "a stranger"
    data = joined(frame[:200])
    assert len(data.people.ids) == 199
    assert "left out the features of 1 ids that are not nodes" in caplog.messages
    assert "41 of 240 nodes have no features, and do not report" in caplog.messages
    with pytest.raises(BadData, match="none of the 240 ids with features is a node"):
        joined(mixed().assign(id=[f"x{i}" for i in range(240)]))


def test_other_values_or_questions_are_another_dataset_and_another_budget_is_not():
    first = fingerprint_of(joined())
    assert fingerprint_of(joined(campaign={**toml(), "epsilon": 1.0, "purpose": "other"})) == first
    changed = mixed()
    changed.loc[9, "age"] += 1
    assert fingerprint_of(joined(changed)) != first
    asked = toml()
    asked["questions"][0]["high"] = 99
    assert fingerprint_of(joined(campaign=asked)) != first


def test_what_has_no_true_value_has_no_control_without_privacy():
    encoding = Encoding((NumberFeature("age", 0, 100), NumberFeature("shoe", 0, 60)))
    data = joined(campaign=Campaign(questions=[Direction(encoding)], epsilon=2.0))
    own = own_of(data, Evaluation(settings={"nodes": Settings(), "links": Settings()}, epsilons=()))
    assert (own.clean, own.epsilons, own.methods[0].name) == (False, (2.0,), "campaign")


def test_what_no_campaign_can_be_is_refused_before_the_work():
    settings = {"nodes": Settings(), "links": Settings()}
    with pytest.raises(InvalidCampaign, match="k"):
        own_of(joined(), Evaluation(settings=settings, epsilons=(), k=9))
    control = Campaign(dimensions=1, names=["age"], low=0, high=100, mechanism="none")
    people = features_of(mixed()[["id", "age"]])
    with pytest.raises(BadData, match="is a control"):
        surveyed("own", NamedParts(MADE.graph, True, people, None), control)


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ((), 3, "feature 'reads' is not a number but text, and text needs a kind: state it in [[questions]] of a"),
        (("--campaign", "survey.toml", "--mechanism", "piecewise"), 2, "--mechanism has no effect with --campaign"),
        (("--campaign", "survey.toml", "--low", 1), 2, "--low has no effect with --campaign"),
        (("--campaign", "nowhere.toml"), 3, "nowhere.toml: no such file"),
        (("--campaign", "survey.toml", "--method", "fused", "--task", "nodes"), 3, "not a campaign"),
    ],
)
def test_what_cannot_be_is_said(place, monkeypatch, options, code, said):
    monkeypatch.chdir(place)
    result = evaluated(place, *options, "--results", place / "none")
    assert (result.exit_code, said in " ".join(result.output.split())) == (code, True), result.output
