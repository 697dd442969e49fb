"""What shards that take turns tell each other: how their rows moved, in steps that fit in a byte.

A row that travels in every sweep moves less in each of them. So a shard keeps what others *know* of its rows, and tells
only the difference, in whole steps of 1/127 of the largest one: a byte an entry in place of four. Then it moves what is
known by those steps, as everybody who hears of them does, with the same bits. What rounding to steps leaves out is part
of the next difference, so it is not lost, only told later; and it is at most 1/254 of the largest difference.

*Why sweeps still converge.* A sweep with rows of others that are wrong by ``d`` is an exact one with ``(1-alpha) P d``
added to its right-hand side, and ``d`` is at most 1/254 of how far rows moved since they were told of. Exact sweeps
shrink what is wrong by a factor; as long as they amplify no disturbance by 254 in all, those that ``d`` brings in
die out with them. They amplify most for a small alpha: so past their usual number rows travel whole, and sweeps are
exact. Nothing is certified by this: the certificate measures rows that travelled whole.

*Where nothing can be told in steps*, because rows do not move or moved beyond all numbers, nothing is told.
"""

from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from privge.propagation.problem import Matrix
from privge.propagation.relaxation import aligned

_STEPS = 127  # of the largest difference: those of a signed byte


@dataclass(frozen=True, eq=False, slots=True)
class Message:
    """How far rows moved, as others know them: ``step * steps``.

    Parameters
    ----------
    steps
        Rows x 16.
    step
        A float32; 0 if nothing is told.
    """

    steps: NDArray[np.int8] = field(repr=False)
    step: np.float32

    def of_rows(self, rows: NDArray[np.int64]) -> "Message":
        """Return what is told of some rows."""
        return replace(self, steps=np.take(self.steps, rows, axis=0))

    def __sizeof__(self) -> int:
        """Tell Dask how much memory this takes, and what it would cost to move."""
        return 64 + self.steps.nbytes


News: TypeAlias = "Message | NDArray[np.float32] | None"
"""What a shard hears of the rows of another: their steps, all of them anew, or nothing."""


def tell(rows: Matrix, known: Matrix) -> tuple[Message, Matrix]:
    """Return what to tell of rows, and what is known of them then; ``rows`` may have more rows behind those."""
    from privge.propagation._kernels.messages import add_steps, count_steps, farthest

    step = np.float32(farthest(rows, known)) / np.float32(_STEPS)
    steps = np.zeros(known.shape, dtype=np.int8)
    if not np.finfo(np.float32).tiny <= step < np.inf:
        return Message(steps, np.float32(0)), known
    following = aligned(len(known), np.float32)
    count_steps(rows.reshape(-1), known.reshape(-1), step, steps.reshape(-1))
    add_steps(known.reshape(-1), steps.reshape(-1), step, following.reshape(-1))
    return Message(steps, step), following


def hear(news: News, known: Matrix, following: Matrix) -> None:
    """Write what is known of rows after some news to ``following``."""
    from privge.propagation._kernels.messages import add_steps

    if isinstance(news, Message) and news.step:
        add_steps(known.reshape(-1), news.steps.reshape(-1), news.step, following.reshape(-1))
    else:
        following[:] = known if news is None or isinstance(news, Message) else news
