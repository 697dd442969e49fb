"""What the paper measured, as data: one TOML file a figure or table, in ``paper/``."""

import math
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any, get_args

from privge.experiments.cell import Cell, Form
from privge.experiments.method import STRUCTURE_CHANNEL, Baseline, Method, baseline_named, mechanism_named
from privge.mechanisms import Law, NoPrivacy, SquareWave, StructureOnly
from privge.tasks.settings import Settings, Task

STEADY_HEAD: dict[str, Any] = {"kind": "default"}
"""In place of parameters of the paper's head: the default head of `privge.classify`, which has none to choose."""

HDS = SquareWave
"""The paper's own mechanism; k of its features is tuned, k of its rivals follows a rule."""


@dataclass(frozen=True, slots=True)
class CellSettings(Settings):
    """How a cell of one task and dataset is run: propagation, k and head. The same for every method."""

    k: int = 1


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """A figure or table over epsilon."""

    title: str
    task: Task
    metric: str
    graph_alone: Baseline
    epsilons: tuple[float, ...]
    mechanisms: tuple[type[Law], ...]
    equal_k: tuple[float, ...]
    datasets: dict[str, CellSettings] = field(hash=False)
    paper_head: dict[str, Any] = field(hash=False)
    paper: dict[str, dict[str, float]] = field(hash=False)
    majority: dict[str, float] = field(hash=False, default_factory=dict)

    def cells(self, dataset: str) -> list[Cell]:
        """Return every private cell of a dataset, the paper's comparison and the one at equal k; no controls."""
        cells = [cell for mechanism in self.mechanisms for cell in self.compared(dataset, mechanism)]
        cells += [
            Cell(self.task, dataset, mechanism, epsilon, self.datasets[dataset].k)
            for mechanism in self.mechanisms
            for epsilon in self.equal_k
        ]
        return list(dict.fromkeys(cells))

    def compared(self, dataset: str, mechanism: type[Law]) -> list[Cell]:
        """Return a mechanism at every epsilon, with the k of the paper's comparison."""
        return [
            Cell(self.task, dataset, mechanism, epsilon, self.k_of(dataset, mechanism, epsilon))
            for epsilon in self.epsilons
        ]

    def k_of(self, dataset: str, mechanism: Method, epsilon: float) -> int:
        """Return the k of the paper's comparison: tuned for HDS, by a rule for its rivals."""
        ruled = _epsilon_per_feature(mechanism) is not None
        return rival_k(mechanism, epsilon) if ruled else self.datasets[dataset].k

    def settings(self, cell: Cell) -> CellSettings:
        """Return how a cell is run."""
        settings = self.datasets[cell.dataset]
        return settings if cell.form == "scaled" else replace(settings, head=self.paper_head)

    def controls(self, cells: list[Cell]) -> list[Cell]:
        """Return what these cells are compared with: the two nulls of each, no privacy, the graph alone."""
        structure = [self.structure_of(cell) for cell in cells]
        shuffled = [self.shuffled_of(cell) for cell in cells if has_shuffled(cell)]
        true = [self.no_privacy_of(cell) for cell in cells]
        graph_alone = [self.graph_alone_of(cell) for cell in cells]
        return list(dict.fromkeys(structure + shuffled + true + graph_alone))

    def structure_of(self, cell: Cell) -> Cell:
        """Return the structure-only control of a cell."""
        k = cell.k if cell.k is not None else self.datasets[cell.dataset].k
        return replace(cell, method=StructureOnly, epsilon=None, k=k, features="own")

    def shuffled_of(self, cell: Cell) -> Cell:
        """Return the same mechanism, with the same seed, on features shuffled over people.

        It has everything that a cell has but the tie between people and their features. Structure-only lacks more: the
        constant part of the features, which propagation turns into degrees. Reports of a real collection cannot be
        drawn again: there everybody has somebody else's report.
        """
        return replace(cell, features="shuffled")

    def no_privacy_of(self, cell: Cell) -> Cell:
        """Return the control in which everybody sends the true features: the law ``none``."""
        return replace(cell, method=NoPrivacy, epsilon=None, k=None, features="own")

    def structure_channel_of(self, cell: Cell) -> Cell:
        """Return the control that uses all that is public: the structure channel."""
        return Cell(self.task, cell.dataset, STRUCTURE_CHANNEL)

    def graph_alone_of(self, cell: Cell) -> Cell:
        """Return the control that sees the graph alone: no features, no vectors, no noise."""
        return Cell(self.task, cell.dataset, self.graph_alone)

    def by_rule(self, cell: Cell) -> bool:
        """Say whether a cell has the k of the paper's comparison: tuned for HDS, by a rule for its rivals."""
        if cell.method is not HDS and _epsilon_per_feature(cell.method) is None:
            return True
        return cell.k == self.k_of(cell.dataset, cell.method, cell.epsilon or math.inf)

    def paper_value(self, cell: Cell) -> float | None:
        """Return the paper's number for a cell, if it gives one. Its rivals follow the rule for k."""
        name = cell.method.name if cell.epsilon is None else f"{cell.method.name} {cell.epsilon:g}"
        stated = self.by_rule(cell) and cell.features == "own"
        return self.paper.get(cell.dataset, {}).get(name) if stated else None


def has_shuffled(cell: Cell) -> bool:
    """Say whether a cell has a budget, and so features or reports that can be shuffled for a control."""
    return cell.epsilon is not None and cell.features == "own"


def rival_k(mechanism: Method, epsilon: float) -> int:
    """Return the k that the paper's comparison gives a rival of HDS: at least one."""
    each = _epsilon_per_feature(mechanism)
    if each is None:
        raise ValueError(f"the paper has no rule for the k of {mechanism.name}")
    return max(1, math.floor(epsilon / each)) if math.isfinite(epsilon) else 1


def _epsilon_per_feature(method: Method) -> float | None:
    """Return for how much of epsilon the paper gives a rival one feature; None if it is not one of its rivals."""
    return None if isinstance(method, Baseline) else method.epsilon_per_feature


@cache
def task_plan(task: Task) -> TaskPlan:
    """Read the plan of a task."""
    document = paper_item(task)
    tolerance, head = document.pop("tolerance"), document.pop("head")
    datasets = {
        name: CellSettings(tolerance=tolerance, head={**head, **values.pop("head", {})}, **values)
        for name, values in document.pop("datasets").items()
    }
    lists: dict[str, Any] = {name: tuple(document.pop(name)) for name in ("epsilons", "equal_k")}
    mechanisms = tuple(map(mechanism_named, document.pop("mechanisms")))
    graph_alone = baseline_named(document.pop("graph_alone"))
    return TaskPlan(datasets=datasets, mechanisms=mechanisms, graph_alone=graph_alone, **lists, **document)


def k_cells(task: Task, dataset: str) -> list[Cell]:
    """Return the cells of the figure over k."""
    document = paper_item("k")
    return [
        Cell(task, dataset, mechanism_named(document["mechanism"]), epsilon, k)
        for epsilon in document["epsilons"]
        for k in document["ks"]
    ]


def scale_cells(task: Task, dataset: str) -> list[Cell]:
    """Return the cells that show what the scale of the inputs does: every mechanism, in both forms."""
    document, plan = paper_item("scale"), task_plan(task)
    if dataset not in document["datasets"]:
        return []
    chosen = [cell for cell in plan.cells(dataset) if cell.epsilon in document["epsilons"] and plan.by_rule(cell)]
    return [replace(cell, form=form) for cell in chosen for form in get_args(Form)]


def paper_item(name: str) -> dict[str, Any]:
    """Read the TOML file of a figure or table."""
    return tomllib.loads(files("privge.experiments").joinpath("paper", f"{name}.toml").read_text(encoding="utf-8"))


def datasets() -> Iterator[str]:
    """Yield the names of the datasets that have settings for both tasks."""
    yield from (name for name in task_plan("nodes").datasets if name in task_plan("links").datasets)
