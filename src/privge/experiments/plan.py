"""What the paper measured, as data: one TOML file a figure or table, in ``paper/``."""

import math
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any, Literal, TypeAlias, get_args

Task: TypeAlias = Literal["nodes", "links"]
Form: TypeAlias = Literal["scaled", "paper"]
"""Whether heads bring all inputs to one scale, or take them as they are, as in the paper."""

TASKS: tuple[Task, ...] = get_args(Task)
RIVAL_RULE = {"piecewise": 2.5, "multibit": 2.18, "laplace": 2.5}
"""The paper's comparison gives its rivals one feature for each so much of epsilon, at least one."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of a figure or table: what is measured, over any number of repeats.

    Parameters
    ----------
    task, dataset
        What is predicted, and on which data.
    mechanism
        A mechanism, a control (``structure``, ``none``), or a baseline that sees no features.
    epsilon, k
        None where the mechanism has none.
    form
        What the head does about the scale of its inputs.
    """

    task: Task
    dataset: str
    mechanism: str
    epsilon: float | None = None
    k: int | None = None
    form: Form = "scaled"


@dataclass(frozen=True, slots=True)
class Settings:
    """How a cell of one task and dataset is run: propagation and head. The same for every mechanism."""

    alpha: float
    r: float
    tolerance: float
    k: int
    head: dict[str, Any] = field(hash=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """A figure or table over epsilon."""

    title: str
    task: Task
    metric: str
    baseline: str
    epsilons: tuple[float, ...]
    mechanisms: tuple[str, ...]
    equal_k: tuple[float, ...]
    datasets: dict[str, Settings] = field(hash=False)
    paper_head: dict[str, Any] = field(hash=False)
    paper: dict[str, dict[str, float]] = field(hash=False)

    def cells(self, dataset: str) -> list[Cell]:
        """Return every private cell of a dataset, the paper's comparison and the one at equal k; no controls."""
        k = self.datasets[dataset].k
        cells = [
            Cell(self.task, dataset, mechanism, epsilon, k if mechanism == "hds" else rival_k(mechanism, epsilon))
            for mechanism in self.mechanisms
            for epsilon in self.epsilons
        ]
        cells += [Cell(self.task, dataset, m, epsilon, k) for m in self.mechanisms for epsilon in self.equal_k]
        return list(dict.fromkeys(cells))

    def settings(self, cell: Cell) -> Settings:
        """Return how a cell is run."""
        settings = self.datasets[cell.dataset]
        return settings if cell.form == "scaled" else replace(settings, head=self.paper_head)

    def controls(self, cells: list[Cell]) -> list[Cell]:
        """Return what these cells are compared with: structure-only of the same k, no privacy, the graph alone."""
        structure = [self.structure_of(cell) for cell in cells]
        true = [replace(cell, mechanism="none", epsilon=None, k=None) for cell in cells]
        baselines = [self.baseline_of(cell) for cell in cells]
        return list(dict.fromkeys(structure + true + baselines))

    def structure_of(self, cell: Cell) -> Cell:
        """Return the structure-only control of a cell."""
        k = cell.k if cell.k is not None else self.datasets[cell.dataset].k
        return replace(cell, mechanism="structure", epsilon=None, k=k)

    def baseline_of(self, cell: Cell) -> Cell:
        """Return the control that sees the graph alone: no features, no vectors, no noise."""
        return Cell(self.task, cell.dataset, self.baseline)

    def by_rule(self, cell: Cell) -> bool:
        """Say whether a cell has the k of the paper's comparison: tuned for HDS, by a rule for its rivals."""
        if cell.mechanism == "hds":
            return cell.k == self.datasets[cell.dataset].k
        return cell.mechanism not in RIVAL_RULE or cell.k == rival_k(cell.mechanism, cell.epsilon or math.inf)

    def paper_value(self, cell: Cell) -> float | None:
        """Return the paper's number for a cell, if it gives one. Its rivals follow the rule for k."""
        name = cell.mechanism if cell.epsilon is None else f"{cell.mechanism} {cell.epsilon:g}"
        return self.paper.get(cell.dataset, {}).get(name) if self.by_rule(cell) else None


def rival_k(mechanism: str, epsilon: float) -> int:
    """Return the k that the paper's comparison gives a rival of HDS."""
    return max(1, math.floor(epsilon / RIVAL_RULE[mechanism])) if math.isfinite(epsilon) else 1


@cache
def task_plan(task: Task) -> TaskPlan:
    """Read the plan of a task."""
    document = paper_item(task)
    tolerance, head = document.pop("tolerance"), document.pop("head")
    datasets = {
        name: Settings(tolerance=tolerance, head={**head, **values.pop("head", {})}, **values)
        for name, values in document.pop("datasets").items()
    }
    lists: dict[str, Any] = {name: tuple(document.pop(name)) for name in ("epsilons", "mechanisms", "equal_k")}
    return TaskPlan(datasets=datasets, **lists, **document)


def k_cells(task: Task, dataset: str) -> list[Cell]:
    """Return the cells of the figure over k."""
    document = paper_item("k")
    return [
        Cell(task, dataset, document["mechanism"], epsilon, k)
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
