"""When a report leaves says nothing about it.

The service sees when a device fetches a campaign and when it comes back with a token; in between, the report is
prepared. Drawing is the same work for every value (`privge.mechanisms.Law.code`), but reading a person's values is not
quite, and a processor has its own ways, as has an interpreter, which makes no new object for a small integer. So the
device first rehearses on public values, and then lets the preparation end at the end of a *slot*: a quarter of a
second, or four times the rehearsal if that is longer. What does not fit takes another whole slot.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Pace:
    """Rounds the time of a preparation up to whole slots.

    Parameters
    ----------
    least
        Seconds of the shortest slot, however short the rehearsal was.
    clock
        What tells the time.
    sleep
        What waits.
    """

    least: float = 0.25
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    @contextmanager
    def slot(self, rehearse: Callable[[], object]) -> Iterator[None]:
        """Rehearse, then let the block take a whole number of slots, whether it succeeds or fails."""
        begin = self.clock()
        rehearse()
        start = self.clock()
        length = max(self.least, 4 * (start - begin))
        try:
            yield
        finally:
            self.sleep(length - (self.clock() - start) % length)


PACE: Final = Pace()
