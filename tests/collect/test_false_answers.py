"""Campaigns of questions are verified as others are: nobody honest is accused, whatever is asked; crude liars are."""

import json
import sqlite3
from contextlib import closing
from datetime import date

import numpy as np
import pytest
from click.testing import CliRunner

from privge import Campaign
from privge.campaign import Assignment
from privge.cli import main
from privge.collect.groups import answers_by_law
from privge.collect.plausibility import ALPHA, extremes, least_false
from privge.collect.stores import Upload, open_store
from privge.mechanisms import Nearest
from privge.questions import (
    Choice,
    ChoiceFeature,
    Direction,
    Encoding,
    Model,
    Number,
    NumberFeature,
    YesNo,
    YesNoFeature,
)

DAY = date(2026, 11, 17)
NODES = [f"n{number}" for number in range(1200)]
AGE, OWNS = NumberFeature("age", 0, 100, levels=17), YesNoFeature("owns")
PLACE = ChoiceFeature("place", ("de", "fr", "at", "other"))
PROFILE = Encoding((AGE, OWNS, PLACE))
WEIGHTS = [[3, -2, 5, 1, 0, 1], [-3, 2, -5, 0, 1, 1], [1, 1, 0, -4, 2, 1]]


def personal():
    classes = np.tile(np.arange(3), (len(NODES), 1))
    classes[::3, 2] = -1  # every third is asked about two of the classes
    return Assignment.of(NODES, classes, bits=2)


CAMPAIGNS = {
    "direction": Campaign(questions=[Direction(PROFILE, directions=16)], epsilon=2.0),
    "model": Campaign(questions=[Model(PROFILE, WEIGHTS, classes=("a", "b", "c"))], epsilon=1.0),
    "personal": Campaign(
        questions=[Model(PROFILE, WEIGHTS, classes=("a", "b", "c"))], epsilon=1.0, assignment=personal(), round="spring"
    ),
    "several": Campaign(questions=[Number(AGE), YesNo(OWNS), Choice(PLACE)], epsilon=2.0, k=2),
}


def honest(campaign, seed=0, alike=False):
    """Return honest codes, of people who are all alike or of different ones."""
    generator, people = np.random.default_rng(seed), len(NODES)
    columns = {
        "age": np.full(people, 90.0) if alike else generator.uniform(0, 100, people),
        "owns": np.ones(people) if alike else generator.integers(0, 2, people),
        "place": np.full(people, "fr", dtype=object)
        if alike
        else generator.choice(["de", "fr", "at"], people).astype(object),
    }
    return campaign.simulate(columns, ids=NODES, seed=seed).codes.copy()


def filled(path, campaign, codes):
    store = open_store(str(path))
    for shard in (campaign.assignment.shards if campaign.assignment else {}).values():
        store.add_shard(shard, day=DAY)
    store.add_campaign(campaign)
    uploads = [Upload(node, row.astype("<u2").tobytes()) for node, row in zip(NODES, codes, strict=True)]
    store.put(campaign.id, uploads, day=DAY)
    store.close()


def verify(path, code):
    result = CliRunner().invoke(main, ["store", "verify", "--store", str(path), "--json"])
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize("alike", [False, True])
@pytest.mark.parametrize("name", CAMPAIGNS)
def test_honest_answers_are_counted_and_not_accused(tmp_path, name, alike):
    filled(tmp_path / "s.db", CAMPAIGNS[name], honest(CAMPAIGNS[name], alike=alike))
    (found,) = verify(tmp_path / "s.db", code=0)["unexplained"]
    assert (found["reports"], found["false"]) == (len(NODES), 0)


@pytest.mark.parametrize("name", ["direction", "model", "personal", "several"])
def test_crude_liars_are_seen_and_never_more_than_there_are(tmp_path, name):
    codes = honest(CAMPAIGNS[name])
    liars = slice(0, 900)
    codes[liars] = 1
    filled(tmp_path / "s.db", CAMPAIGNS[name], codes)
    found = verify(tmp_path / "s.db", code=3)
    assert 0 < found["unexplained"][0]["false"] <= 900
    assert "its law does not give such codes" in found["problems"][0]


def test_people_asked_about_other_numbers_of_classes_are_groups_of_their_own():
    """Among those asked about two classes 80 % of one code may be honest; among those asked about three it is not."""
    campaign = CAMPAIGNS["personal"]
    codes = honest(campaign)
    codes[::3] = 1
    groups = answers_by_law(campaign, [(np.array(NODES, dtype=object), codes)])
    assert {law.outputs: int(counts.sum()) for law, counts in groups} == {2: 400, 3: 800}
    false = {law.outputs: least_false(law, 1, counts, ALPHA / 2) for law, counts in groups}
    assert false[2] > 0
    assert false[3] == 0


def test_a_run_of_directions_has_the_weights_that_enumeration_gives():
    law = Nearest(5, 2, 2**50, 2**48)
    rows = [law.weights(near) for near in ((a, b) for a in range(5) for b in range(a))]
    most, least = extremes(law)
    runs = [[0], [1], [2], [3], [4], [0, 1], [2, 3], [4], [0, 1, 2, 3], [4]]
    assert most.tolist() == [max(int(row[run].sum()) for row in rows) for run in runs]
    assert least.tolist() == [min(int(row[run].sum()) for row in rows) for run in runs]


def test_an_answer_outside_the_law_of_its_node_and_one_of_somebody_not_asked_are_found(tmp_path):
    campaign = CAMPAIGNS["personal"]
    filled(tmp_path / "s.db", campaign, honest(campaign))
    with closing(sqlite3.connect(tmp_path / "s.db")) as database, database:
        database.execute("UPDATE reports SET codes = ? WHERE sequence IN (1, 2)", (b"\2\0",))
        database.execute("UPDATE reports SET node = ? WHERE sequence = 3", (b"sstranger",))
    problems = verify(tmp_path / "s.db", code=3)["problems"]
    assert any("2 reports have codes of a wrong length or range" in each for each in problems), problems
