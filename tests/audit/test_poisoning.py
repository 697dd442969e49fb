"""Codes against the law's envelope: honest stores are hardly ever accused, crude liars are."""

import numpy as np
import pytest

from privge.audit.envelope import LEVEL, look, look_at_answers, visible_share
from privge.mechanisms import LAWS, Nearest, law_for
from privge.random import NotPrivateSeededSource

PRIVATE = [name for name, law in LAWS.items() if law.fixed_epsilon is None]
REPORTS = 3000
SEEN = [("hds", 1), ("hds", 5), ("piecewise", 1), ("piecewise", 5), ("laplace", 1), ("laplace", 5)]
"""Laws with many codes: 3 % of crude liars stand out."""


def law_of(name, k):
    return law_for(name, 1.0, k, 6 if name == "choice" else 65)


def honest(law, k, levels, seed):
    return law.sample(np.broadcast_to(levels, (REPORTS, k)), NotPrivateSeededSource(seed))


def people(law, k, kind, seed):
    draw = np.random.default_rng(seed)
    last = law.levels - 1
    return {
        "low": 0,
        "high": last,
        "even": draw.integers(0, law.levels, (REPORTS, k)),
        "extreme": draw.choice([0, last], (REPORTS, k)),
    }[kind]


@pytest.mark.parametrize("name", PRIVATE)
@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("kind", ["low", "high", "even", "extreme"])
def test_honest_stores_are_accused_at_most_once_in_a_thousand_whatever_the_values(name, k, kind):
    """40 cases of 12 stores each: of 480, one at most is expected to be below the level in two runs of these tests."""
    law = law_of(name, k)
    found = [look(law, k, [honest(law, k, people(law, k, kind, seed), seed)]).p_value for seed in range(12)]
    assert sum(p < LEVEL for p in found) <= 1
    assert min(found) > LEVEL / 100


@pytest.mark.parametrize(("name", "k"), SEEN)
@pytest.mark.parametrize("kind", ["low", "even", "high"])
def test_3_percent_of_crude_liars_are_flagged(name, k, kind):
    law = law_of(name, k)
    for seed in range(5):
        codes = honest(law, k, people(law, k, kind, seed), seed)
        codes[: REPORTS * 3 // 100] = law.outputs - 1
        assert look(law, k, [codes]).flagged


def test_liars_who_imitate_the_law_are_never_seen():
    law = law_of("hds", 1)
    codes = honest(law, 1, 10, 0)
    codes[:1500] = honest(law, 1, law.levels - 1, 1)[:1500]
    assert not look(law, 1, [codes]).flagged


def test_reports_of_the_same_code_k_times_are_seen_though_each_code_is_possible():
    """Two outputs: no single code can say anything, the reports of five can."""
    law = law_of("multibit", 5)
    codes = honest(law, 5, people(law, 5, "even", 1), 1)
    codes[:300] = 1
    assert look(law, 5, [codes]).flagged
    assert not look(law, 1, [codes.reshape(-1, 1)]).flagged


def test_blocks_add_up():
    law, k = law_of("hds", 5), 5
    codes = honest(law, k, 3, 0)
    codes[:40] = 7
    whole, parts = look(law, k, [codes]), look(law, k, [codes[:1000], codes[1000:]])
    assert whole == parts


def test_the_share_that_would_be_seen_is_seen_and_less_is_not():
    law, k = law_of("hds", 1), 1
    share = visible_share(law, k, REPORTS)
    flagged = []
    for part in (share * 1.2, share / 3):
        codes = honest(law, k, law.levels // 2, 5)
        codes[: round(part * REPORTS)] = law.outputs - 1
        flagged.append(look(law, k, [codes]).flagged)
    assert flagged == [True, False]


def test_a_law_of_two_codes_says_that_it_sees_little():
    assert visible_share(law_of("multibit", 1), 1, REPORTS) > 0.4


def test_answers_to_many_questions_are_pooled():
    """Forty questions of a hundred answers: none of them alone is strange, all of them together are."""
    law = law_for("choice", 1.0, levels=8)
    source = NotPrivateSeededSource(0)
    draw = np.random.default_rng(0)
    groups, strange = [], []
    for _ in range(40):
        codes = law.sample(draw.integers(0, 8, 100), source)
        groups.append((law, np.bincount(codes, minlength=8)))
        codes[:30] = 7
        strange.append((law, np.bincount(codes, minlength=8)))
    assert not look_at_answers(groups).flagged
    assert look_at_answers(strange).flagged
    assert not any(look_at_answers([each]).flagged for each in strange)


def test_directions_are_looked_at():
    law = Nearest.for_epsilon(1.0, 16)
    even = np.full(16, 200)
    assert not look_at_answers([(law, even)]).flagged
    even[3] += 900
    assert look_at_answers([(law, even)]).flagged


def test_nothing_is_said_of_nothing():
    law = law_of("hds", 5)
    assert look(law, 5, []).p_value == 1.0
    assert look_at_answers([]).p_value == 1.0
