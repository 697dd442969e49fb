"""Campaigns of questions: their documents, their laws, and what they cost together."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest

import privge as pg
from privge.campaign import Assignment, asking
from privge.errors import BadData, InvalidCampaign, NotAsked
from privge.mechanisms import Choice as ChoiceLaw
from privge.mechanisms import MultiBit, Nearest, law_for
from privge.questions import (
    Choice,
    ChoiceFeature,
    Direction,
    Encoding,
    Model,
    Number,
    NumberFeature,
    NumbersFeature,
    Score,
    YesNo,
    YesNoFeature,
)
from privge.testing.table import exp_below

AGE, OWNS, PLACE = NumberFeature("age", 0, 100), YesNoFeature("owns"), ChoiceFeature("place", ("de", "fr", "other"))
PROFILE = Encoding((AGE, OWNS, PLACE))
EVERY = [
    Number(AGE),
    YesNo(OWNS),
    Choice(PLACE),
    Direction(PROFILE, directions=16),
    Model(PROFILE, [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]], classes=("a", "b"), normalised=True),
    Score(PROFILE, [[1, 2, 3, 4, 5]], low=-9, high=9),
]


def campaign(**changes):
    return pg.Campaign(**{"questions": EVERY, "epsilon": 2.0, "k": 3, **changes})


def test_a_document_holds_everything_and_reads_back_as_the_same_campaign():
    made = campaign(round="spring")
    document = json.loads(made.to_json())
    assert document["format"] == "privge-campaign-2"
    assert {"dimensions", "low", "high", "mechanism", "law", "missing"} & document.keys() == set()
    assert [len(question["laws"]) for question in document["questions"]] == [1] * 6
    read = pg.Campaign.from_json(made.to_json())
    assert read == made
    assert read.id == made.id


def test_a_campaign_of_the_short_form_has_its_former_document():
    made = pg.Campaign(dimensions=3, low=0, high=1, mechanism="hds", epsilon=1.0, k=1)
    assert made.to_document()["format"] == "privge-campaign-1"
    assert not {"questions", "assignment", "round"} & made.to_document().keys()
    assert replace(made, round="spring").to_document()["format"] == "privge-campaign-2"


@pytest.mark.parametrize(("form", "change"), [("privge-campaign-1", {}), ("privge-campaign-2", {"questions": None})])
def test_the_format_says_which_fields_there_are(form, change):
    document = {**campaign().to_document(), "format": form, **change}
    with pytest.raises(InvalidCampaign):
        pg.Campaign.from_document(document)
    short = pg.Campaign(dimensions=3, low=0, high=1, mechanism="hds", epsilon=1.0, k=1).to_document()
    with pytest.raises(InvalidCampaign, match="format"):
        pg.Campaign.from_document({**short, "format": "privge-campaign-2"})


def test_each_question_has_a_law_of_its_own_for_its_share():
    laws = [question.law for question in campaign().questions]
    share = Fraction(2) / 3
    assert laws[0] == law_for("hds", 2.0, 3)
    assert laws[1] == MultiBit.for_epsilon(share, 2)
    assert laws[2] == ChoiceLaw.for_epsilon(share, 3)
    assert laws[3] == Nearest.for_epsilon(share, 16)
    assert all(law.worst_ratio <= exp_below(share) for law in laws)


def test_any_k_of_the_questions_together_hold_epsilon_because_the_worst_k_do():
    made = campaign()
    worst = sorted((question.worst_ratio for question in made.questions), reverse=True)[:3]
    product = worst[0] * worst[1] * worst[2]
    assert product <= exp_below(Fraction(2))
    assert made.realised_epsilon <= 2
    assert exp_below(Fraction(made.realised_epsilon)) * (1 + Fraction(1, 10**9)) >= product


@pytest.mark.parametrize("place", range(6))
def test_a_law_that_spends_more_is_refused_in_whichever_question_it_hides(place):
    document = campaign(k=2).to_document()
    richer = pg.Campaign(questions=EVERY, epsilon=2.4, k=2).to_document()
    document["questions"][place]["laws"] = richer["questions"][place]["laws"]
    with pytest.raises(InvalidCampaign, match="spend"):
        pg.Campaign.from_document(document)


def test_one_richer_law_is_too_much_even_if_the_others_have_room():
    """Only the k worst count, not the mean: with k = 1 a single question of 1.2 epsilon is refused."""
    document = campaign(k=1, epsilon=1.0).to_document()
    for entry, poorer in zip(document["questions"], campaign(k=1, epsilon=0.1).to_document()["questions"], strict=True):
        entry["laws"] = poorer["laws"]
    pg.Campaign.from_document(document)
    document["questions"][2]["laws"] = campaign(k=1, epsilon=1.2).to_document()["questions"][2]["laws"]
    with pytest.raises(InvalidCampaign, match="spend"):
        pg.Campaign.from_document(document)


@pytest.mark.parametrize(
    ("place", "law"),
    [
        (0, {"levels": 2, "slope": 2}),
        (0, law_for("hds", 0.1, levels=33).parameters()),
        (1, MultiBit.for_epsilon(0.1, 3).parameters()),
        (2, ChoiceLaw.for_epsilon(0.1, 4).parameters()),
        (3, Nearest.for_epsilon(0.1, 17).parameters()),
        (3, {"directions": 16, "near": 3, "high": -1, "low": -2}),
        (4, ChoiceLaw.for_epsilon(0.1, 3).parameters()),
        (5, "hds"),
    ],
)
def test_a_law_that_is_not_of_the_question_is_refused(place, law):
    document = campaign().to_document()
    document["questions"][place]["laws"] = [law]
    with pytest.raises(InvalidCampaign, match=rf"questions\[{place}\]"):
        pg.Campaign.from_document(document)


@pytest.mark.parametrize("field", ["dimensions", "low", "high", "mechanism", "levels", "names"])
def test_fields_of_the_short_form_are_not_stated_beside_questions(field):
    stated = {"names": ["a"], "mechanism": "hds"}.get(field, 3)
    with pytest.raises(InvalidCampaign, match=field):
        campaign(**{field: stated})


def test_a_changed_copy_keeps_the_questions():
    made = campaign()
    assert replace(made, purpose="Another").questions == made.questions


def test_outputs_are_those_of_each_question_a_node_answers():
    made = campaign()
    outputs = [made.questions[place].outputs for place in made.indices_of("ann")]
    assert made.outputs_of("ann") == tuple(outputs)
    assert made.outputs == max(question.outputs for question in made.questions)


def test_nothing_that_is_not_a_question_is_taken():
    for wrong in ([], "ab", [3], [{"kind": "mood"}], [{"kind": "number", "name": "x"}], [AGE]):
        with pytest.raises(InvalidCampaign, match="questions"):
            campaign(questions=wrong)
    with pytest.raises(BadData):
        Number(OWNS)
    with pytest.raises(InvalidCampaign, match="mechanism"):
        campaign(questions=[{"kind": "number", "name": "x", "low": 0, "high": 1, "mechanism": "none"}])


def personal(**changes):
    model = Model(PROFILE, [[1] * 5, [2] * 5, [3] * 5], classes=("a", "b", "c"))
    assignment = Assignment.of(["ann", "bob", "cec"], [[2, 0, -1], [1, 2, -1], [0, 1, 2]], [[5, 6, 0]] * 3)
    return pg.Campaign(**{"questions": [model], "epsilon": 1.0, "assignment": assignment, **changes})


def test_a_personal_question_has_a_law_for_each_number_of_classes():
    made = personal()
    assert [law.levels for law in made.questions[0].laws] == [2, 3]
    assert (made.outputs_of("ann"), made.outputs_of("cec")) == ((2,), (3,))
    assert made.realised_epsilon <= 1
    with pytest.raises(NotAsked, match="not asked"):
        made.outputs_of("eve")
    read = pg.Campaign.from_json(made.to_json())
    assert read.id == made.id
    with pytest.raises(BadData, match="not at hand"):
        read.outputs_of("ann")
    assert read.with_assignment(made.assignment).outputs_of("ann") == (2,)


def test_a_personal_law_that_spends_more_is_refused():
    document = personal().to_document()
    document["questions"][0]["laws"][1] = ChoiceLaw.for_epsilon(1.1, 3).parameters()
    with pytest.raises(InvalidCampaign, match="spend"):
        pg.Campaign.from_document(document)
    del document["questions"][0]["laws"][1]
    with pytest.raises(InvalidCampaign, match="laws"):
        pg.Campaign.from_document(document)


def test_another_assignment_is_refused():
    other = Assignment.of(["ann"], [[0, 1]])
    with pytest.raises(InvalidCampaign, match="hashes"):
        personal().with_assignment(other)
    with pytest.raises(InvalidCampaign, match="one model question"):
        pg.Campaign(questions=[Choice(PLACE)], epsilon=1.0, assignment=other)
    with pytest.raises(InvalidCampaign, match="more classes"):
        personal(assignment=Assignment.of(["ann"], [[0, 1, 2, 3]]))


def test_directions_that_would_keep_a_device_busy_for_hours_are_refused():
    def wide(columns):
        return Direction(Encoding((NumbersFeature(columns, 0, 1, names=tuple(map(str, range(columns)))),)), 1024)

    assert pg.Campaign(questions=[wide(2**12)], epsilon=1.0).columns == 2**12
    for questions, k in (([wide(2**12 + 1)], 1), ([wide(2**12), wide(1)], 2)):
        with pytest.raises(InvalidCampaign, match=r"at most 4,194,304 components"):
            pg.Campaign(questions=questions, epsilon=1.0, k=k)
    assert pg.Campaign(questions=[wide(2**12), wide(1)], epsilon=1.0, k=1).k == 1


def test_where_raw_columns_stand_is_found_once_for_all_questions(monkeypatch):
    calls = []
    found = asking.raw_names
    monkeypatch.setattr(asking, "raw_names", lambda made: calls.append(1) or found(made))
    many = pg.Campaign(questions=[YesNo(YesNoFeature(f"q{i}")) for i in range(50)], epsilon=2.0, k=50)
    many.report({}, node="ann")
    assert len(calls) == 1


@pytest.mark.parametrize("name", ["", " spring", "spring ", "spring\n", "spr\u200bing", "fru\u0308hling", "a\0b", 7])
def test_a_name_of_a_round_that_looks_like_another_is_refused(name):
    with pytest.raises(InvalidCampaign, match="round"):
        campaign(round=name)
    assert campaign(round="fr\u00fchling 2027").round == "fr\u00fchling 2027"
