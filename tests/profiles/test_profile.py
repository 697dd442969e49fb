"""Means of groups: what is estimated, by which law, and when nothing can be told."""

import math

import numpy as np
import pytest
import scipy.stats

import privge as pg
from privge.errors import BadData
from privge.profiles import Demands, Groups, expected, profile
from privge.profiles.columns import Columns, Noise
from privge.profiles.intervals import Variance
from privge.profiles.missing import counts_as
from privge.profiles.table import cell, cells
from privge.profiles.tallies import Tallies
from privge.profiles.words import limits, sentences, summary
from privge.questions import Choice, Direction, Encoding, Model, Number, Score, YesNo
from privge.questions.features import ChoiceFeature, NumberFeature, YesNoFeature

PEOPLE = np.arange(6000)
GROUPS = Groups.of((PEOPLE, np.where(PEOPLE < 4000, "many", "few")))


def campaign(mechanism="multibit", epsilon=2.0, k=1, dimensions=4, **more):
    return pg.Campaign(dimensions=dimensions, low=0, high=1, mechanism=mechanism, epsilon=epsilon, k=k, **more)


def asking(*questions, epsilon=2.0, k=1, **more):
    return pg.Campaign(questions=list(questions), epsilon=epsilon, k=k, **more)


def features(dimensions=4, seed=1):
    return np.random.default_rng(seed).random((len(PEOPLE), dimensions))


def test_a_two_point_law_has_wilsons_interval_pulled_through_the_law():
    reports = campaign().simulate(features(), seed=3)
    made, law = profile(reports, GROUPS), reports.campaign.law
    for group, people in ((0, PEOPLE < 4000), (1, PEOPLE >= 4000)):
        said = reports.codes[people][reports.indices[people] == 2]
        wilson = scipy.stats.binomtest(int(said.sum()), len(said)).proportion_ci(0.95, method="wilson")
        low, high = (law.weights(level)[1] / 2**53 for level in (0, law.levels - 1))
        pulled = [np.clip((share - low) / (high - low), 0, 1) for share in wilson]
        assert np.allclose([made.inside.low[group, 2], made.inside.high[group, 2]], pulled, atol=1e-9)


def test_a_choice_of_which_few_are_asked_has_nearly_wilsons_interval():
    question = Choice(ChoiceFeature("c", ("a", "b", "c")))
    more = [YesNo(YesNoFeature(f"q{place}")) for place in range(59)]
    c = asking(question, *more)
    values = {"c": np.where(PEOPLE % 4, "a", "b"), **{f"q{place}": PEOPLE % 2 for place in range(59)}}
    reports = c.simulate(values, ids=PEOPLE, seed=3)
    made, law = profile(reports, GROUPS, demands=Demands(widest=9)), c.questions[0].law
    said = reports.codes[:4000][reports.indices[:4000] == 0]
    wilson = scipy.stats.binomtest(int((said == 0).sum()), len(said)).proportion_ci(0.95, method="wilson")
    pulled = [np.clip((share - law.low / 2**53) / float(law.gain), 0, 1) for share in wilson]
    assert np.allclose([made.inside.low[0, 0], made.inside.high[0, 0]], pulled, rtol=0.02)


def test_without_privacy_and_with_everybody_answering_the_mean_is_known_exactly():
    x = np.rint(features() * 1024) / 1024
    c = pg.Campaign(dimensions=4, low=0, high=1, mechanism="none", k=4)
    made = profile(c.simulate(x, seed=0), GROUPS)
    truth = np.array([x[:4000].mean(axis=0), x[4000:].mean(axis=0)])
    for each in (made.inside.mean, made.inside.low, made.inside.high):
        assert np.allclose(each, truth, atol=1e-6)


@pytest.mark.parametrize("mechanism", ["hds", "piecewise", "multibit", "laplace"])
def test_every_mechanism_is_decoded_without_bias(mechanism):
    """The mean over 40 collections is within 5 standard errors; the raw square wave is far outside (gain 0.5)."""
    x = np.full((6000, 2), 0.9)
    c = campaign(mechanism, epsilon=2.0, k=2, dimensions=2)
    means = [profile(c.simulate(x, seed=seed), GROUPS).inside.mean[0, 0] for seed in range(40)]
    error = np.std(means, ddof=1) / math.sqrt(len(means))
    assert abs(np.mean(means) - 0.9) < 5 * error
    if mechanism == "hds":
        raw = (c.law.decode(c.simulate(x, seed=0).codes).mean() + 1) / 2
        assert abs(raw - 0.9) > 5 * error


def test_the_expected_half_width_is_that_of_the_formula():
    questions = [YesNo(YesNoFeature(f"q{place}")) for place in range(15)]
    widths = expected(asking(*questions, epsilon=1.0), np.array([50_000 // 16, 50_000]))
    formula = 0.98 / (math.tanh(0.5) * np.sqrt(np.array([50_000 // 16, 50_000]) / 15))
    assert np.allclose(widths, formula[:, None], rtol=1e-3)
    assert widths[0, 0] == pytest.approx(0.147, abs=0.002)


def test_what_cannot_be_told_follows_from_numbers_of_people_and_not_from_answers():
    small = Groups.of((PEOPLE, np.where(PEOPLE < 5950, "many", "few")))
    made = [profile(campaign().simulate(features(seed=seed), seed=seed), small) for seed in (1, 2)]
    assert made[0].told[0].all()
    assert not made[0].told[1].any()
    assert np.array_equal(made[0].told, made[1].told)
    assert {each.finding for each in cells(made[0]) if each.group == "few"} == {"cannot be told"}
    assert cell(made[0], 1, 0).adjusted is None


def test_the_noise_is_never_more_than_the_law_says_at_any_level():
    for mechanism in ("hds", "piecewise", "multibit", "laplace"):
        law = campaign(mechanism, epsilon=1.0).law
        noise, x = Noise.of_law(law), law.inputs[::128]
        u = (x + 1) / 2
        stated = noise.at_low + noise.tilt * u - noise.bend * u * (1 - u)
        assert (law.variance(x, "unbiased") / 4 <= stated * (1 + 1e-9)).all()
        assert np.allclose(law.variance(x, "unbiased") / 4, stated, rtol=1e-6)


def test_the_variance_is_largest_where_it_is_said_to_be():
    for question in (YesNo(YesNoFeature("a")), Choice(ChoiceFeature("c", tuple("abcdef")))):
        columns = Columns.of(asking(question))
        variance = Variance.from_parts(columns, np.ones(len(columns)), np.zeros(len(columns)))
        assert np.allclose(
            max(variance.at(np.full(len(columns), m))[0] for m in np.linspace(0, 1, 1001)),
            Variance.largest(columns)[0],
            rtol=1e-5,
        )


def test_means_are_in_the_units_of_the_features():
    age = Number(NumberFeature("age", low=20, high=60), "piecewise")
    c = asking(age, YesNo(YesNoFeature("sport")), k=2, epsilon=8.0)
    reports = c.simulate({"age": np.full(6000, 50.0), "sport": np.ones(6000)}, ids=PEOPLE, seed=0)
    told = {each.feature: each for each in cells(profile(reports, GROUPS)) if each.group == "many"}
    assert told["age"].unit == "number"
    assert told["age"].low <= 50 <= told["age"].high
    assert told["sport"].unit == "share"
    assert told["sport"].mean == pytest.approx(1, abs=0.05)


def test_an_interval_beyond_the_bounds_is_cut_and_said_to_be():
    made = profile(campaign(epsilon=1.0).simulate(np.ones((6000, 4)), seed=1), GROUPS)
    assert (made.inside.high <= 1).all()
    assert made.inside.clipped.any()
    assert summary(made)["cut_at_bounds"] == made.inside.clipped.sum()
    assert any("cut there" in sentence for sentence in sentences(made))


@pytest.mark.parametrize("mechanism", ["multibit", "hds", "laplace"])
@pytest.mark.parametrize("bound", [0.0, 1.0])
def test_where_noise_carries_an_estimate_beyond_its_bounds_the_interval_is_as_wide_as_the_noise(mechanism, bound):
    groups = Groups.of((PEOPLE, [f"g{node % 150}" for node in PEOPLE]))  # 40 people each
    reports = campaign(mechanism, epsilon=1.0, k=1, dimensions=1).simulate(np.full((6000, 1), bound), seed=2)
    made = profile(reports, groups, demands=Demands(widest=99))
    beyond = (made.inside.mean < 0) | (made.inside.mean > 1)
    assert beyond.sum() > 50, "half of them, where the truth is at a bound"
    widths = made.inside.high - made.inside.low
    reach = 1.96 * np.sqrt(Variance.of(made.columns, _tallies(reports, groups)).at(np.full((150, 1), bound)) / 40)
    assert (widths >= np.minimum(0.8 * reach, 0.999))[beyond].all()
    held = (made.inside.low <= bound) & (bound <= made.inside.high)
    assert held.mean() > 0.93


def _tallies(reports, groups):
    return Tallies.of(reports, groups.rows(reports.ids), len(groups))


def test_what_a_missing_value_counts_as_is_said_by_feature():
    numbers = campaign(missing="low", levels=101)
    assert counts_as(numbers) == {"every feature": "its lower bound"}
    mixed = asking(
        Number(NumberFeature("age", low=0, high=100)),
        YesNo(YesNoFeature("sport")),
        Choice(ChoiceFeature("city", ("Rome", "Oslo"), otherwise="Rome")),
    )
    assert counts_as(mixed) == {"age": "the middle of its bounds", "sport": "no", "city": "'Rome'"}
    people = {"age": np.where(PEOPLE % 2, 50, np.nan), "sport": PEOPLE % 2, "city": ["Oslo"] * 6000}
    made = profile(mixed.simulate(people, ids=PEOPLE, seed=0), {**dict.fromkeys(range(7000), "all"), 7001: None})
    told = summary(made)
    assert (told["did_not_report"], told["without_group"]) == (1000, 1)
    assert told["missing_values"] == {"count_as": counts_as(mixed), "counted": None}
    assert any("1,000 people of these groups did not report, and 1 of the table" in line for line in sentences(made))
    assert any("as 'Rome' (city). Devices do not tell whose is missing" in line for line in limits(made))


def test_people_in_no_group_count_as_the_rest():
    x = np.repeat([[0.1], [0.9]], 3000, axis=0)
    c = campaign("none", epsilon=None, dimensions=1)
    made = profile(c.simulate(x, seed=0), {int(node): "one" for node in PEOPLE[:3000]})
    assert made.ungrouped == 3000
    assert made.inside.mean[0, 0] == pytest.approx(0.1, abs=1e-3)
    assert made.rest.mean[0, 0] == pytest.approx(0.9, abs=1e-3)
    assert made.differs[0, 0] == -1


def test_text_and_integer_ids_are_one_node():
    reports = campaign().simulate(features(), ids=PEOPLE, seed=1)
    same = Groups.of((list(map(str, PEOPLE)), np.where(PEOPLE < 4000, "many", "few")))
    assert np.array_equal(profile(reports, same).inside.mean, profile(reports, GROUPS).inside.mean)


def test_groups_of_nobody_who_reported_are_refused():
    with pytest.raises(BadData, match="none of the 6,000 people who reported is in a group"):
        profile(campaign().simulate(features(), seed=1), {"somebody": "one"})


def test_reports_that_tell_nothing_are_refused():
    c = pg.Campaign(dimensions=4, low=0, high=1, mechanism="structure", k=1)
    with pytest.raises(BadData, match="gain 0"):
        profile(c.simulate(features(), seed=1), GROUPS)


def test_a_profile_of_directions_holds_the_mean_direction():
    encoding = Encoding(tuple(NumberFeature(f"c{place}", low=0, high=1) for place in range(3)))
    c = asking(Direction(encoding), epsilon=4.0)
    x = np.column_stack([np.full(6000, 0.9), np.full(6000, 0.2), np.full(6000, 0.5)])
    made = profile(c.simulate(x, ids=PEOPLE, seed=2), GROUPS)
    unit = (2 * x[0] - 1) / np.linalg.norm(2 * x[0] - 1)
    low, high = made.columns.in_units(made.inside.low)[0], made.columns.in_units(made.inside.high)[0]
    assert ((low <= unit) & (unit <= high)).all()
    assert (high - low < 0.4).all()


def test_scores_and_models_have_means_too():
    encoding = Encoding((NumberFeature("a", low=0, high=1, levels=3),))
    c = asking(
        Score(encoding, ((1,),), low=-1024, high=1024, mechanism="piecewise"),
        Model(encoding, ((1,), (-1,)), classes=("up", "down")),
        epsilon=8.0,
        k=2,
    )
    made = profile(c.simulate({"a": np.ones(6000)}, ids=PEOPLE, seed=2), GROUPS)
    told = {each.feature: each for each in cells(made) if each.group == "many"}
    assert told["score"].low <= 1024 <= told["score"].high + 1e-9
    assert told["up"].mean == pytest.approx(1, abs=0.1)


def test_progress_counts_the_reports_of_profile_and_control():
    seen = []
    profile(campaign().simulate(features(), seed=0), GROUPS, progress=lambda *told: seen.append(told))
    assert seen == [(6000, 12_000), (12_000, 12_000)]


def test_the_control_deals_out_the_groups_at_random():
    x = np.repeat([[0.1] * 4, [0.9] * 4], [4000, 2000], axis=0)
    made = profile(campaign().simulate(x, seed=0), GROUPS)
    assert len(made.found) == 8
    assert made.shuffled == 0
