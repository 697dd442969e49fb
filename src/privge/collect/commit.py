"""Group commit: uploads that wait together are stored in one durable transaction.

One thread stores. While it waits for the disk, new uploads gather; they are the next batch. So each batch is as large
as the load asks for, a lone upload waits for nobody, and every caller hears only after the commit. If storing fails,
every caller of that batch hears the error, and nobody an acknowledgement.
"""

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from typing import NamedTuple

from privge.collect.stores.keys import key_of
from privge.collect.stores.store import Outcome, Store, Upload
from privge.errors import Busy, StoreUnavailable

_logger = logging.getLogger(__name__)


def _today() -> date:
    return datetime.now(UTC).date()


class _Waiting(NamedTuple):
    """One caller."""

    campaign: str
    uploads: Sequence[Upload]
    answer: "asyncio.Future[list[Outcome]]"


class _Told(NamedTuple):
    """What one caller is told."""

    caller: _Waiting
    outcomes: list[Outcome] | None
    error: Exception | None


class GroupCommit:
    """Store uploads of many tasks, in any number of event loops, through one thread.

    Parameters
    ----------
    store
        Where they go.
    capacity
        How many uploads may wait; one more is `privge.errors.Busy`.
    batch
        How many uploads to store in one transaction, about.
    today
        Gives the day of arrival, in UTC by default.
    """

    def __init__(
        self, store: Store, *, capacity: int = 20_000, batch: int = 20_000, today: Callable[[], date] = _today
    ) -> None:
        self._store, self._capacity, self._batch, self._today = store, capacity, batch, today
        self._queue: deque[_Waiting] = deque()
        self._waiting = 0  # uploads in the queue and in the batch under way
        self._closing = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="privge-commit", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """How many uploads are not answered yet."""
        return self._waiting

    async def put(self, campaign: str, upload: Upload) -> Outcome:
        """Store one upload; return after the commit."""
        return (await self.put_many(campaign, [upload]))[0]

    async def put_many(self, campaign: str, uploads: Sequence[Upload], *, leave: int = 0) -> list[Outcome]:
        """Store some uploads of one campaign in one transaction; return after the commit.

        ``leave`` is how much of the capacity must stay free for others.
        """
        for upload in uploads:
            key_of(upload.node)  # a bad node fails here, and not the batch that others are in
        if not uploads:
            return []
        answer: asyncio.Future[list[Outcome]] = asyncio.get_running_loop().create_future()
        with self._changed:
            if self._closing:
                raise StoreUnavailable("the service is shutting down")
            if self._waiting + len(uploads) > self._capacity - leave:
                raise Busy(f"more than {self._capacity:,} reports are waiting to be stored")
            self._waiting += len(uploads)
            self._queue.append(_Waiting(campaign, uploads, answer))
            self._changed.notify()
        return await answer

    def close(self) -> None:
        """Store what is waiting, answer it, and take no more."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()

    def _work(self) -> None:
        while callers := self._next():
            campaigns: dict[str, list[_Waiting]] = {}
            for caller in callers:
                campaigns.setdefault(caller.campaign, []).append(caller)
            for campaign, group in campaigns.items():
                _tell(self._put(campaign, group))
            with self._changed:
                self._waiting -= sum(len(caller.uploads) for caller in callers)

    def _next(self) -> list[_Waiting]:
        """Wait for callers and take a batch of them; none means the end."""
        with self._changed:
            while not (self._queue or self._closing):
                self._changed.wait()
            callers: list[_Waiting] = []
            size = 0
            while self._queue and (not callers or size + len(self._queue[0].uploads) <= self._batch):
                callers.append(self._queue.popleft())
                size += len(callers[-1].uploads)
        return callers

    def _put(self, campaign: str, group: list[_Waiting]) -> list[_Told]:
        uploads = [upload for caller in group for upload in caller.uploads]
        try:
            outcomes = iter(self._store.put(campaign, uploads, day=self._today()))
            return [_Told(caller, [next(outcomes) for _ in caller.uploads], None) for caller in group]
        except Exception as error:  # noqa: BLE001 (whatever it is, the callers hear it and the thread goes on)
            _logger.warning("%d reports could not be stored: %s", len(uploads), type(error).__name__)
            return [_Told(caller, None, error) for caller in group]


def _tell(answers: list[_Told]) -> None:
    """Wake the callers, with one call for each event loop."""
    loops: dict[asyncio.AbstractEventLoop, list[_Told]] = {}
    for answer in answers:
        loops.setdefault(answer.caller.answer.get_loop(), []).append(answer)
    for loop, each in loops.items():
        try:
            loop.call_soon_threadsafe(_resolve, each)
        except RuntimeError:  # the loop was closed; its callers are gone
            _logger.warning("%d callers were gone before their answer", len(each))


def _resolve(answers: list[_Told]) -> None:
    for caller, outcomes, error in answers:
        if caller.answer.done():  # cancelled: its client went away
            continue
        if error is not None:
            caller.answer.set_exception(error)
        elif outcomes is not None:
            caller.answer.set_result(outcomes)
