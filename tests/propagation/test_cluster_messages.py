"""What shards tell each other: a byte an entry, the same bits on both sides, and nothing lost for good."""

import numpy as np
import pytest

from privge.propagation.cluster.messages import Message, hear, tell

ROWS = 30


@pytest.fixture
def rows():
    generator = np.random.default_rng(3)
    return (generator.normal(size=(ROWS, 16)) * 10.0 ** generator.integers(-6, 3, (ROWS, 1))).astype(np.float32)


def heard(news, known):
    following = np.full_like(known, np.nan)
    hear(news, known, following)
    return following


def test_who_hears_knows_what_the_teller_thinks_to_the_bit(rows):
    known = np.zeros_like(rows)
    message, after = tell(rows, known)
    assert message.steps.dtype == np.int8
    assert heard(message, known).tobytes() == after.tobytes()
    assert np.abs(rows - after).max() <= 0.51 * message.step
    assert message.step == np.abs(rows).max() / np.float32(127)


def test_what_rounding_left_out_is_told_later(rows):
    known = np.zeros_like(rows)
    for _ in range(8):
        _, known = tell(rows, known)
    assert np.abs(rows - known).max() <= np.abs(rows).max() * np.finfo(np.float32).eps


def test_some_rows_hear_what_all_would(rows):
    known, some = np.ones_like(rows), np.array([1, 4, 29])
    message, after = tell(rows, known)
    assert heard(message.of_rows(some), known[some]).tobytes() == after[some].tobytes()


def test_rows_behind_those_that_others_know_are_not_told(rows):
    message, after = tell(rows, np.zeros((10, 16), np.float32))
    assert message.steps.shape == after.shape == (10, 16)
    assert np.abs(rows[:10] - after).max() <= 0.51 * message.step


@pytest.mark.parametrize("value", [np.nan, np.inf, 1.0])
def test_where_nothing_can_be_told_nothing_changes(value):
    known = np.ones((ROWS, 16), np.float32)
    rows = known.copy()
    rows[7, 3] = value
    message, after = tell(rows, known)
    assert message.step == 0
    assert after.tobytes() == heard(message, known).tobytes() == known.tobytes()


def test_news_are_steps_or_all_rows_anew_or_nothing(rows):
    known = np.zeros_like(rows)
    assert heard(None, known).tobytes() == known.tobytes()
    assert heard(rows, known).tobytes() == rows.tobytes()
    assert heard(Message(np.ones((ROWS, 16), np.int8), np.float32(0.5)), known).tobytes() == (known + 0.5).tobytes()
