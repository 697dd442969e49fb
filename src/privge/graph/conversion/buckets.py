"""Numbered edges to compressed rows, bucket by bucket: each bucket holds the edges of a range of rows."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from privge.errors import BadData
from privge.graph.conversion.growing import settle

_FASTEST = 1 << 23  # entries of a bucket: sorted, they stay near the processor
_MOST = 1024  # buckets: more files would mean small writes
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Buckets:
    """Files of pairs ``(row, target)``, one for each range of rows.

    Parameters
    ----------
    folder
        Where the files are.
    nodes
        Number of rows in all.
    shift
        Each bucket has ``2**shift`` rows.
    """

    folder: Path
    nodes: int
    shift: int

    @classmethod
    def plan(cls, folder: Path, nodes: int, entries: int, memory: int) -> "Buckets":
        """Choose ranges such that a bucket is sorted fast and well within the memory."""
        by_entries = -(-entries // max(1, min(_FASTEST, memory // 32)))
        by_rows = -(-nodes // max(1, memory // 64))
        count = min(max(1, by_entries, by_rows), _MOST)
        return cls(folder, nodes, max(0, (-(-nodes // count) - 1)).bit_length())

    def __len__(self) -> int:
        return (self.nodes + (1 << self.shift) - 1) >> self.shift

    def path(self, bucket: int) -> Path:
        """Return the file of a bucket."""
        return self.folder / f"{bucket:04d}.pairs"

    def cut(self, sizes: list[int]) -> bool:
        """Cut the files to sizes they had once; say whether they all had at least those."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for bucket, size in enumerate(sizes):
            path = self.path(bucket)
            path.touch()
            if path.stat().st_size < size:
                return False
            os.truncate(path, size)
        return True

    def add(self, sources: NDArray[np.int32], targets: NDArray[np.int32], sizes: list[int]) -> int:
        """Append edges both ways to their buckets, add to the sizes, and return the number of self-loops."""
        from privge.graph._kernels import scatter

        starts = np.empty(len(self) + 1, dtype=np.int64)
        pairs = np.empty((2 * len(sources), 2), dtype=np.int32)
        loops: int = scatter(sources, targets, self.shift, starts, pairs)
        for bucket in np.flatnonzero(np.diff(starts)).tolist():
            piece = pairs[starts[bucket] : starts[bucket + 1]]
            with self.path(bucket).open("ab") as file:
                file.write(piece.data)
            sizes[bucket] += piece.nbytes
        return loops

    def settle(self) -> None:
        """Have all files on the disk."""
        for bucket in range(len(self)):
            settle(self.path(bucket))

    def rows(self, bucket: int, memory: int) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.int32]]]:
        """Yield first row, degrees and sorted neighbours of ranges of rows, which together are the bucket.

        One range, unless hubs made the bucket too large for the memory; then the file is read for each range.
        """
        from privge.graph._kernels import count_rows, place_targets, sort_rows

        first = bucket << self.shift
        counts = np.zeros(min(1 << self.shift, self.nodes - first), dtype=np.int64)
        for pairs in self._read(bucket):
            count_rows(pairs, first, counts)
        for begin, end in _ranges(counts, max(1, memory // 16)):
            starts = np.concatenate([[0], np.cumsum(counts[begin:end])])
            targets = np.empty(starts[-1], dtype=np.int32)
            fill = starts[:-1].copy()
            for pairs in self._read(bucket):
                place_targets(pairs, first + begin, first + end, fill, targets)
            degrees = np.empty(end - begin, dtype=np.int64)
            kept = sort_rows(starts, targets, degrees)
            yield first + begin, degrees, targets[:kept]

    def _read(self, bucket: int) -> Iterator[NDArray[np.int32]]:
        """Yield the pairs of a file, perhaps of another run; compiled code takes them as they are: they are checked."""
        path, first = self.path(bucket), bucket << self.shift
        last = min(first + (1 << self.shift), self.nodes)
        with path.open("rb") as file:
            while len(numbers := np.fromfile(file, dtype=np.int32, count=2 * _CHUNK)):
                rows, targets = numbers[0::2], numbers[1::2]
                if len(rows) != len(targets) or rows.min() < first or rows.max() >= last:
                    raise BadData(f"{path}: damaged; remove {self.folder.parent} and run again")
                if targets.min() < 0 or targets.max() >= self.nodes:
                    raise BadData(f"{path}: damaged; remove {self.folder.parent} and run again")
                yield numbers.reshape(-1, 2)


def _ranges(counts: NDArray[np.int64], most: int) -> Iterator[tuple[int, int]]:
    """Cut rows into ranges of at most so many entries, but of one row at least."""
    ends = np.cumsum(counts)
    begin, before = 0, 0
    while begin < len(counts):
        end = max(begin + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield begin, end
        begin, before = end, int(ends[end - 1])
