"""A cell beside its controls, with the lift over the two nulls and over the graph alone, paired by repeat."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from privge.experiments.cell import Cell
from privge.experiments.method import Baseline
from privge.experiments.plan import task_plan
from privge.experiments.results import Record, Results
from privge.experiments.spread import Lift, Spread, plain


@dataclass(frozen=True, slots=True)
class Comparison:
    """A cell beside its controls and the paper's number, in percent.

    Two of the controls are nulls, which know nothing of anybody's features: structure-only, and the same mechanism with
    the same seed on features that were shuffled over people.
    """

    cell: Cell
    metric: str
    value: Spread
    structure_only: Spread
    shuffled: Spread
    graph_alone_by: Baseline
    graph_alone: Spread
    no_privacy: Spread
    lift: Lift
    lift_over_shuffled: Lift
    lift_over_graph_alone: Lift
    paper: float | None
    seconds: float

    @property
    def worth(self) -> Lift:
        """What the features are worth: the difference to the higher null; not run if one of them was not."""
        return min((self.lift, self.lift_over_shuffled), key=lambda lift: (not math.isnan(lift.mean), lift.mean))

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
        return {name: plain(value) for name, value in flat.items()}


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

    def spread(self, cell: Cell) -> Spread:
        """Return mean and standard deviation of a cell's metric."""
        return Spread.of(self._values(cell).values())

    def difference(self, cell: Cell, other: Cell) -> Lift:
        """Return by how much a cell is better than another in the same repeats."""
        mine, theirs = self._values(cell), self._values(other)
        return Lift.of([mine[repeat] - theirs[repeat] for repeat in sorted(mine) if repeat in theirs])

    def comparison(self, cell: Cell) -> Comparison:
        """Return a cell beside its controls."""
        plan = task_plan(cell.task)
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
            no_privacy=self.spread(plan.no_privacy_of(cell)),
            lift=self.difference(cell, structure),
            lift_over_shuffled=self.difference(cell, shuffled),
            lift_over_graph_alone=self.difference(cell, graph_alone),
            paper=plan.paper_value(cell),
            seconds=float(np.median(seconds)) if seconds else math.nan,
        )

    def comparisons(self, cells: Iterable[Cell]) -> list[Comparison]:
        """Compare the cells that have at least one finished repeat."""
        return [self.comparison(cell) for cell in cells if self.records(cell)]

    def _values(self, cell: Cell) -> dict[int, float]:
        metric = task_plan(cell.task).metric
        return {repeat: float(record[metric]) for repeat, record in sorted(self.records(cell).items())}
