"""Parquet in parts: a file, a folder of files however nested, a glob, or an address that fsspec knows."""

import glob
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from privge._files.folder import Folder
from privge._files.parquet import Opened, opened_parquet
from privge._files.tables import first_spoiled, is_text, reading
from privge._imports import needed
from privge.errors import BadData
from privge.graph._weights import first_unusable
from privge.graph.edge_columns import EdgeColumns, remark_unused

logger = logging.getLogger(__name__)

Kind = Literal["integers", "strings"]
ARROW = {"integers": pa.int64(), "strings": pa.large_string()}
Chooser = Callable[[list[str]], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Part:
    """One file of a table.

    Parameters
    ----------
    address
        Its path or address, for messages too.
    size, version
        Bytes, and what changes when the file does.
    rows
        Its rows.
    columns
        The columns that hold ids.
    kind
        What these ids are.
    weight
        The column of weights, if they are asked for.
    """

    address: str
    size: int
    version: str
    rows: int
    columns: tuple[str, ...]
    kind: Kind
    weight: str | None = None

    def batches(self, rows: int) -> Iterator[list[pa.Array]]:
        """Yield the ids of each column, at most so many rows at once, as 64-bit integers or large strings."""
        for ids, _ in self._batches(rows, self.columns):
            yield ids

    def weighted_batches(self, rows: int) -> Iterator[list[pa.Array]]:
        """Yield the same and, if weights are asked for, after them the weights as float64."""
        if self.weight is None:
            yield from self.batches(rows)
            return
        before = 0
        for ids, batch in self._batches(rows, (*self.columns, self.weight)):
            yield [*ids, _checked_weights(batch.column(self.weight), self.address, before)]
            before += len(batch)

    def _batches(self, rows: int, columns: tuple[str, ...]) -> Iterator[tuple[list[pa.Array], pa.RecordBatch]]:
        with _opened(self.address) as (parquet, threads):
            for batch in parquet.iter_batches(rows, columns=list(columns), use_threads=threads):
                places = {name: f"{self.address}: {name}" for name in self.columns}
                yield [_checked(batch.column(name), self.kind, places[name]) for name in self.columns], batch


def edge_parts(place: str | PathLike[str], columns: EdgeColumns) -> list[Part]:
    """Return the parts of an edge list; which columns are the ends is seen in each of them."""
    remarks: dict[str | None, None] = {}  # each once, in order

    def choose(names: list[str]) -> tuple[str, ...]:
        chosen = columns.choose(names)
        remarks[remark_unused(chosen)] = None
        return chosen.ends

    parts = _parts(fspath(place), choose, columns.weight)
    for remark in filter(None, remarks):
        logger.info("%s: %s", fspath(place), remark)
    return parts


def node_parts(place: str | PathLike[str], column: str) -> list[Part]:
    """Return the parts of a list of nodes, with a column of ids."""
    return _parts(fspath(place), lambda names: _id_column(names, column))


def kind_of(parts: Sequence[Part]) -> Kind:
    """Return what all ids are; parts that do not agree are refused."""
    kinds = {part.kind: part for part in parts if part.rows}
    if len(kinds) > 1:
        integers, strings = kinds["integers"].address, kinds["strings"].address
        raise BadData(f"{strings}: ids are strings here, but integers in {integers}")
    return next(iter(kinds), "integers")


def _parts(place: str, choose: Chooser, weight: str | None = None) -> list[Part]:
    found = _remote_files(place) if "://" in place else _local_files(place)
    if not found:
        raise BadData(f"{place}: there is no Parquet file")
    return [_part(*file, choose, weight) for file in sorted(found)]


def _part(address: str, size: int, version: str, choose: Chooser, weight: str | None) -> Part:
    with _opened(address) as (parquet, _):
        schema, rows = parquet.schema_arrow, parquet.metadata.num_rows
    try:
        columns = choose(schema.names)
    except BadData as error:
        raise BadData(f"{address}: {error}; the columns are {', '.join(schema.names[:10])}") from error
    if any(schema.names.count(name) > 1 for name in columns):
        raise BadData(f"{address}: a column of ids is there twice")
    if weight is not None:
        _check_weight_column(schema, weight, address, rows)
    kinds = {_kind(schema.field(name).type, f"{address}: {name}") for name in columns} if rows else {"integers"}
    if len(kinds) > 1:
        raise BadData(f"{address}: {columns[0]} and {columns[1]} hold ids of different types")
    return Part(address, size, version, rows, columns, kinds.pop(), weight)  # type: ignore[arg-type]


def _local_files(place: str) -> list[tuple[str, int, str]]:
    path = Path(place.removeprefix("file://"))
    if path.is_dir():
        inside = (found.relative_to(path) for found in path.rglob("*.parquet"))
        files = [path / name for name in inside if not any(piece.startswith((".", "_")) for piece in name.parts)]
    elif path.exists():
        files = [path]
    else:
        files = [Path(name) for name in glob.glob(str(path), recursive=True)]  # noqa: PTH207 (may be absolute)
    described = [(str(file), file.stat()) for file in files if file.is_file()]
    return [(name, status.st_size, str(status.st_mtime_ns)) for name, status in described]


def _remote_files(place: str) -> list[tuple[str, int, str]]:
    system, root = _system(place)
    if glob.has_magic(root):
        names = system.glob(root)
    elif system.isdir(root):
        names = [name for name in system.find(root) if _is_data(name.removeprefix(root))]
    else:
        names = [root] if system.exists(root) else []
    return [(system.unstrip_protocol(name), system.size(name), str(system.checksum(name))) for name in names]


def _is_data(name: str) -> bool:
    """Say whether a file is data: warehouses leave marks beside it, beginning with a dot or an underscore."""
    return name.endswith(".parquet") and not any(piece.startswith((".", "_")) for piece in name.split("/"))


def _system(place: str) -> tuple[Any, str]:
    with needed("an address"):
        from fsspec.core import url_to_fs
    try:
        system, root = url_to_fs(place)
    except (ImportError, ValueError) as error:  # a protocol that fsspec lacks a package for, or does not know
        raise BadData(f"{place}: {error}") from error
    return system, root


@contextmanager
def _opened(address: str) -> Iterator[Opened]:
    with reading(f"{address}: cannot be read as Parquet"), opened_parquet(*Folder.containing(address)) as opened:
        yield opened


def _checked(ids: pa.Array, kind: Kind, place: str) -> pa.Array:
    if ids.null_count:
        raise BadData(f"{place}: an id is missing")
    if pa.types.is_dictionary(ids.type):
        ids = ids.dictionary_decode()
    try:
        ids = ids.cast(ARROW[kind])
    except pa.ArrowException:  # its message quotes an id
        raise BadData(f"{place}: an id is not UTF-8 text, or does not fit 64 bits") from None
    if kind == "strings" and first_spoiled(ids) is not None:
        raise BadData(f"{place}: an id is empty, or begins or ends with white space")
    return ids


def _check_weight_column(schema: pa.Schema, weight: str, address: str, rows: int) -> None:
    if schema.names.count(weight) != 1:
        there = "no column" if weight not in schema.names else "more than one column"
        raise BadData(f"{address}: there is {there} {weight!r}; the columns are {', '.join(schema.names[:10])}")
    kind = schema.field(weight).type
    if rows and not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        raise BadData(f"{address}: weights must be numbers, the column {weight!r} holds {kind}")


def _checked_weights(weights: pa.Array, address: str, before: int) -> pa.Array:
    numbers = weights.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)  # what is missing becomes NaN
    if (row := first_unusable(numbers)) is not None:
        raise BadData(f"{address}, row {before + row + 1}: a weight must be a finite number above 0")
    return pa.array(numbers)


def _kind(type_: pa.DataType, place: str) -> Kind:
    if pa.types.is_dictionary(type_):
        type_ = type_.value_type
    if pa.types.is_integer(type_):
        return "integers"
    if is_text(type_):
        return "strings"
    raise BadData(f"{place}: ids must be integers or strings, the column holds {type_}")


def _id_column(names: list[str], column: str) -> tuple[str, ...]:
    if column not in names:
        raise BadData(f"there is no column {column!r} among its {len(names)}")
    return (column,)
