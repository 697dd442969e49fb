"""Group commit: nobody is acknowledged before the commit, and nobody is forgotten."""

import asyncio
import threading

import pytest

from privge.collect.commit import GroupCommit
from privge.collect.stores import Upload, open_store
from privge.errors import Busy, StoreUnavailable
from privge.testing.store_contract import DAY, DIFFERENT, SAME, STORED, UNKNOWN, campaign_of, codes, held


class SlowStore:
    """Counts what it is asked for; each put waits until the test lets it go."""

    def __init__(self, error=None):
        self.batches = []
        self.error = error
        self.go = threading.Event()

    def put(self, campaign, uploads, *, day):
        assert day == DAY
        self.batches.append((campaign, [upload.node for upload in uploads]))
        assert self.go.wait(10)
        if self.error is not None:
            raise self.error
        return [STORED] * len(uploads)


@pytest.fixture
def slow():
    store = SlowStore()
    yield store
    store.go.set()


def commit_to(store, **options):
    return GroupCommit(store, today=lambda: DAY, **options)


async def begun(slow, batches=1):
    while len(slow.batches) < batches:  # noqa: ASYNC110 (it happens in a thread)
        await asyncio.sleep(0.001)


def test_uploads_that_wait_together_are_stored_together_one_batch_for_each_campaign(slow):
    async def main():
        commit = commit_to(slow)
        first = asyncio.create_task(commit.put("a", Upload(0, b"")))
        await begun(slow)
        rest = [asyncio.create_task(commit.put("ab"[n % 2], Upload(n, b""))) for n in range(1, 7)]
        await asyncio.sleep(0.01)
        assert commit.waiting == 7
        slow.go.set()
        assert await asyncio.gather(first, *rest) == [STORED] * 7
        commit.close()
        assert commit.waiting == 0

    asyncio.run(main())
    assert slow.batches == [("a", [0]), ("b", [1, 3, 5]), ("a", [2, 4, 6])]


def test_nobody_hears_before_the_commit(slow):
    async def main():
        commit = commit_to(slow)
        task = asyncio.create_task(commit.put("a", Upload(0, b"")))
        await begun(slow)
        await asyncio.sleep(0.05)
        assert not task.done()
        slow.go.set()
        assert await task is STORED
        commit.close()

    asyncio.run(main())


def test_a_batch_has_a_limit_and_a_call_with_more_is_one_transaction_all_the_same(slow):
    async def main():
        commit = commit_to(slow, batch=3)
        tasks = [asyncio.create_task(commit.put("a", Upload(0, b"")))]
        await begun(slow)
        tasks += [asyncio.create_task(commit.put("a", Upload(n, b""))) for n in range(1, 5)]
        tasks.append(asyncio.create_task(commit.put_many("a", [Upload(n, b"") for n in range(5, 10)])))
        await asyncio.sleep(0.01)
        slow.go.set()
        await asyncio.gather(*tasks)
        commit.close()

    asyncio.run(main())
    assert [nodes for _, nodes in slow.batches] == [[0], [5, 6, 7, 8, 9], [1, 2, 3], [4]]


def test_a_single_upload_waits_for_one_transaction_of_many_and_neither_kind_keeps_the_other_out(slow):
    async def main():
        commit = commit_to(slow, batch=2)
        pairs = [[Upload(node, b""), Upload(node + 1, b"")] for node in (0, 2, 4, 6)]
        tasks = [asyncio.create_task(commit.put_many("a", pairs[0]))]
        await begun(slow)
        tasks += [asyncio.create_task(commit.put_many("a", pair)) for pair in pairs[1:]]
        tasks += [asyncio.create_task(commit.put("a", Upload(node, b""))) for node in (10, 11, 12, 13)]
        await asyncio.sleep(0.01)
        slow.go.set()
        await asyncio.gather(*tasks)
        commit.close()

    asyncio.run(main())
    assert [nodes for _, nodes in slow.batches] == [[0, 1], [10, 11], [2, 3], [12, 13], [4, 5], [6, 7]]


def test_when_too_many_wait_one_more_is_told_that_it_is_busy(slow):
    async def main():
        commit = commit_to(slow, capacity=3)
        tasks = [asyncio.create_task(commit.put("a", Upload(n, b""))) for n in range(3)]
        await begun(slow)
        with pytest.raises(Busy):
            await commit.put("a", Upload(9, b""))
        slow.go.set()
        assert await asyncio.gather(*tasks) == [STORED] * 3
        while commit.waiting:  # noqa: ASYNC110 (counted down in a thread, after the answers)
            await asyncio.sleep(0.001)
        assert await commit.put("a", Upload(9, b"")) is STORED
        commit.close()

    asyncio.run(main())


def test_if_storing_fails_every_caller_hears_it_and_the_next_batch_is_stored(slow):
    async def main():
        commit = commit_to(slow)
        slow.error = StoreUnavailable("the disk is full")
        slow.go.set()
        tasks = [asyncio.create_task(commit.put("a", Upload(n, b""))) for n in range(20)]
        answers = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(answer) for answer in answers] == [StoreUnavailable] * 20
        slow.error = None
        assert await commit.put("a", Upload(99, b"")) is STORED
        commit.close()

    asyncio.run(main())


def test_an_error_nobody_thought_of_reaches_the_callers_too(slow):
    async def main():
        commit = commit_to(slow)
        slow.error = ZeroDivisionError()
        slow.go.set()
        with pytest.raises(ZeroDivisionError):
            await commit.put("a", Upload(1, b""))
        slow.error = None
        assert await commit.put("a", Upload(1, b"")) is STORED
        commit.close()

    asyncio.run(main())


def test_the_failure_of_one_campaign_is_not_that_of_another(slow):
    put = slow.put

    def picky(campaign, uploads, *, day):
        outcomes = put(campaign, uploads, day=day)
        if campaign == "bad":
            raise StoreUnavailable
        return outcomes

    slow.put = picky

    async def main():
        commit = commit_to(slow)
        names = ["good", "bad", "good", "bad"]
        tasks = [asyncio.create_task(commit.put(name, Upload(n, b""))) for n, name in enumerate(names)]
        await begun(slow)
        slow.go.set()
        answers = await asyncio.gather(*tasks, return_exceptions=True)
        assert [answer is STORED for answer in answers] == [True, False, True, False]
        commit.close()

    asyncio.run(main())


def test_a_bad_node_fails_alone_and_at_once(slow):
    async def main():
        commit = commit_to(slow)
        with pytest.raises(ValueError, match="node id"):
            await commit.put("a", Upload("", b""))
        assert commit.waiting == 0
        assert await commit.put_many("a", []) == []
        commit.close()

    asyncio.run(main())
    assert slow.batches == []


def test_a_caller_who_goes_away_disturbs_nobody(slow):
    async def main():
        commit = commit_to(slow)
        gone, stays = (asyncio.create_task(commit.put("a", Upload(n, b""))) for n in range(2))
        await begun(slow)
        gone.cancel()
        slow.go.set()
        assert await stays is STORED
        commit.close()

    asyncio.run(main())


def test_closing_stores_what_waits_and_takes_no_more(slow):
    async def main():
        commit = commit_to(slow)
        tasks = [asyncio.create_task(commit.put("a", Upload(n, b""))) for n in range(5)]
        await begun(slow)
        closing = asyncio.create_task(asyncio.to_thread(commit.close))
        await asyncio.sleep(0.05)
        with pytest.raises(StoreUnavailable):
            await commit.put("a", Upload(9, b""))
        slow.go.set()
        assert await asyncio.gather(*tasks) == [STORED] * 5
        await closing

    asyncio.run(main())


def test_event_loops_in_several_threads_share_one_commit(tmp_path):
    store, campaign = open_store(str(tmp_path / "store.db")), campaign_of()
    store.add_campaign(campaign)
    commit = commit_to(store)
    outcomes = []

    async def main(worker):
        uploads = [Upload(node, codes(worker, 0, 0)) for node in range(300)]
        outcomes.extend(await asyncio.gather(*(commit.put(campaign.id, upload) for upload in uploads)))

    threads = [threading.Thread(target=lambda worker=worker: asyncio.run(main(worker))) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    commit.close()
    assert outcomes.count(STORED) == 300
    assert outcomes.count(DIFFERENT) == 900
    assert len(held(store, campaign)) == 300
    store.close()


def test_with_a_store_each_caller_hears_of_its_own_upload(tmp_path):
    store, campaign = open_store(str(tmp_path / "store.db")), campaign_of()
    store.add_campaign(campaign)

    async def main():
        commit = commit_to(store)
        assert await commit.put(campaign.id, Upload("a", codes(1, 2, 3))) is STORED
        answers = await asyncio.gather(
            commit.put(campaign.id, Upload("a", codes(1, 2, 3))),
            commit.put("0" * 64, Upload("a", codes(1, 2, 3))),
            commit.put(campaign.id, Upload("a", codes(9, 2, 3))),
            commit.put_many(campaign.id, [Upload("b", codes(1, 2, 3)), Upload("a", codes(1, 2, 3))]),
        )
        assert answers == [SAME, UNKNOWN, DIFFERENT, [STORED, SAME]]
        commit.close()

    asyncio.run(main())
    store.close()
