"""What the control *no privacy* is made of: every value of everybody, in the units of decoded reports."""

import numpy as np
import pytest

import privge as pg
from privge.errors import BadData
from privge.perturbation.features import features_of
from privge.perturbation.raw import raw_features_of
from privge.perturbation.truth import true_values
from privge.questions import Choice, ChoiceFeature, Number, NumberFeature

NUMBERS = pg.Campaign(dimensions=2, low=0, high=10, mechanism="hds", epsilon=1.0, k=1, missing="midpoint", levels=101)
MIXED = pg.Campaign(
    questions=[
        Number(NumberFeature(name="age", low=0, high=100, levels=101)),
        Choice(ChoiceFeature(name="city", values=("Rome", "Oslo"), otherwise="Oslo")),
    ],
    epsilon=1.0,
    k=1,
)


def test_numbers_lie_between_minus_one_and_one_and_what_is_missing_counts_as_the_campaign_says():
    found = true_values(NUMBERS, features_of(np.array([[0.0, 10.0], [np.nan, 20.0]]))).toarray()
    assert found == pytest.approx(np.array([[-1, 1], [0, 1]]))


def test_what_law_none_decodes_to_is_the_same():
    values = np.random.default_rng(1).uniform(0, 10, (40, 2)).round(1)
    control = pg.Campaign(dimensions=2, low=0, high=10, mechanism="none", k=2, levels=101)
    reports = control.simulate(values, ids=range(40), seed=0)
    assert true_values(NUMBERS, features_of(values)).toarray() == pytest.approx(reports.decode().toarray(), abs=1e-6)


def test_a_mixed_table_has_a_column_for_each_number_and_each_value_of_a_choice():
    people = raw_features_of(MIXED, {"age": [0, 100, None], "city": ["Rome", "Oslo", ""]}, None)
    expected = [[-1, 1, 0], [1, 0, 1], [0, 0, 1]]  # a missing number is the middle by default, a city `otherwise`
    assert true_values(MIXED, people).toarray() == pytest.approx(np.array(expected, dtype=float))


def test_a_question_about_a_whole_profile_is_refused():
    from privge.questions import Direction, Encoding

    asked = Direction(Encoding((NumberFeature(name="age", low=0, high=100),)))
    campaign = pg.Campaign(questions=[asked], epsilon=1.0, k=1)
    with pytest.raises(BadData, match="whole profile"):
        true_values(campaign, raw_features_of(campaign, {"age": [1, 2]}, None))
