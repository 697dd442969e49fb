"""The stages of a conversion. Each notes what it has finished, so that another run goes on after it."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from privge._files.folder import Folder
from privge._machine import processors
from privge.errors import BadData
from privge.graph._fingerprint import fingerprint_of
from privge.graph._threads import ahead, in_order
from privge.graph._weights import MOST, strengths_of
from privge.graph.conversion import growing, integers, texts
from privge.graph.conversion.buckets import Buckets, RowRange
from privge.graph.conversion.conversion import Conversion
from privge.graph.conversion.pairs import numbering
from privge.graph.conversion.parts import Part
from privge.graph.stored import PADDING, StoredGraph

Arrays: TypeAlias = dict[str, tuple[Path, type[np.generic]]]

_MOST_NODES = 2**31 - 1
_NOTED = 1 << 23
"""Entries of rows between two notes of how far they are: each note waits for the disk."""

_GROUP = 1 << 24
"""Edges between two notes of how far the buckets are filled."""


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
        count = integers.write_distinct(values, graph / "ids.npy", conversion.work, conversion.budget, once=once)
    else:
        count = texts.write_distinct(columns, graph, conversion.work, conversion.budget, once=once).number
    if count > _MOST_NODES:
        raise BadData(f"{count:,} nodes are too many; there can be {_MOST_NODES:,}")
    conversion.note("ids.json", {"nodes": count})
    return count


def fill_buckets(conversion: Conversion, count: int) -> tuple[Buckets, int]:
    """Replace ids by rows and write each edge both ways to the bucket of its row; return these and the self-loops."""
    noted = conversion.document("buckets.json")
    if noted is None:
        fitting = (count, 2 * conversion.rows, conversion.budget)
        planned = Buckets.plan(conversion.work / "buckets", *fitting, weighted=conversion.weight is not None)
        noted = {"shift": planned.shift, "parts": 0, "loops": 0, "sizes": [0] * len(planned)}
    buckets = Buckets(conversion.work / "buckets", count, noted["shift"], conversion.weight is not None)
    done, loops, sizes = noted["parts"], noted["loops"], noted["sizes"]
    if done < len(conversion.parts) and not buckets.cut(sizes):  # the disk lost what was noted
        done, loops, sizes = 0, 0, [0] * len(buckets)
        buckets.cut(sizes)
    conversion.advance(sum(part.rows for part in conversion.parts[:done]))
    if done == len(conversion.parts):
        return buckets, loops
    rows_of = numbering(conversion, count)
    for group in _groups(conversion.parts[done:], _GROUP):
        for edges in ahead(rows_of(group)):
            loops += buckets.add(*edges, sizes)
            conversion.advance(len(edges[0]))
        buckets.settle()
        done += len(group)
        conversion.note("buckets.json", {"shift": buckets.shift, "parts": done, "loops": loops, "sizes": sizes})
    return buckets, loops


class WrittenRows(NamedTuple):
    """How far the rows are written, and the largest degree and strength so far."""

    buckets: int = 0
    entries: int = 0
    largest: int = 0
    heaviest: float = 0.0


def compress_rows(conversion: Conversion, buckets: Buckets) -> WrittenRows:
    """Sort the rows bucket by bucket into the arrays of the graph."""
    arrays = _arrays(conversion)
    noted = WrittenRows(**(conversion.document("rows.json") or {}))
    if noted.buckets == 0:
        for path, _ in arrays.values():
            growing.begin(path)
        growing.append(*arrays["indptr"], 0, [0])
    conversion.advance(conversion.rows * noted.buckets // max(1, len(buckets)))
    written = noted
    for bucket, finished_rows in enumerate(_sorted_buckets(conversion, buckets, noted.buckets), noted.buckets):
        for rows in finished_rows:
            written = _append(arrays, rows, written)._replace(buckets=bucket + 1)
        if written.entries - noted.entries >= _NOTED or bucket + 1 == len(buckets):
            for path, _ in arrays.values():
                growing.settle(path)
            conversion.note("rows.json", written._asdict())
            for finished in range(noted.buckets, bucket + 1):
                for path in buckets.paths(finished):
                    path.unlink()
            noted = written
        conversion.advance(conversion.rows * (bucket + 1) // len(buckets) - conversion.rows * bucket // len(buckets))
    return written


def _sorted_buckets(conversion: Conversion, buckets: Buckets, first: int) -> Iterator[Iterable[RowRange]]:
    """Yield the rows of one bucket after the other, while others are sorted; one that is too large waits its turn."""
    share = conversion.budget // (2 * processors())  # as many buckets wait to be written as are sorted

    def rows(bucket: int) -> Iterable[RowRange]:
        return list(buckets.rows(bucket, share)) if buckets.fits(bucket, share) else buckets.rows(bucket, share)

    return in_order(rows, range(first, len(buckets)))


def _append(arrays: Arrays, rows: RowRange, written: WrittenRows) -> WrittenRows:
    """Write finished rows behind those that are written."""
    growing.append(*arrays["indptr"], rows.first + 1, written.entries + np.cumsum(rows.degrees))
    entries = growing.append(*arrays["indices"], written.entries, rows.targets)
    heaviest = written.heaviest
    if rows.weights is not None:
        growing.append(*arrays["weights"], written.entries, rows.weights)
        strengths = strengths_of(np.concatenate([[0], np.cumsum(rows.degrees)]), rows.weights)
        growing.append(*arrays["strengths"], rows.first, strengths)
        heaviest = max(heaviest, float(strengths.max(initial=0.0)))
        if rows.weights.max(initial=0.0) > MOST:
            raise BadData(f"the weights of a repeated edge add up to more than {MOST:g}")
    largest = max(written.largest, int(rows.degrees.max(initial=0)))
    return written._replace(entries=entries, largest=largest, heaviest=heaviest)


def finish(conversion: Conversion, count: int, rows: WrittenRows, loops: int, repeated: int) -> None:
    """Complete the arrays and say what they are."""
    graph, arrays, weighted = conversion.graph, _arrays(conversion), conversion.weight is not None
    growing.append(*arrays["indices"], rows.entries, np.zeros(PADDING, dtype=np.int32))
    lengths = {"indptr": count + 1, "indices": rows.entries, "weights": rows.entries, "strengths": count}
    for name, (path, kind) in arrays.items():
        growing.seal(path, kind, lengths[name] + (PADDING if name == "indices" else 0))
    hashed = [name for name in arrays if name != "strengths"]  # which follow from the weights
    contents = (growing.read_pieces(*arrays[name], lengths[name]) for name in hashed)
    StoredGraph(
        Folder.of(graph),
        count,
        rows.entries,
        conversion.kind,
        sorted_ids=True,
        padding=PADDING,
        largest_degree=rows.largest,
        fingerprint=fingerprint_of(conversion.ids(count), *contents),
        loops=loops,
        repeated=repeated,
        heaviest=rows.heaviest if weighted else None,
    ).save()
    conversion.advance(4 * conversion.rows - conversion.seen[0])


def _arrays(conversion: Conversion) -> Arrays:
    """Return path and type of the arrays of the rows, in the order in which they have a fingerprint."""
    kinds: dict[str, type[np.generic]] = {"indptr": np.int64, "indices": np.int32}
    if conversion.weight is not None:
        kinds |= {"weights": np.float64, "strengths": np.float64}
    return {name: (conversion.graph / f"{name}.npy", kind) for name, kind in kinds.items()}


def _id_columns(conversion: Conversion) -> Iterator[pa.Array]:
    """Yield the ids of the list of nodes, or else of both ends of all edges."""
    for part in conversion.parts if conversion.nodes is None else conversion.nodes:
        for columns in ahead(part.batches(conversion.batch)):
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
