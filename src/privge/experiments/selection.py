"""Which cells a command asks for."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from privge.datasets import DATASETS
from privge.datasets.cache import data_directory
from privge.errors import BadData
from privge.experiments.cell import Cell
from privge.experiments.plan import TaskPlan, datasets, k_cells, scale_cells, task_plan
from privge.mechanisms import NoPrivacy, StructureOnly
from privge.tasks.settings import TASKS, Task

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Selection:
    """A figure or table, and what of it; an empty tuple means everything. The plan may know more datasets."""

    item: str
    datasets: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    epsilons: tuple[float, ...] = ()
    ks: tuple[int, ...] = ()
    plan_of: Callable[[Task], TaskPlan] = task_plan

    def cells(self, data_dir: Path | None = None) -> list[Cell]:
        """Return the cells, without controls unless a control was asked for by name."""
        found = [cell for task in TASKS for name in self._datasets(data_dir) for cell in self._of(task, name)]
        chosen = [
            cell
            for cell in dict.fromkeys(found)
            if (not self.methods or cell.method.name in self.methods)
            and (not self.epsilons or cell.epsilon is None or cell.epsilon in self.epsilons)
            and (not self.ks or cell.k is None or cell.k in self.ks)
        ]
        self._check_budgets(found)
        if not chosen:
            raise BadData("no cell of the paper has that mechanism, epsilon and k; leave one of them out to see all")
        return chosen

    def _check_budgets(self, found: list[Cell]) -> None:
        """Refuse a budget or a k that no cell has: its absence from the table would say nothing."""
        for what, asked, there in (
            ("epsilon", self.epsilons, {cell.epsilon for cell in found}),
            ("k", self.ks, {cell.k for cell in found}),
        ):
            known = sorted(value for value in there if value is not None)
            for value in asked:
                if value not in known:
                    raise BadData(
                        f"no experiment has {what} {value:g}; there are {', '.join(f'{one:g}' for one in known)}"
                    )

    def with_controls(self, cells: list[Cell]) -> list[Cell]:
        """Return the controls of the cells, then the cells."""
        controls = [
            control
            for task in TASKS
            if (mine := [cell for cell in cells if cell.task == task])
            for control in self.plan_of(task).controls(mine)
        ]
        return list(dict.fromkeys(controls + cells))

    def _of(self, task: Task, dataset: str) -> list[Cell]:
        cells: list[Cell] = []
        if self.item in (task, "all"):
            cells += self.plan_of(task).cells(dataset)
            cells += [
                Cell(task, dataset, StructureOnly, None, self.plan_of(task).datasets[dataset].k),
                Cell(task, dataset, NoPrivacy),
            ]
        if self.item in ("k", "all"):
            cells += k_cells(task, dataset)
        if self.item in ("scale", "all"):
            cells += scale_cells(task, dataset)
        return cells

    def _datasets(self, data_dir: Path | None) -> list[str]:
        known = [name for name in self.plan_of("nodes").datasets if name in self.plan_of("links").datasets]
        for name in self.datasets:
            if name not in known:
                raise BadData(f"there is no dataset {name!r} with settings; there are {', '.join(known)}")
        return list(self.datasets) or _at_hand(data_dir)


def _at_hand(data_dir: Path | None) -> list[str]:
    """Return the paper's datasets whose files are all there; nothing is downloaded unless asked for by name."""
    directory = data_directory(data_dir)
    names = [name for name in datasets() if DATASETS[name].paper_edges is not None]
    missing = {name: directory.missing(DATASETS[name]) for name in names}
    for name, files in missing.items():
        if files:
            logger.warning("left out %s: not at hand; --dataset %s downloads what it needs", name, name)
    if all(missing.values()):
        raise BadData(f"no dataset is at hand in {directory.path}; name one with --dataset, or see `privge datasets`")
    return [name for name, files in missing.items() if not files]
