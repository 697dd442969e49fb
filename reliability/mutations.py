"""Files that are almost right: changed bytes, changed words, changed values in the form that the file has."""

import io
import json
import random
import sqlite3
import tomllib
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

WORDS = (
    b"nan", b"inf", b"-1", b"1e309", b"9223372036854775808", b"-9223372036854775809", b"0x1f", b"", b"null", b"true",
    b"[]", b"{}", b'""', b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"\xe2\x80\xae", b"\x1b[2J", b"1" * 5_000, b"\n\n",
    b",", b"\t", b'"', b"a=b", b"../..", b"2027-13-45T99:99:99Z", b"0.5", b"007",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 2**31, 2**63, 2**70, 0.5, -0.0, float("nan"), float("inf"), 1e308, "", "a", "\x1b[2J", "é\u202e",
    "x" * 5_000, [], [[]], [None], {}, {"a": 1}, "2027-01-01T00:00:00Z", "hds", "none", "structure",
)  # fmt: skip


def by_seed(seed: str) -> random.Random:
    """Return what chooses, always alike for the same seed."""
    return random.Random(seed)


def mutate(chosen: random.Random, path: Path) -> None:
    """Change a file, or one file of a folder, in place: in half of the cases in its own form, else byte by byte."""
    if path.is_dir():
        path = chosen.choice(sorted(file for file in path.rglob("*") if file.is_file()))
    if chosen.random() < 0.05:
        path.unlink()
        if chosen.random() < 0.5:
            path.mkdir()
        return
    inner = _FORMS.get(path.suffix) or (_change_json if path.name == "_SUCCESS" else None)
    if inner is not None and chosen.random() < 0.6:
        with suppress(Exception):  # what cannot be changed so is changed otherwise
            inner(chosen, path)
            return
    path.write_bytes(changed_bytes(chosen, path.read_bytes()))


def changed_bytes(chosen: random.Random, good: bytes) -> bytes:
    """Return bytes with some of them changed, cut, moved, repeated or replaced by a word."""
    data = bytearray(good)
    for _ in range(chosen.choice((1, 1, 1, 2, 5))):
        at, length = chosen.randrange(len(data) + 1), chosen.choice((1, 1, 2, 8, 64))
        match chosen.randrange(7):
            case 0 if data:
                data[at % len(data)] ^= 1 << chosen.randrange(8)
            case 1:
                del data[at:]
            case 2:
                del data[at : at + length]
            case 3:
                data[at:at] = data[at : at + length]
            case 4:
                data[at : at + length] = chosen.randbytes(length)
            case 5:
                data[at : at + length] = chosen.choice(WORDS)
            case _:
                data[at:at] = chosen.choice(WORDS)
    return bytes(data)


def _change_json(chosen: random.Random, path: Path) -> None:
    lines = path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]
    at = chosen.randrange(len(lines))
    lines[at] = json.dumps(changed_value(chosen, json.loads(lines[at])))
    path.write_text("\n".join(lines) + ("\n" if path.suffix == ".jsonl" else ""))


def changed_value(chosen: random.Random, value: Any) -> Any:  # noqa: PLR0911 (one for each change)
    """Return a JSON value with one value in it changed, added or left out."""
    if isinstance(value, dict) and value and chosen.random() < 0.9:
        key = chosen.choice(list(value))
        match chosen.randrange(6):
            case 0:
                return {name: each for name, each in value.items() if name != key}
            case 1:
                return {**value, chosen.choice(("more", "", "\x1b[2J", key + "s")): chosen.choice(VALUES)}
            case _:
                return {**value, key: changed_value(chosen, value[key])}
    if isinstance(value, list) and value and chosen.random() < 0.8:
        at = chosen.randrange(len(value))
        match chosen.randrange(4):
            case 0:
                return value[:at]
            case 1:
                return [*value, *value[at:]]
            case _:
                return [*value[:at], changed_value(chosen, value[at]), *value[at + 1 :]]
    return chosen.choice(VALUES)


def _change_toml(chosen: random.Random, path: Path) -> None:
    changed = changed_value(chosen, tomllib.loads(path.read_text()))
    path.write_text("\n".join(f"{json.dumps(key)} = {json.dumps(value)}" for key, value in changed.items()))


def _change_parquet(chosen: random.Random, path: Path) -> None:
    table = pq.read_table(path)
    name = chosen.choice(table.column_names)
    at = table.column_names.index(name)
    match chosen.randrange(7):
        case 0:
            table = table.drop_columns([name])
        case 1:
            table = table.slice(0, chosen.randrange(len(table)))
        case 2:
            table = pa.concat_tables([table, table.slice(0, 1)])
        case 3:
            table = table.replace_schema_metadata(_changed_metadata(chosen, table.schema.metadata or {}))
        case 4:
            table = table.append_column(chosen.choice((name, "more", "\x1b[2J")), table[name])
        case 5:
            rows = table[name].to_pylist()
            rows[chosen.randrange(len(rows))] = None
            table = table.set_column(at, name, pa.array(rows, type=table[name].type))
        case _:
            kind = chosen.choice((pa.string(), pa.int8(), pa.float32(), pa.bool_(), pa.null(), pa.list_(pa.int64())))
            column = pa.nulls(len(table), kind) if chosen.random() < 0.5 else table[name].cast(kind)
            table = table.set_column(at, name, column)
    pq.write_table(table, path)


def _changed_metadata(chosen: random.Random, metadata: dict[bytes, bytes]) -> dict[bytes, bytes]:
    if not metadata:
        return {b"more": b"x"}
    key = chosen.choice(list(metadata))
    try:
        value = json.dumps(changed_value(chosen, json.loads(metadata[key]))).encode()
    except ValueError:
        value = changed_bytes(chosen, metadata[key])
    return {**metadata, key: value}


def _change_array(chosen: random.Random, path: Path) -> None:
    with path.open("rb") as file:
        array = np.load(file)
    np.save(path, changed_array(chosen, array))


def changed_array(chosen: random.Random, array: Any) -> Any:
    """Return an array with another entry, type, shape or length."""
    array = np.array(array)
    match chosen.randrange(5):
        case 0:
            return array.astype(chosen.choice((np.float64, np.int8, np.uint64, np.complex128, "U5", ">i8")))
        case 1:
            return array.reshape(1, *array.shape)
        case 2:
            return array[: max(0, len(array) - 1)]
        case _:
            flat = array.reshape(-1)
            least = np.iinfo(array.dtype).min if array.dtype.kind in "iu" else -np.inf
            most = np.iinfo(array.dtype).max if array.dtype.kind in "iu" else np.nan
            flat[chosen.randrange(flat.size)] = chosen.choice((least, most, 0, 1, 5, 100, 1_000_000))
            return array


def _change_archive(chosen: random.Random, path: Path) -> None:
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    name = chosen.choice(sorted(arrays))
    if chosen.random() < 0.2:
        del arrays[name]
    elif arrays[name].ndim == 0:
        arrays[name] = np.array(chosen.choice((b"csc", b"coo", b"dia", b"bsr", b"none", 7)))
    else:
        arrays[name] = changed_array(chosen, arrays[name])
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    path.write_bytes(buffer.getvalue())


def _change_database(chosen: random.Random, path: Path) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        table = chosen.choice(tables)
        columns = [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]
        value = chosen.choice((None, -1, 2**62, 0.5, "x", b"", b"\xff" * 7, "\x1b[2J", "{}"))
        match chosen.randrange(6):
            case 0:
                database.execute(f'DROP TABLE "{table}"')
            case 1:
                database.execute(f'DELETE FROM "{table}"')  # noqa: S608 (names from the database itself)
            case 2:
                database.execute(f"PRAGMA user_version = {chosen.choice((0, 7, 99))}")
            case 3:
                database.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{chosen.choice(columns)}" TO other')
            case _:
                database.execute(f'UPDATE "{table}" SET "{chosen.choice(columns)}" = ?', (value,))  # noqa: S608


_FORMS = {
    ".json": _change_json,
    ".jsonl": _change_json,
    ".toml": _change_toml,
    ".parquet": _change_parquet,
    ".npy": _change_array,
    ".npz": _change_archive,
    ".db": _change_database,
}
