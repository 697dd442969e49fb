"""Public directions: one rule, in plain Python and compiled; and how far they are from Gaussian ones."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from privge.mechanisms import Nearest
from privge.mechanisms.directions import (
    NORMAL,
    UNIT,
    chosen_directions,
    directions_of,
    lone_gain,
    scores_of,
    state_of,
    states_of,
)

CAMPAIGN = "ab" * 32


def test_the_generator_is_xoshiro128_starstar():
    """The first outputs of the authors' code for the state 1, 2, 3, 4, as four bytes each."""
    outputs = [11520, 0, 5927040, 70819200, 2031721883]
    expected = [NORMAL[byte] for output in outputs for byte in output.to_bytes(4, "little")]
    assert directions_of((1, 2, 3, 4), 1, 20)[0].tolist() == expected


def test_the_table_is_symmetric_increasing_and_has_256_entries():
    assert len(NORMAL) == 256
    assert list(NORMAL) == sorted(NORMAL) == [-value for value in reversed(NORMAL)]
    edges = norm.pdf(norm.ppf(np.arange(257) / 256))  # the mean between two quantiles is a difference of densities
    assert np.rint(40 * 256 * (edges[:-1] - edges[1:])).tolist() == list(NORMAL)
    assert np.std(NORMAL) == pytest.approx(UNIT, rel=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 9), st.integers(2, 9), st.integers(0, 2**32))
def test_compiled_scores_and_directions_equal_the_plain_ones(columns, directions, seed):
    generator, nodes = np.random.default_rng(seed), ["ann", "bob", "17"]
    profiles = generator.integers(-(2**20), 2**20, (3, columns)) * generator.integers(0, 2, (3, columns))
    states, codes = states_of(CAMPAIGN, 2, nodes), generator.integers(0, directions, 3).astype(np.uint16)
    assert [tuple(row) for row in states.tolist()] == [state_of(CAMPAIGN, 2, node) for node in nodes]
    plain = [directions_of(state_of(CAMPAIGN, 2, node), directions, columns) for node in nodes]
    expected = [(mine @ profile).tolist() for mine, profile in zip(plain, profiles, strict=True)]
    assert scores_of(profiles, states, directions).tolist() == expected
    assert scores_of(scipy.sparse.csr_array(profiles), states, directions).tolist() == expected
    chosen = [mine[code] / UNIT for mine, code in zip(plain, codes, strict=True)]
    assert chosen_directions(states, codes, columns) == pytest.approx(np.array(chosen), rel=1e-6)


def test_directions_differ_between_nodes_questions_and_campaigns():
    states = {state_of(CAMPAIGN, 0, "ann"), state_of(CAMPAIGN, 0, "bob"), state_of(CAMPAIGN, 1, "ann")}
    assert len(states | {state_of("cd" * 32, 0, "ann")}) == 4
    assert state_of(CAMPAIGN, 0, 17) == state_of(CAMPAIGN, 0, "17")


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1, 2, 4])
def test_the_worst_profile_of_a_single_coordinate_is_within_a_twentieth_of_a_percent(epsilon):
    law = Nearest.for_epsilon(epsilon)
    assert lone_gain(law) == pytest.approx(law.gain, rel=5e-4)


def test_the_page_states_the_gain_the_noise_and_the_worst_difference():
    page = (Path(__file__).parents[2] / "docs" / "laws.md").read_text()
    for epsilon in (0.5, 1, 2, 4):
        law = Nearest.for_epsilon(epsilon)
        difference = f"{100 * (lone_gain(law) / law.gain - 1):+.3f} %"
        assert f"| {epsilon} | {law.near} | {law.gain:.4f} | {law.noise:.3f} | {law.along:.3f} | {difference} |" in page


def test_the_gain_of_a_single_coordinate_is_met_by_draws():
    people, law, generator = 200_000, Nearest.for_epsilon(2, 8), np.random.default_rng(3)
    components = np.array(NORMAL)[generator.integers(0, 256, (people, 8))]
    codes = law.codes(components, generator.integers(0, 2**53, people))
    mean = (components[np.arange(people), codes] / UNIT).mean()
    assert mean == pytest.approx(lone_gain(law), abs=5 / np.sqrt(people))


def test_components_are_uniform_bytes_without_correlation():
    states = states_of(CAMPAIGN, 0, list(range(400)))
    drawn = np.stack([chosen_directions(states, np.full(400, j, dtype=np.uint16), 50) for j in range(8)])
    n = drawn.size
    assert abs(drawn.mean()) < 5 / np.sqrt(n)
    assert drawn.var() == pytest.approx(1, abs=5 * np.sqrt(2 / n))
    pairs = drawn[:, :, :-1] * drawn[:, :, 1:]
    assert abs(pairs.mean()) < 5 / np.sqrt(pairs.size)
