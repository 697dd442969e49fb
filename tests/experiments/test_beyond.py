"""Beyond the paper: every method on the same people, beside structure with the same labels."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from privge.cli import main
from privge.datasets import social_network
from privge.datasets.worlds import World, world
from privge.errors import BadData
from privge.experiments.beyond.conclusions import conclusions
from privge.experiments.beyond.methods import METHODS, Method
from privge.experiments.beyond.page import write_beyond
from privge.experiments.beyond.plan import REPEATS, Trial, measured, trials
from privge.experiments.beyond.records import path_of, read, unfinished
from privge.experiments.beyond.run import scores
from privge.experiments.beyond.situation import Situation
from privge.experiments.beyond.table import Table
from privge.experiments.lines import append_line
from privge.experiments.run import FIRST_SPLIT
from privge.questions import Encoding
from privge.tasks import split_nodes
from privge.tasks.fusion import RULE

COMMITTED = Path(__file__).parent.parent.parent / "docs/results"
STRUCTURE = Trial("demo", METHODS["structure"])
FIRST = measured()["demo"].first_seed
PAPER = Trial("demo", METHODS["paper"], 1.0)


def save(folder, trial, values, few=None, **more):
    for repeat, value in enumerate(values):
        groups = dict.fromkeys(("accuracy", "few_friends", "some_friends", "many_friends"), value)
        groups["few_friends"] = value if few is None else few[repeat]
        append_line(path_of(folder, trial.dataset), {**trial.identity(), "seed": FIRST + repeat, **groups, **more})


def test_every_dataset_has_at_least_six_seeds_and_they_are_not_those_of_the_demo_or_of_tuning():
    assert REPEATS >= 6
    for name, dataset in measured().items():
        assert dataset.first_seed >= (110 if split_is_real(name) else 60)


def split_is_real(name):
    return name not in ("demo", "platform", "platform-4")


def situation(name="demo", seed=40):
    return Situation(world(name, seed), seed)


@pytest.mark.parametrize("name", ["demo", "platform"])
def test_nobody_is_in_two_parts_and_only_known_labels_are_known(name):
    people = situation(name)
    parts = [people.train, people.validation, people.test]
    assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(people.world.graph.nodes))
    assert (people.known[people.test] == -1).all()
    assert (people.known[people.train] == people.world.labels[people.train]).all()


def test_a_dataset_is_divided_as_in_the_paper_s_experiments():
    people = situation("synthetic", FIRST_SPLIT)
    assert np.array_equal(people.test, split_nodes(people.world.labels, seed=FIRST_SPLIT).test)


def test_who_is_found_is_counted_by_number_of_friends():
    people = situation()
    friends = people.world.graph.degrees
    counted = scores(people, np.where(friends <= 2, people.world.labels, -1))
    assert (counted["few_friends"], counted["some_friends"], counted["many_friends"]) == (100, 0, 0)
    assert counted["accuracy"] == pytest.approx(100 * (friends[people.test] <= 2).mean(), abs=1e-3)


def test_no_method_reads_the_labels_of_those_who_are_to_be_found():
    """Permuted test labels change what is counted, never what is found."""
    made = social_network(900, seed=40)
    encoding = Encoding.numbers(made.features.shape[1], 0.0, 1.0)
    split = split_nodes(made.labels, seed=40, shares=(0.4, 0.1, 0.5))
    mine = Situation(World("demo", made.graph, made.features, made.labels, encoding, split), 40)
    labels = mine.world.labels.copy()
    labels[mine.test] = np.random.default_rng(0).permutation(labels[mine.test])
    other = Situation(replace(mine.world, labels=labels), 40)
    for name in ("structure", "paper", "fused", "taught", "taught-panel", "no-privacy"):
        found = [METHODS[name].run(one, 2.0) for one in (mine, other)]
        assert np.array_equal(*found), name


def test_a_run_continues_and_structure_is_always_there(tmp_path):
    wanted = trials(("demo",), ("paper",), (1.0,))
    assert wanted == [STRUCTURE, PAPER]
    save(tmp_path, PAPER, [30.0])
    assert unfinished(tmp_path, wanted, 2) == {("demo", FIRST): [STRUCTURE], ("demo", FIRST + 1): wanted}


@pytest.mark.parametrize("asked", [{"datasets": ("atlantis",)}, {"methods": ("magic",)}, {"epsilons": (7.7,)}])
def test_what_there_is_not_is_refused(asked):
    with pytest.raises(BadData, match=r"there is no (dataset|method)|no experiment has"):
        trials(**asked)


def test_lifts_are_those_over_the_structure_of_the_same_seeds(tmp_path):
    save(tmp_path, STRUCTURE, [91.0, 91.5])
    save(tmp_path, PAPER, [92.0, 93.5, 0.0])  # the third has no control, and does not count
    table = Table(tmp_path, "demo")
    gain = table.gain(PAPER)
    assert gain.lift.mean == pytest.approx(1.5)
    assert gain.error == pytest.approx(0.5)
    assert str(gain) == "+1.50 ± 0.50"


def test_people_with_few_friends_have_a_lift_of_their_own(tmp_path):
    save(tmp_path, STRUCTURE, [90.0, 90.0], few=[60.0, 61.0])
    save(tmp_path, PAPER, [90.0, 90.0], few=[70.0, 71.0])
    row = Table(tmp_path, "demo").row(PAPER)
    assert (row["lift"], row["few_friends_lift"]) == (0.0, 10.0)


def test_a_null_that_helps_is_said_to_and_one_that_does_not_is_said_not_to(tmp_path, monkeypatch):
    null = Method("null", "the null", "null", "", lambda _situation, _epsilon: None)
    monkeypatch.setitem(METHODS, "null", null)
    save(tmp_path, STRUCTURE, [90.0, 90.1, 90.0])
    trial = Trial("demo", null, 1.0)
    save(tmp_path, trial, [90.0, 90.1, 89.9])
    assert "it fails to help, as it must" in " ".join(conclusions(Table(tmp_path, "demo")))
    save(tmp_path, trial, [92.0, 92.1, 91.9])
    assert "it must not" in " ".join(conclusions(Table(tmp_path, "demo")))


def test_the_page_has_both_groups_and_says_what_follows(tmp_path):
    save(tmp_path, STRUCTURE, [90.0, 90.1, 90.0])
    save(tmp_path, PAPER, [30.0, 31.0, 30.5])
    assert write_beyond(tmp_path, tmp_path / "beyond.md")
    page = (tmp_path / "beyond.md").read_text(encoding="utf-8")
    assert "| the paper's vectors | 30.5 (-59.53 ± 0.26)" in page
    assert "people with at most two friends" in page
    assert "worse than structure" in page
    assert "nan" not in page


def test_the_page_names_what_was_fused_by_a_former_rule_and_nothing_else(tmp_path):
    save(tmp_path, STRUCTURE, [90.0, 90.1])
    save(tmp_path, PAPER, [30.0, 31.0])
    save(tmp_path, Trial("demo", METHODS["taught"], 1.0), [91.0, 92.0], fusion=RULE)
    save(tmp_path, Trial("demo", METHODS["other-profile"], 1.0), [90.0, 90.1])
    write_beyond(tmp_path, tmp_path / "beyond.md")
    said = [line for line in (tmp_path / "beyond.md").read_text(encoding="utf-8").splitlines() if "former" in line]
    assert [line.rpartition(": ")[2] for line in said] == ["answers from another profile."]


def test_a_damaged_line_is_named(tmp_path):
    save(tmp_path, STRUCTURE, [90.0])
    with path_of(tmp_path, "demo").open("ab") as file:
        file.write(b'{"method": "structure"}\n')
    with pytest.raises(BadData, match=r"beyond-demo\.jsonl, line 2"):
        read(tmp_path, "demo")


def test_the_command_runs_keeps_and_prints_each_number_beside_structure(tmp_path):
    ask = ["-q", "reproduce", "beyond", "--dataset", "demo", "--method", "paper", "--epsilon", "4", "--repeats", "1"]
    result = CliRunner().invoke(main, [*ask, "--json", "--results", str(tmp_path)])
    assert result.exit_code == 0, result.output
    rows = {row["method"]: row for row in map(json.loads, result.stdout.splitlines())}
    assert list(rows) == ["structure", "paper"]
    assert rows["structure"]["mean"] > 85
    assert rows["paper"]["lift"] < 0
    lines = path_of(tmp_path, "demo").read_text()
    CliRunner().invoke(main, [*ask, "--results", str(tmp_path)])
    assert path_of(tmp_path, "demo").read_text() == lines
    written = CliRunner().invoke(main, ["report", str(tmp_path)])
    assert (written.exit_code, (tmp_path / "beyond.md").exists()) == (0, True)


@pytest.mark.parametrize("wrong", [["beyond", "--mechanism", "hds"], ["nodes", "--method", "paper"]])
def test_options_of_the_other_kind_of_experiment_are_refused(wrong):
    assert CliRunner().invoke(main, ["reproduce", *wrong]).exit_code == 2


@pytest.mark.parametrize("dataset", [name for name in measured() if path_of(COMMITTED, name).exists()])
def test_every_committed_result_is_counted(dataset):
    assert len(read(COMMITTED, dataset)) == len(path_of(COMMITTED, dataset).read_text().splitlines())


def test_the_help_of_reproduce_names_every_method():
    help_text = CliRunner().invoke(main, ["reproduce", "--help"]).stdout
    (listed,) = re.findall(r"Methods of beyond(.*?)no-privacy  ", help_text, re.DOTALL)
    words = set(re.findall(r"[a-z]+(?:-[a-z]+)*", listed)) | {"no-privacy"}
    assert set(METHODS) <= words
