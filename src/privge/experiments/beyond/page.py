"""The results beyond the paper as one Markdown page: every number beside structure, by number of friends."""

from collections.abc import Iterator
from pathlib import Path

from privge._files.atomic import atomic_path
from privge.experiments.beyond.conclusions import conclusions
from privge.experiments.beyond.methods import METHODS
from privge.experiments.beyond.plan import Trial, measured_in
from privge.experiments.beyond.records import path_of
from privge.experiments.beyond.table import Table

GROUPS = {"accuracy": "everybody", "few_friends": "people with at most two friends"}


def write_beyond(folder: Path, markdown: Path) -> bool:
    """Write the page from everything that is finished in the folder; return whether there was anything."""
    tables = [Table(folder, dataset) for dataset in measured_in(folder) if path_of(folder, dataset).exists()]
    if tables:
        with atomic_path(markdown) as partial:
            partial.write_text("\n".join(_page(tables)) + "\n", encoding="utf-8")
    return bool(tables)


def _page(tables: list[Table]) -> Iterator[str]:
    yield "# Beyond the paper"
    yield ""
    yield (
        "Made by `privge report` from the files that `privge reproduce beyond` wrote. Percent of the people to be "
        "found whose class was found; mean over seeds. In brackets: the difference to structure ± its standard error, "
        "paired by seed; structure learns from all labels that are known, those that weigh the answers included. Who "
        "is asked reports once. Seeds were fixed in advance; everything was chosen on other seeds."
    )
    yield ""
    yield "| method | |"
    yield "|---|---|"
    for method in METHODS.values():
        yield f"| {method.label} | {method.kind}: {method.explained} |"
    yield ""
    for table in tables:
        yield from _section(table)


def _section(table: Table) -> Iterator[str]:
    yield f"## {table.dataset.capitalize()}"
    yield ""
    yield (
        f"{table.plan.title[0].upper()}{table.plan.title[1:]}; {table.seeds} seeds from {table.plan.first_seed} on. "
        f"The largest class has {table.plan.majority:.1f} % of the people."
    )
    yield ""
    if former := table.former():
        yield (
            f"By a former rule of fusion (a hard gate, or with class intercepts): "
            f"{'; '.join(label.removeprefix('- ') for label in former)}."
        )
        yield ""
    for group, words in GROUPS.items():
        yield from _rows(table, group, words)
    for sentence in conclusions(table):
        yield f"* {sentence}"
    yield ""


def _rows(table: Table, group: str, words: str) -> Iterator[str]:
    """Yield what each method finds, and by how much that is more than structure."""
    epsilons = table.plan.epsilons
    yield f"| {words} | " + " | ".join(f"ε = {epsilon:g}" for epsilon in epsilons) + " |"
    yield "|---|" + "---:|" * len(epsilons)
    for name, method in METHODS.items():
        mine = table.trials(name)
        if any(map(table.finished, mine)):
            cells = [_cell(table, trial, group) for trial in mine]
            yield f"| {method.label} | " + " | ".join(cells + [""] * (len(epsilons) - len(cells))) + " |"
    yield ""


def _cell(table: Table, trial: Trial, group: str) -> str:
    spread = table.spread(trial, group)
    if not spread.repeats:
        return ""
    return f"{spread.mean:.1f}" if trial == table.structure() else f"{spread.mean:.1f} ({table.gain(trial, group)})"
