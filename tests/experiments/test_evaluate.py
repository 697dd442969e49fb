"""``privge evaluate``: the protocol on one's own data is that of `reproduce`, with all controls that the data allow."""

import json
from dataclasses import asdict, fields, replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from privge.campaign import Campaign
from privge.cli import main
from privge.cli.evaluate import WhatOptions
from privge.datasets import Dataset, load, social_network
from privge.datasets.cache import data_directory
from privge.datasets.catalogue import DATASETS
from privge.datasets.export import write_folder
from privge.datasets.loading import describe
from privge.embedding import embed
from privge.embedding.join import feature_rows
from privge.experiments import run as run_module
from privge.experiments import schedule
from privge.experiments.cell import Cell
from privge.experiments.collected import Collected, of_people_in
from privge.experiments.evaluate import Evaluation, own_of, stated_settings
from privge.experiments.method import LABEL_PROPAGATION, PPR_SCORE, REPORTS
from privge.experiments.plan import HDS, task_plan
from privge.experiments.results import Results
from privge.experiments.run import run_cell
from privge.experiments.verdicts import caution
from privge.mechanisms import NoPrivacy, StructureOnly
from privge.recommendation import Signals
from privge.reports import Reports
from privge.tasks import SteadyClassifier, split_nodes
from privge.tasks.classification.candidates import Logistic
from privge.tasks.settings import Settings

QUICK = {
    "nodes": Settings(k=2, head={"epochs": 2, "hidden": 8}),
    "links": Settings(k=2, head={"epochs": 1, "budget": 50}),
}
QUICKLY = ("--repeats", 2, "--head", "paper")
CONTROLS = ("structure_only", "shuffled", "structure_channel", "no_privacy")
TOLD = ("accuracy", "macro_f1", "auc", "average_precision", "validation", "majority", "friends", "seed", "split")


def run(*arguments):
    return CliRunner().invoke(main, [str(a) for a in arguments])


def told(result):
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A small network as a dataset, and as files; some labels are unknown."""
    folder = tmp_path_factory.mktemp("own")
    made = social_network(240, 3, 6, seed=1)
    people = pd.DataFrame(made.features, columns=list("abcdef"), index=pd.Index(made.graph.ids, name="id"))
    labels = {node: f"group {label}" for node, label in zip(made.graph.ids, made.labels, strict=True)}
    data = Dataset.from_frames(made.graph, people, {**labels, "person-0007": None}, name="small")
    write_folder(data, folder / "small", QUICK)
    people.reset_index().to_csv(folder / "people.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def evaluated(place):
    return told(run("evaluate", "--dataset", place / "small", *QUICKLY, "--results", place / "one", "--json"))


def test_every_number_stands_beside_all_controls(evaluated):
    assert [one["task"] for one in evaluated] == ["nodes", "links"]
    for one in evaluated:
        assert all(0 < one[control] <= 100 for control in CONTROLS)
        assert one[{"nodes": "label_propagation", "links": "ppr_score"}[one["task"]]] > 0
        assert one["repeats"] == 2
    assert 30 < evaluated[0]["majority"] < 60
    assert evaluated[1]["majority"] is None


def test_it_ends_in_a_sentence_with_the_interval(evaluated):
    for one in evaluated:
        assert one["worth_low"] <= one["worth"] <= one["worth_high"]
        assert one["worth"] == min(one["lift"], one["lift_over_shuffled"])
        assert f"the private channel is worth {one['worth']:+.1f} points (95 %: " in one["sentence"]


def test_it_says_where_the_lift_sits(evaluated):
    for one in evaluated:
        assert {row["people"] for row in one["friends"]} >= {"3 to 10 friends", "more friends"}
        assert all(round(row["mean"] - row["null"] - row["lift"], 2) == 0 for row in one["friends"])


def test_groups_of_friends_make_up_everybody(place, evaluated):
    """The accuracy of everybody is the mean of the groups, weighed by how many are in each."""
    assert evaluated
    data, record = load(place / "small"), next(iter(Results(place / "one").read("nodes", "small").values()))
    from privge.tasks import split_nodes
    from privge.tasks.friends import by_friends

    test = split_nodes(data.labels, seed=record["split"]).test
    groups = {name: inside.sum() for name, inside in by_friends(data.graph.degrees[test]) if name != "everybody"}
    found = sum(count * (record["friends"][name] or 0) for name, count in groups.items()) / sum(groups.values())
    assert found == pytest.approx(record["accuracy"], abs=0.01)


def test_what_is_finished_is_never_run_again(place, evaluated, monkeypatch):
    monkeypatch.setattr(schedule, "run_cell", lambda *_: pytest.fail("it was run again"))
    again = run("evaluate", "--dataset", place / "small", *QUICKLY, "--results", place / "one", "--json")
    assert told(again) == evaluated


@pytest.fixture
def one_candidate(monkeypatch):
    """Let the default head choose among one, for speed."""
    monkeypatch.setattr(run_module, "SteadyClassifier", partial(SteadyClassifier, candidates=(Logistic(1.0),)))


@pytest.mark.usefixtures("one_candidate")
def test_own_data_are_evaluated_by_the_default_head_and_the_catalogue_by_the_paper_s(place, monkeypatch):
    how, read = ("--task", "nodes", "--repeats", 1, "--results", place / "steady"), []
    monkeypatch.setattr("privge.cli.evaluated.load", lambda *given, **more: read.append(1) or load(*given, **more))
    result = run("evaluate", "--dataset", place / "small", *how)
    assert result.exit_code == 0, result.output
    assert read == [1], "files are read once, and what they miss is said once"
    assert "by the default head of `privge classify`" in result.stdout
    assert told(run("evaluate", "--dataset", place / "small", *how, "--json"))[0]["head"] == "default"
    stored = Results(place / "steady").read("nodes", "small")
    record = next(each for (cell, _), each in stored.items() if cell.method is HDS and cell.features == "own")
    assert record["settings"]["head"] == {"kind": "default"}
    assert record["settings"]["k"] == QUICK["nodes"].k, "the walk and k of the settings stay"
    data, purpose = load(place / "small"), "simulation on public data, repeat 0"
    campaign = Campaign(dimensions=6, low=0, high=1, mechanism="hds", epsilon=1.0, k=2, purpose=purpose)
    reports = campaign.simulate(data.features, ids=data.graph.ids.tolist(), seed=record["seed"])
    z, split = embed(data.graph, reports, tolerance=1e-5).matrix, split_nodes(data.labels, seed=record["split"])
    steady = SteadyClassifier(candidates=(Logistic(1.0),), seed=0).fit(z, data.labels, train=split.train)
    right = steady.predict(z[split.test]) == data.labels[split.test]
    assert record["accuracy"] == pytest.approx(100 * right.mean(), abs=2)  # up to the tolerance of the walk
    plain = {field.name: None for field in fields(WhatOptions)}
    heads = [WhatOptions(**plain).head_for(each) for each in (None, describe(str(place / "small")), describe("cora"))]
    assert heads == ["default", "default", "paper"]


def test_another_dataset_of_the_same_name_is_refused(place, evaluated, tmp_path):
    assert evaluated
    data = load(place / "small")
    write_folder(replace(data, labels=(data.labels + 1) % 3), tmp_path / "small")
    result = run("evaluate", "--dataset", tmp_path / "small", "--results", place / "one")
    assert result.exit_code == 3
    assert "results of another dataset called small here, or its files have changed" in result.output


def test_the_page_shows_evaluations(place, evaluated):
    assert evaluated
    assert run("report", place / "one").exit_code == 0
    page, summary = (place / "one" / "report.html").read_text(), (place / "one" / "report.md").read_text()
    for words in ("small: nodes", "small: links", "structure channel", "largest class", evaluated[0]["sentence"]):
        assert words.replace("'", "&#39;") in page
        assert words in summary


def test_files_are_the_same_as_the_folder(place, evaluated):
    folder = place / "small"
    files = ("--graph", folder / "edges.csv", "--nodes", folder / "nodes.csv", "--labels", folder / "labels.csv")
    how = ("--settings", folder / "settings.toml", "--name", "small", *QUICKLY, "--task", "nodes", "--json")
    given = told(run("evaluate", *files, "--features", place / "people.csv", *how, "--results", place / "files"))
    first = Results(place / "one").read("nodes", "small")
    for (cell, repeat), record in Results(place / "files").read("nodes", "small").items():
        assert {name: record.get(name) for name in TOLD} == {name: first[cell, repeat].get(name) for name in TOLD}
    assert given[0]["repeats"] == 2
    assert evaluated[0]["k"] == given[0]["k"]


@pytest.fixture(scope="module")
def collected(place):
    """Reports of a real collection, of all but ten people; and of a stranger."""
    people = pd.read_csv(place / "people.csv")
    people.loc[0, "id"] = "a stranger"
    campaign = Campaign(dimensions=6, low=0, high=1, mechanism="hds", epsilon=2.0, k=1, names=list("abcdef"))
    campaign.simulate(people[:230].set_index("id"), seed=3).to_parquet(place / "reports.parquet")
    folder = place / "small"
    files = ("--graph", folder / "edges.csv", "--nodes", folder / "nodes.csv", "--labels", folder / "labels.csv")
    how = (*QUICKLY, "--json", "--settings", folder / "settings.toml", "--results", place / "collected")
    return run("evaluate", *files, "--reports", place / "reports.parquet", *how)


def test_of_reports_there_is_everything_that_needs_no_features(collected):
    nodes, links = told(collected)
    for one in (nodes, links):
        assert (one["baseline"], one["epsilon"], one["k"]) == ("reports", 2.0, 1)
        assert one["structure_only"] > 0
        assert one["structure_channel"] > 0
        assert one["shuffled"] > 0
        assert one["no_privacy"] is None
        assert one["worth"] == min(one["lift"], one["lift_over_shuffled"])
    assert "left out 1 report of people who are not in the graph" in collected.stderr


def test_shuffled_reports_are_those_of_others_among_whoever_reported(place, collected, monkeypatch):
    assert told(collected)
    graph, seen = load(place / "small").graph, []
    reports = Reports.from_parquet(place / "reports.parquet")
    reports, _ = of_people_in(graph, reports)
    data = Collected("own", graph, load(place / "small").labels, load(place / "small").classes, reports)
    plain, walked = feature_rows(graph, reports).toarray(), Signals.on
    monkeypatch.setattr(Signals, "on", lambda self, *how, **more: seen.append(self) or walked(self, *how, **more))
    settings = own_of(data, Evaluation(settings=QUICK, head="paper")).settings["nodes"]
    for repeat in (0, 1):
        run_cell(Cell("nodes", "own", REPORTS, 2.0, 1, features="shuffled"), repeat, settings, data, threads=1)
    for signals in seen:
        rows = signals.rows.toarray()
        assert ((rows != 0).any(axis=1) == (plain != 0).any(axis=1)).all(), "only who reported has a report"
        assert sorted(map(tuple, rows)) == sorted(map(tuple, plain)), "the same reports"
        assert (rows != plain).any(), "of other people"
    assert (seen[0].rows.toarray() != seen[1].rows.toarray()).any(), "of others in every repeat"
    vectors = Signals(seen[0].rows.__class__(plain), settings.walk).on(graph)
    assert np.abs(vectors - embed(graph, reports, **asdict(settings.walk)).matrix).max() < 2 * settings.tolerance


def test_few_repeats_are_said_to_tell_little_and_no_interval_is_beyond_what_is_possible(place, evaluated):
    assert evaluated
    shown = run("evaluate", "--dataset", place / "small", *QUICKLY, "--results", place / "one")
    assert "2 repeats tell little" in shown.stdout
    assert "--repeats" in shown.stdout
    assert run("report", place / "one").exit_code == 0
    assert "2 repeats tell little" in (place / "one" / "report.md").read_text()
    assert "repeats tell little" not in str(caution([]))
    for one in evaluated:
        assert -100 <= one["lift_low"] <= one["lift_high"] <= 100
        assert all(-100 <= row["lift_low"] <= row["lift_high"] <= 100 for row in one["friends"] if row["lift_low"])


def test_reports_are_never_drawn_again(place, collected):
    """Both repeats use the same reports: on the same split the same numbers."""
    assert told(collected)
    records = Results(place / "collected").read("nodes", "own")
    mine = {repeat for (cell, repeat) in records if cell.method.name == "reports"}
    assert mine == {0, 1}


def test_methods_beyond_the_paper_have_their_nulls(place):
    how = ("--method", "fused", "--task", "nodes", "--epsilon", 2, "--repeats", 1, "--results", place / "beyond")
    rows = told(run("evaluate", "--dataset", place / "small", *how, "--json"))
    assert [row["method"] for row in rows] == ["structure", "no-privacy", "fused", "fused-shuffled"]
    assert run("report", place / "beyond").exit_code == 0
    assert "## Small" in (place / "beyond" / "beyond.md").read_text()


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ((), 2, "Give --dataset, or --graph and --labels"),
        (("--dataset", "nowhere"), 2, "there is no dataset 'nowhere'; there are cora"),
        (("--dataset", "./nowhere"), 3, "nowhere: there is no such folder"),
        (("--dataset", "cora", "--reports", "r.parquet"), 2, "Give --dataset, or"),
        (("--dataset", "cora", "--labels", "l.csv"), 2, "--labels has no effect with --dataset"),
        (("--features", "x.csv"), 2, "Give --graph"),
        (("--dataset", "cora", "--method", "magic"), 3, "there is no method 'magic'"),
    ],
)
def test_what_cannot_be_evaluated_is_said(options, code, said):
    result = run("evaluate", *options)
    assert (result.exit_code, said in " ".join(result.output.split())) == (code, True), result.output


def test_too_few_labels_are_refused_before_the_work(place, tmp_path):
    folder = place / "small"
    (tmp_path / "labels.csv").write_text("id,label\nperson-0001,a\nperson-0002,b\n")
    files = ("--graph", folder / "edges.csv", "--features", place / "people.csv", "--labels", tmp_path / "labels.csv")
    result = run("evaluate", *files, "--results", tmp_path / "r")
    assert result.exit_code == 3
    assert "2 labelled nodes of 2 classes are too few to judge by" in result.output
    assert not (tmp_path / "r").exists()


def records(name, folder, settings):
    """What a dataset of the catalogue comes to, and the same as a folder."""
    data, own = load(name), load(folder)
    for task, graph_alone in (("nodes", LABEL_PROPAGATION), ("links", PPR_SCORE)):
        cell = Cell(task, name, HDS, 1.0, settings[task].k)
        noise = replace(cell, method=StructureOnly, epsilon=None)
        no_privacy = replace(cell, method=NoPrivacy, epsilon=None, k=None)
        for one in (cell, replace(cell, features="shuffled"), noise, no_privacy, Cell(task, name, graph_alone)):
            yield tuple(run_cell(one, 0, settings[task], source, threads=1) for source in (data, own))


def test_a_dataset_as_a_folder_gives_the_numbers_that_reproduce_gives(tmp_path):
    plans = {task: task_plan(task).datasets["synthetic"] for task in ("nodes", "links")}
    quick = {task: replace(plan, head={**plan.head, **QUICK[task].head}) for task, plan in plans.items()}
    write_folder(load("synthetic"), tmp_path / "synthetic")
    for listed, own in records("synthetic", tmp_path / "synthetic", quick):
        assert {name: own.get(name) for name in TOLD} == {name: listed.get(name) for name in TOLD}


@pytest.mark.skipif(bool(data_directory().missing(DATASETS["citeseer"])), reason="the published files are not at hand")
def test_citeseer_as_a_folder_gives_the_numbers_that_reproduce_gives(tmp_path):
    result = run("datasets", "citeseer", "--export", tmp_path / "citeseer")
    assert result.exit_code == 0, result.output
    cell, plan = Cell("nodes", "citeseer", HDS, 1.0, 5), task_plan("nodes").datasets["citeseer"]
    description = describe(str(tmp_path / "citeseer"))
    own = load(description)
    what = Evaluation(settings=stated_settings(description, None, ("nodes",)), methods=(HDS,), head="paper")
    assert own_of(own, what).settings["nodes"] == plan
    listed, mine = (run_cell(cell, 0, plan, data, threads=1) for data in (load("citeseer"), own))
    assert {name: mine[name] for name in TOLD if name in mine} == {
        name: listed[name] for name in TOLD if name in listed
    }
