"""A plan is decided before anybody reports, and comes back from its file as it was."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from privge.errors import BadData
from privge.structure import NodeChannel
from privge.teaching import AskedQuestion, Plan, Roles, TaughtQuestion, Teaching


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


def _with(name, row, value):
    def change(table):
        values = table[name].to_pylist()
        values[row] = value
        return table.set_column(table.column_names.index(name), name, pa.array(values, type=table[name].type))

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_with("id", 1, "p0"), "'id' .* somebody is named twice"),
        (_with("role", 0, "tutor"), "'role' .* must be one of"),
        (_with("role", 0, "is asked"), "not a plan"),
        (_with("classes", 25, [0, 7]), "'classes' .* two classes of the plan"),
        (_with("classes", 25, [1]), "'classes' .* two classes of the plan"),
        (_with("prior", 3, [float("nan"), 0.5]), "'prior' .* must hold probabilities"),
        (_with("prior", 3, [-1.0, 2.0]), "'prior' .* must hold probabilities"),
        (_with("prior", 3, [1.0]), "not a plan"),
        (_with("label", 1, 9), "'label' .* place of a class"),
        (_with("label", 1, None), "something is missing"),
        (_with("label", 25, -1), "'judges' .* must have a label"),
        (lambda table: table.drop_columns(["role"]), "not a plan"),
        (lambda table: table.replace_schema_metadata({"privge-plan": "{"}), "not a plan"),
        (lambda table: table.replace_schema_metadata({"privge-plan": "{}"}), "not a plan"),
    ],
)
def test_a_plan_that_was_changed_into_none_is_refused_with_its_file_and_column(tmp_path, change, said):
    """Above all one in which a person has two rows, and would teach and be asked."""
    path, people = tmp_path / "plan.parquet", np.arange(60)
    channel = NodeChannel(np.array([f"p{i}" for i in people]), np.array(["a", "b"]), np.full((60, 2), 0.5), 1.0)
    roles = Roles(people[:20], people[20:], np.tile([0, 1], (40, 1)), people[20:40])
    Plan(channel, np.where(people < 40, people % 2, -1), roles, 1.0).save(path)
    assert Plan.load(path).labels.max() == 1
    pyarrow.parquet.write_table(change(pyarrow.parquet.read_table(path)), path)
    with pytest.raises(BadData, match=f"plan.parquet: .*{said}"):
        Plan.load(path)


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


def edited(path, change):
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document)
    path.write_text(json.dumps(document), encoding="utf-8")


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("taught by", lambda document: document.update({"taught by": "everybody, at no cost"})),
        ("teaching", lambda document: document["teaching"].update(people=9_000)),
        ("question", lambda document: document["question"]["weights"][0].__setitem__(0, 7)),
        ("unit", lambda document: document.update(unit=document["unit"] + 1)),
        ("may be asked", lambda document: document["may be asked"].update(nodes=1)),
        ("epsilon", lambda document: document.update(epsilon=3.0)),
        ("more", lambda document: document.update(more=1)),
        ("epsilon", lambda document: document.pop("epsilon")),
        ("hashes", lambda document: document.pop("hashes")),
    ],
)
def test_a_field_that_was_changed_by_hand_is_refused_and_named(tmp_path, question, field, change):
    path = tmp_path / "question.json"
    question.save(path)
    edited(path, change)
    with pytest.raises(BadData, match=rf"question\.json: the field '{field}'"):
        AskedQuestion.load(path)


def test_a_question_that_was_only_indented_otherwise_is_taken(tmp_path, question):
    question.save(tmp_path / "question.json")
    edited(tmp_path / "question.json", lambda _: None)
    assert AskedQuestion.load(tmp_path / "question.json").epsilon == 2
