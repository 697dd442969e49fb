"""Numbered edges to compressed rows, bucket by bucket: each bucket holds the edges of a range of rows."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.errors import BadData
from privge.graph._weights import first_unusable
from privge.graph.conversion.growing import settle

_FASTEST = 1 << 23  # entries of a bucket: sorted, they stay near the processor
_MOST = 1024  # buckets: more files would mean small writes
_CHUNK = 1 << 20


class RowRange(NamedTuple):
    """Finished rows: the first of them, their degrees, their neighbours and, if there are any, weights."""

    first: int
    degrees: NDArray[np.int64]
    targets: NDArray[np.int32]
    weights: Floats | None


@dataclass(frozen=True, slots=True)
class Buckets:
    """Files of pairs ``(row, target)``, one for each range of rows.

    All pairs of a row are in one file, so that one bucket after the other can be sorted in memory.

    Parameters
    ----------
    folder
        Where the files of all buckets are.
    nodes
        Number of rows in all.
    shift
        Each bucket has ``2**shift`` rows.
    weighted
        Whether a file of weights, one for each pair, lies beside each file of pairs.
    """

    folder: Path
    nodes: int
    shift: int
    weighted: bool = False

    @classmethod
    def plan(cls, folder: Path, nodes: int, entries: int, budget: int, *, weighted: bool = False) -> "Buckets":
        """Choose ranges such that a bucket is sorted fast and well within the memory."""
        by_entries = -(-entries // max(1, min(_FASTEST, budget // (64 if weighted else 32))))
        by_rows = -(-nodes // max(1, budget // 64))
        count = min(max(1, by_entries, by_rows), _MOST)
        return cls(folder, nodes, max(0, (-(-nodes // count) - 1)).bit_length(), weighted)

    def __len__(self) -> int:
        return (self.nodes + (1 << self.shift) - 1) >> self.shift

    def path(self, bucket: int) -> Path:
        """Return the file of a bucket."""
        return self.folder / f"{bucket:04d}.pairs"

    def weights_path(self, bucket: int) -> Path:
        """Return the file of a bucket's weights: 8 bytes each, as many as its pairs take."""
        return self.folder / f"{bucket:04d}.weights"

    def paths(self, bucket: int) -> list[Path]:
        """Return all files of a bucket."""
        return [self.path(bucket), *([self.weights_path(bucket)] if self.weighted else [])]

    def cut(self, sizes: list[int]) -> bool:
        """Cut the files to sizes they had once; say whether they all had at least those."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for bucket, size in enumerate(sizes):
            for path in self.paths(bucket):
                path.touch()
                if path.stat().st_size < size:
                    return False
                os.truncate(path, size)
        return True

    def add(
        self, sources: NDArray[np.int32], targets: NDArray[np.int32], weights: Floats | None, sizes: list[int]
    ) -> int:
        """Append edges both ways to their buckets, add to the sizes, and return the number of self-loops."""
        from privge.graph._kernels import scatter, scatter_weights

        starts = np.empty(len(self) + 1, dtype=np.int64)
        pairs = np.empty((2 * len(sources), 2), dtype=np.int32)
        loops: int = scatter(sources, targets, self.shift, starts, pairs)
        arrays: list[NDArray[np.generic]] = [pairs]
        if weights is not None:
            carried = np.empty(len(pairs))
            scatter_weights(sources, targets, weights, self.shift, starts, carried)
            arrays.append(carried)
        for bucket in np.flatnonzero(np.diff(starts)).tolist():
            part = slice(starts[bucket], starts[bucket + 1])
            for path, array in zip(self.paths(bucket), arrays, strict=True):
                with path.open("ab") as file:
                    file.write(array[part].data)
            sizes[bucket] += pairs[part].nbytes
        return loops

    def settle(self) -> None:
        """Have all files on the disk."""
        for bucket in range(len(self)):
            for path in self.paths(bucket):
                settle(path)

    def rows(self, bucket: int, budget: int) -> Iterator["RowRange"]:
        """Yield first row, degrees, sorted neighbours and weights of ranges of rows, which together are the bucket.

        One range, unless hubs made the bucket too large for the memory; then the file is read for each range.
        """
        from privge.graph._kernels import count_rows

        first = bucket << self.shift
        counts = np.zeros(min(1 << self.shift, self.nodes - first), dtype=np.int64)
        for pairs in self._read(bucket):
            count_rows(pairs, first, counts)
        for begin, end in _ranges(counts, max(1, budget // (48 if self.weighted else 16))):
            starts = np.concatenate([[0], np.cumsum(counts[begin:end])])
            sort = self._weighted_range if self.weighted else self._range
            yield sort(bucket, range(first + begin, first + end), starts)

    def _range(self, bucket: int, rows: range, starts: NDArray[np.int64]) -> "RowRange":
        from privge.graph._kernels import place_targets, sort_rows

        targets, fill = np.empty(starts[-1], dtype=np.int32), starts[:-1].copy()
        for pairs in self._read(bucket):
            place_targets(pairs, rows.start, rows.stop, fill, targets)
        degrees = np.empty(len(rows), dtype=np.int64)
        kept = sort_rows(starts, targets, degrees)
        return RowRange(rows.start, degrees, targets[:kept], None)

    def _weighted_range(self, bucket: int, rows: range, starts: NDArray[np.int64]) -> "RowRange":
        from privge.graph._kernels import place_weighted, sort_weighted_rows

        targets, weights, fill = np.empty(starts[-1], dtype=np.int32), np.empty(starts[-1]), starts[:-1].copy()
        for pairs, carried in zip(self._read(bucket), self._read_weights(bucket), strict=True):
            place_weighted(pairs, carried, (rows.start, rows.stop), fill, targets, weights)
        degrees = np.empty(len(rows), dtype=np.int64)
        kept = sort_weighted_rows(starts, targets, weights, degrees)
        return RowRange(rows.start, degrees, targets[:kept], weights[:kept])

    def _read_weights(self, bucket: int) -> Iterator[Floats]:
        """Yield the weights of the pairs that `_read` yields; those of another run are checked too."""
        path = self.weights_path(bucket)
        if path.stat().st_size != self.path(bucket).stat().st_size:
            raise self._damaged(path)
        with path.open("rb") as file:
            while len(weights := np.fromfile(file, dtype=np.float64, count=_CHUNK)):
                if first_unusable(weights) is not None:
                    raise self._damaged(path)
                yield weights

    def _damaged(self, path: Path) -> BadData:
        return BadData(f"{path}: damaged; remove {self.folder.parent} and run again")

    def _read(self, bucket: int) -> Iterator[NDArray[np.int32]]:
        """Yield the pairs of a file, perhaps of another run; compiled code takes them as they are: they are checked."""
        path, first = self.path(bucket), bucket << self.shift
        last = min(first + (1 << self.shift), self.nodes)
        with path.open("rb") as file:
            while len(numbers := np.fromfile(file, dtype=np.int32, count=2 * _CHUNK)):
                rows, targets = numbers[0::2], numbers[1::2]
                if len(rows) != len(targets) or rows.min() < first or rows.max() >= last:
                    raise self._damaged(path)
                if targets.min() < 0 or targets.max() >= self.nodes:
                    raise self._damaged(path)
                yield numbers.reshape(-1, 2)


def _ranges(counts: NDArray[np.int64], most: int) -> Iterator[tuple[int, int]]:
    """Cut rows into ranges of at most so many entries, but of one row at least."""
    ends = np.cumsum(counts)
    begin, before = 0, 0
    while begin < len(counts):
        end = max(begin + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield begin, end
        begin, before = end, int(ends[end - 1])
