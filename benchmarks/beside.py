"""How long a single upload waits while batches of 5,000 keep the queue full, and what the batches lose by its turn.

python benchmarks/beside.py sqlite|postgresql [held [seconds]]

The ways are run in turn on one store: one queue for all as the control, and turns; transactions of 5,000 and of 20,000.
"""

import asyncio
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from postgres import postgres
from privge.collect.commit import GroupCommit
from privge.errors import Busy
from stores import BATCH, CAMPAIGN, ROUNDS, opened, put, uploads

WAYS = {(turns, batch): ([], []) for turns in (False, True) for batch in (5_000, 20_000)}
SENDERS, PEOPLE, FREE = 3, 4, 512


class Load:
    """Senders of batches and people, for some seconds."""

    def __init__(self, store, fresh, *, turns, batch):
        self._fresh, self.stored, self.waits = fresh, 0, []
        self._commit = GroupCommit(store, batch=batch)
        if not turns:
            self._commit._single = self._commit._turn = self._commit._many

    async def _send(self, end):
        while time.perf_counter() < end:
            some = [next(self._fresh) for _ in range(BATCH)]
            try:
                await self._commit.put_many(CAMPAIGN.id, some, leave=FREE)
                self.stored += BATCH
            except Busy:
                await asyncio.sleep(0.01)

    async def _person(self, end):
        while time.perf_counter() < end:
            start = time.perf_counter()
            await self._commit.put(CAMPAIGN.id, next(self._fresh))
            self.waits.append(time.perf_counter() - start)
            await asyncio.sleep(0.005)

    async def run(self, seconds):
        start = time.perf_counter()
        senders, people = (
            [each(start + seconds) for _ in range(count)]
            for each, count in ((self._send, SENDERS), (self._person, PEOPLE))
        )
        await asyncio.gather(*senders, *people)
        rate = self.stored / (time.perf_counter() - start)
        await asyncio.to_thread(self._commit.close)
        return rate


def main(kind, held=200_000, seconds=3):
    fresh = iter(uploads(held + 2_000_000))
    with ExitStack() as stack:
        if kind == "sqlite":
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="privge-bench-", dir=Path.cwd()))
            store = opened(f"{folder}/reports.db")
        else:
            store = opened(stack.enter_context(postgres()).url)
        put(store, [next(fresh) for _ in range(held)])
        for _ in range(ROUNDS):
            for (turns, batch), (rates, waits) in WAYS.items():
                load = Load(store, fresh, turns=turns, batch=batch)
                rates.append(asyncio.run(load.run(seconds)))
                waits.extend(load.waits)
        store.close()
    for (turns, batch), (rates, waits) in WAYS.items():
        each = sorted(1000 * wait for wait in waits)
        print(
            f"{kind} {'turns' if turns else 'one queue':9} by {batch:6,}: singles {each[len(each) // 2]:5.0f} ms, "
            f"99 % {each[int(0.99 * len(each))]:5.0f}, longest {each[-1]:5.0f}; batches {sorted(rates)[1]:8,.0f}/s "
            f"({min(rates):,.0f} to {max(rates):,.0f})"
        )


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
