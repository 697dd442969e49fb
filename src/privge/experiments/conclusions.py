"""What the numbers support, in plain words. Every sentence is computed; none is written in advance of the data."""

import math
from collections.abc import Iterator
from dataclasses import replace

from privge.datasets import DATASETS
from privge.experiments.cell import Cell
from privge.experiments.comparison import Comparison, Table
from privge.experiments.plan import HDS, k_cells
from privge.tasks.settings import Task


def conclusions(table: Table, task: Task, dataset: str) -> Iterator[str]:
    """Yield sentences on one task and dataset, from what is finished."""
    plan = table.plan(task)
    k = plan.datasets[dataset].k
    hds = [Cell(task, dataset, HDS, epsilon, k) for epsilon in plan.epsilons]
    finished = [cell for cell in hds if table.records(cell)]
    if finished:
        yield from _worth(table, finished[0])
        if len(finished) > 1:
            yield from _worth(table, finished[-1])
        yield _against_no_privacy(table, finished[0])
    for epsilon in plan.equal_k:
        yield from _mechanisms(table, Cell(task, dataset, HDS, epsilon, k))
    yield from _effect_of_k(table, task, dataset)


def _worth(table: Table, cell: Cell) -> Iterator[str]:
    """Say what a cell reaches, then what its features are worth beside each control."""
    one = table.comparison(cell)
    yield (
        f"At ε = {cell.epsilon:g}, HDS (k = {cell.k} of {_features(table, cell.dataset)} features) reaches "
        f"{one.value.said}; noise of the same shape, with no features at all, {one.structure_only.said}; the same "
        f"mechanism on features shuffled over people {one.shuffled.said}; {one.graph_alone_by.label} "
        f"{one.graph_alone.said}; the true features {one.no_privacy.said}{_largest(one)}."
    )
    yield (
        f"At ε = {cell.epsilon:g}, HDS minus structure-only: {one.lift.said}; minus shuffled features: "
        f"{one.lift_over_shuffled.said}. What the private features are worth, by the higher null: {_verdict(one)}."
    )
    over_graph = one.lift_over_graph_alone.concluded(
        "better than the graph alone" if one.worth.low > 0 else "better, but not by the features: see the two nulls",
        "the graph alone is better",
        "no difference can be told",
    )
    yield f"At ε = {cell.epsilon:g}, HDS minus the graph alone: {over_graph}."


def _largest(one: Comparison) -> str:
    """Return the share of the largest class, in words; pairs have none."""
    return "" if one.majority is None else f"; the largest class alone {one.majority:.1f}"


def _verdict(one: Comparison) -> str:
    """Return what the private features are worth, by the higher null; nothing follows if one was not run."""
    if math.isnan(one.worth.mean):
        return "nothing is concluded, because one of them was not run"
    return one.worth.concluded(
        "more than nothing",
        "less than nothing; the noise of the mechanism is worse than that of the control",
        "nothing that can be told from zero",
    )


def _features(table: Table, dataset: str) -> str:
    """Return how many features people have: what an answer is worth depends on it."""
    if dataset in table.own:
        return f"{table.own[dataset].features:,}"
    statistics = DATASETS[dataset].statistics
    return "its" if statistics is None else f"{statistics.features:,}"


def _against_no_privacy(table: Table, cell: Cell) -> str:
    difference = table.difference(cell, table.plan(cell.task).no_privacy_of(cell)).concluded(
        "noise beats the true features here, with this head",
        "the true features are better",
        "no difference can be told",
    )
    return f"At ε = {cell.epsilon:g}, HDS minus no privacy: {difference}."


def _mechanisms(table: Table, hds: Cell) -> Iterator[str]:
    """Compare HDS with its best rival, by the paper's rule for k and at equal k."""
    assert hds.epsilon is not None  # noqa: S101 (for the type checker)
    plan = table.plan(hds.task)
    equal = [replace(hds, method=mechanism) for mechanism in plan.mechanisms if mechanism is not HDS]
    ruled = [replace(rival, k=plan.k_of(hds.dataset, rival.method, hds.epsilon)) for rival in equal]
    groups = {"the paper's k for each": ruled, f"k = {hds.k} for all": equal}
    if ruled == equal:
        del groups["the paper's k for each"]
    for rule, cells in groups.items():
        rivals = [cell for cell in cells if table.records(cell)]
        if rivals and table.records(hds):
            best = max(rivals, key=lambda cell: table.spread(cell).mean)
            yield (
                f"At ε = {hds.epsilon:g} with {rule}, HDS minus the best rival ({best.method.label}, "
                f"{table.spread(best).mean:.1f}): {table.difference(hds, best).said}."
            )


def _effect_of_k(table: Table, task: Task, dataset: str) -> Iterator[str]:
    """Compare the smallest and the largest k, and the same of structure-only, at each epsilon that is finished."""
    finished = [cell for cell in k_cells(task, dataset) if table.records(cell)]
    for epsilon in sorted({cell.epsilon for cell in finished if cell.epsilon is not None}):
        cells = sorted((cell for cell in finished if cell.epsilon == epsilon), key=lambda cell: cell.k or 0)
        if len(cells) > 3:
            first, last = cells[0], cells[-1]
            structure = [table.plan(task).structure_of(cell) for cell in (first, last)]
            shuffled = [table.plan(task).shuffled_of(cell) for cell in (last, first)]
            by_shuffled = table.difference(shuffled[0], shuffled[1])
            besides = "" if math.isnan(by_shuffled.mean) else f", HDS on shuffled features by {by_shuffled.said}"
            yield (
                f"At ε = {epsilon:g}, from k = {first.k} to k = {last.k} HDS changes by "
                f"{table.difference(last, first).said}, structure-only by "
                f"{table.difference(structure[1], structure[0]).said}{besides}."
            )
