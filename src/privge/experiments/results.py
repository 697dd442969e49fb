"""Finished repeats on disk: one JSON line each, appended and flushed to the disk before the next begins."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias, get_args

from privge.errors import BadData
from privge.experiments.cell import Cell, Form, Task
from privge.experiments.plan import task_plan

Record: TypeAlias = dict[str, Any]
Key: TypeAlias = tuple[Cell, int]

_NUMBER = (int, float)
_KINDS: dict[str, tuple[type, ...]] = {
    "task": (str,),
    "dataset": (str,),
    "epsilon": (int, float, type(None)),
    "k": (int, type(None)),
    "repeat": (int,),
    "settings": (dict,),
}
"""What a record must hold, beside the name of a mechanism or a baseline."""


class Results:
    """A folder with one file for each task and dataset, such as ``nodes-cora.jsonl``.

    A line that was cut off by a crash is dropped; a record made with other settings is kept and not counted.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, task: Task, dataset: str) -> Path:
        """Return the file of a task and dataset."""
        return self.folder / f"{task}-{dataset}.jsonl"

    def read(self, task: Task, dataset: str) -> dict[Key, Record]:
        """Return the finished repeats of the current settings; of two records of a repeat, the last."""
        path = self.path(task, dataset)
        if not path.is_file():
            return {}
        plan, found = task_plan(task), {}
        for number, line in enumerate(path.read_bytes().split(b"\n")[:-1], start=1):
            record = _parse(line, path, number, plan.metric)
            try:
                cell = Cell.of(record)
            except ValueError as error:
                raise BadData(f"{path}, line {number}: {error}") from error
            if (cell.task, cell.dataset) != (task, dataset):
                raise BadData(f"{path}, line {number}: this is a result of another task or dataset")
            if record["settings"] == plan.settings(cell).to_dict():
                found[cell, record["repeat"]] = record
        return found

    def append(self, record: Record) -> None:
        """Add a finished repeat; it is on the disk when this returns."""
        path = self.path(record["task"], record["dataset"])
        _drop_unfinished_line(path)
        with path.open("ab") as file:
            file.write(json.dumps(record).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from adding to this folder."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / ".lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BadData(
                    f"{self.folder}: another run is writing here; wait for it or choose another --results"
                ) from None
            yield


def _parse(line: bytes, path: Path, number: int, metric: str) -> Record:
    try:
        record: Record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadData(f"{path}, line {number}: not a result") from error
    if not isinstance(record, dict):
        raise BadData(f"{path}, line {number}: not a result")
    method = "baseline" if "baseline" in record else "mechanism"
    for name, kinds in {method: (str,), **_KINDS, **({metric: _NUMBER} if metric in record else {})}.items():
        if name not in record:
            raise BadData(f"{path}, line {number}: not a result, there is no {name!r}")
        if not isinstance(record[name], kinds) or isinstance(record[name], bool):
            raise BadData(f"{path}, line {number}: {name!r} is not what it must be")
    if record.get("form", "scaled") not in get_args(Form):
        raise BadData(f"{path}, line {number}: 'form' is not what it must be")
    for name, kinds in (("seconds", _NUMBER), ("versions", (str,))):
        inside = record.get(name, {})
        if not isinstance(inside, dict) or not all(isinstance(value, kinds) for value in inside.values()):
            raise BadData(f"{path}, line {number}: {name!r} is not what it must be")
    return record


def _drop_unfinished_line(path: Path) -> None:
    if not path.exists():
        return
    content = path.read_bytes()
    complete = content.rfind(b"\n") + 1
    if complete < len(content):
        os.truncate(path, complete)
