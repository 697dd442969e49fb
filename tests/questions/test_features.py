"""Raw values become levels and integer coordinates by public rules; what does not fit is counted."""

import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from privge.errors import BadData
from privge.questions import ChoiceFeature, CountFeature, Encoding, NumberFeature, NumbersFeature, YesNoFeature
from privge.questions.people import one_person

values = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True), st.none(), st.integers(-(10**400), 10**400), st.text()
)


def levels(feature, *given_values):
    return [feature.read(one_person([value]), [0]).levels.item() for value in given_values]


def test_a_number_is_clipped_and_rounded_to_the_nearest_step_halves_to_even():
    feature = NumberFeature("age", 0, 10, levels=11)
    assert levels(feature, -5, 0, 0.5, 1.5, 2.4, 10, 99, math.inf) == [0, 0, 0, 2, 2, 10, 10, 10]


def test_missing_numbers_count_as_stated():
    for rule, level in (("low", 0), ("midpoint", 5), ("high", 10)):
        assert levels(NumberFeature("age", 0, 10, levels=11, missing=rule), None, math.nan, "text") == [level] * 3


def test_a_level_by_thresholds_is_how_many_are_at_or_below():
    feature = NumberFeature("visits", thresholds=(1, 10, 100))
    assert feature.levels == 4
    assert levels(feature, -1, 0.99, 1, 9, 10, 100, math.inf) == [0, 0, 1, 1, 2, 3, 3]


def test_square_roots_are_taken_of_the_number_and_of_both_bounds():
    feature = NumberFeature("visits", 0, 100, levels=11, sqrt=True)
    assert levels(feature, 0, 1, 4, 25, 100, 400, -3) == [0, 1, 2, 5, 10, 10, 0]


def test_yes_and_no_in_words_and_numbers():
    feature = YesNoFeature("owns")
    assert levels(feature, True, 1, "Yes", "true", 7, False, 0, "no", None, "what") == [1, 1, 1, 1, 1, 0, 0, 0, 0, 0]
    assert levels(YesNoFeature("owns", missing="yes"), None, "no") == [1, 0]


def test_a_choice_compares_text_and_whole_numbers_alike_and_has_a_rule_for_others():
    feature = ChoiceFeature("place", ("de", 7, "other"))
    assert levels(feature, "de", 7, 7.0, "7", np.int64(7), "xx", None, math.nan, 7.5) == [0, 1, 1, 1, 1, 2, 2, 2, 2]
    read = ChoiceFeature("place", ("de", "fr"), otherwise="de").read(one_person(["xx"]), [0])
    assert (read.levels.item(), read.outside, read.absent) == (0, 1, 0)


def test_default_coordinates_span_the_same_range():
    encoding = Encoding((NumberFeature("age", 0, 1), YesNoFeature("owns"), ChoiceFeature("place", ("a", "b"))))
    table = {"age": [0.0, 1.0], "owns": [0, 1], "place": ["a", "b"]}
    assert encoding.coordinates(table).tolist() == [[-1024, -1024, 1024, -1024], [1024, 1024, -1024, 1024]]
    assert encoding.names == ("age", "owns", "place=a", "place=b")
    assert encoding.largest == (1024, 1024, 1024, 1024)


def test_counts_of_numbers_and_answers_that_are_not_zero():
    encoding = Encoding(
        (
            NumberFeature("a", 0, 9),
            YesNoFeature("b"),
            ChoiceFeature("c", ("x", "y")),
            CountFeature("all", thresholds=(1, 2), scale=1, centre=0),
            CountFeature("one", of=("b",), thresholds=(1,), scale=5, centre=1),
        )
    )
    table = {"a": [0.0, 3.0, None, 1.0], "b": ["no", "yes", "yes", None], "c": ["x"] * 4}
    assert encoding.coordinates(table)[:, -2:].tolist() == [[0, -1], [2, 4], [1, 4], [1, -1]]


def test_each_feature_is_looked_at_once_however_many_counts_there_are(monkeypatch):
    calls = []
    found = YesNoFeature.nonzero
    monkeypatch.setattr(YesNoFeature, "nonzero", lambda *given: calls.append(1) or found(*given))
    counts = [CountFeature(f"n{i}", low=0, high=9, levels=10, scale=1, centre=0) for i in range(7)]
    encoding = Encoding((*(YesNoFeature(f"y{i}") for i in range(9)), *counts))
    assert encoding.coordinates({f"y{i}": [i % 3] for i in range(9)})[0, 9:].tolist() == [6] * 7
    assert len(calls) == 9


@pytest.mark.parametrize("scale", [64, tuple(range(1, 31))])
def test_sparse_features_stay_sparse_and_equal_the_dense_ones(scale):
    generator = np.random.default_rng(0)
    dense = generator.integers(-1, 4, (50, 30)) * (generator.random((50, 30)) < 0.1) * 1.0
    dense[3, 4] = math.nan
    block = NumbersFeature(30, 0, 2, levels=3, scale=scale, centre=0, missing="low")
    encoding = Encoding((block, CountFeature("size", low=0, high=10, levels=11, scale=7)))
    sparse = encoding.coordinates(scipy.sparse.csr_array(dense))
    assert scipy.sparse.issparse(sparse)
    assert sparse.dtype == np.int64
    assert sparse.toarray().tolist() == encoding.coordinates(dense).tolist()


def test_sparse_features_whose_zero_is_not_zero_become_dense():
    encoding = Encoding.numbers(3, 0, 1, levels=3)
    sparse = scipy.sparse.csr_array(np.array([[0.0, 1.0, 0.0]]))
    assert encoding.coordinates(sparse).tolist() == encoding.coordinates(sparse.toarray()).tolist()


def test_tables_of_pandas_and_arrow_and_mappings_give_the_same():
    encoding = Encoding((NumberFeature("age", 0, 100), ChoiceFeature("place", ("de", "fr", "other"))))
    table = {"place": ["fr", None, "xx"], "age": [20, None, 300], "id": ["a", "b", "c"]}
    expected = encoding.coordinates(table).tolist()
    assert encoding.coordinates(pd.DataFrame(table)).tolist() == expected
    assert encoding.coordinates(pa.table(table)).tolist() == expected
    with pytest.raises(BadData, match="'age'"):
        encoding.coordinates({"place": ["fr"]})


@settings(max_examples=100, deadline=None)
@given(st.lists(values, min_size=1, max_size=6))
def test_whatever_the_values_are_everybody_has_a_level_and_one_by_one_is_as_all_at_once(column):
    features = [
        NumberFeature("x", -3, 10**9, levels=7),
        NumberFeature("x", thresholds=(0, 2.5)),
        NumberFeature("x", 0, 5, sqrt=True),
        YesNoFeature("x"),
        ChoiceFeature("x", ("1", "2", "other")),
    ]
    table = np.empty(len(column), dtype=np.object_)
    table[:] = column
    for feature in features:
        single = levels(feature, *column)
        assert all(0 <= level < feature.levels for level in single)
        alone = [Encoding((feature,)).coordinates({"x": [value]})[0].tolist() for value in column]
        assert Encoding((feature,)).coordinates({"x": table}).tolist() == alone


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: NumberFeature("x"),
        lambda: NumberFeature("x", 0, 1, thresholds=(1,)),
        lambda: NumberFeature("x", 1, 0),
        lambda: NumberFeature("x", -1, 1, sqrt=True),
        lambda: NumberFeature("x", 1.0, math.nextafter(1.0, 2), sqrt=True),
        lambda: NumberFeature("x", 0, math.inf),
        lambda: NumberFeature("", 0, 1),
        lambda: NumberFeature("x", thresholds=(2, 1)),
        lambda: NumberFeature("x", 0, 1, missing="zero"),
        lambda: NumberFeature("x", 0, 1, levels=5000),
        lambda: NumberFeature("x", 0, 1, scale=1.5),
        lambda: ChoiceFeature("x", ("a",)),
        lambda: ChoiceFeature("x", ("a", "a")),
        lambda: ChoiceFeature("x", (7, "7")),
        lambda: ChoiceFeature("x", ("a", "b"), otherwise="c"),
        lambda: NumbersFeature(3, 0, 1, names=("a", "b")),
        lambda: NumbersFeature(3, 0, 1, scale=(1, 2)),
        lambda: Encoding(()),
        lambda: Encoding((NumberFeature("x", 0, 1), YesNoFeature("x"))),
        lambda: Encoding((NumbersFeature(3, 0, 1), YesNoFeature("x"))),
        lambda: Encoding((ChoiceFeature("x", ("a", "b")), CountFeature("n", of=("x",), low=0, high=3))),
        lambda: Encoding(
            tuple(kind for i in range(600) for kind in (YesNoFeature(f"y{i}"), CountFeature(f"n{i}", low=0, high=3)))
        ),
    ],
)
def test_what_is_not_a_feature_is_refused(wrong):
    with pytest.raises(BadData):
        wrong()


def test_documents_rebuild_the_same_encoding():
    encoding = Encoding(
        (
            NumberFeature("a", 0, 9, sqrt=True),
            NumberFeature("t", thresholds=(1, 2)),
            YesNoFeature("b"),
            ChoiceFeature("c", ("x", 3)),
            NumbersFeature(2, 0, 1, names=("p", "q"), scale=(3, 4), name="words"),
            CountFeature("n", of=("a", "b", "words"), low=0, high=4, levels=5),
        )
    )
    assert Encoding.from_document(encoding.to_document()) == encoding
    with pytest.raises(BadData, match="unknown"):
        Encoding.from_document([{"kind": "yes-no", "name": "b", "secret": 1}])
    with pytest.raises(BadData, match="kind must be one of"):
        Encoding.from_document([{"kind": "mood", "name": "b"}])
