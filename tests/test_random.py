import multiprocessing
import os
import ssl
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from privge.errors import RandomnessUnavailable
from privge.random import TOTAL, NotPrivateSeededSource, SystemSource, source_for

SIZES = (5, 4096)  # a device's few words, from the kernel; a bulk request, through OpenSSL


@pytest.mark.parametrize("size", SIZES)
def test_words_lie_below_two_to_the_53(size):
    words = SystemSource().words(size)
    assert words.dtype == np.int64
    assert words.shape == (size,)
    assert words.min() >= 0
    assert words.max() < TOTAL


def test_all_53_bits_vary():
    words = SystemSource().words(10_000)
    ones = [(words >> bit & 1).mean() for bit in range(53)]
    assert min(ones) > 0.4
    assert max(ones) < 0.6


def test_system_source_refuses_a_seed():
    with pytest.raises(TypeError, match="not private"):
        SystemSource(seed=1)


@pytest.mark.parametrize("size", SIZES)
def test_no_random_bytes_means_no_draw(size, monkeypatch):
    def fail(_):
        raise OSError

    monkeypatch.setattr(os, "urandom", fail)
    monkeypatch.setattr(ssl, "RAND_bytes", fail)
    with pytest.raises(RandomnessUnavailable):
        SystemSource().words(size)


def _draw(queue, size):
    queue.put(SystemSource().words(size).tolist())


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.filterwarnings("ignore:This process.*multi-threaded:DeprecationWarning")
def test_forked_processes_draw_different_words(size):
    SystemSource().words(size)  # the generator is already warm when the children inherit it
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    children = [context.Process(target=_draw, args=(queue, size)) for _ in range(4)]
    for child in children:
        child.start()
    draws = [queue.get(timeout=30) for _ in children] + [SystemSource().words(size).tolist()]
    for child in children:
        child.join()
    assert len({word for draw in draws for word in draw}) == 5 * size


def test_threads_draw_different_words():
    source = SystemSource()
    with ThreadPoolExecutor(8) as pool:
        draws = list(pool.map(source.words, [1000] * 16))
    assert len({word for draw in draws for word in draw.tolist()}) == 16_000


def test_seeded_source_repeats_and_says_in_its_name_that_it_is_not_private():
    a, b = NotPrivateSeededSource(3), NotPrivateSeededSource(3)
    assert (a.words(100) == b.words(100)).all()
    assert "NotPrivate" in repr(a)
    assert "NOT PRIVATE" in NotPrivateSeededSource.__doc__


def test_seeded_source_does_not_depend_on_how_the_words_are_asked_for():
    a, b = NotPrivateSeededSource(3), NotPrivateSeededSource(3)
    assert np.concatenate([a.words(7), a.words(3)]).tolist() == b.words(10).tolist()


def test_streams_of_a_seed_are_independent():
    a, b = NotPrivateSeededSource(3, "one"), NotPrivateSeededSource(3, "two")
    assert not set(a.words(100).tolist()) & set(b.words(100).tolist())


def test_threads_share_a_seeded_source_without_repeating_a_word():
    source = NotPrivateSeededSource(1)
    with ThreadPoolExecutor(8) as pool:
        draws = list(pool.map(source.words, [1000] * 16))
    assert len({word for draw in draws for word in draw.tolist()}) == 16_000


@pytest.mark.parametrize("seed", [-1, 1.5, True, "1"])
def test_a_seed_is_a_non_negative_integer(seed):
    with pytest.raises((TypeError, ValueError), match="seed must be"):
        NotPrivateSeededSource(seed)


def test_no_seed_means_the_system_source():
    assert isinstance(source_for(None), SystemSource)
    assert isinstance(source_for(0), NotPrivateSeededSource)


def test_drawing_leaves_global_state_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002 (the global state is what is watched)
    SystemSource().words(10)
    NotPrivateSeededSource(0).words(10)
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002
