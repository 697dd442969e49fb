"""The stages of a conversion. Each notes what it has finished, so that another run goes on after it."""

from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pyarrow as pa

from privge._files.folder import Folder
from privge.errors import BadData
from privge.graph._fingerprint import fingerprint_of
from privge.graph.conversion import growing, integers, texts
from privge.graph.conversion.buckets import Buckets
from privge.graph.conversion.conversion import Conversion
from privge.graph.conversion.pairs import numbering
from privge.graph.conversion.parts import Part
from privge.graph.stored import PADDING, StoredGraph

_MOST_NODES = 2**31 - 1
_NOTED = 1 << 23
"""Entries of rows between two notes of how far they are: each note waits for the disk."""

_GROUP = {"integers": 1 << 24, "strings": 1 << 26}
"""Edges between two notes of how far the buckets are filled; for strings, each time the ids are hashed again."""


def number_ids(conversion: Conversion) -> int:
    """Write all ids in order, and return how many there are."""
    noted = conversion.document("ids.json")
    if noted is not None:
        conversion.advance(conversion.rows)
        return int(noted["nodes"])
    once = "" if conversion.nodes is None else conversion.nodes_place
    columns = _id_columns(conversion)
    graph = conversion.graph
    if conversion.kind == "integers":
        values = (column.to_numpy() for column in columns)
        count = integers.write_distinct(values, graph / "ids.npy", conversion.work, conversion.memory, once=once)
    else:
        offsets, text = graph / "ids-offsets.npy", graph / "ids-text.npy"
        with closing(texts.Database(conversion.work, conversion.memory)) as database:
            count = texts.write_distinct(database, ([column] for column in columns), offsets, text, once=once)
    if count > _MOST_NODES:
        raise BadData(f"{count:,} nodes are too many; there can be {_MOST_NODES:,}")
    conversion.note("ids.json", {"nodes": count})
    return count


def fill_buckets(conversion: Conversion, count: int) -> tuple[Buckets, int]:
    """Replace ids by rows and write each edge both ways to the bucket of its row; return these and the self-loops."""
    noted = conversion.document("buckets.json")
    if noted is None:
        planned = Buckets.plan(conversion.work / "buckets", count, 2 * conversion.rows, conversion.memory)
        noted = {"shift": planned.shift, "parts": 0, "loops": 0, "sizes": [0] * len(planned)}
    buckets = Buckets(conversion.work / "buckets", count, noted["shift"])
    done, loops, sizes = noted["parts"], noted["loops"], noted["sizes"]
    if done < len(conversion.parts) and not buckets.cut(sizes):  # the disk lost what was noted
        done, loops, sizes = 0, 0, [0] * len(buckets)
        buckets.cut(sizes)
    conversion.advance(sum(part.rows for part in conversion.parts[:done]))
    if done == len(conversion.parts):
        return buckets, loops
    with numbering(conversion, count) as rows_of:
        for group in _groups(conversion.parts[done:], _GROUP[conversion.kind]):
            for sources, targets in rows_of(group):
                loops += buckets.add(sources, targets, sizes)
                conversion.advance(len(sources))
            buckets.settle()
            done += len(group)
            conversion.note("buckets.json", {"shift": buckets.shift, "parts": done, "loops": loops, "sizes": sizes})
    return buckets, loops


def compress_rows(conversion: Conversion, buckets: Buckets) -> tuple[int, int]:
    """Sort the rows bucket by bucket into the arrays of the graph; return their entries and the largest degree."""
    indptr, indices = conversion.graph / "indptr.npy", conversion.graph / "indices.npy"
    noted = conversion.document("rows.json") or {"buckets": 0, "entries": 0, "largest": 0}
    done, entries, largest = noted["buckets"], noted["entries"], noted["largest"]
    if done == 0:
        growing.begin(indptr)
        growing.begin(indices)
        growing.append(indptr, np.int64, 0, [0])
    conversion.advance(conversion.rows * done // max(1, len(buckets)))
    for bucket in range(done, len(buckets)):
        for first, degrees, targets in buckets.rows(bucket, conversion.memory):
            growing.append(indptr, np.int64, first + 1, entries + np.cumsum(degrees))
            entries = growing.append(indices, np.int32, entries, targets)
            largest = max(largest, int(degrees.max(initial=0)))
        if entries - noted["entries"] >= _NOTED or bucket + 1 == len(buckets):
            growing.settle(indptr)
            growing.settle(indices)
            done, noted = noted["buckets"], {"buckets": bucket + 1, "entries": entries, "largest": largest}
            conversion.note("rows.json", noted)
            for finished in range(done, bucket + 1):
                buckets.path(finished).unlink()
        conversion.advance(conversion.rows * (bucket + 1) // len(buckets) - conversion.rows * bucket // len(buckets))
    return entries, largest


def finish(conversion: Conversion, count: int, entries: int, largest: int, loops: int, repeated: int) -> None:
    """Complete the arrays and say what they are."""
    graph = conversion.graph
    growing.append(graph / "indices.npy", np.int32, entries, np.zeros(PADDING, dtype=np.int32))
    growing.seal(graph / "indices.npy", np.int32, entries + PADDING)
    growing.seal(graph / "indptr.npy", np.int64, count + 1)
    fingerprint = fingerprint_of(
        conversion.ids(count),
        growing.read_pieces(graph / "indptr.npy", np.int64, count + 1),
        growing.read_pieces(graph / "indices.npy", np.int32, entries),
    )
    StoredGraph(
        Folder.of(graph), count, entries, conversion.kind, True, PADDING, largest, fingerprint, loops, repeated
    ).save()
    conversion.advance(4 * conversion.rows - conversion.seen[0])


def _id_columns(conversion: Conversion) -> Iterator[pa.Array]:
    """Yield the ids of the list of nodes, or else of both ends of all edges."""
    for part in conversion.parts if conversion.nodes is None else conversion.nodes:
        for columns in part.batches(conversion.batch):
            yield from columns
            if conversion.nodes is None:
                conversion.advance(len(columns[0]))
    if conversion.nodes is not None:
        conversion.advance(conversion.rows)


def _groups(parts: list[Part], rows: int) -> Iterator[list[Part]]:
    """Cut parts into groups of about so many rows."""
    group: list[Part] = []
    for part in parts:
        group.append(part)
        if sum(member.rows for member in group) >= rows:
            yield group
            group = []
    if group:
        yield group
