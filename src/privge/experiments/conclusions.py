"""What the numbers support, in plain words. Every sentence is computed; none is written in advance of the data."""

import math
from collections.abc import Iterator

from privge.experiments.figures import BASELINES, NAMES
from privge.experiments.plan import Cell, Task, k_cells, rival_k, task_plan
from privge.experiments.summary import Lift, Table


def conclusions(table: Table, task: Task, dataset: str) -> Iterator[str]:
    """Yield sentences on one task and dataset, from what is finished."""
    plan = task_plan(task)
    k = plan.datasets[dataset].k
    hds = [Cell(task, dataset, "hds", epsilon, k) for epsilon in plan.epsilons]
    finished = [cell for cell in hds if table.records(cell)]
    if finished:
        yield _worth(table, finished[0])
        if len(finished) > 1:
            yield _worth(table, finished[-1])
        yield _against_no_privacy(table, finished[0])
        yield _against_baseline(table, finished[0])
    for epsilon in plan.equal_k:
        yield from _mechanisms(table, Cell(task, dataset, "hds", epsilon, k))
    yield from _effect_of_k(table, task, dataset)


def _worth(table: Table, cell: Cell) -> str:
    one = table.summary(cell)
    structure = f"{one.structure_only.mean:.1f} ± {one.structure_only.std:.1f}"
    return (
        f"At ε = {cell.epsilon:g}, HDS (k = {cell.k}) reaches {one.value.mean:.1f} ± {one.value.std:.1f}; noise of the "
        f"same shape, with no features at all, {structure}. The private features are worth {_interval(one.lift)}: "
        f"{_verdict(one.lift)}."
    )


def _against_no_privacy(table: Table, cell: Cell) -> str:
    difference = table.difference(cell, Cell(cell.task, cell.dataset, "none"))
    verdict = (
        "noise beats the true features here, with this head"
        if difference.low > 0
        else "the true features are better"
        if difference.high < 0
        else "no difference can be told"
    )
    return f"HDS at ε = {cell.epsilon:g} minus no privacy: {_interval(difference)}; {verdict}."


def _against_baseline(table: Table, cell: Cell) -> str:
    plan = task_plan(cell.task)
    difference = table.difference(cell, Cell(cell.task, cell.dataset, plan.baseline))
    name = BASELINES[plan.baseline].removesuffix(" (no features)")
    return f"HDS at ε = {cell.epsilon:g} minus {name}, which sees the graph alone: {_interval(difference)}."


def _mechanisms(table: Table, hds: Cell) -> Iterator[str]:
    """Compare HDS with its best rival, by the paper's rule for k and at equal k."""
    assert hds.epsilon is not None  # noqa: S101 (for the type checker)
    plan = task_plan(hds.task)
    names = [name for name in plan.mechanisms if name != "hds"]
    ruled = [Cell(hds.task, hds.dataset, name, hds.epsilon, rival_k(name, hds.epsilon)) for name in names]
    equal = [Cell(hds.task, hds.dataset, name, hds.epsilon, hds.k) for name in names]
    groups = {"the paper's k for each": ruled, f"k = {hds.k} for all": equal}
    if ruled == equal:
        del groups["the paper's k for each"]
    for rule, cells in groups.items():
        rivals = [cell for cell in cells if table.records(cell)]
        if rivals and table.records(hds):
            best = max(rivals, key=lambda cell: table.spread(cell).mean)
            yield (
                f"At ε = {hds.epsilon:g} with {rule}, HDS minus the best rival ({NAMES[best.mechanism]}, "
                f"{table.spread(best).mean:.1f}): {_interval(table.difference(hds, best))}."
            )


def _effect_of_k(table: Table, task: Task, dataset: str) -> Iterator[str]:
    """Compare the smallest and the largest k, and the same of structure-only, at each epsilon that is finished."""
    finished = [cell for cell in k_cells(task, dataset) if table.records(cell)]
    for epsilon in sorted({cell.epsilon for cell in finished if cell.epsilon is not None}):
        cells = sorted((cell for cell in finished if cell.epsilon == epsilon), key=lambda cell: cell.k or 0)
        if len(cells) > 3:
            first, last = cells[0], cells[-1]
            structure = [task_plan(task).structure_of(cell) for cell in (first, last)]
            yield (
                f"At ε = {epsilon:g}, from k = {first.k} to k = {last.k} HDS changes by "
                f"{_interval(table.difference(last, first))}, structure-only by "
                f"{_interval(table.difference(structure[1], structure[0]))}."
            )


def _interval(lift: Lift) -> str:
    if math.isnan(lift.low):
        return f"{lift.mean:+.1f} points (one repeat, no interval)"
    return f"{lift.mean:+.1f} points (95 %: {lift.low:+.1f} to {lift.high:+.1f})"


def _verdict(lift: Lift) -> str:
    if lift.low > 0:
        return "more than nothing"
    if lift.high < 0:
        return "less than nothing; the noise of the mechanism is worse than plain noise"
    return "nothing that can be told from zero"
