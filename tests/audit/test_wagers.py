"""Wagers: no honest people win on the average, and liars who say the same k times lose."""

from itertools import product

import numpy as np
import pytest

from privge.audit.envelope import look
from privge.audit.report_sets import ReportSets
from privge.audit.wagers import MOST_CODES, Wagers
from privge.mechanisms import law_for
from privge.random import NotPrivateSeededSource

K = 5
REPORTS = 2000


@pytest.fixture(scope="module")
def law():
    return law_for("multibit", 1.0, K, 65)


def test_no_honest_report_wins_on_the_average_whatever_its_values():
    """Every corner and many inner points of the k probabilities, not only those that the wagers were made from."""
    least, most = 0.2, 0.6
    wagers = np.exp(Wagers.of(3, np.array([least]), np.array([most])).logs[0])
    inner = np.random.default_rng(0).uniform(least, most, (200, 3)).tolist()
    for chances in [*product((least, most), repeat=3), *inner]:
        outcomes = list(product((0, 1), repeat=3))
        likely = [np.prod([p if hit else 1 - p for p, hit in zip(chances, each, strict=True)]) for each in outcomes]
        means = wagers[:, [sum(each) for each in outcomes]] @ likely
        assert means.max() <= 1 + 1e-9


@pytest.mark.parametrize("kind", ["low", "high", "even"])
def test_3_percent_of_liars_are_seen_in_most_stores_of_a_law_with_two_codes(law, kind):
    """A count of codes sees a quarter of them: those of people at the high bound."""
    seen = 0
    for seed in range(20):
        draw = np.random.default_rng(seed)
        levels = {"low": 0, "high": 64, "even": draw.integers(0, 65, (REPORTS, K))}[kind]
        codes = law.sample(np.broadcast_to(levels, (REPORTS, K)), NotPrivateSeededSource(seed))
        assert not look(law, K, [codes]).flagged
        codes[: REPORTS * 3 // 100] = law.outputs - 1
        seen += look(law, K, [codes]).flagged
    assert seen >= 10


def test_one_code_a_report_gives_nothing_to_bet_on():
    assert Wagers.of(1, np.array([0.3]), np.array([0.7])).p_value(np.array([[10, 990]])) == 1
    many = MOST_CODES + 1
    assert Wagers.of(many, np.array([0.3]), np.array([0.7])).p_value(np.ones((1, many + 1), dtype=np.int64)) == 1


def test_expected_numbers_of_reports_are_those_that_come(law):
    sets, honest = ReportSets.of(law, K), law.weights(32) / 2**53
    expected = sets.expected(honest, REPORTS, 100)
    codes = law.sample(np.full((REPORTS, K), 32), NotPrivateSeededSource(0))
    codes[:100] = law.outputs - 1
    np.testing.assert_allclose(expected.sum(axis=1), REPORTS)
    assert np.all(np.abs(sets.counted(codes) - expected) < 5 * np.sqrt(expected + 1))
