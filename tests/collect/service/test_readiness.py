"""The store is asked seldom whether it could store a report, however often anybody asks the service."""

import asyncio
import time

from collect.service.harness import InProcess
from privge.collect.service.readiness import SECONDS, Readiness


class Store:
    def __init__(self):
        self.ready, self.asked, self.now = True, 0, 0.0

    async def probe(self):
        self.asked += 1
        await asyncio.sleep(0)
        return self.ready

    def readiness(self):
        return Readiness(self.probe, lambda: self.now)


def test_an_answer_is_repeated_for_a_moment_and_then_asked_for_again():
    store = Store()

    async def ask():
        readiness = store.readiness()
        told = [await readiness.ask()]
        store.ready = False
        for now in (SECONDS / 2, SECONDS, SECONDS * 1.5):
            store.now = now
            told.append(await readiness.ask())
        return told

    assert asyncio.run(ask()) == [True, True, False, False]
    assert store.asked == 2


def test_many_who_ask_at_once_share_one_answer():
    store = Store()

    async def ask():
        readiness = store.readiness()
        return await asyncio.gather(*(readiness.ask() for _ in range(100)))

    assert asyncio.run(ask()) == [True] * 100
    assert store.asked == 1


def test_after_a_failure_the_store_is_asked_at_once():
    store = Store()

    async def ask():
        readiness = store.readiness()
        await readiness.ask()
        store.ready = False
        readiness.doubt()
        return await readiness.ask()

    assert asyncio.run(ask()) is False


def test_anybody_may_ask_the_service_and_few_writes_are_opened(tmp_path, monkeypatch):
    with InProcess(tmp_path) as service:
        asked = []
        real = service.store.ready
        monkeypatch.setattr(service.store, "ready", lambda: asked.append(1) or real())
        began = time.monotonic()
        assert {service.call("GET", "/readyz").status for _ in range(50)} == {200}
        seconds = time.monotonic() - began
    assert len(asked) <= 1 + seconds / SECONDS
