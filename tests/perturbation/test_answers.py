"""Answers to questions: a device and a simulation give the same codes for the same words, whatever the values are."""

import gc
import math
import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import privge as pg
from privge.campaign import Assignment
from privge.campaign.indices import indices_matrix
from privge.errors import BadData, NotAsked
from privge.perturbation import own_answers
from privge.perturbation.draw import draw, rehearse
from privge.perturbation.fitting import check_values
from privge.perturbation.raw import read_raw_features
from privge.perturbation.simulate import simulate_counted
from privge.perturbation.simulate_parts import simulate_parts
from privge.questions import (
    Choice,
    ChoiceFeature,
    CountFeature,
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
from privge.questions.people import People, one_person, people_of
from privge.questions.question import drawn
from privge.random import NotPrivateSeededSource

AGE, OWNS, PLACE = NumberFeature("age", 0, 100), YesNoFeature("owns"), ChoiceFeature("place", ("de", "fr", "other"))
PROFILE = Encoding((AGE, OWNS, PLACE, CountFeature("size", low=0, high=2, levels=3)))
QUESTIONS = [
    Number(AGE, "piecewise"),
    YesNo(OWNS),
    Choice(PLACE),
    Direction(PROFILE, directions=8),
    Model(PROFILE, [[1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1], [0] * 6], classes=("a", "b", "c"), normalised=True),
    Score(PROFILE, [[1, -2, 3, -4, 5, 6]], low=-900, high=900, levels=33),
]
CAMPAIGN = pg.Campaign(questions=QUESTIONS, epsilon=6.0, k=3)
IDS = [f"u{i}" for i in range(200)]


def table(seed=0):
    generator = np.random.default_rng(seed)
    ages = generator.normal(40, 40, 200)
    ages[5] = math.nan
    owns, places = generator.choice(["yes", "no", None], 200), generator.choice(["de", "fr", "xx", None], 200)
    return pd.DataFrame({"age": ages, "owns": owns, "place": places, "id": IDS, "other": 1.0})


class Words:
    """A source that hands out prepared words."""

    def __init__(self, words):
        self.given = words

    def words(self, count):
        assert count == len(self.given)
        return self.given


def personal():
    generator = np.random.default_rng(3)
    classes = generator.permuted(np.tile(np.arange(3), (200, 1)), axis=1)
    classes[::3, 2] = -1
    assignment = Assignment.of(IDS, classes, generator.integers(-500, 500, (200, 3)))
    return pg.Campaign(questions=[QUESTIONS[4]], epsilon=1.0, assignment=assignment)


@pytest.mark.parametrize("campaign", [CAMPAIGN, personal()], ids=["every kind", "personal"])
def test_a_device_and_a_simulation_give_the_same_codes(campaign, monkeypatch):
    people = table()
    reports = campaign.simulate(people, seed=4)
    words = NotPrivateSeededSource(4).words(200 * campaign.k).reshape(200, -1)
    for row in range(0, 200, 7):
        monkeypatch.setattr(own_answers, "SystemSource", lambda row=row: Words(words[row]))
        person = people.iloc[row]
        values = {name: person[name] for name in ("age", "owns", "place")}
        assert campaign.report(values, node=IDS[row]).codes == tuple(reports.codes[row].tolist())


def test_the_questions_that_a_node_answers_follow_from_campaign_and_node():
    reports = CAMPAIGN.simulate(table(), seed=0)
    assert reports.indices.tolist() == indices_matrix(CAMPAIGN.id, IDS, 6, 3).tolist()


def test_tables_matrices_and_mixed_columns_are_read_by_name(caplog):
    people = table()
    expected = CAMPAIGN.simulate(people, seed=0).codes.tolist()
    assert "left out 1 column that is not a feature" in caplog.text
    assert CAMPAIGN.simulate(pa.Table.from_pandas(people), seed=0).codes.tolist() == expected
    assert CAMPAIGN.simulate(people[["place", "age", "id", "owns"]], seed=0).codes.tolist() == expected
    with pytest.raises(BadData, match="'place'"):
        CAMPAIGN.simulate(people.drop(columns="place"), seed=0)


def test_what_was_clipped_missing_and_unknown_is_said(caplog):
    pg.Campaign(questions=QUESTIONS[:3], epsilon=3.0, k=3).simulate(table(), seed=0)
    people = table()
    clipped = int(((people["age"] < 0) | (people["age"] > 100)).sum())
    assert f"age: {clipped} of 200 values clipped to 0..100" in caplog.text
    assert "age: 1 of 200 values missing, taken as the middle" in caplog.text
    assert f"owns: {int(people['owns'].isna().sum())} of 200 values missing, taken as no" in caplog.text
    unknown = int((people["place"] == "xx").sum())
    assert f"place: {unknown} of 200 values not in the list, taken as other" in caplog.text


def test_sparse_and_dense_matrices_give_the_same_codes():
    generator = np.random.default_rng(1)
    dense = (generator.random((60, 40)) < 0.1) * 1.0
    encoding = Encoding.numbers(40, 0, 1, levels=2, scale=64, centre=0, missing="low")
    model = Model(encoding, generator.integers(-9, 9, (3, 40)), classes=("a", "b", "c"), normalised=True)
    for question in (Direction(encoding), model):
        campaign = pg.Campaign(questions=[question], epsilon=1.0)
        codes = campaign.simulate(dense, seed=0).codes
        assert campaign.simulate(scipy.sparse.csr_array(dense), seed=0).codes.tolist() == codes.tolist()


def test_files_and_folders_of_mixed_tables_are_perturbed(tmp_path):
    people = table()
    people.to_csv(tmp_path / "people.csv", index=False)
    read = read_raw_features(tmp_path / "people.csv", CAMPAIGN)
    expected = CAMPAIGN.simulate(people, seed=0).codes.tolist()
    assert CAMPAIGN.simulate(read, seed=0).codes.tolist() == expected
    (tmp_path / "parts").mkdir()
    people.iloc[:120].to_parquet(tmp_path / "parts" / "a.parquet", index=False)
    people.iloc[120:].to_parquet(tmp_path / "parts" / "b.parquet", index=False)
    parts = simulate_parts(CAMPAIGN, tmp_path / "parts", tmp_path / "reports", seed=0)
    assert parts.reports == 200


@pytest.mark.parametrize("word", ["unknown", "41 years", "١٢", "1_000"])
def test_one_odd_word_in_a_file_does_not_decide_what_the_numbers_of_others_are(tmp_path, word):
    people = table()
    people["age"] = [f"{age:.3g}" for age in people["age"]]
    people.loc[5:6, "age"] = ""
    read = []
    for odd in ("", word):
        people.loc[6, "age"] = odd
        people.to_csv(tmp_path / "people.csv", index=False)
        read.append(read_raw_features(tmp_path / "people.csv", CAMPAIGN).matrix.numbers(0).tolist())
    assert np.isnan(read[0]).sum() == 2
    assert np.array_equal(*read, equal_nan=True)


def test_whoever_is_not_asked_is_refused_before_any_value_is_looked_at():
    class Secret(dict):
        def get(self, name, default=None):
            raise AssertionError(name, default)

    with pytest.raises(NotAsked):
        personal().report(Secret(), node="eve")
    with pytest.raises(NotAsked, match="this node is not asked"):
        personal().simulate(table().iloc[:1].assign(id=["eve"]))
    short = pg.Campaign(
        dimensions=1, low=0, high=1, mechanism="hds", epsilon=1, k=1, assignment=Assignment.members(["ann"])
    )
    assert len(short.report([0.5], node="ann").codes) == 1
    with pytest.raises(NotAsked):
        short.report([0.5], node="eve")
    with pytest.raises(NotAsked):
        short.simulate(np.zeros((1, 1)), ids=["eve"])


def test_a_device_looks_at_the_values_of_its_own_questions_alone():
    class Watched(dict):
        seen: set[str] = set()  # noqa: RUF012

        def get(self, name, default=None):
            self.seen.add(name)
            return super().get(name, default)

    campaign = pg.Campaign(questions=QUESTIONS[:3], epsilon=1.0, k=1)
    for node in IDS[:20]:
        Watched.seen.clear()
        campaign.report(Watched(age=3, owns=1, place="de"), node=node)
        assert Watched.seen == {campaign.names[campaign.indices_of(node)[0]]}


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["age", "owns", "place", "x"]), st.one_of(st.none(), st.floats(), st.text(), st.integers())
    )
)
def test_a_report_comes_out_whatever_the_values_are(values):
    report = CAMPAIGN.report(values, node="u7")
    assert all(code < most for code, most in zip(report.codes, CAMPAIGN.outputs_of("u7"), strict=True))


def test_a_short_float_is_the_same_value_on_a_device_and_in_a_column_of_them():
    place = ChoiceFeature("place", ("0.1", str(float(np.float32(0.1))), "other"))
    column = np.full(1, 0.1, dtype=np.float32)
    levels = [place.read(people, [0]).levels.item() for people in (one_person([column[0]]), People(1, None, (column,)))]
    assert levels == [1, 1]


@pytest.mark.parametrize(
    "matrix",
    [
        np.array([["secret", "1"], ["yes", "no"]]),
        np.array([["secret", None], [1, 10**400]], dtype=object),
        np.array([[1j, 1], [0, 1]]),
    ],
    ids=["text", "objects", "complex"],
)
def test_a_matrix_that_is_not_of_numbers_is_read_as_a_device_reads_its_rows(matrix):
    encoding = Encoding((NumbersFeature(2, -1, 1, levels=3, scale=1, centre=0), CountFeature("n", low=0, high=2)))
    alone = [encoding.encoded(one_person(list(row)))[0][0].tolist() for row in matrix]
    assert encoding.coordinates(matrix).tolist() == alone


def test_of_many_numbers_each_counts_in_what_is_said(caplog):
    caplog.set_level("INFO")
    campaign = pg.Campaign(questions=[Direction(Encoding.numbers(3, 0, 1), directions=4)], epsilon=1.0)
    campaign.simulate(np.array([[0, 5, 7], [0, 0, 9]]), seed=0)
    assert "numbers: 3 of 6 values clipped to 0..1" in caplog.text


def fails(*_args, **_named):
    raise RuntimeError("a private value")


class OwnWords(str):
    __slots__ = ()
    __str__ = fails


class OwnComparison(str):
    __slots__ = ()
    __eq__, __hash__ = fails, str.__hash__

    def __str__(self):
        return self

    def strip(self, *_characters):
        fails()


class BeyondFloats:
    def __float__(self):
        raise OverflowError("a private value")


class BeyondComparison(BeyondFloats):
    __gt__ = fails


class NoClass:
    __class__ = property(fails)


ODD = {
    "own words": OwnWords("yes"),
    "own comparison": OwnComparison("de"),
    "beyond floats": BeyondFloats(),
    "beyond comparison": BeyondComparison(),
    "no class": NoClass(),
    "beyond digits": 10**5000,
    "bytes": b"yes",
    "an array": np.arange(2),
    "a list": [1],
    "no number": pd.NA,
    "no time": np.datetime64("NaT"),
    "complex": 1j,
}


@pytest.mark.parametrize("odd", ODD)
def test_a_report_comes_out_though_a_value_fails_at_whatever_it_is_asked(odd):
    value = ODD[odd]
    for question in QUESTIONS:
        campaign = pg.Campaign(questions=[question], epsilon=1.0)
        campaign.report(dict.fromkeys(campaign.raw_names, value), node="u7")
    pg.Campaign(dimensions=1, low=0, high=1, mechanism="hds", epsilon=1.0).report([value], node="u7")


@pytest.mark.parametrize(("level", "nearest"), [(-(2**63), 0), (-1, 0), (5, 4), (2**62, 4)])
def test_a_law_gets_one_of_its_own_levels_whatever_was_computed(level, nearest):
    law = Choice(ChoiceFeature("x", tuple("abcde"))).law_for(Fraction(1), None)
    for word in range(0, 2**53, 2**49):
        assert drawn(law, np.array([level]), word) == law.code(nearest, word)


def traced(campaign, values, node):
    """Every instruction of the package that draws a report."""
    trace = []

    def follow(frame, event, _):
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if "/lib/python" in frame.f_code.co_filename:  # of others
            return None
        if event == "opcode":
            trace.append((frame.f_code.co_name, frame.f_lasti))
        return follow

    gc.disable()
    sys.settrace(follow)
    try:
        draw(campaign, values, node)
    finally:
        sys.settrace(None)
        gc.enable()
    return tuple(trace)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.kind)
def test_a_device_does_the_same_work_for_every_profile(question):
    campaign = pg.Campaign(questions=[question], epsilon=1.0)
    people = [
        {"age": 0.0, "owns": 0.0, "place": "de"},
        {"age": 99.5, "owns": 1.0, "place": "fr"},
        {"age": 1e9, "owns": 0.0, "place": "other"},
        {"age": -4.0, "owns": 5.0, "place": "elsewhere"},
    ]
    for person in people:
        draw(campaign, person, "ann")
    assert len({traced(campaign, person, "ann") for person in people}) == 1


def test_a_model_that_stops_early_does_not_do_the_same_work(monkeypatch):
    def early(self, people, places, _):
        coordinates, misfits = self.encoding.encoded(people, places)
        best = 0
        for place, row in enumerate(self.weights):
            if np.array(row) @ coordinates[0] > 0:
                best = place
                break
        return np.array([best]), misfits

    monkeypatch.setattr(Model, "answers", early)
    campaign = pg.Campaign(questions=[QUESTIONS[4]], epsilon=1.0)
    people = [{"age": 0.0, "owns": 0.0, "place": "de"}, {"age": 99.5, "owns": 1.0, "place": "fr"}]
    for person in people:
        draw(campaign, person, "ann")
    assert len({traced(campaign, person, "ann") for person in people}) == 2


def test_rehearsing_and_checking_values_work_for_questions():
    rehearse(CAMPAIGN, "ann")
    fitting = check_values(CAMPAIGN, {"age": 300, "place": "xx"})
    assert fitting.features == 3
    assert (fitting.missing, fitting.outside) == ((1,), (0, 2))
    drawn = draw(pg.Campaign(questions=QUESTIONS[:3], epsilon=3.0, k=3), {"age": 300, "place": "xx"}, "ann")
    assert (drawn.missing, drawn.outside) == (1, 2)


def test_words_that_are_neither_yes_nor_no_are_counted_as_unknown_and_not_as_missing():
    owns = YesNoFeature("owns", missing="no")
    values = ["yes", "No", "TRUE", "perhaps", "ja", "", " ", None, float("nan"), 1, 0]
    people = people_of({"owns": np.array(values, dtype=object)}, ("owns",), 1)
    read = owns.read(people, [0])
    assert read.levels.tolist() == [1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    assert (read.outside, read.absent) == (2, 4)
    campaign = pg.Campaign(questions=[YesNo(owns)], epsilon=1.0)
    _, tally = simulate_counted(campaign, {"owns": values}, ids=[str(row) for row in range(len(values))], seed=0)
    assert list(tally.sentences(campaign)) == [
        "owns: 2 of 11 values neither yes nor no, taken as no",
        "owns: 4 of 11 values missing, taken as no",
    ]


def test_numbers_are_never_unknown_as_yes_or_no():
    people = people_of(np.array([[0.0], [2.0], [np.nan]]), None, 1)
    assert YesNoFeature("owns").read(people, [0])[1:] == (0, 1)
