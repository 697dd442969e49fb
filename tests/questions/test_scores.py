"""Scores of a public model are exact integers: those of plain Python, dense and sparse, to the last bit."""

import math

import numpy as np
import pytest
import scipy.sparse
from hypothesis import example, given, settings
from hypothesis import strategies as st

from privge.errors import BadData
from privge.questions import Encoding, Model, NumberFeature, Score, YesNoFeature, rounded_model
from privge.questions.people import people_of
from privge.questions.question import Asked
from privge.questions.scores import isqrt

NOBODY = Asked("00" * 32, 0, [])


def plain_scores(model, row):
    """The definition, in integers of any length."""
    products = [sum(w * t for w, t in zip(weights, row, strict=True)) for weights in model.weights]
    if not model.normalised:
        return [product + bias for product, bias in zip(products, model.bias, strict=True)]
    length = max(1, math.isqrt(sum(t * t for t in row) * 4**model.fraction))
    return [(p << (model.shift + model.fraction)) // length + b for p, b in zip(products, model.bias, strict=True)]


@settings(max_examples=300)
@given(
    st.integers(0, 2**53 - 1) | st.integers(0, 94906265).flatmap(lambda r: st.sampled_from([r * r, max(r * r - 1, 0)]))
)
@example(94906265**2 - 1)
@example(94906265**2)
def test_integer_square_roots_are_those_of_python(square):
    assert isqrt(np.array([square])).tolist() == [math.isqrt(square)]


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 6), st.integers(2, 5), st.booleans(), st.integers(0, 3), st.integers(0, 2**32))
def test_dense_sparse_and_plain_python_agree_to_the_last_bit(columns, classes, normalised, shift, seed):
    generator = np.random.default_rng(seed)
    encoding = Encoding.numbers(
        columns, 0, 8, levels=9, scale=int(generator.integers(1, 2000)), centre=0, missing="low"
    )
    weights = generator.integers(-(2**16), 2**16, (classes, columns))
    bias = generator.integers(-(2**20), 2**20, classes)
    names = tuple(map(str, range(classes)))
    model = Model(encoding, weights, bias, names, normalised=normalised, shift=shift if normalised else 0)
    table = generator.integers(0, 9, (7, columns)) * (generator.random((7, columns)) < 0.6)
    rows = encoding.coordinates(table).tolist()
    expected = [int(np.argmax(plain_scores(model, row))) for row in rows]
    for data in (table, scipy.sparse.csr_array(table.astype(float))):
        people = people_of(data, None, columns)
        assert model.answers(people, range(columns), NOBODY)[0].tolist() == expected


def test_a_tie_goes_to_the_lowest_class_also_among_personal_ones():
    encoding = Encoding.numbers(1, 0, 1, levels=2)
    model = Model(encoding, [[1], [1], [1]], classes=("a", "b", "c"))
    people = people_of(np.array([[1.0]]), None, 1)
    assert model.answers(people, [0], NOBODY)[0].tolist() == [0]
    some = Asked("00" * 32, 0, ["ann"], np.array([[1, 2]]), np.array([[0, 0]]))
    assert model.answers(people, [0], some)[0].tolist() == [0]  # the first of the two: class b
    leaning = Asked("00" * 32, 0, ["ann"], np.array([[1, 2]]), np.array([[0, 1]]))
    assert model.answers(people, [0], leaning)[0].tolist() == [1]


def test_a_class_that_is_not_asked_about_never_wins():
    encoding = Encoding.numbers(1, 0, 1, levels=2)
    model = Model(encoding, [[-1000], [-1000], [1000]], classes=("a", "b", "c"))
    asked = Asked("00" * 32, 0, ["ann", "bob"], np.array([[0, 1, -1], [0, 1, 2]]), np.zeros((2, 3), dtype=np.int64))
    people = people_of(np.array([[1.0], [1.0]]), None, 1)
    assert model.answers(people, [0], asked)[0].tolist() == [0, 2]


@pytest.mark.parametrize("normalised", [False, True])
def test_a_model_in_which_a_sum_could_reach_2_to_the_53_is_refused(normalised):
    encoding = Encoding.numbers(4, 0, 1, levels=2, scale=2**20, centre=0)
    fits = Model(encoding, [[2**29] * 4, [0] * 4], classes=("a", "b"), normalised=normalised)
    assert fits.fraction in (None, 0, 1, 2)
    with pytest.raises(BadData, match=r"2\*\*53"):
        Model(encoding, [[2**31] * 4, [0] * 4], classes=("a", "b"), normalised=normalised)
    with pytest.raises(BadData, match=r"2\*\*53"):
        Model(
            Encoding.numbers(4, 0, 1, levels=2, scale=2**26, centre=0),
            [[1] * 4] * 2,
            classes=("a", "b"),
            normalised=True,
        )


def test_a_score_is_clipped_and_rounded_in_integers():
    encoding = Encoding.numbers(1, 0, 10, levels=11, scale=1, centre=0)
    score = Score(encoding, [[3]], low=6, high=18, levels=5)
    people = people_of(np.arange(11.0)[:, None], None, 1)
    expected = [min(4, max(0, math.floor((min(18, max(6, 3 * t)) - 6) * 4 / 12 + 0.5))) for t in range(11)]
    assert score.answers(people, [0])[0].tolist() == expected


@pytest.mark.parametrize("normalised", [False, True])
def test_a_rounded_model_answers_as_its_floats_do(normalised):
    generator = np.random.default_rng(2)
    encoding = Encoding.numbers(50, 0, 1, levels=2, scale=64, centre=0)
    weights, bias = generator.normal(size=(4, 50)), generator.normal(size=4)
    model, unit = rounded_model(encoding, weights, bias, classes="abcd", normalised=normalised)
    table = (generator.random((500, 50)) < 0.2) * 1.0
    coordinates = encoding.coordinates(table)
    profile = coordinates / np.linalg.norm(coordinates, axis=1, keepdims=True) if normalised else coordinates
    floats = profile @ weights.T + bias
    answers = model.answers(people_of(table, None, 50), range(50), NOBODY)[0]
    ordered = np.sort(floats, axis=1)
    clear = ordered[:, -1] - ordered[:, -2] > (0.02 if normalised else 1e-3)
    assert clear.mean() > 0.9
    assert (answers == floats.argmax(axis=1))[clear].all()
    assert unit >= 2**16


def test_a_wrong_shape_of_weights_is_refused():
    encoding = Encoding.numbers(2, 0, 1)
    for weights in ([[1, 2]], [[1], [2]], [[1, 2], [3, 4.5]], [[1, 2], [True, 3]], "ab"):
        with pytest.raises(BadData):
            Model(encoding, weights, classes=("a", "b"))


def test_a_row_of_weights_of_another_length_is_told_apart_from_their_number():
    profile = Encoding((NumberFeature("age", 0, 100), YesNoFeature("sport")))
    with pytest.raises(BadData, match="each row of weights must be a list of 2 entries"):
        Model(profile, [[1, 2, 3], [3, 2, 1]], classes=("a", "b"))
    with pytest.raises(BadData, match=r"^weights must be a list of 2 entries"):
        Model(profile, [[1, 2]], classes=("a", "b"))
