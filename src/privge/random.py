"""Random words: the cryptographic source, and a seeded one that is *not private*.

Every draw of the package is one *word*: an integer that is uniform on ``[0, 2**53)``. 53 bits are
exact in Python, numba and JavaScript numbers alike, so every client can replay a law bit by bit.

There is no global source. A source is passed to whatever draws from it.
"""

import hashlib
import os
import ssl
import threading
import zlib
from typing import Protocol

import numpy as np

from privge._typing import Words
from privge.errors import RandomnessUnavailable

WORD_BITS = 53
TOTAL = 1 << WORD_BITS
"""Number of words, ``W = 2**53``: the integer weights of every law sum to it."""

_KERNEL_BYTES = 4096  # requests up to this size go straight to the operating system's kernel


class Source(Protocol):
    """Anything that hands out uniform words."""

    def words(self, count: int) -> Words:
        """Return ``count`` independent words, uniform on ``[0, 2**53)``."""
        ...


class SystemSource:
    """Cryptographic words from the operating system. The only source a device may use.

    A person's report (a few words) is read straight from the kernel. Bulk requests are expanded by
    OpenSSL's AES-256 generator, which the kernel seeds, separately for each thread and anew
    after a fork (``docs/decisions/0002-random-source.md``). The object itself holds no state, so it
    is safe to share between threads and processes.

    A seed is refused: a seeded draw can be replayed, so it protects nobody.
    """

    __slots__ = ()

    def __init__(self, seed: None = None) -> None:
        if seed is not None:
            raise TypeError(
                "SystemSource takes no seed, because a seeded draw is not private; "
                "for a repeatable simulation use NotPrivateSeededSource"
            )

    def words(self, count: int) -> Words:
        """Return ``count`` independent words, uniform on ``[0, 2**53)``."""
        size = 8 * count
        try:
            random_bytes = os.urandom(size) if size <= _KERNEL_BYTES else ssl.RAND_bytes(size)
        except (NotImplementedError, OSError) as error:
            raise RandomnessUnavailable(
                "the operating system gives no secure random bytes; nothing was drawn"
            ) from error
        return _as_words(np.frombuffer(random_bytes, dtype=np.uint64))


class NotPrivateSeededSource:
    """Repeatable words for simulation. NOT PRIVATE: whoever knows the seed can undo the noise.

    Parameters
    ----------
    seed
        Any non-negative integer.
    stream
        Name of an independent stream of this seed, so that a new use of randomness never shifts an existing one.
    """

    def __init__(self, seed: int, stream: str = "perturbation") -> None:
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
            raise TypeError(f"seed must be an integer, got {type(seed).__name__}")
        if seed < 0:
            raise ValueError(f"seed must be at least 0, got {seed}")
        key = (zlib.crc32(stream.encode()),)
        self._bits = np.random.Philox(np.random.SeedSequence(int(seed), spawn_key=key))
        self._lock = threading.Lock()

    def words(self, count: int) -> Words:
        """Return the next ``count`` words of this seed and stream."""
        with self._lock:
            return _as_words(np.asarray(self._bits.random_raw(count), dtype=np.uint64))


def source_for(seed: int | None) -> Source:
    """Return the cryptographic source for ``None``, the seeded (not private) one for a seed."""
    return SystemSource() if seed is None else NotPrivateSeededSource(seed)


def named_seed(seed: int, name: str) -> int:
    """Return the seed of one named piece of a simulation: of any number of names, no two share their noise."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{name}".encode()).digest())


def _as_words(raw: np.ndarray[tuple[int, ...], np.dtype[np.uint64]]) -> Words:
    return (raw >> np.uint64(64 - WORD_BITS)).view(np.int64)
