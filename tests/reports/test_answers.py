"""Decoded answers: unbiased by enumeration of the laws, with exactly the noise that the campaign states."""

import math

import numpy as np
import pytest

import privge as pg
from privge.campaign import Assignment
from privge.errors import BadData, NotAsked
from privge.questions import (
    Choice,
    ChoiceFeature,
    Direction,
    Encoding,
    Model,
    Number,
    NumberFeature,
    Score,
    YesNo,
    YesNoFeature,
)

AGE = NumberFeature("age", 0, 100, levels=9)
OWNS, PLACE = YesNoFeature("owns"), ChoiceFeature("place", ("de", "fr", "other"))
PROFILE = Encoding((AGE, OWNS, PLACE))
TOTAL = 2**53


def campaign(*questions, epsilon=1.0, **more):
    return pg.Campaign(questions=list(questions), epsilon=epsilon, **more)


def every_code(made, decoding):
    """The decoded columns of every code of a campaign of one question."""
    outputs = made.questions[0].outputs
    reports = pg.Reports(made, [f"u{i}" for i in range(outputs)], np.arange(outputs)[:, None])
    return reports.decode(decoding).toarray().astype(np.float64)


@pytest.mark.parametrize("mechanism", ["hds", "piecewise", "multibit", "laplace"])
def test_a_number_decodes_to_one_column_of_the_right_mean(mechanism):
    made = campaign(Number(AGE, mechanism))
    decoded, law = every_code(made, "unbiased"), made.questions[0].law
    assert decoded.shape[1] == 1
    for level in (0, 4, 8):
        mean = law.weights(level) / TOTAL @ decoded[:, 0]
        assert mean == pytest.approx(level / 4 - 1, abs=1e-3 if mechanism == "laplace" else 1e-6)
    weights = law.weights(4) / TOTAL
    assert made.noise[0] == pytest.approx(weights @ decoded[:, 0] ** 2, rel=1e-5)


def test_yes_and_no_decode_to_one_column_of_the_right_mean():
    made = campaign(YesNo(OWNS))
    decoded, law = every_code(made, "unbiased")[:, 0], made.questions[0].law
    for level, expected in ((0, -1), (1, 1)):
        weights = law.weights(level) / TOTAL
        assert weights @ decoded == pytest.approx(expected, abs=1e-6)
        assert made.noise[0] == pytest.approx(weights @ decoded**2 - 1, rel=1e-5)


@pytest.mark.parametrize("question", [Choice(PLACE), Model(PROFILE, np.eye(3, 5, dtype=int), classes=("a", "b", "c"))])
def test_a_choice_decodes_to_a_column_for_each_value_of_the_right_mean_and_noise(question):
    made = campaign(question, epsilon=2.0)
    decoded, law = every_code(made, "unbiased"), made.questions[0].law
    assert every_code(made, "raw").tolist() == np.eye(3).tolist()
    variances = []
    for level in range(3):
        weights = law.weights(level) / TOTAL
        mean = weights @ decoded
        assert mean == pytest.approx(np.eye(3)[level], abs=1e-6)
        variances.append(weights @ decoded**2 - mean**2)
    assert made.noise == pytest.approx(np.mean(variances, axis=0), rel=1e-5)
    p, q = law.high / TOTAL, law.low / TOTAL
    assert variances[1] == pytest.approx(np.where(np.arange(3) == 1, p * (1 - p), q * (1 - q)) / (p - q) ** 2, rel=1e-5)


def test_a_score_decodes_to_one_column():
    made = campaign(Score(PROFILE, [[1, 1, 1, 1, 1]], low=-9, high=9, levels=5))
    decoded, law = every_code(made, "unbiased")[:, 0], made.questions[0].law
    assert law.weights(4) / TOTAL @ decoded == pytest.approx(1, abs=1e-6)


def test_a_direction_decodes_to_the_unit_profile_with_the_stated_noise():
    people, made = 40_000, campaign(Direction(PROFILE), epsilon=2.0)
    row = {"age": 100.0, "owns": 1, "place": "fr"}
    reports = made.simulate({name: [value] * people for name, value in row.items()}, ids=range(people), seed=0)
    decoded = reports.decode("unbiased").toarray()
    profile = PROFILE.coordinates({name: [value] for name, value in row.items()})[0]
    unit, law = profile / np.linalg.norm(profile), made.questions[0].law
    assert decoded.mean(axis=0) == pytest.approx(unit, abs=5 * math.sqrt(made.noise[0] / people))
    expected = law.noise * (1 - unit**2) + law.along * unit**2
    assert decoded.var(axis=0) == pytest.approx(expected, rel=5 * math.sqrt(3 / people))
    assert made.noise.tolist() == [law.noise] * 5
    assert reports.decode("raw").toarray() * (1 / law.gain) == pytest.approx(decoded, rel=1e-5)


def test_several_questions_stand_beside_each_other_and_what_is_not_answered_is_zero():
    made = campaign(Number(AGE), Choice(PLACE), YesNo(OWNS), epsilon=2.0, k=2)
    people = 3000
    reports = made.simulate({"age": [100.0] * people, "owns": [1] * people, "place": ["fr"] * people}, seed=0)
    raw, decoded = reports.decode("raw").toarray(), reports.decode("unbiased").toarray()
    assert made.column_names == ("age", "place=de", "place=fr", "place=other", "owns")
    answered = np.zeros((people, 5), dtype=bool)
    for row, places in enumerate(reports.indices):
        for place in places:
            answered[row, {0: [0], 1: [1, 2, 3], 2: [4]}[place]] = True
    assert (raw[~answered] == 0).all()
    assert (decoded[answered] != 0).all()
    error = np.sqrt(decoded.var(axis=0) / people)
    assert (np.abs(decoded.mean(axis=0) - [1, 0, 1, 0, 1]) < 5 * error).all()
    single = made.questions[1].decode(reports.codes[:1, 0] % 3, None, "unbiased")
    assert decoded[answered[:, 1]][:, 1:4].max() == pytest.approx(1.5 * single.max(), rel=1e-5)  # three over two


def personal():
    model = Model(PROFILE, np.eye(4, 5, dtype=int), classes=("a", "b", "c", "d"))
    return campaign(model, assignment=Assignment.of(["ann", "bob", "cec"], [[3, 1, -1], [0, 1, -1], [0, 2, 3]]))


def test_a_personal_answer_decodes_to_the_classes_that_were_asked():
    made = personal()
    decoded = pg.Reports(made, ["ann", "bob", "cec"], np.array([[1], [0], [2]])).decode("raw").toarray()
    assert decoded.tolist() == [[0, 0, 0, 1], [1, 0, 0, 0], [0, 0, 0, 1]]
    two = made.questions[0].law_of(2)
    unbiased = pg.Reports(made, ["ann"], np.array([[1]])).decode("unbiased").toarray()[0]
    p, q = two.high / TOTAL, two.low / TOTAL
    assert unbiased == pytest.approx([0, -q / (p - q), 0, (1 - q) / (p - q)], rel=1e-6)
    with pytest.raises(BadData, match="personal"):
        _ = made.noise


def test_log_likelihoods_are_those_of_the_laws_and_zero_for_what_was_not_asked():
    made = personal()
    found = pg.Reports(made, ["ann", "cec"], np.array([[1], [0]])).log_likelihood()
    two, three = made.questions[0].law_of(2), made.questions[0].law_of(3)
    assert found[0] == pytest.approx([0, np.log(2 * two.low / TOTAL), 0, np.log(2 * two.high / TOTAL)])
    own, other = np.log(3 * three.high / TOTAL), np.log(3 * three.low / TOTAL)
    assert found[1] == pytest.approx([own, 0, other, other])
    assert found[0, 3] - found[0, 1] == pytest.approx(1.0, abs=1e-9)  # epsilon, and never more
    yes = campaign(YesNo(OWNS))
    assert pg.Reports(yes, ["ann"], [[1]]).log_likelihood()[0] @ [-1, 1] == pytest.approx(1.0, abs=1e-9)
    with pytest.raises(BadData, match="0 of the questions"):
        pg.Reports(campaign(Number(AGE)), ["ann"], [[1]]).log_likelihood()


def test_codes_beyond_a_nodes_own_question_are_refused():
    made = personal()
    pg.Reports(made, ["cec"], np.array([[2]]))
    with pytest.raises(BadData, match=r"outside 0\.\.1"):
        pg.Reports(made, ["ann"], np.array([[2]]))
    with pytest.raises(NotAsked):
        pg.Reports(made, ["eve"], np.array([[0]]))
    mixed = campaign(Number(AGE), YesNo(OWNS), epsilon=2.0, k=2)
    with pytest.raises(BadData, match=r"outside 0\.\.1"):
        pg.Reports(mixed, ["ann"], np.array([[0, 2]]))


def test_reports_with_their_assignment_come_back_from_a_file(tmp_path):
    made = personal()
    reports = pg.Reports(made, ["ann", "cec"], np.array([[1], [2]]))
    reports.to_parquet(tmp_path / "reports.parquet")
    read = pg.Reports.from_parquet(tmp_path / "reports.parquet")
    assert read.log_likelihood().tolist() == reports.log_likelihood().tolist()
    bare = pg.Campaign.from_json(made.to_json())
    without = pg.Reports(bare, ["ann"], np.array([[1]]))
    with pytest.raises(BadData, match="not at hand"):
        without.decode()


def test_answers_are_embedded_like_any_reports():
    made = campaign(Choice(PLACE), YesNo(OWNS), epsilon=2.0, k=1)
    people = {"owns": [1, 0, 1], "place": ["fr", "de", "fr"]}
    reports = made.simulate(people, ids=["a", "b", "c"], seed=0)
    graph = pg.Graph.from_edges([("a", "b"), ("b", "c")])
    assert pg.embed(graph, reports).matrix.shape == (3, 4)
    assert reports.to_frame()["feature"].isin(["place", "owns"]).all()
    with pytest.raises(BadData, match="clipped"):
        reports.decode(clip=2)
