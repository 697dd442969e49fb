"""``privge evaluate``: the whole protocol with all controls, on data of one's own."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from privge._imports import require
from privge.cli.declared import file_option, folder_option, option, options_into
from privge.cli.evaluated import DataOptions
from privge.cli.options import Finite, given, json_option
from privge.cli.progress import progress_bar
from privge.cli.reproduce import show_table, show_trials
from privge.mechanisms import LAWS
from privge.tasks.settings import TASKS

if TYPE_CHECKING:
    from privge.datasets import Description
    from privge.experiments.comparison import Comparison
    from privge.experiments.evaluate import Evaluation, Head

_MECHANISMS = tuple(name for name, law in LAWS.items() if law.ordered and law.fixed_epsilon is None)
_PAPER = "paper"
_HEADS = {
    "default": "the default head of `privge classify` (--head paper: as in `privge reproduce`)",
    "paper": "the paper's head (--head default: that of `privge classify`)",
}


@dataclass(frozen=True, kw_only=True)
class WhatOptions:
    """What is evaluated."""

    task: str = option("--task", type=click.Choice([*TASKS, "both"]), default="both", help="What is predicted.")
    epsilons: tuple[float, ...] = option(
        "--epsilon",
        type=Finite(min=0, min_open=True),
        multiple=True,
        default=(1.0,),
        help="Privacy budget of a person's whole report; several times for several. A campaign has its own.",
    )
    mechanisms: tuple[str, ...] = option(
        "--mechanism",
        multiple=True,
        type=click.Choice(_MECHANISMS),
        default=("hds",),
        help="What simulated devices run; several times for several.",
    )
    methods: tuple[str, ...] = option(
        "--method",
        multiple=True,
        default=(_PAPER,),
        help="paper: the paper's pipeline. For nodes also fused, taught and others of `privge reproduce beyond`.",
    )
    k: int | None = option(
        "--k",
        type=click.IntRange(1),
        help="Features a person reports.  [default: of the campaign, the settings, or epsilon / 2.5]",
    )
    settings_path: Path | None = file_option(
        "--settings", about="What `privge tune` wrote.  [default: settings.toml of the dataset, or the usual ones]"
    )
    head: str | None = option(
        "--head",
        type=click.Choice(["default", "paper"]),
        help="What learns classes from vectors: the default head of `privge classify`, or the paper's, as `privge "
        "reproduce` has it; settings of a head are the paper's.  [default: default; of the catalogue paper]",
    )
    repeats: int = option("--repeats", type=click.IntRange(1), default=10, help="Splits and draws of noise.")
    jobs: int = option("--jobs", type=click.IntRange(1), default=1, help="Processes; they share the processors.")
    folder: Path = folder_option(
        "--results", default=Path("evaluation"), about="Finished repeats are kept here and never run again."
    )

    def evaluation(self, description: "Description | None", *, surveys: bool = False) -> "Evaluation":
        """Return what is evaluated, of a dataset or of files; a campaign states epsilon, where the command does not."""
        from privge.experiments.evaluate import Evaluation, stated_settings
        from privge.experiments.method import mechanism_named

        tasks = tuple(task for task in TASKS if self.task in (task, "both"))
        return Evaluation(
            tasks=tasks,
            methods=tuple(map(mechanism_named, self.mechanisms)),
            epsilons=() if surveys and not given("epsilons") else tuple(dict.fromkeys(self.epsilons)),
            k=self.k,
            repeats=self.repeats,
            settings=stated_settings(description, self.settings_path, tasks),
            head=self.head_for(description),
        )

    def head_for(self, description: "Description | None") -> "Head":
        """Return the head: for own data one that holds elsewhere too, for the paper's datasets that of the tables."""
        if self.head is not None:
            return "paper" if self.head == _PAPER else "default"
        listed = description is not None and description.folder is None
        return "paper" if listed else "default"


@click.command()
@options_into(data=DataOptions, what=WhatOptions)
@json_option
def evaluate(data: DataOptions, what: WhatOptions, *, as_json: bool) -> None:
    """Say what private reports are worth on your own data: the paper's protocol, with all controls.

    Classes are learnt by the default head of `privge classify`, which holds on graphs unlike the paper's too; the same
    for every control. With --head paper a dataset gives the numbers of `privge reproduce`.

    Give a --dataset (a folder with a dataset.toml, or a name of `privge datasets`), or files: --graph, --labels, and
    --features, of which devices are simulated. A table with text, or with bounds for each column, needs --campaign: a
    file whose questions say how it is read and perturbed, as for `privge perturb`. With --reports or --store instead,
    the reports of a real collection are evaluated as they are: splits are repeated, nobody is drawn twice, and no
    privacy, which needs clean features, is left out.

    Every number, in percent, stands beside its controls: structure-only (noise of the same shape), the same mechanism
    on features shuffled over people (or their reports), graph alone (label propagation, or the personalized PageRank of
    a pair), the structure channel (all that is public, by itself), no privacy, and the share of the largest class. Stop
    it at any time: it continues where it was. `privge report evaluation` makes a page of it.

    \b
    Examples:
      privge evaluate --dataset ./mine --epsilon 1 --epsilon 4
      privge evaluate --graph edges.csv --features people.csv --labels labels.csv --task nodes
      privge evaluate --graph edges.csv --features people.csv --campaign survey.toml --labels labels.csv
      privge evaluate --graph edges.csv --store sqlite:///app.db --labels labels.csv --settings settings.toml
      privge evaluate --dataset ./mine --method fused --method taught --epsilon 2 --task nodes
      privge report evaluation
    """
    data.check()
    require("an evaluation", "torch", "sklearn")
    from privge.experiments.beyond.own import check_methods, evaluate_beyond
    from privge.experiments.evaluate import evaluate as evaluated
    from privge.experiments.evaluate import test_nodes
    from privge.experiments.sources import Sources

    beyond = check_methods(name for name in what.methods if name != _PAPER)
    loading = data.loading(jobs=what.jobs)
    found = loading()
    evaluation = what.evaluation(data.description, surveys=data.surveys)
    comparisons: list[Comparison] = []
    if _PAPER in what.methods:
        with progress_bar(f"{found.name}, {what.repeats} repeats with controls") as progress:
            # one process has read it already, and would say again what it left out
            sources = Sources(None, {found.name: loading if what.jobs > 1 else lambda: found})
            comparisons = evaluated(found, evaluation, what.folder, sources, jobs=what.jobs, progress=progress)
    if comparisons and "nodes" in evaluation.tasks and not as_json:
        click.echo(f"Each repeat is judged by {test_nodes(found):,} test nodes, a quarter of the labelled.")
    _show(comparisons, evaluation.head, as_json=as_json)
    if beyond:
        with progress_bar(f"{found.name}, beyond the paper") as progress:
            table, trials = evaluate_beyond(found, beyond, evaluation, what.folder, progress=progress)
        show_trials({found.name: table}, trials, as_json=as_json)


def _show(comparisons: "list[Comparison]", head: "Head", *, as_json: bool) -> None:
    from privge.experiments.verdicts import caution, rows_of, sentence_of, verdicts

    if as_json:
        for one in comparisons:
            learnt = {"head": head} if one.to_dict()["task"] == "nodes" else {}
            click.echo(json.dumps({**one.to_dict(), **learnt, "sentence": sentence_of(one)}))
        return
    if comparisons:
        show_table(list(rows_of(comparisons)), left=3)
        click.echo(f"Classes are learnt from vectors by {_HEADS[head]}, the same for every control.")
    if few := caution(comparisons):
        click.echo(few)
    for one in comparisons:
        click.echo("")
        for sentence in verdicts(one):
            click.echo(sentence)
