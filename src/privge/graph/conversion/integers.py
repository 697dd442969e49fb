"""Integer ids beyond memory: the distinct ones of a stream, in order, and the row of each."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, count
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from privge._machine import processors
from privge.errors import BadData
from privge.graph._threads import on_each
from privge.graph.conversion import growing
from privge.graph.conversion.marks import Marks
from privge.graph.stored import rows_among_sorted

Integers = NDArray[np.int64]


def write_distinct(values: Iterable[Integers], target: Path, work: Path, budget: int, *, once: str = "") -> int:
    """Write the distinct values in ascending order as ``.npy``, and return their number.

    Values that lie close together are marked in a table, one byte each. Of others, runs that fit into memory are sorted
    and written; then ranges of values are merged, each from all runs.

    Parameters
    ----------
    values
        Arrays of any size and order.
    target, work
        The file to write, and a folder for the runs.
    budget
        Bytes that may be taken, roughly.
    once
        If given, each value must be there only once; this is the place to name in the message.
    """
    given = 0

    def counted() -> Iterator[Integers]:
        nonlocal given
        for array in values:
            given += len(array)
            yield array

    growing.begin(target)
    end = 0
    for distinct in _ordered(counted(), work, budget):
        end = growing.append(target, np.int64, end, distinct)
    if once and end < given:
        raise BadData(f"{once}: an id appears twice")
    growing.seal(target, np.int64, end)
    return end


def _ordered(values: Iterator[Integers], work: Path, budget: int) -> Iterator[Integers]:
    """Yield the distinct values in ascending order."""
    marks = Marks(budget // 8)
    apart = next((array for array in values if not marks.add(array)), None)
    if apart is None:
        return marks.ordered()
    return _merged(chain(marks.ordered(), [apart], values), work, max(1, budget // 64))


def _merged(values: Iterable[Integers], work: Path, size: int) -> Iterator[Integers]:
    """Yield the distinct values in ascending order, by sorted runs on the disk."""
    paths = (work / f"run-{number}.npy" for number in count())
    runs: list[tuple[Path, int]] = []
    for gathered in _gather(values, size):
        shares = np.array_split(gathered, min(processors(), len(gathered)))
        runs += on_each(_write_run, [(next(paths), share) for share in shares])
    for merged in _merge(runs, size):
        yield _distinct(merged)
    for path, _ in runs:
        path.unlink()


def integer_rows(ids: Integers, budget: int) -> Callable[[Integers], NDArray[np.int32]]:
    """Return the function from ids to rows, -1 for unknown ones, that is fastest for these ascending ids."""
    first, last = (int(ids[0]), int(ids[-1])) if len(ids) else (0, -1)
    span = last - first + 1
    if span == len(ids):
        return lambda asked: _inside(asked, first, last, lambda known: (known - first).astype(np.int32))
    if span <= budget // 16:  # ids with gaps, such as 0, 1, ... without isolated nodes: look the row up in a table
        table = np.full(span, -1, dtype=np.int32)
        table[ids - first] = np.arange(len(ids), dtype=np.int32)
        return lambda asked: _inside(asked, first, last, lambda known: table[known - first])
    return lambda asked: rows_among_sorted(ids, asked).astype(np.int32)


def _inside(asked: Integers, first: int, last: int, rows: Callable[[Integers], NDArray[np.int32]]) -> NDArray[np.int32]:
    inside = (asked >= first) & (asked <= last)
    if inside.all():
        return rows(asked)
    found = np.full(len(asked), -1, dtype=np.int32)
    found[inside] = rows(asked[inside])
    return found


def _gather(values: Iterable[Integers], size: int) -> Iterator[Integers]:
    """Join arrays until there are ``size`` values."""
    waiting: list[Integers] = []
    for array in values:
        waiting.append(array)
        if sum(map(len, waiting)) >= size:
            yield np.concatenate(waiting)
            waiting = []
    if sum(map(len, waiting)):
        yield np.concatenate(waiting)


def _write_run(run: tuple[Path, Integers]) -> tuple[Path, int]:
    path, values = run
    distinct = _distinct(values)
    np.save(path, distinct)
    return path, len(distinct)


def _distinct(values: Integers) -> Integers:
    values.sort()
    return np.concatenate([values[:1], values[1:][values[1:] != values[:-1]]])


def _merge(runs: list[tuple[Path, int]], size: int) -> Iterator[Integers]:
    """Yield the values of all runs, range after range of about ``size`` values."""
    ranges = -(-sum(length for _, length in runs) // size)
    splitters = _splitters(runs, ranges)
    bounds = [[0, *np.searchsorted(np.load(path, mmap_mode="r"), splitters), length] for path, length in runs]
    for number in range(len(splitters) + 1 if runs else 0):
        parts = [
            growing.read(path, np.int64, int(bound[number]), int(bound[number + 1]))
            for (path, _), bound in zip(runs, bounds, strict=True)
        ]
        yield np.concatenate(parts)


def _splitters(runs: list[tuple[Path, int]], ranges: int) -> Integers:
    """Return values that cut the runs, taken together, into ranges of about the same size."""
    if ranges < 2:
        return np.empty(0, dtype=np.int64)
    step = max(1, sum(length for _, length in runs) // (64 * ranges))
    sample = np.sort(np.concatenate([np.load(path, mmap_mode="r")[::step] for path, _ in runs]))
    return np.unique(sample[np.arange(1, ranges) * len(sample) // ranges])
