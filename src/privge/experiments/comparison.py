"""A cell beside its controls, with the lift over the two nulls and over the graph alone, paired by repeat."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from privge.experiments.cell import Cell
from privge.experiments.method import Baseline
from privge.experiments.own import Own
from privge.experiments.plan import TaskPlan, has_shuffled
from privge.experiments.results import Record, Results
from privge.experiments.spread import Lift, Spread, plain
from privge.tasks.friends import EVERYBODY, GROUPS
from privge.tasks.settings import Task


@dataclass(frozen=True, slots=True)
class Friends:
    """A cell beside its controls among people with some number of friends."""

    people: str
    value: Spread
    null: Spread
    lift: Lift
    lift_over_structure_channel: Lift

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, without NaN."""
        over = self.lift_over_structure_channel
        flat = {"mean": self.value.mean, "null": self.null.mean, "lift": self.lift.mean, "lift_low": self.lift.low}
        flat |= {"lift_high": self.lift.high, "lift_over_structure_channel": over.mean}
        return {"people": self.people, **{name: plain(value) for name, value in flat.items()}}


@dataclass(frozen=True, slots=True)
class Comparison:
    """A cell beside its controls and the paper's number, in percent.

    Two of the controls are nulls, which know nothing of anybody's features: structure-only, and the same mechanism with
    the same seed on features that were shuffled over people; of collected reports, these shuffled over people.
    """

    cell: Cell
    metric: str
    value: Spread
    structure_only: Spread
    shuffled: Spread
    graph_alone_by: Baseline
    graph_alone: Spread
    structure_channel: Spread
    no_privacy: Spread
    majority: float | None
    lift: Lift
    lift_over_shuffled: Lift
    lift_over_graph_alone: Lift
    lift_over_structure_channel: Lift
    friends: tuple[Friends, ...]
    paper: float | None
    seconds: float

    @property
    def worth(self) -> Lift:
        """What the features are worth: the difference to the higher null; not run if one of them was not."""
        if not has_shuffled(self.cell):
            return self.lift
        return min((self.lift, self.lift_over_shuffled), key=lambda lift: (not math.isnan(lift.mean), lift.mean))

    @property
    def beside_public(self) -> tuple[str, Lift]:
        """The higher of the two that ask nobody, and the difference to it; the structure channel if neither was run."""
        channel, alone = self.lift_over_structure_channel, self.lift_over_graph_alone
        if alone.mean < channel.mean:
            return "the graph alone", alone
        return "the structure channel", channel

    def to_dict(self) -> dict[str, Any]:
        """Return one flat object, without NaN."""
        flat = {
            **self.cell.identity(),
            "repeats": self.value.repeats,
            "metric": self.metric,
            "mean": self.value.mean,
            "std": self.value.std,
            "structure_only": self.structure_only.mean,
            "structure_only_std": self.structure_only.std,
            "shuffled": self.shuffled.mean,
            "shuffled_std": self.shuffled.std,
            self.graph_alone_by.name: self.graph_alone.mean,
            f"{self.graph_alone_by.name}_std": self.graph_alone.std,
            "no_privacy": self.no_privacy.mean,
            "no_privacy_std": self.no_privacy.std,
            "majority": self.majority,
            "lift": self.lift.mean,
            "lift_low": self.lift.low,
            "lift_high": self.lift.high,
            "lift_over_shuffled": self.lift_over_shuffled.mean,
            "lift_over_shuffled_low": self.lift_over_shuffled.low,
            "lift_over_shuffled_high": self.lift_over_shuffled.high,
            "lift_over_graph_alone": self.lift_over_graph_alone.mean,
            "lift_over_graph_alone_low": self.lift_over_graph_alone.low,
            "lift_over_graph_alone_high": self.lift_over_graph_alone.high,
            "paper": self.paper,
            "seconds": self.seconds,
        }
        return {name: plain(value) for name, value in flat.items()} | self._evaluated()

    def _evaluated(self) -> dict[str, Any]:
        """Return what only `privge evaluate` runs and shows."""
        if not self.structure_channel.repeats:
            return {}
        over = self.lift_over_structure_channel
        flat = {
            "structure_channel": self.structure_channel.mean,
            "structure_channel_std": self.structure_channel.std,
            "lift_over_structure_channel": over.mean,
            "lift_over_structure_channel_low": over.low,
            "lift_over_structure_channel_high": over.high,
            "worth": self.worth.mean,
            "worth_low": self.worth.low,
            "worth_high": self.worth.high,
        }
        shown = {name: plain(value) for name, value in flat.items()}
        return {**shown, "friends": [one.to_dict() for one in self.friends]}


class Table:
    """Finished repeats of any cells, read once.

    Parameters
    ----------
    results
        Where they are.
    repeats
        Count only the first so many; by default all.
    """

    def __init__(self, results: Results, repeats: int | None = None) -> None:
        self._results, self._repeats = results, repeats
        self._records: dict[tuple[str, str], dict[Cell, dict[int, Record]]] = {}

    def records(self, cell: Cell) -> dict[int, Record]:
        """Return the records of a cell by repeat, of the current settings only."""
        place = (cell.task, cell.dataset)
        if place not in self._records:
            by_cell: dict[Cell, dict[int, Record]] = {}
            for (owner, repeat), record in self._results.read(cell.task, cell.dataset).items():
                if self._repeats is None or repeat < self._repeats:
                    by_cell.setdefault(owner, {})[repeat] = record
            self._records[place] = by_cell
        return self._records[place].get(cell, {})

    def any_records(self, task: Task, dataset: str) -> Iterator[Record]:
        """Yield every record of a task and dataset, whatever its cell."""
        yield from self._results.read(task, dataset).values()

    def plan(self, task: Task) -> TaskPlan:
        """Return the plan of a task, with datasets that are somebody's own."""
        return self._results.plan(task)

    @property
    def own(self) -> Mapping[str, Own]:
        """The datasets that are somebody's own."""
        return self._results.own

    def spread(self, cell: Cell, people: str = EVERYBODY) -> Spread:
        """Return mean and standard deviation of a cell's metric, among people with some number of friends."""
        return Spread.of(self._values(cell, people).values())

    def difference(self, cell: Cell, other: Cell, people: str = EVERYBODY) -> Lift:
        """Return by how much a cell is better than another in the same repeats."""
        mine, theirs = self._values(cell, people), self._values(other, people)
        return Lift.of([mine[repeat] - theirs[repeat] for repeat in sorted(mine) if repeat in theirs])

    def comparison(self, cell: Cell) -> Comparison:
        """Return a cell beside its controls."""
        plan = self.plan(cell.task)
        channel = plan.structure_channel_of(cell)
        structure, graph_alone = plan.structure_of(cell), plan.graph_alone_of(cell)
        shuffled = plan.shuffled_of(cell)
        seconds = [sum(record["seconds"].values()) for record in self.records(cell).values()]
        return Comparison(
            cell=cell,
            metric=plan.metric,
            value=self.spread(cell),
            structure_only=self.spread(structure),
            shuffled=self.spread(shuffled),
            graph_alone_by=plan.graph_alone,
            graph_alone=self.spread(graph_alone),
            structure_channel=self.spread(channel),
            no_privacy=self.spread(plan.no_privacy_of(cell)),
            majority=self.majority(cell),
            lift=self.difference(cell, structure),
            lift_over_shuffled=self.difference(cell, shuffled),
            lift_over_graph_alone=self.difference(cell, graph_alone),
            lift_over_structure_channel=self.difference(cell, channel),
            friends=tuple(self._by_friends(cell)),
            paper=plan.paper_value(cell),
            seconds=float(np.median(seconds)) if seconds else math.nan,
        )

    def majority(self, cell: Cell) -> float | None:
        """Return the percentage of test nodes in the largest class; older results leave that to the plan."""
        stored = [record["majority"] for record in self.records(cell).values() if "majority" in record]
        return float(np.mean(stored)) if stored else self.plan(cell.task).majority.get(cell.dataset)

    def comparisons(self, cells: Iterable[Cell]) -> list[Comparison]:
        """Compare the cells that have at least one finished repeat."""
        return [self.comparison(cell) for cell in cells if self.records(cell)]

    def null_of(self, cell: Cell) -> Cell:
        """Return the higher of the nulls of a cell, which its features must beat."""
        plan = self.plan(cell.task)
        nulls = [plan.structure_of(cell), *([plan.shuffled_of(cell)] if has_shuffled(cell) else [])]
        return max(nulls, key=lambda null: (bool(self.records(null)), self.spread(null).mean))

    def _by_friends(self, cell: Cell) -> Iterator[Friends]:
        null, channel = self.null_of(cell), self.plan(cell.task).structure_channel_of(cell)
        for people in GROUPS:
            value = self.spread(cell, people)
            if people != EVERYBODY and value.repeats:
                yield Friends(
                    people,
                    value,
                    self.spread(null, people),
                    self.difference(cell, null, people),
                    self.difference(cell, channel, people),
                )

    def _values(self, cell: Cell, people: str = EVERYBODY) -> dict[int, float]:
        """Return the metric by repeat; records of older versions know everybody alone."""
        metric, found = self.plan(cell.task).metric, {}
        for repeat, record in sorted(self.records(cell).items()):
            value = record[metric] if people == EVERYBODY else record.get("friends", {}).get(people)
            if value is not None:
                found[repeat] = float(value)
        return found
