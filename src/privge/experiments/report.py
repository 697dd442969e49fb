"""The results of `privge reproduce` as one HTML file and a Markdown summary."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from privge._files.atomic import atomic_path
from privge.experiments import figures
from privge.experiments.cell import Cell
from privge.experiments.comparison import Table
from privge.experiments.conclusions import conclusions
from privge.experiments.evaluations import evaluations
from privge.experiments.evaluations import markdown as summary
from privge.experiments.pages import embedded, write_page
from privge.experiments.plan import HDS, TaskPlan, k_cells, scale_cells
from privge.experiments.results import Results
from privge.experiments.spread import NO_SPREAD, Spread
from privge.experiments.variance import crossings
from privge.mechanisms import NoPrivacy, StructureOnly
from privge.tasks.settings import TASKS, Task

SCALE_COLUMNS = (
    "one scale",
    "structure-only",
    "shuffled",
    "no privacy",
    "the paper's form",
    "structure-only, so",
    "shuffled, so",
    "no privacy, so",
    "graph alone",
)


SHUFFLED = "features shuffled"
"""How the null of the same mechanism on shuffled features is called in tables."""

MAJORITY = "largest class"
"""How the share of the largest class is called, which is found for nothing; it has no spread worth telling."""

CONTROLS = "Controls other than shuffled features do not depend on ε."


@dataclass(frozen=True, eq=False)
class Section:
    """One task: its datasets, tables and pictures.

    A row of a table is a dictionary with its ``name``, and its ``entries`` in the order of the columns.
    """

    title: str
    metric: str
    datasets: list[str]
    epsilons: tuple[float, ...]
    rows: list[dict[str, Any]]
    findings: dict[str, list[str]]
    scale: list[dict[str, Any]]
    ks: tuple[int, ...]
    k_rows: list[dict[str, Any]]
    pictures: dict[str, str]

    @property
    def note(self) -> str:
        """What a number without ± is, if there is one."""
        tables = [spread for row in self.rows if row["name"] != MAJORITY for spread, _ in row["entries"]]
        tables += [spread for row in (*self.scale, *self.k_rows) for spread in row["entries"]]
        return f" A number without ±: {NO_SPREAD}." if any(spread.repeats == 1 for spread in tables) else ""


def write_report(results: Results, html: Path, markdown: Path) -> bool:
    """Write both files from everything that is finished in the folder; return whether there was anything."""
    table = Table(results)
    evaluated = evaluations(table)
    found = {task: [name for name in _reproduced(table, task) if results.path(task, name).exists()] for task in TASKS}
    if not evaluated and not any(found.values()):
        return False
    sections = [_section(table, task, names) for task, names in found.items() if names]
    values: dict[str, object] = {
        "sections": sections,
        "evaluations": evaluated,
        "crossings": list(crossings()),
        "versions": _versions(table),
        "controls": CONTROLS,
    }
    values |= {"variance": embedded(figures.worst_case()), "shown": _shown, "scale_columns": SCALE_COLUMNS}
    write_page("report.html", html, **values)
    with atomic_path(markdown) as partial:
        partial.write_text("\n".join([*summary(evaluated), *_markdown(sections)]) + "\n", encoding="utf-8")
    return True


def _reproduced(table: Table, task: Task) -> list[str]:
    """Return the datasets of the paper's experiments: evaluations of one's own have a part of their own."""
    return [name for name in table.plan(task).datasets if name not in table.own or not table.own[name].methods]


def _section(table: Table, task: Task, datasets: list[str]) -> Section:
    plan = table.plan(task)
    with_k = [name for name in datasets if sum(bool(table.records(cell)) for cell in k_cells(task, name)) > 3]
    pictures = {"epsilon": embedded(figures.over_epsilon(table, task, datasets))}
    pictures["lift"] = embedded(figures.lifts(table, task, datasets))
    if with_k:
        pictures["k"] = embedded(figures.over_k(table, task, with_k))
    return Section(
        title=plan.title,
        metric=figures.METRICS[plan.metric],
        datasets=datasets,
        epsilons=plan.epsilons,
        rows=[row for name in datasets for row in _rows(table, task, name)],
        findings={name: list(conclusions(table, task, name)) for name in datasets},
        scale=[row for name in datasets for row in _scale_rows(table, task, name)],
        ks=tuple(sorted({cell.k for name in with_k for cell in k_cells(task, name) if cell.k})),
        k_rows=[row for name in with_k for row in _k_rows(table, task, name)],
        pictures=pictures,
    )


def _scale_rows(table: Table, task: Task, dataset: str) -> Iterator[dict[str, Any]]:
    """Yield each mechanism at one scale and in the paper's form, with controls; the graph alone has no form."""
    for cell in scale_cells(task, dataset):
        paper = replace(cell, form="paper")
        if cell.form == "scaled" and table.records(paper):
            found = [table.comparison(one) for one in (cell, paper)]
            spreads = [
                spread for one in found for spread in (one.value, one.structure_only, one.shuffled, one.no_privacy)
            ]
            name = f"{cell.method.label}, k = {cell.k}"
            yield {"cell": cell, "name": name, "entries": [*spreads, found[0].graph_alone]}


def _k_rows(table: Table, task: Task, dataset: str) -> Iterator[dict[str, Any]]:
    """Yield HDS over k, with its own and with shuffled features, structure-only, and the controls that have no k."""
    plan, cells = table.plan(task), k_cells(task, dataset)
    for epsilon in sorted({cell.epsilon for cell in cells if cell.epsilon is not None}):
        chosen = sorted((cell for cell in cells if cell.epsilon == epsilon), key=lambda cell: cell.k or 0)
        if any(table.records(cell) for cell in chosen):
            entries = [table.spread(cell) for cell in chosen]
            yield {"dataset": dataset, "name": f"{HDS.label}, ε = {epsilon:g}", "entries": entries}
            shuffled = [table.spread(plan.shuffled_of(cell)) for cell in chosen]
            yield {"dataset": dataset, "name": f"{HDS.label}, ε = {epsilon:g}, {SHUFFLED}", "entries": shuffled}
            structure = [table.spread(plan.structure_of(cell)) for cell in chosen]
    yield {"dataset": dataset, "name": StructureOnly.label, "entries": structure}
    for name, cell in _without_shape(plan, dataset).items():
        yield {"dataset": dataset, "name": name, "entries": [table.spread(cell)]}


def _without_shape(plan: TaskPlan, dataset: str) -> dict[str, Cell]:
    """Return the controls that depend neither on epsilon nor on k."""
    true = Cell(plan.task, dataset, NoPrivacy)
    return {cell.method.label: cell for cell in (plan.graph_alone_of(true), true)}


def _rows(table: Table, task: Task, dataset: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of the table of a dataset: mechanisms by the paper's rule, at equal k, and the controls."""
    plan = table.plan(task)
    k = plan.datasets[dataset].k

    def row(name: str, cells: list[Cell], kind: str) -> dict[str, Any]:
        entries = [(table.spread(cell), plan.paper_value(cell)) for cell in cells]
        return {"dataset": dataset, "name": name, "kind": kind, "entries": entries}

    for mechanism in plan.mechanisms:
        shown = f"k = {k}" if mechanism is HDS else "k by rule"
        yield row(f"{mechanism.label}, {shown}", plan.compared(dataset, mechanism), "private")
    for mechanism in plan.mechanisms:
        cells = [Cell(task, dataset, mechanism, epsilon, k) for epsilon in plan.epsilons]
        if mechanism is not HDS and k > 1 and any(table.records(cell) for cell in cells):
            yield row(f"{mechanism.label}, k = {k}", cells, "equal")
    for mechanism in plan.mechanisms:
        cells = [plan.shuffled_of(cell) for cell in plan.compared(dataset, mechanism)]
        if mechanism is HDS or any(table.records(cell) for cell in cells):
            yield row(f"{mechanism.label}, {SHUFFLED}", cells, "control")
    structure = Cell(task, dataset, StructureOnly, None, k)
    controls = {StructureOnly.label: structure, **_without_shape(plan, dataset)}
    for name, cell in controls.items():
        yield row(name, [cell], "control")
    share = table.majority(Cell(task, dataset, HDS, plan.epsilons[0], k))
    if share is not None:
        yield {"dataset": dataset, "name": MAJORITY, "kind": "control", "entries": [(Spread.of([share]), None)]}


def _markdown(sections: list[Section]) -> Iterator[str]:
    """Yield the lines of the summary."""
    for section in sections:
        yield f"## {section.title}: {section.metric}, mean ± standard deviation"
        yield ""
        yield "| dataset | | " + " | ".join(f"ε = {epsilon:g}" for epsilon in section.epsilons) + " |"
        yield "|---|---|" + "---:|" * len(section.epsilons)
        for row in section.rows:
            cells = [_shown(spread, paper) for spread, paper in row["entries"]]
            cells += [""] * (len(section.epsilons) - len(cells))
            yield f"| {row['dataset']} | {row['name']} | " + " | ".join(cells) + " |"
        yield ""
        yield f"In brackets: the paper's number. {CONTROLS}{section.note}"
        yield ""
        if section.scale:
            yield from _scale_table(section)
        if section.k_rows:
            yield from _k_table(section)
        for dataset, sentences in section.findings.items():
            yield f"**{dataset.capitalize()}**"
            yield ""
            yield from (f"* {sentence}" for sentence in sentences)
            yield ""


def _k_table(section: Section) -> Iterator[str]:
    yield "The effect of k, the number of features that a person reports:"
    yield ""
    yield "| dataset | | " + " | ".join(f"k = {k}" for k in section.ks) + " |"
    yield "|---|---|" + "---:|" * len(section.ks)
    for row in section.k_rows:
        values = [_shown(spread, None) for spread in row["entries"]]
        values += [""] * (len(section.ks) - len(values))
        yield f"| {row['dataset']} | {row['name']} | " + " | ".join(values) + " |"
    yield ""
    yield "The graph alone and no privacy have no k."
    yield ""


def _scale_table(section: Section) -> Iterator[str]:
    yield "The same noise, with inputs brought to one scale and as the paper feeds them to its network:"
    yield ""
    yield "| dataset | ε | | " + " | ".join(SCALE_COLUMNS) + " |"
    yield "|---|---:|---|" + "---:|" * len(SCALE_COLUMNS)
    for row in section.scale:
        cell = row["cell"]
        values = [_shown(spread, None) for spread in row["entries"]]
        yield f"| {cell.dataset} | {cell.epsilon:g} | {row['name']} | " + " | ".join(values) + " |"
    yield ""


def _shown(spread: Spread, paper: float | None) -> str:
    found = str(spread) if spread.repeats else ""
    return found if paper is None else f"{found} ({paper:g})".strip()


def _versions(table: Table) -> dict[str, str]:
    """Return the versions that the newest results were made with."""
    for task in TASKS:
        for name in table.plan(task).datasets:
            for record in table.any_records(task, name):
                versions: dict[str, str] = record["versions"]
                return versions
    return {}
