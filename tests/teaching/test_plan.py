"""A plan is decided before anybody reports, and comes back from its file as it was."""

import numpy as np
import pytest

from privge.errors import BadData
from privge.teaching import AskedQuestion, Plan, TaughtQuestion, Teaching


@pytest.fixture(scope="module")
def plan(world):
    known = world.split.train.tolist() + world.split.validation.tolist()
    names = np.array(["art", "books", "cars"])
    ids = world.graph.ids[known]
    return Plan.make(world.graph, (ids.tolist(), names[world.labels[known]].tolist()), epsilon=2.0)


@pytest.fixture
def question(world, plan):
    weights = np.random.default_rng(0).normal(0, 2, (3, 12))
    taught = TaughtQuestion(
        world.encoding, ("art", "books", "cars"), weights, np.zeros(3), Teaching("reports", 9, 9, 2.0, "0" * 64, 0.5)
    )
    return AskedQuestion.of(taught, plan)


def test_a_plan_comes_back_from_its_file(tmp_path, plan):
    plan.save(tmp_path / "plan.parquet")
    again = Plan.load(tmp_path / "plan.parquet")
    for name in ("teachers", "asked", "judges", "classes"):
        np.testing.assert_array_equal(getattr(again.roles, name), getattr(plan.roles, name))
    np.testing.assert_array_equal(again.structure.probabilities, plan.structure.probabilities)
    np.testing.assert_array_equal(again.labels, plan.labels)
    assert again.structure.classes.tolist() == ["art", "books", "cars"]
    assert again.epsilon == 2


def test_a_file_that_is_no_plan_is_refused(tmp_path):
    (tmp_path / "plan.parquet").write_text("nothing")
    with pytest.raises(BadData, match="not a plan"):
        Plan.load(tmp_path / "plan.parquet")


def test_too_few_labels_are_refused(world):
    with pytest.raises(BadData, match="at least 50"):
        Plan.make(world.graph, (world.graph.ids[:3].tolist(), ["a", "b", "a"]), epsilon=1.0)


def test_a_question_names_who_may_be_asked_by_hash(tmp_path, question, plan):
    question.save(tmp_path / "question.json")
    again = AskedQuestion.load(tmp_path / "question.json")
    assert again.assignment == question.assignment
    assert again.assignment.complete
    assert again.assignment.nodes == len(plan.roles.asked)
    assert again.question.rounded().model == question.question.rounded().model


def test_a_changed_shard_is_refused(tmp_path, question):
    question.save(tmp_path / "question.json")
    shard = next((tmp_path / "question.shards").iterdir())
    shard.write_bytes(shard.read_bytes()[::-1])
    with pytest.raises(BadData, match="hash"):
        AskedQuestion.load(tmp_path / "question.json")
