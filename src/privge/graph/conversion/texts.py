"""String ids beyond memory: the distinct ones of a stream, in the order of their UTF-8 bytes, and the row of each."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from privge.errors import BadData
from privge.graph._fingerprint import PIECE
from privge.graph._threads import in_order
from privge.graph.conversion import growing

_SAMPLED = 64  # ids of all runs that are looked at for each range into which the runs are cut


@dataclass(frozen=True, slots=True)
class Texts:
    """Strings on the disk, in Arrow's layout.

    Parameters
    ----------
    offsets, text
        The files.
    number
        How many there are.
    """

    offsets: Path
    text: Path
    number: int

    def read(self, first: int, last: int) -> pa.Array:
        """Return some of them."""
        offsets = growing.read(self.offsets, np.int64, first, last + 1)
        text = growing.read(self.text, np.uint8, int(offsets[0]), int(offsets[-1]))
        return pa.LargeStringArray.from_buffers(last - first, pa.py_buffer(offsets - offsets[0]), pa.py_buffer(text))

    def pieces(self) -> Iterator[pa.Array]:
        """Yield all of them, piece by piece."""
        for first in range(0, self.number, PIECE):
            yield self.read(first, min(first + PIECE, self.number))

    def remove(self) -> None:
        """Remove the files."""
        self.offsets.unlink()
        self.text.unlink()


def write_distinct(arrays: Iterable[pa.Array], folder: Path, work: Path, budget: int, *, once: str = "") -> Texts:
    """Write the distinct strings in the order of their UTF-8 bytes.

    Runs that fit into memory are sorted and written; then ranges are merged, each from all runs.

    Parameters
    ----------
    arrays
        Large strings.
    folder
        Where ``ids-offsets.npy`` and ``ids-text.npy`` go.
    work
        A folder for the runs.
    budget
        Bytes that may be taken, roughly.
    once
        If given, each string must be there only once; this is the place to name in the message.
    """
    given = 0

    def counted() -> Iterator[pa.Array]:
        nonlocal given
        for array in arrays:
            given += len(array)
            yield array

    size = max(1, budget // 32)
    numbered = zip(count(), _gather(counted(), size), strict=False)
    runs = list(in_order(lambda run: _write(work, f"run-{run[0]}", [_sorted_distinct(run[1])]), numbered))
    parts = in_order(_sorted_distinct, _ranges(runs, size))
    written = _write(folder, "ids", parts)
    if once and written.number < given:
        raise BadData(f"{once}: an id appears twice")
    for run in runs:
        run.remove()
    return written


def text_rows(texts: Texts) -> Callable[[pa.Array], NDArray[np.int32]]:
    """Return the function from strings to rows, -1 for unknown ones; strings stay mapped, the table is in memory."""
    from privge.graph._kernels import enter_texts, find_texts

    offsets, text = (np.asarray(np.load(path, mmap_mode="r")) for path in (texts.offsets, texts.text))
    table = np.zeros(1 << (4 * texts.number // 3 + 1).bit_length(), dtype=np.uint64)
    enter_texts(offsets, text, table)

    def rows_of(asked: pa.Array) -> NDArray[np.int32]:
        rows = np.empty(len(asked), dtype=np.int32)
        find_texts(*_buffers(asked), offsets, text, table, rows)
        return rows

    return rows_of


def _gather(arrays: Iterable[pa.Array], size: int) -> Iterator[list[pa.Array]]:
    """Join arrays until they have so many bytes."""
    waiting: list[pa.Array] = []
    for array in arrays:
        waiting.append(array)
        if sum(member.nbytes for member in waiting) >= size:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


def _sorted_distinct(arrays: list[pa.Array]) -> pa.Array:
    distinct = pc.unique(pa.chunked_array(arrays, type=pa.large_string()))
    return distinct.take(pc.sort_indices(distinct))


def _write(folder: Path, name: str, arrays: Iterable[pa.Array]) -> Texts:
    """Write strings that come array by array."""
    offsets_path, text_path = folder / f"{name}-offsets.npy", folder / f"{name}-text.npy"
    growing.begin(offsets_path)
    growing.begin(text_path)
    growing.append(offsets_path, np.int64, 0, [0])
    number, length = 0, 0
    for array in arrays:
        offsets, text = _buffers(array)
        growing.append(offsets_path, np.int64, number + 1, length + offsets[1:] - offsets[0])
        length = growing.append(text_path, np.uint8, length, text[offsets[0] : offsets[-1]])
        number += len(array)
    growing.seal(offsets_path, np.int64, number + 1)
    growing.seal(text_path, np.uint8, length)
    return Texts(offsets_path, text_path, number)


def _ranges(runs: list[Texts], size: int) -> Iterator[list[pa.Array]]:
    """Yield the strings of all runs, range after range, each of about so many bytes."""
    mapped = [_Mapped(run) for run in runs]
    splitters = _splitters(mapped, -(-sum(run.bytes for run in mapped) // size))
    bounds = [[0, *(bisect_left(run, splitter) for splitter in splitters), len(run)] for run in mapped]
    for number in range(len(splitters) + 1 if runs else 0):
        yield [run.read(bound[number], bound[number + 1]) for run, bound in zip(runs, bounds, strict=True)]


class _Mapped:
    """The strings of a run one by one, as bytes."""

    def __init__(self, run: Texts) -> None:
        self._offsets, self._text = (np.load(path, mmap_mode="r") for path in (run.offsets, run.text))
        self.bytes = self._offsets.nbytes + self._text.nbytes

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, place: int) -> bytes:
        text: bytes = self._text[self._offsets[place] : self._offsets[place + 1]].tobytes()
        return text


def _splitters(runs: list[_Mapped], ranges: int) -> list[bytes]:
    """Return strings that cut the runs, taken together, into ranges of about the same size."""
    step = max(1, sum(map(len, runs)) // (_SAMPLED * max(1, ranges)))
    sample = sorted(run[place] for run in runs for place in range(0, len(run), step))
    return sorted({sample[number * len(sample) // ranges] for number in range(1, ranges)})


def _buffers(texts: pa.Array) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Return offsets, and the text to which they refer."""
    _, offsets, text = texts.buffers()
    if not len(texts):
        return np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.uint8)
    starts = np.frombuffer(offsets, dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    return starts, np.empty(0, dtype=np.uint8) if text is None else np.frombuffer(text, dtype=np.uint8)
