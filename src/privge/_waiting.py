"""Waiting for what a Dask cluster computes, and noticing that nobody computes it.

A cluster without workers keeps its tasks and says nothing. So whoever waits here looks after the workers now and then,
and gives up when there was none for a minute; ``privge.patience`` in Dask's configuration, or ``DASK_PRIVGE__PATIENCE``
in the environment, sets another time ("10s", "5 minutes").

A task that failed is run again if the failure can pass (a disk, a connection, memory); what is wrong with the data, or
with the program, would be wrong again, and ends the run at once.
"""

import time
from asyncio import CancelledError as AsyncioCancelled
from asyncio import run_coroutine_threadsafe
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from privge.errors import ClusterFailed, PrivgeError

if TYPE_CHECKING:
    from distributed import Client, Future

RETRIES = 2
"""How often a task that failed is run again; a task whose worker died is run again besides."""

_PASSING = (OSError, MemoryError)  # may go better the next time, or on another worker

_MOST_SECONDS_BETWEEN_LOOKS = 2.0

Look = Callable[[set[str]], None]
"""Is told the workers that there are, when nothing came for a while; may raise."""

Chain: TypeAlias = 'Generator[Sequence["Future"], list[Any]]'
"""Work in steps: it yields futures, and goes on with their results."""


def known_workers(client: "Client") -> dict[str, dict[str, Any]]:
    """Return what the scheduler knows of each worker, by address."""
    # Asked directly: what the client remembers is refreshed in the background, without the workers.
    known: dict[str, dict[str, Any]] = client.sync(client.scheduler.identity, n_workers=-1)["workers"]
    return known


class Watch:
    """Looks after the workers of a cluster, and gives up when there was none for too long."""

    def __init__(self, client: "Client") -> None:
        import dask.config
        from dask.utils import parse_timedelta

        self.client = client
        self.patience = float(parse_timedelta(dask.config.get("privge.patience", 60.0)))
        self.pause = min(self.patience / 4, _MOST_SECONDS_BETWEEN_LOOKS)
        self.since: float | None = None

    def look(self) -> set[str]:
        """Return the workers; without any for longer than the patience, fail."""
        known = set(known_workers(self.client))
        if known:
            self.since = None
            return known
        now = time.monotonic()
        self.since = now if self.since is None else self.since
        if now - self.since >= self.patience:
            raise ClusterFailed(
                f"all workers of the cluster at {self.client.scheduler.address} are gone, and none came for "
                f"{self.patience:g} seconds; start some (`privge cluster` says how), then run the same command again: "
                "what is finished is kept"
            )
        return known

    def workers(self) -> list[str]:
        """Return the addresses of the workers, in order; if there are none, wait for the first."""
        while not (known := self.look()):
            time.sleep(self.pause)
        return sorted(known)


def arrived(
    client: "Client", futures: Sequence["Future"], look: Look = lambda _: None
) -> Generator[tuple["Future", Any], Sequence["Future"] | None]:
    """Yield futures and their results as they come; what failed for a reason that may pass is tried again first.

    More futures may be sent (`Generator.send`) whenever one was yielded.
    """
    from distributed import as_completed

    watch, tries, waiting = Watch(client), Counter[str](), set(futures)
    while waiting:
        coming = as_completed(waiting, loop=client.loop, timeout=watch.pause)  # there need not be a default client
        while future := _next_of(coming):
            if future.status == "error" and _may_pass(future.exception()) and tries[future.key] < RETRIES:
                tries[future.key] += 1
                client.retry([future])
                coming.add(future)
                continue
            waiting.discard(future)
            more = yield future, _result(future, watch, look)
            waiting.update(more or ())
            coming.update(more or ())
        if waiting:
            _look(watch, look)


def gathered(client: "Client", futures: Sequence["Future"], look: Look = lambda _: None) -> list[Any]:
    """Return the results of all futures, in their order; the first that failed for good ends it."""
    results = {future.key: result for future, result in arrived(client, futures, look)}
    return [results[future.key] for future in futures]


def side_by_side(client: "Client", chains: Sequence[Chain], look: Look = lambda _: None) -> None:
    """Work on all chains until each has ended.

    What a chain does follows from the results of its own futures, never from when they come.
    """
    asked: dict[Chain, Sequence[Future]] = {}
    chain_of: dict[str, Chain] = {}
    results: dict[str, Any] = {}

    def ahead(chain: Chain, answers: list[Any] | None) -> Sequence["Future"]:
        try:
            asked[chain] = next(chain) if answers is None else chain.send(answers)
        except StopIteration:
            return ()
        chain_of.update((future.key, chain) for future in asked[chain])
        return asked[chain]

    more: Sequence[Future] | None = None
    coming = arrived(client, [future for chain in chains for future in ahead(chain, None)], look)
    with suppress(StopIteration):
        while True:
            future, result = coming.send(more)
            chain, results[future.key] = chain_of.pop(future.key), result
            complete = all(each.key in results for each in asked[chain])
            more = ahead(chain, [results.pop(each.key) for each in asked[chain]]) if complete else None


def _next_of(coming: Iterator["Future"]) -> "Future | None":
    """Return what came next, None if nothing did in time or nothing is left."""
    try:
        return next(coming, None)
    except TimeoutError:
        return None


def _result(future: "Future", watch: Watch, look: Look) -> Any:  # noqa: ANN401
    """Return the result of a future that was finished; if its worker died meanwhile, it is computed again.

    Waiting for it ends after a while, fetching it never does: ``future.result(timeout=...)`` would cancel it, and if it
    had not begun by then, as on a busy machine, distributed's client kept what was cancelled, and no later result could
    be fetched by that client.
    """
    client = future.client
    fetching = run_coroutine_threadsafe(client.gather(future, asynchronous=True), client.loop.asyncio_loop)
    while True:
        try:
            return fetching.result(timeout=watch.pause)
        except TimeoutError:
            if fetching.done():  # just now, or it is the error of the task
                return fetching.result()
            _look(watch, look)
        except AsyncioCancelled as error:  # what asyncio makes of concurrent.futures.CancelledError
            raise CancelledError(*error.args) from error


def _look(watch: Watch, look: Look) -> None:
    if known := watch.look():
        look(known)


def _may_pass(error: BaseException | None) -> bool:
    """Say whether a task that failed so may succeed when it is run again."""
    return isinstance(error, _PASSING) and not isinstance(error, PrivgeError)
