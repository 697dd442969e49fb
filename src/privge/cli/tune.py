"""``privge tune``: hyper-parameters from validation data, at no cost of privacy."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from privge._files.atomic import atomic_path
from privge._imports import require
from privge.campaign import Campaign
from privge.cli.declared import folder_option, option, options_into
from privge.cli.evaluated import described
from privge.cli.fields import campaign_field
from privge.cli.options import OUTPUT, check_output, json_option
from privge.cli.progress import progress_bar
from privge.mechanisms import laws
from privge.tasks.settings import read_all_settings, write_settings

if TYPE_CHECKING:
    from privge.datasets import Dataset
    from privge.experiments.tuning import Tuned
    from privge.tasks.settings import Task


@dataclass(frozen=True, kw_only=True)
class CollectionOptions:
    """What is collected once, and tuned on."""

    dataset: str = option("--dataset", required=True, help="A name of `privge datasets`, or the folder of your own.")
    mechanism: str = campaign_field("mechanism")
    epsilon: float = option("--epsilon", type=float, default=1.0, help="Privacy budget; not for the controls.")
    k: int | None = option(
        "--k", type=click.IntRange(1), help="Features a person reports.  [default: that of the experiments]"
    )
    data_dir: Path | None = folder_option("--data-dir", about="Where the datasets are.")

    def campaign(self, data: "Dataset", mechanism: str, k: int) -> Campaign:
        """Return what people are asked; ``k`` is the default."""
        return Campaign(
            dimensions=data.features.shape[1],
            low=data.low,
            high=data.high,
            mechanism=mechanism,
            epsilon=None if laws()[mechanism].fixed_epsilon is not None else self.epsilon,
            k=None if mechanism == "none" else self.k or k,
            purpose="tuning on public data",
        )


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """How long is searched, and where the trials go."""

    trials: int = option("--trials", type=click.IntRange(1), default=50, help="Settings to try.")
    seed: int = option("--seed", type=click.IntRange(0), default=0, help="Of split, noise and search.")
    output: Path | None = option(
        "-o",
        "--output",
        type=OUTPUT,
        help="Where the settings go: .toml, for --settings of other commands; .json, with every trial.",
    )

    def check(self) -> None:
        """Refuse, before the work, a place where its result could not be written."""
        if self.output is not None:
            check_output(self.output, ".toml", ".json")
            if self.output.suffix == ".toml" and self.output.exists():
                read_all_settings(self.output)


@click.command()
@click.argument("task", type=click.Choice(["nodes", "links"]))
@options_into(collection=CollectionOptions, search=SearchOptions)
@json_option
def tune(task: str, collection: CollectionOptions, search: SearchOptions, *, as_json: bool) -> None:
    """Search alpha, r and the head of TASK with Optuna, on validation data only.

    Every person is perturbed once; all trials use the same reports, so that tuning costs no budget beyond epsilon.
    k is not searched: it decides what a person sends. `privge reproduce` tests on splits 100 and up; the search
    uses the training and validation part of the split that its seed gives.

    The score stands beside its controls on the same validation part: structure-only, the same mechanism on shuffled
    features, and no privacy, with the settings that were found; the graph alone, which needs none; and of nodes the
    share of the largest class.

    A settings file has a part for each task: tuning the other task into the same file keeps this one's.

    \b
    Examples:
      privge tune nodes --dataset cora --epsilon 1 -o settings.toml
      privge tune links --dataset cora --epsilon 1 -o settings.toml
      privge tune nodes --dataset ./mine --epsilon 2 -o settings.toml
      privge embed --graph edges.csv --reports r.parquet --settings settings.toml --settings-for nodes -o z.parquet
    """
    search.check()
    require("tuning", "torch", "sklearn", "optuna")
    from privge.datasets.loading import load
    from privge.experiments.evaluate import stated_settings
    from privge.experiments.own import settings_of
    from privge.experiments.plan import task_plan
    from privge.experiments.run import shuffle
    from privge.experiments.tuning import Nulls, controls
    from privge.experiments.tuning import tune as tuned_by

    plan, seed = task_plan(task), search.seed
    description = described(collection.dataset)
    data = load(description, data_dir=collection.data_dir)
    stated = stated_settings(description, None, (plan.task,))
    start = settings_of(stated, data.features.shape[1], collection.epsilon, collection.k)[plan.task]
    ids = data.graph.ids.tolist()
    asked = collection.campaign(data, collection.mechanism, start.k)
    reports = asked.simulate(data.features, ids=ids, seed=seed)
    nulls = Nulls(
        structure_only=collection.campaign(data, "structure", start.k).simulate(data.features, ids=ids, seed=seed),
        shuffled=asked.simulate(data.features[shuffle(len(ids), seed)], ids=ids, seed=seed),
    )
    with progress_bar(f"{search.trials} trials, one collection") as progress:
        tuned = tuned_by(
            data.graph,
            reports,
            plan.task,
            start,
            labels=data.labels,
            trials=search.trials,
            seed=seed,
            progress=progress,
        )
    beside = controls(data, nulls, plan.task, tuned.settings, seed=seed)
    campaign = reports.campaign
    result = {
        "task": task,
        "dataset": description.name,
        "mechanism": campaign.mechanism,
        "epsilon": campaign.to_document()["epsilon"],
        "k": campaign.k,
        "seed": seed,
        "validation": tuned.score,
        "first": tuned.trials[0]["validation"],
        "controls": beside,
        "settings": tuned.settings.to_dict(),
    }
    if search.output is not None:
        _write(search.output, plan.task, tuned, result)
    if as_json:
        click.echo(json.dumps(result))
        return
    click.echo(f"validation {tuned.score:.2f} (the given settings: {tuned.trials[0]['validation']:.2f})")
    shown = ", ".join(f"{name.replace('_', ' ')} {score:.2f}" for name, score in beside.items())
    click.echo(f"controls: {shown}; not tuned themselves; one split, no spread")
    for name, value in {"alpha": tuned.settings.alpha, "r": tuned.settings.r, **tuned.settings.head}.items():
        click.echo(f"  {name} = {value}")


def _write(path: Path, task: "Task", tuned: "Tuned", result: dict[str, Any]) -> None:
    if path.suffix == ".toml":
        made = {name: value for name, value in result.items() if name not in ("task", "settings")}
        write_settings(path, task, tuned.settings, {"by": "privge tune", **made})
        return
    with atomic_path(path) as partial:
        partial.write_text(json.dumps({**result, "trials": tuned.trials}, indent=1), encoding="utf-8")
