"""``privge tune``: hyper-parameters from validation data, at no cost of privacy."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from privge._files.atomic import atomic_path
from privge._imports import require
from privge.campaign import Campaign
from privge.cli.declared import option, options_into
from privge.cli.fields import campaign_field
from privge.cli.options import OUTPUT, json_option
from privge.cli.progress import progress_bar
from privge.mechanisms import laws

if TYPE_CHECKING:
    from privge.datasets import Dataset


@dataclass(frozen=True, kw_only=True)
class CollectionOptions:
    """What is collected once, and tuned on."""

    dataset: str = option("--dataset", required=True, help="A name of `privge datasets`.")
    mechanism: str = campaign_field("mechanism")
    epsilon: float = option("--epsilon", type=float, default=1.0, help="Privacy budget; not for the controls.")
    k: int | None = option(
        "--k", type=click.IntRange(1), help="Features a person reports.  [default: that of the experiments]"
    )
    data_dir: Path | None = option(
        "--data-dir", type=click.Path(path_type=Path, file_okay=False), help="Where the datasets are."
    )

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
    output: Path | None = option("-o", "--output", type=OUTPUT, help="Write every trial to this JSON file.")


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
    features, and no privacy, with the settings that were found; and the graph alone, which needs none.
    """
    require("tuning", "torch", "sklearn", "optuna")
    from privge.datasets import load
    from privge.experiments.plan import task_plan
    from privge.experiments.run import shuffle
    from privge.experiments.tuning import Nulls, controls
    from privge.experiments.tuning import tune as tuned_by

    plan, dataset, seed = task_plan(task), collection.dataset, search.seed
    if dataset not in plan.datasets:
        raise click.BadParameter(f"there are {', '.join(plan.datasets)}", param_hint="--dataset")
    data, start = load(dataset, data_dir=collection.data_dir), plan.datasets[dataset]
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
        "dataset": dataset,
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
        with atomic_path(search.output) as partial:
            partial.write_text(json.dumps({**result, "trials": tuned.trials}, indent=1), encoding="utf-8")
    if as_json:
        click.echo(json.dumps(result))
        return
    click.echo(f"validation {tuned.score:.2f} (the given settings: {tuned.trials[0]['validation']:.2f})")
    shown = ", ".join(f"{name.replace('_', ' ')} {score:.2f}" for name, score in beside.items())
    click.echo(f"controls: {shown}; not tuned themselves; one split, no spread")
    for name, value in {"alpha": tuned.settings.alpha, "r": tuned.settings.r, **tuned.settings.head}.items():
        click.echo(f"  {name} = {value}")
