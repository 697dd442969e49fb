from typing import get_args

import numpy as np
import pytest

from privge.tasks import Rule, Scaling
from privge.tasks import scaling as module

EVERY = np.arange(200)


@pytest.fixture
def matrix():
    generator = np.random.default_rng(0)
    return (generator.normal(size=(200, 30)) * np.linspace(0.1, 3, 30) + 5).astype(np.float32)


def test_columns_have_mean_zero_and_deviation_one(matrix):
    scaled = Scaling.fit(matrix, "columns").rows(matrix, EVERY)
    assert np.abs(scaled.mean(axis=0)).max() < 1e-4
    assert np.abs(scaled.std(axis=0) - 1).max() < 1e-3


def test_global_makes_the_root_mean_square_one(matrix):
    scaled = Scaling.fit(matrix, "global").rows(matrix, EVERY)
    assert np.sqrt(np.square(scaled).mean()) == pytest.approx(1, abs=1e-4)
    assert np.allclose(scaled / matrix, scaled[0, 0] / matrix[0, 0], rtol=1e-5)


def test_rows_put_the_common_direction_into_one_column(matrix):
    scaled = Scaling.fit(matrix, "rows").rows(matrix, EVERY)
    mean = matrix.mean(axis=0).astype(np.float64)
    direction = mean / np.linalg.norm(mean)
    assert scaled.shape == (200, 31)
    assert np.abs(scaled[:, :-1] @ direction).max() < 1e-3
    assert np.allclose(np.linalg.norm(scaled[:, :-1], axis=1), np.sqrt(30), rtol=1e-4)
    component = matrix @ direction
    assert np.allclose(scaled[:, -1], component / np.sqrt(np.square(component).mean()), rtol=1e-3)


def test_none_changes_nothing(matrix):
    assert np.array_equal(Scaling.fit(matrix, "none").rows(matrix, EVERY), matrix)


@pytest.mark.parametrize("rule", ["rows", "columns", "global"])
def test_rules_do_not_see_the_scale_in_which_a_mechanism_reports(matrix, rule):
    small, large = (Scaling.fit(m, rule).rows(m, EVERY) for m in (matrix, matrix * 1024))
    assert np.allclose(small, large, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("rule", get_args(Rule))
def test_columns_of_zeros_are_left_out_and_change_nothing_else(matrix, rule):
    wide = np.zeros((200, 60), dtype=np.float32)
    wide[:, ::2] = matrix
    narrow, scaled = Scaling.fit(matrix, rule).rows(matrix, EVERY), Scaling.fit(wide, rule).rows(wide, EVERY)
    assert np.allclose(scaled, narrow, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("rule", get_args(Rule))
def test_rows_scaled_in_blocks_are_those_scaled_at_once(matrix, rule, monkeypatch):
    scaling = Scaling.fit(matrix, rule)
    rows = np.random.default_rng(1).permutation(200)[:77]
    whole = scaling.rows(matrix, EVERY)[rows]
    monkeypatch.setattr(module, "BLOCK_BYTES", 4 * 30 * 7)
    assert np.allclose(scaling.rows(matrix, rows), whole, rtol=1e-5, atol=1e-6)
    assert np.allclose(Scaling.fit(matrix, rule).rows(matrix, rows), whole, rtol=1e-4, atol=1e-5)


def test_the_matrix_given_is_never_written_to(matrix):
    matrix.flags.writeable = False
    for rule in get_args(Rule):
        Scaling.fit(matrix, rule).rows(matrix, EVERY)


def test_a_constant_matrix_gives_finite_values():
    matrix = np.full((5, 3), 2.0, dtype=np.float32)
    for rule in get_args(Rule):
        assert np.isfinite(Scaling.fit(matrix, rule).rows(matrix, np.arange(5))).all()


def test_bad_matrices_and_rules_are_refused(matrix):
    with pytest.raises(ValueError, match="scaling must be one of"):
        Scaling.fit(matrix, "cubes")
    with pytest.raises(ValueError, match="two-dimensional"):
        Scaling.fit(matrix[0], "rows")
    with pytest.raises(ValueError, match="not finite"):
        Scaling.fit(np.array([[1.0, np.nan]], dtype=np.float32), "rows")


def test_rows_are_kept_up_to_a_size_and_made_again_beyond_it(matrix, monkeypatch):
    scaling, rows = Scaling.fit(matrix, "rows"), EVERY[::3]
    kept = module.RowsToScale.of(scaling, matrix, rows)
    monkeypatch.setattr(module, "KEPT_BYTES", 100)
    monkeypatch.setattr(module, "BLOCK_BYTES", 4 * 30 * 7)  # seven rows
    again = module.RowsToScale.of(scaling, matrix, rows)
    assert kept.kept is not None
    assert again.kept is None
    assert len(kept) == len(again) == len(rows)
    assert len(list(again.blocks())) > 1
    assert np.allclose(np.concatenate(list(again.blocks())), kept.kept, atol=1e-5)
    assert np.allclose(again[np.array([5, 2])], kept[np.array([5, 2])], atol=1e-5)
