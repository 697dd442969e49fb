"""Finished repeats on disk: one JSON line each, appended and flushed to the disk before the next begins."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias, get_args

from privge.errors import BadData
from privge.experiments.cell import Cell, Form, Whose
from privge.experiments.lines import append_line, complete_lines, locked
from privge.experiments.own import Own, read_own
from privge.experiments.plan import TaskPlan, task_plan
from privge.tasks.settings import Task

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

    @cached_property
    def own(self) -> Mapping[str, Own]:
        """The datasets of somebody's own among these results, as they were when this was made."""
        return read_own(self.folder)

    def plan(self, task: Task) -> TaskPlan:
        """Return the plan of a task, with the datasets that are somebody's own."""
        plan = task_plan(task)
        own = {name: one.settings[task] for name, one in self.own.items()}
        return replace(plan, datasets={**plan.datasets, **own}) if own else plan

    def path(self, task: Task, dataset: str) -> Path:
        """Return the file of a task and dataset."""
        return self.folder / f"{task}-{dataset}.jsonl"

    def read(self, task: Task, dataset: str) -> dict[Key, Record]:
        """Return the finished repeats of the current settings; of two records of a repeat, the last."""
        path = self.path(task, dataset)
        plan, found = self.plan(task), {}
        for number, line in complete_lines(path):
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
        append_line(self.path(record["task"], record["dataset"]), record)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from adding to this folder."""
        with locked(self.folder):
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
    for name, values in (("form", Form), ("features", Whose)):
        if name in record and record[name] not in get_args(values):
            raise BadData(f"{path}, line {number}: {name!r} is not what it must be")
    for name, kinds in (("seconds", _NUMBER), ("versions", (str,))):
        inside = record.get(name, {})
        if not isinstance(inside, dict) or not all(isinstance(value, kinds) for value in inside.values()):
            raise BadData(f"{path}, line {number}: {name!r} is not what it must be")
    return record
