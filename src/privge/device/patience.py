"""How often to try, and how long to wait between attempts."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from secrets import SystemRandom
from typing import Final

_random = SystemRandom()


@dataclass(frozen=True, slots=True)
class Patience:
    """Exponential back-off with full jitter, so that a thousand devices do not come back at the same moment.

    Parameters
    ----------
    attempts
        How often to try, at least 1.
    pause
        Seconds: the wait before attempt n + 1 is drawn from 0 to ``pause * 2**n``.
    longest
        Seconds that no wait exceeds, nor one that the service asks for.
    timeout
        Seconds for one exchange as a whole: name, connection, TLS, request, and all of the answer.
    sleep
        What waits.
    """

    attempts: int = 8
    pause: float = 0.5
    longest: float = 60.0
    timeout: float = 30.0
    sleep: Callable[[float], None] = time.sleep

    def delay(self, failures: int, asked: float | None) -> float:
        """Draw the seconds to wait after a failure; ``asked`` is the least that the service asks for."""
        jitter = _random.uniform(0, min(self.longest, self.pause * 2**failures))
        return min(self.longest, jitter + (asked or 0.0))


PATIENCE: Final = Patience()
