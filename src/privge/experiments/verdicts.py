"""What an evaluation supports, in plain words; computed, never written in advance of the data."""

from collections.abc import Iterable, Iterator

from privge.experiments.comparison import Comparison
from privge.experiments.spread import FEW, Spread

_METRICS = {"accuracy": "accuracy on test nodes", "auc": "AUC on test pairs"}
BESIDE = ("epsilon", "k", "mean ± std", "structure-only", "shuffled", "graph alone")
"""Columns of every table of cells: which cell, its value, and the controls that all have."""
_COLUMNS = (
    "task",
    "dataset",
    "method",
    *BESIDE,
    "structure channel",
    "no privacy",
    "largest class",
    "worth (95 %)",
    "over structure channel (95 %)",
)


def rows_of(comparisons: Iterable[Comparison]) -> Iterator[tuple[str, ...]]:
    """Yield a header, then each cell beside its controls; what the data do not allow is a dash."""
    yield _COLUMNS
    for one in comparisons:
        cell = one.cell
        controls = (one.structure_only, one.shuffled, one.graph_alone, one.structure_channel, one.no_privacy)
        yield (
            *(cell.task, cell.dataset, cell.method.name, f"{cell.epsilon:g}", str(cell.k), str(one.value)),
            *map(_shown, controls),
            "-" if one.majority is None else f"{one.majority:.1f}",
            str(one.worth),
            str(one.lift_over_structure_channel),
        )


def caution(comparisons: Iterable[Comparison]) -> str | None:
    """Return what to say beside a table of too few repeats; None if there are enough."""
    repeats = min((one.value.repeats for one in comparisons), default=FEW)
    if repeats >= FEW:
        return None
    if repeats == 1:
        return "1 repeat tells little, and has no interval. Ask for more (--repeats 10)."
    return (
        f"{repeats} repeats tell little: their intervals are wide, and rest on few splits. Ask for more (--repeats 10)."
    )


def verdicts(one: Comparison) -> Iterator[str]:
    """Yield where the lift of a cell sits, and at last what the private channel is worth."""
    task, what = one.cell.task, _METRICS[one.metric]
    if one.friends:
        where = "; ".join(f"{row.people} {row.lift}" for row in one.friends)
        of_pairs = " (of a pair, the end with fewer)" if task == "links" else ""
        yield f"{task}: points over the higher null, by number of friends{of_pairs}: {where}."
    free = "" if one.majority is None else f"; the largest class alone gives {one.majority:.1f}"
    yield f"{task}: {what} {one.value.said}{free}. {sentence_of(one)}"


def sentence_of(one: Comparison) -> str:
    """Return the sentence that an evaluation ends in."""
    worth = one.worth.concluded("more than nothing", "less than nothing", "nothing that can be told from zero")
    public, difference = one.beside_public
    beside = difference.concluded(
        "better than all that is public, by itself",
        "all that is public, by itself, does better, and asks nobody",
        "no difference can be told",
    )
    said = f"At ε = {one.cell.epsilon:g} the private channel is worth {worth}."
    return f"{said} Minus {public}, which asks nobody: {beside}."


def _shown(spread: Spread) -> str:
    return str(spread) if spread.repeats else "-"
