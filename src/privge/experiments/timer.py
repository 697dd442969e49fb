"""How long the steps of a run take."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

_T = TypeVar("_T")


@dataclass(slots=True)
class Timer:
    """Seconds of each step."""

    seconds: dict[str, float] = field(default_factory=dict)

    def __call__(self, step: str, work: Callable[[], _T]) -> _T:
        """Do the work and add its time to the step."""
        start = time.perf_counter()
        result = work()
        self.seconds[step] = self.seconds.get(step, 0.0) + time.perf_counter() - start
        return result
