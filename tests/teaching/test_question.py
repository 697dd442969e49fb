"""A taught question is integers on devices, says who taught it, and survives its file."""

import numpy as np
import pytest

from privge import Campaign
from privge.campaign import Assignment
from privge.errors import BadData
from privge.questions import Direction, Encoding, Number, NumberFeature
from privge.questions.people import people_of
from privge.questions.question import Asked
from privge.teaching import Roles, TaughtQuestion, Teaching, teach, teach_by_panel
from privge.teaching.teach import unit_profiles

TAUGHT = Teaching("reports", 100, 50, 2.0, "0" * 64, 0.5)


def question(weights, bias=None, columns=12):
    made = np.asarray(weights, dtype=np.float64)
    offsets = np.zeros(len(made)) if bias is None else np.asarray(bias)
    names = tuple(f"class {place}" for place in range(len(made)))
    return TaughtQuestion(Encoding.numbers(columns, 0.0, 1.0), names, made, offsets, TAUGHT)


def reports_of(world, rows, epsilon=4.0):
    campaign = Campaign(
        questions=[Direction(world.encoding)], epsilon=epsilon, assignment=Assignment.members(world.graph.ids[rows])
    )
    return campaign.simulate(world.features[rows], ids=world.graph.ids[rows].tolist(), seed=1)


def test_rounding_to_integers_changes_hardly_any_answer(world):
    generator = np.random.default_rng(0)
    made = question(generator.normal(0, 3, (4, 12)), generator.normal(0, 1, 4))
    exact = unit_profiles(made.encoding.coordinates(world.features)) @ made.weights.T + made.bias
    model = made.rounded().model
    people = people_of(world.features, None, 12)
    found, _ = model.answers(people, range(12), Asked("0" * 64, 0, list(range(people.rows))))
    assert (found == exact.argmax(axis=1)).mean() > 0.999


def test_offsets_stand_for_the_prior_in_units_of_the_scores(world):
    """With weights of nothing, the device answers the likeliest class of its prior: the offsets alone decide."""
    made = question(np.zeros((3, 12)))
    parts = {"train": world.split.train, "validation": world.split.validation}
    roles = Roles.of(world.structure.log, **parts, epsilon=4.0)
    assignment = made.assignment(world.graph.ids, world.structure.log, roles)
    classes, offsets = assignment.rows(world.graph.ids[roles.asked].tolist())
    model = made.rounded().model
    people = people_of(world.features[roles.asked], None, 12)
    levels, _ = model.answers(people, range(12), Asked("0" * 64, 0, [], classes, offsets))
    answers = np.take_along_axis(classes, levels[:, None], axis=1).ravel()
    assert (answers == world.structure.log[roles.asked].argmax(axis=1)).all()


def test_tiny_weights_do_not_overflow_the_offsets(world):
    made = question(np.full((3, 12), 1e-9))
    parts = {"train": world.split.train, "validation": world.split.validation}
    roles = Roles.of(world.structure.log, **parts, epsilon=4.0)
    _, offsets = made.assignment(world.graph.ids, world.structure.log, roles).rows(
        world.graph.ids[roles.asked].tolist()
    )
    assert np.abs(offsets).max() < 2**31 - 1
    assert np.abs(offsets).max() > 0


def test_a_question_comes_back_from_its_file_with_the_same_integers(tmp_path):
    made = question(np.random.default_rng(1).normal(0, 2, (3, 12)))
    made.save(tmp_path / "question.json")
    again = TaughtQuestion.load(tmp_path / "question.json")
    assert again.rounded().model == made.rounded().model
    assert again.teaching == made.teaching
    assert "each by one report with epsilon 2" in (tmp_path / "question.json").read_text()


@pytest.mark.parametrize("text", ["{}", "no json", '{"format": "privge-question-1"}'])
def test_what_is_no_question_is_refused_with_its_file(tmp_path, text):
    (tmp_path / "question.json").write_text(text)
    with pytest.raises(BadData, match=r"question\.json"):
        TaughtQuestion.load(tmp_path / "question.json")


def test_reports_teach_what_classes_have_in_common(world):
    rows = np.sort(np.concatenate([world.split.train, world.split.validation]))
    taught = teach(reports_of(world, rows), world.structure, world.known)
    profiles = unit_profiles(world.encoding.coordinates(world.features))
    truth = np.stack([profiles[world.labels == c].mean(axis=0) for c in range(3)]) - profiles.mean(axis=0)
    cosine = (taught.weights * truth).sum() / np.sqrt(np.square(taught.weights).sum() * np.square(truth).sum())
    assert cosine > 0.9
    assert taught.teaching.by == "reports"
    assert taught.teaching.labelled == len(rows)


def test_labels_of_people_who_do_not_teach_are_not_read(world):
    rows = world.split.train
    other = world.known.copy()
    other[world.split.validation] = 0
    first, second = (teach(reports_of(world, rows), world.structure, labels) for labels in (world.known, other))
    np.testing.assert_array_equal(first.weights, second.weights)


def test_reports_of_other_questions_do_not_teach(world):
    campaign = Campaign(questions=[Number(NumberFeature("age", 0, 100))], epsilon=1.0)
    reports = campaign.simulate(np.full((3, 1), 50.0), seed=0)
    with pytest.raises(BadData, match="asks for a direction"):
        teach(reports, world.structure, world.known)


def test_a_panel_teaches_and_its_missing_privacy_is_said(world):
    rows = world.split.train[:200]
    taught = teach_by_panel(world.encoding, world.features[rows], world.structure, world.known, rows)
    exact = unit_profiles(world.encoding.coordinates(world.features)) @ taught.weights.T + taught.bias
    assert (exact.argmax(axis=1) == world.labels)[world.split.test].mean() > 0.7
    assert "no local privacy" in taught.teaching.words()
    with pytest.raises(BadData, match="must have a label"):
        teach_by_panel(
            world.encoding, world.features[:1], world.structure, np.full(len(world.known), -1), np.array([0])
        )
