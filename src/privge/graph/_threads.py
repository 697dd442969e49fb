"""Work on all processors, in the order of the items: compiled code and Arrow let other threads run meanwhile."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from privge._machine import processors

Item = TypeVar("Item")
Result = TypeVar("Result")


def on_each(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """Return what the work gives for each item; if there is one item or one processor, no thread is started."""
    threads = min(processors(), len(items))
    if threads < 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, items))


def in_order(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Yield what the work gives for each item while the next ones are worked on: as many as there are processors."""
    with ThreadPoolExecutor(processors()) as pool:
        waiting: deque[Future[Result]] = deque()
        try:
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) > processors():
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def ahead(items: Iterable[Item]) -> Iterator[Item]:
    """Yield items while another thread makes the next one."""
    end = object()
    source = iter(items)
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, source, end)
        while (item := coming.result()) is not end:
            coming = pool.submit(next, source, end)
            yield item  # type: ignore[misc]
