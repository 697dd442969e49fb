"""The sampler draws exactly the law: every boundary word, and the compiled path on a million words."""

import numpy as np
import pytest

from privge.mechanisms import Laplace, law_for
from privge.mechanisms.law import middle_codes
from privge.random import NotPrivateSeededSource

LAWS = [
    law_for(name, epsilon, levels=levels)
    for name in ("hds", "piecewise", "multibit", "laplace")
    for epsilon in (0.01, 1.0, 5.0, 30.0)
    for levels in (2, 5, 16, 33)
] + [law_for("structure", 0.0, levels=levels) for levels in (2, 5, 16, 33)]


def segments(law, level):
    """List (code, number of words) in the order in which the sampler hands out its words."""
    weights = law.weights(level).tolist()
    if law.name == "laplace":
        return list(enumerate(weights))
    if law.name == "multibit":
        return [(1, weights[1]), (0, weights[0])]
    if law.name == "structure":
        plain = [(code, law._each) for code in range(law.outputs)]
    else:
        inside = range(level, level + law.window)
        outside = [code for code in range(law.outputs) if code not in inside]
        plain = [(code, law.high) for code in inside] + [(code, law.low) for code in outside]
    lower, upper = middle_codes(law.outputs)
    spare = 2**53 - sum(length for _, length in plain)
    return [*plain, (lower, spare // 2), (upper, spare - spare // 2)]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: f"{law.name}-{law.levels}")
def test_every_word_at_a_boundary_selects_the_code_of_its_segment(law):
    for level in {0, 1, law.levels // 2, law.levels - 1}:
        parts = [(code, length) for code, length in segments(law, level) if length]
        mass = np.zeros(law.outputs, dtype=np.int64)
        words, expected, start = [], [], 0
        for code, length in parts:
            mass[code] += length
            words += [start, start + length - 1]
            expected += [code, code]
            start += length
        assert start == 2**53
        assert (mass == law.weights(level)).all()
        assert [law.code(level, word) for word in words] == expected
        assert law.codes(np.full(len(words), level), np.array(words)).tolist() == expected


@pytest.mark.parametrize("name", ["hds", "piecewise", "multibit", "laplace", "structure"])
def test_compiled_path_equals_the_plain_reference_on_a_million_words(name):
    epsilon, levels = {"structure": (0.0, 33), "laplace": (20.0, 5)}.get(name, (5.0, 33))
    law = law_for(name, epsilon, levels=levels)
    generator = np.random.default_rng(11)
    levels, words = generator.integers(0, law.levels, 10**6), generator.integers(0, 2**53, 10**6)
    plain = [law.code(level, word) for level, word in zip(levels.tolist(), words.tolist(), strict=True)]
    assert (law.codes(levels, words) == plain).all()


def crafted(end, *, cells=3, spread=1, levels=7, length=900):
    """A law that no fit makes: nearly equal weights, and whatever is left of the words at the end of the range."""
    tails = tuple(end + 2 * distance for distance in range(length, 0, -1))
    return Laplace(levels=levels, cells=cells, spread=spread, centre=2, tails=tails)


CRAFTED = {
    "flat": crafted(0),
    "flat, heavy ends": crafted(2**49),
    "flat, narrow": crafted(2**40, cells=1, spread=3, levels=9),
    "no tails": Laplace(levels=2, cells=1, spread=1, centre=2**40, tails=(2**39, 2**38)),
    "all words used": Laplace(levels=2, cells=1, spread=1, centre=2**51, tails=(3 * 2**50, 2**50)),
    "even outputs": law_for("laplace", 0.5, levels=1024),
    "odd outputs": law_for("laplace", 1.0),
    "narrow": law_for("laplace", 1e-3),
    "no signal": law_for("laplace", 1e-9, levels=33),
}


@pytest.mark.parametrize("law", CRAFTED.values(), ids=CRAFTED)
def test_a_laplace_law_selects_what_a_search_of_its_weights_selects_at_every_border(law):
    """The plain search, as a law from outside has it, knows neither the guide nor the shifted sums."""
    for level in sorted({0, 1, law.levels // 3, law.levels // 2, law.levels - 1}):
        sums = np.cumsum(law.weights(level))
        words = np.unique(np.concatenate([sums - 1, sums[:-1], [0, 1]]).clip(0, 2**53 - 1))
        expected = np.searchsorted(sums, words, side="right")
        assert (law.codes(np.full(words.size, level), words) == expected).all()
        some = slice(None, None, 1 + words.size // 100)
        assert [law.code(level, word) for word in words[some].tolist()] == expected[some].tolist()


def test_the_guide_leaves_two_places_to_a_fitted_law_and_more_to_a_crafted_one():
    """Not a promise of right codes, only of few steps; the test above is about the codes."""
    assert [law_for("laplace", epsilon)._sums._guide[1] for epsilon in (1e-3, 0.1, 1.0, 4.0)] == [1, 2, 2, 2]
    assert CRAFTED["flat, heavy ends"]._sums._guide[1] > 100


def test_codes_keep_the_shape_of_a_matrix_of_levels():
    law = law_for("hds", 1.0)
    assert law.codes(np.zeros((7, 3), dtype=np.int64), np.zeros((7, 3), dtype=np.int64)).shape == (7, 3)


@pytest.mark.parametrize("name", ["hds", "piecewise", "multibit", "laplace", "structure", "none"])
@pytest.mark.parametrize(
    "levels", [[0, -1], [33, 0], [2**40, 0], [0.0, 1.0]], ids=["below", "above", "far above", "not integers"]
)
def test_levels_that_are_not_on_the_grid_are_refused_before_a_kernel_reads_beyond_its_tables(name, levels):
    epsilon = {"structure": 0.0, "none": float("inf")}.get(name, 1.0)
    law = law_for(name, epsilon, levels=33)
    with pytest.raises(ValueError, match="levels must be integers from 0 to 32"):
        law.codes(np.array(levels), np.zeros(2, dtype=np.int64))
    with pytest.raises(ValueError, match="levels must be integers from 0 to 32"):
        law.sample(np.array(levels), NotPrivateSeededSource(0))


def test_there_is_one_word_for_each_level():
    law = law_for("hds", 1.0)
    with pytest.raises(ValueError, match=r"one word for each level, got \(2,\) for \(3,\)"):
        law.codes(np.zeros(3, dtype=np.int64), np.zeros(2, dtype=np.int64))
    assert law.codes(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)).size == 0


def test_a_long_sample_uses_every_word_once():
    law = law_for("hds", 1.0)
    levels = np.random.default_rng(0).integers(0, law.levels, 50_000)
    whole = law.codes(levels, NotPrivateSeededSource(4).words(50_000))
    assert (law.sample(levels, NotPrivateSeededSource(4)) == whole).all()
