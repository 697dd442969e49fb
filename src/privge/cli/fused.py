"""``privge teach fuse``: structure and answers together, and what the answers are worth beside all controls."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pyarrow as pa
import pyarrow.parquet

from privge._files.atomic import atomic_path
from privge.cli.options import OUTPUT, check_output, existing, input_option, json_option, naming
from privge.cli.progress import progress_bar
from privge.reports import Reports

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privge.tasks import Fusion
    from privge.teaching import Judged, Plan

_ABSENT = (
    "no privacy and answers from somebody else's profile cannot be had here, where nobody's profile is; "
    "`privge simulate two-step` shows both on data at hand"
)
PLAN = input_option("plan", "What `privge teach plan` wrote.", required=True)


@click.command()
@PLAN
@input_option("reports", "Answers of those who were asked (.parquet).", required=True)
@input_option(
    "question",
    "What `privge teach question` wrote: to check that it is unchanged, of this plan, and what was asked.",
)
@click.option("-o", "--output", type=OUTPUT, required=True, help="Where the classes go (.parquet).")
@json_option
def fuse(plan_path: Path, reports_path: Path, question_path: Path | None, output: Path, *, as_json: bool) -> None:
    """Put structure and answers together: the probability of every class for everybody.

    Judges, labelled people who were asked, decide how far answers are believed; if devices more likely know nothing,
    the structure stays.
    Accuracy is shown on these judges, each predicted without their own label, beside the share of the most frequent
    class, label propagation (the graph alone) and the structure with the same labels.

    \b
    Example:
      privge teach fuse --plan plan.parquet --question question.json --reports answers.parquet -o classes.parquet
    """
    from privge.tasks import Fusion
    from privge.teaching import AskedQuestion, Plan, answers_of, judged

    check_output(output, ".parquet")
    plan = Plan.load(existing(plan_path))
    reports = Reports.from_parquet(existing(reports_path))
    if question_path is not None:
        question = AskedQuestion.load(existing(question_path))
        with naming(question_path):
            question.check(plan, reports.campaign)
    with naming(reports_path):
        answers = answers_of(reports, plan.structure, plan.roles)
    fusion = Fusion.fit(plan.structure.log, {"answers": answers}, plan.labels, plan.roles.judges)
    with progress_bar("Judging") as progress:
        rows = judged(plan, answers, progress=progress)
    _write(output, plan, fusion)
    if as_json:
        click.echo(json.dumps(_object(plan, fusion, rows, len(reports))))
        return
    for line in (*_table(rows), *_beside(rows), _whom(plan, fusion, len(reports), output), worth(fusion, rows)):
        click.echo(line)


def _write(output: Path, plan: "Plan", fusion: "Fusion") -> None:
    names = [str(name) for name in plan.structure.classes.tolist()]
    likeliest = [names[place] for place in fusion.probabilities.argmax(axis=1)]
    known = pa.array([names[place] if place >= 0 else None for place in plan.labels], pa.string())
    table = {"id": plan.structure.ids.tolist(), "class": likeliest, "known": known}
    columns = {f"p({name})": fusion.probabilities[:, place] for place, name in enumerate(names)}
    with atomic_path(output) as partial:
        pyarrow.parquet.write_table(pa.table({**table, **columns}), partial)


def _object(plan: "Plan", fusion: "Fusion", rows: "Sequence[Judged]", answered: int) -> dict[str, object]:
    added = fusion.contributions["answers"]
    gain = {**asdict(added), "weight": fusion.weights["answers"]}
    people = {"people": len(plan.structure.ids), "answered": answered, "judges": len(plan.roles.judges)}
    return {
        **gain,
        **people,
        "judged": [row.to_dict() for row in rows],
        "worth": worth(fusion, rows),
        "remarks": _beside(rows),
    }


def _table(rows: "Sequence[Judged]") -> list[str]:
    """Return accuracy and controls, a line for each group of judges."""
    if not rows:
        return []
    heads = ("majority", "graph alone", "structure", "with answers")
    lines = [f"{'accuracy of judges, %':24}{'judges':>8}" + "".join(f"{head:>14}" for head in heads)]
    for row in rows:
        values = (row.majority, row.graph_alone, row.structure, row.fused)
        cells = "".join(f"{'not known' if value is None else f'{value:.1f}':>14}" for value in values)
        low, high = row.interval
        lines.append(f"{row.people:24}{row.count:8,}{cells}   {row.lift:+.1f} (95 %: {low:+.1f} to {high:+.1f})")
    return lines


def _beside(rows: "Sequence[Judged]") -> list[str]:
    """Say which controls are missing, and whether the graph alone would do."""
    if not rows:
        return []
    alone, fused = rows[0].graph_alone, rows[0].fused
    if alone is None or fused is None or alone <= fused:
        return [_ABSENT]
    better = f"the graph alone finds {alone:.1f} % of the judges, more than the {fused:.1f} % with answers"
    return [_ABSENT, f"{better}: whether by chance, {rows[0].count:,} judges may be too few to tell"]


def worth(fusion: "Fusion", rows: "Sequence[Judged]") -> str:
    """Say in one sentence what answers are worth."""
    if not rows:
        return "There are too few judges to say what the answers are worth: label more people"
    low, high = rows[0].interval
    points = f"{rows[0].lift:+.1f} points of accuracy, with 95 % confidence between {low:+.1f} and {high:+.1f}"
    like = f"for people like the {rows[0].count:,} judges, of whom the graph is unsure"
    added = fusion.contributions["answers"]
    if not added.kept:
        return (
            f"Answers add nothing here, and the classes in the file are those of the structure. They are "
            f"{added.words()}; where they were used, for judges left out in turn, they made {points}"
        )
    if low > 0:
        return f"Answers are worth {points}, {like}. They are {added.words()}"
    return (
        f"Answers fit the labels of the judges better than chance, and are {added.words()}; "
        f"what that makes in accuracy, {rows[0].count:,} judges are too few to tell: {points}, {like}"
    )


def _whom(plan: "Plan", fusion: "Fusion", answered: int, output: Path) -> str:
    everybody, labelled = len(plan.structure.ids), plan.labels >= 0
    other = int((fusion.probabilities.argmax(axis=1) != plan.labels)[labelled].sum())
    return (
        f"{answered:,} of {everybody:,} people answered, and for the others the structure stands; "
        f"the likeliest classes of all are in {output}, and for {other:,} of the {int(labelled.sum()):,} labelled "
        "people that is not their label, which the column known has"
    )
