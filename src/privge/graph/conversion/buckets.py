"""Numbered edges to compressed rows, bucket by bucket: each bucket holds the edges of a range of rows."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privge._machine import processors
from privge._typing import Floats
from privge.errors import BadData
from privge.graph._weights import first_unusable
from privge.graph.conversion.growing import settle

_FASTEST = 1 << 22  # entries of a bucket: several buckets are sorted at once
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
    """Files of keys (row and target in 64 bits), one for each range of rows.

    All keys of a row are in one file, so that one bucket after the other can be sorted in memory.

    Parameters
    ----------
    folder
        Where the files of all buckets are.
    nodes
        Number of rows in all.
    shift
        Each bucket has ``2**shift`` rows.
    weighted
        Whether a file of weights, one for each key, lies beside each file of keys.
    """

    folder: Path
    nodes: int
    shift: int
    weighted: bool = False

    @classmethod
    def plan(cls, folder: Path, nodes: int, entries: int, budget: int, *, weighted: bool = False) -> "Buckets":
        """Choose ranges such that a bucket is sorted fast, and as many as there are processors within the memory."""
        share = budget // processors()
        by_entries = -(-entries // max(1, min(_FASTEST, share // (64 if weighted else 32))))
        by_rows = -(-nodes // max(1, share // 64))
        count = min(max(1, by_entries, by_rows), _MOST)
        return cls(folder, nodes, max(0, (-(-nodes // count) - 1)).bit_length(), weighted)

    def __len__(self) -> int:
        return (self.nodes + (1 << self.shift) - 1) >> self.shift

    def path(self, bucket: int) -> Path:
        """Return the file of a bucket."""
        return self.folder / f"{bucket:04d}.keys"

    def weights_path(self, bucket: int) -> Path:
        """Return the file of a bucket's weights: 8 bytes each, as many as its keys take."""
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
        from privge.graph._kernels import count_groups, place_keys, place_weights

        counts = np.zeros(len(self), dtype=np.int64)
        loops: int = count_groups(sources, targets, self.shift, counts)
        starts = np.concatenate([[0], np.cumsum(counts)])
        keys = np.empty(starts[-1], dtype=np.uint64)
        place_keys(sources, targets, self.shift, starts[:-1].copy(), keys)
        arrays: list[NDArray[np.generic]] = [keys]
        if weights is not None:
            carried = np.empty(len(keys))
            place_weights(sources, targets, weights, self.shift, starts[:-1].copy(), carried)
            arrays.append(carried)
        for bucket in np.flatnonzero(counts).tolist():
            part = slice(starts[bucket], starts[bucket + 1])
            for path, array in zip(self.paths(bucket), arrays, strict=True):
                with path.open("ab") as file:
                    file.write(array[part].data)
            sizes[bucket] += keys[part].nbytes
        return loops

    def settle(self) -> None:
        """Have all files on the disk."""
        for bucket in range(len(self)):
            for path in self.paths(bucket):
                settle(path)

    def fits(self, bucket: int, budget: int) -> bool:
        """Say whether all of a bucket can be sorted at once within so many bytes."""
        return self.path(bucket).stat().st_size // 8 <= max(1, budget // (48 if self.weighted else 20))

    def rows(self, bucket: int, budget: int) -> Iterator["RowRange"]:
        """Yield first row, degrees, sorted neighbours and weights of ranges of rows, which together are the bucket.

        One range, unless hubs made the bucket too large for the memory; then the file is read for each range.
        """
        from privge.graph._kernels import count_rows

        first = bucket << self.shift
        last = min(first + (1 << self.shift), self.nodes)
        if self.fits(bucket, budget) and not self.weighted:
            yield self._range(bucket, range(first, last), self.path(bucket).stat().st_size // 8)
            return
        counts = np.zeros(last - first, dtype=np.int64)
        for keys in self._read(bucket):
            count_rows(keys, first, counts)
        for begin, end in _ranges(counts, max(1, budget // (48 if self.weighted else 20))):
            rows = range(first + begin, first + end)
            if self.weighted:
                yield self._weighted_range(bucket, rows, np.concatenate([[0], np.cumsum(counts[begin:end])]))
            else:
                yield self._range(bucket, rows, int(counts[begin:end].sum()))

    def _range(self, bucket: int, rows: range, entries: int) -> "RowRange":
        """Return some rows of a bucket, which together have so many entries."""
        from privge.graph._kernels import sort_group

        own, end = np.empty(entries, dtype=np.uint64), 0
        for keys in self._read(bucket):
            inside = _between(keys, rows)
            own[end : end + len(inside)] = inside
            end += len(inside)
        degrees = np.empty(len(rows), dtype=np.int64)
        kept = sort_group(own, self.shift, (self.nodes - 1).bit_length(), rows.start, degrees)
        return RowRange(rows.start, degrees, own.view(np.int32)[:kept], None)

    def _weighted_range(self, bucket: int, rows: range, starts: NDArray[np.int64]) -> "RowRange":
        from privge.graph._kernels import place_weighted, sort_weighted_rows

        targets, weights, fill = np.empty(starts[-1], dtype=np.int32), np.empty(starts[-1]), starts[:-1].copy()
        for keys, carried in zip(self._read(bucket), self._read_weights(bucket), strict=True):
            place_weighted(keys, carried, (rows.start, rows.stop), fill, targets, weights)
        degrees = np.empty(len(rows), dtype=np.int64)
        kept = sort_weighted_rows(starts, targets, weights, degrees)
        return RowRange(rows.start, degrees, targets[:kept], weights[:kept])

    def _read_weights(self, bucket: int) -> Iterator[Floats]:
        """Yield the weights of the keys that `_read` yields; those of another run are checked too."""
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

    def _read(self, bucket: int) -> Iterator[NDArray[np.uint64]]:
        """Yield the keys of a file, perhaps of another run; compiled code takes them as they are: they are checked."""
        path, first = self.path(bucket), bucket << self.shift
        last = min(first + (1 << self.shift), self.nodes)
        if path.stat().st_size % 8:
            raise self._damaged(path)
        with path.open("rb") as file:
            while len(keys := np.fromfile(file, dtype=np.uint64, count=_CHUNK)):
                if keys.min() >> np.uint64(32) < first or keys.max() >> np.uint64(32) >= last:
                    raise self._damaged(path)
                if (keys & np.uint64(0xFFFFFFFF)).max() >= self.nodes:
                    raise self._damaged(path)
                yield keys


def _between(keys: NDArray[np.uint64], rows: range) -> NDArray[np.uint64]:
    """Return the keys of a range of rows."""
    inside = (keys >= np.uint64(rows.start << 32)) & (keys < np.uint64(rows.stop << 32))
    return keys if inside.all() else keys[inside]


def _ranges(counts: NDArray[np.int64], most: int) -> Iterator[tuple[int, int]]:
    """Cut rows into ranges of at most so many entries, but of one row at least."""
    ends = np.cumsum(counts)
    begin, before = 0, 0
    while begin < len(counts):
        end = max(begin + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield begin, end
        begin, before = end, int(ends[end - 1])
