"""Of groups that are alike hardly any table shows a difference, however rare a feature is and however few answered."""

import math

import numpy as np
import pytest
import scipy.stats

import privge as pg
from privge.profiles.columns import Columns
from privge.profiles.differences import adjusted, p_values
from privge.profiles.intervals import expected_half_width, mean_answers
from privge.profiles.profile import USUAL
from privge.profiles.tails import exact_tail, skew_tail
from privge.profiles.tallies import Tallies
from privge.questions import Choice, Number, YesNo
from privge.questions.features import ChoiceFeature, NumberFeature, YesNoFeature

GROUPS, QUESTIONS, TABLES = 100, 10, 60
# A table shows a difference with a probability of 5 % at most; this is three standard deviations more.
MOST = 0.05 * TABLES + 3 * math.sqrt(TABLES * 0.05 * 0.95)

KINDS = {
    "yes or no": lambda name: YesNo(YesNoFeature(name)),
    "choice": lambda name: Choice(ChoiceFeature(name, ("a", "b", "c", "d"))),
    "multibit": lambda name: Number(NumberFeature(name, low=0, high=1), "multibit"),
    "hds": lambda name: Number(NumberFeature(name, low=0, high=1), "hds"),
    "piecewise": lambda name: Number(NumberFeature(name, low=0, high=1), "piecewise"),
}


class Alike:
    """Groups in which nobody has a feature, but for a rare few; as few answers as can be told, 20 at the least."""

    def __init__(self, kind, epsilon=4.0):
        questions = [KINDS[kind](f"q{place}") for place in range(QUESTIONS)]
        self.campaign = pg.Campaign(questions=questions, epsilon=epsilon, k=1)
        self.columns, self.law = Columns.of(self.campaign), self.campaign.questions[0].law
        needed = expected_half_width(self.columns, np.ones(1), USUAL.z).max() / USUAL.widest
        self.answers = max(20, math.ceil(needed**2))
        codes = np.arange(self.law.outputs)
        if kind == "choice":
            self.places = ((codes[:, None] == codes) - self.law.low / 2**53) / float(self.law.gain)
        else:
            self.places = (self.law.decode(codes, "unbiased")[:, None] + 1) / 2

    def table(self, generator, rare=0.0, raised=()):
        """Return the sums of the groups and of the rest; all of the groups ``raised`` have the first feature."""
        ends = [self.law.weights(level) / 2**53 for level in (0, self.law.levels - 1)]
        chances = np.broadcast_to((1 - rare) * ends[0] + rare * ends[1], (GROUPS, QUESTIONS, self.law.outputs)).copy()
        chances[list(raised), 0] = ends[1]
        counts = generator.multinomial(self.answers, chances)
        sums = [(counts @ self.places**power).reshape(GROUPS, -1) for power in range(4)]
        people = np.full(GROUPS, self.answers * QUESTIONS)
        tallies = Tallies(people, sums[0].astype(np.int64), *sums[1:])
        return tallies, tallies.rest()


def found(p):
    return adjusted(p, np.ones(p.shape, dtype=bool)) <= 0.05


def tables_with_a_difference(alike, rare, test):
    generator = np.random.default_rng(7)
    return sum(found(test(alike.columns, *alike.table(generator, rare))).any() for _ in range(TABLES))


def normal(_columns, groups, rest):
    """Return p-values that are wrong on purpose: as if means of few answers were normal."""
    everybody = groups.sums + rest.sums, groups.squares + rest.squares
    mean, square = (each / (groups.answers + rest.answers) for each in everybody)
    deviation = np.sqrt((square - mean**2) * (1 / groups.answers + 1 / rest.answers))
    return 2 * scipy.stats.norm.sf(np.abs(mean_answers(groups) - mean_answers(rest)) / deviation)


@pytest.mark.parametrize("rare", [0.0, 0.01, 0.5])
@pytest.mark.parametrize("kind", list(KINDS))
def test_rare_features_show_no_difference_by_chance(kind, rare):
    assert tables_with_a_difference(Alike(kind), rare, p_values) <= MOST


@pytest.mark.parametrize("kind", ["yes or no", "choice", "multibit"])
def test_a_normal_p_value_would_show_one_in_nearly_every_table(kind):
    assert tables_with_a_difference(Alike(kind), 0.0, normal) > 3 * MOST


@pytest.mark.parametrize("kind", ["yes or no", "choice", "multibit", "hds"])
def test_a_group_that_has_a_rare_feature_is_found(kind):
    alike, generator = Alike(kind), np.random.default_rng(8)
    raised = range(5)
    tables = [found(p_values(alike.columns, *alike.table(generator, 0.01, raised))) for _ in range(20)]
    place = 3 if kind == "choice" else 0
    assert np.mean([table[:5, place] for table in tables]) > 0.95


def test_the_exact_tail_is_fishers():
    generator = np.random.default_rng(1)
    marked = generator.integers(0, 2001, 300)
    drawn = generator.integers(1, 1000, 300)
    seen = generator.hypergeometric(marked, 2000 - marked, drawn)
    seen[:50] = np.minimum(drawn, marked)[:50]
    law = scipy.stats.hypergeom(2000, marked, drawn)
    doubled = 2 * np.where(seen * 2000 >= drawn * marked, law.sf(seen - 1), law.cdf(seen))
    told = exact_tail(*(np.asarray(each, dtype=float) for each in (seen, drawn, marked, np.full(300, 2000))))
    assert np.allclose(told, np.minimum(doubled, 1), rtol=1e-8, atol=0)


def test_the_skew_tail_is_that_of_pearsons_third_type_on_its_longer_side():
    score, skewness = np.array([1.0, 3.0, 5.0]), np.array([0.3, 1.0, 2.0])
    assert np.allclose(skew_tail(score, skewness), 2 * scipy.stats.pearson3.sf(score, skewness))
    assert (skew_tail(score, -skewness) == 0).all()
