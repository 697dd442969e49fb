"""Whether a report could be stored now, asked of the store seldom: anybody may ask, and the question opens a write."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

SECONDS: Final = 2.0
"""How long an answer of the store is repeated."""


class Readiness:
    """Repeats the store's answer for a moment; whoever asks meanwhile waits for one answer together.

    Parameters
    ----------
    probe
        Asks the store.
    clock
        What tells the time, in seconds.
    """

    def __init__(self, probe: Callable[[], Awaitable[bool]], clock: Callable[[], float] = time.monotonic) -> None:
        self._probe, self._clock = probe, clock
        self._probing = asyncio.Lock()
        self._ready = False
        self._stale_at = -1.0

    async def ask(self) -> bool:
        """Say whether a report could be stored."""
        async with self._probing:
            if self._clock() >= self._stale_at:
                self._ready = await self._probe()
                self._stale_at = self._clock() + SECONDS
            return self._ready

    def doubt(self) -> None:
        """Ask the store the next time: something that it was to do has failed."""
        self._stale_at = -1.0
