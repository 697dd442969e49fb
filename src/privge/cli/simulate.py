"""``privge simulate``: a whole protocol on data at hand, beside its controls. Seeded, and therefore not private."""

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from privge._imports import require
from privge.campaign import Campaign
from privge.campaign.asking import places_of
from privge.cli.declared import file_option, folder_option, option, options_into
from privge.cli.graphs import EdgeListOptions, nodes_option
from privge.cli.ids import IdOptions
from privge.cli.known import among_nodes
from privge.cli.options import OUTPUT, Finite, existing, json_option
from privge.cli.progress import progress_bar
from privge.errors import BadData
from privge.graph import read_graph
from privge.perturbation.answers import AnswerTally
from privge.questions import Direction
from privge.questions.people import People

if TYPE_CHECKING:
    from privge.datasets.worlds import World
    from privge.experiments.two_steps import Summary, Trial

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class WorldOptions(IdOptions, EdgeListOptions):
    """Where the protocol is simulated: on a named dataset, or on own files."""

    dataset: str | None = option(
        "--dataset", help="demo, platform, platform-4, or a name of `privge datasets`; or own files, as follows."
    )
    graph_path: Path | None = file_option("--graph", about="Edges of the public graph.")
    nodes_path: Path | None = nodes_option()
    features_path: Path | None = file_option("--features", about="Table of raw features with a column id.")
    labels_path: Path | None = file_option("--labels", about="Table of ids and classes, numbers or text.")
    label_column: str = option("--label-column", metavar="NAME", default="label", help="Column of the classes.")
    campaign_path: Path | None = file_option(
        "--campaign", about="A campaign that asks for a direction: it has the public encoding of the features."
    )
    data_dir: Path | None = folder_option("--data-dir", about="Where the datasets are.")

    def worlds(self, seeds: range) -> "Iterator[World]":
        """Yield the world of each seed. What files hold is read once, and divided anew."""
        from privge.datasets.worlds import MADE_UP

        if self.dataset in MADE_UP:
            yield from map(self._made, seeds)
            return
        first = self._made(seeds[0])
        yield from map(first.divided, seeds)

    def _made(self, seed: int) -> "World":
        from privge.datasets.worlds import world

        files = (self.graph_path, self.features_path, self.labels_path, self.campaign_path)
        if self.dataset is not None:
            if any(files):
                raise click.UsageError("Give either --dataset or own files.")
            return world(self.dataset, seed, data_dir=self.data_dir)
        if self.graph_path and self.features_path and self.labels_path and self.campaign_path:
            return self._own(self.graph_path, self.features_path, self.labels_path, self.campaign_path, seed)
        raise click.UsageError("Give --dataset, or --graph, --features, --labels and --campaign.")

    def _own(self, graph_path: Path, features: Path, labels_path: Path, campaign_path: Path, seed: int) -> "World":
        from privge.datasets.worlds import own_world
        from privge.graph.labels import read_labels
        from privge.perturbation.raw import read_raw_features

        columns, integers = self.columns_beside(self), self.integer_ids
        graph = read_graph(existing(graph_path), nodes=self.nodes_path, columns=columns, integer_ids=integers)
        campaign = Campaign.load(existing(campaign_path))
        questions = campaign.questions or ()
        if len(questions) != 1 or not isinstance(questions[0], Direction):
            raise BadData(f"{campaign_path}: the campaign must ask for a direction, and nothing else")
        people = read_raw_features(
            existing(features), campaign, integer_ids=integers, id_column=self.column_in("features")
        )
        _say_what_does_not_fit(campaign, questions[0], people.matrix)
        named, labels = read_labels(
            existing(labels_path),
            integer_ids=integers,
            id_column=self.column_in("labels"),
            label_column=self.label_column,
        )
        known = among_nodes(labels_path, named, graph.ids)
        return own_world(graph, people.ids, people.matrix, (named[known], labels[known]), questions[0].encoding, seed)


def _say_what_does_not_fit(campaign: Campaign, question: Direction, people: People) -> None:
    tally = AnswerTally.empty()
    tally.add(question.encoding.encoded(people, places_of(campaign, question))[1], people.rows)
    for sentence in tally.sentences(campaign):
        logger.warning(sentence)


@dataclass(frozen=True, kw_only=True)
class TrialOptions:
    """What is tried, how often."""

    epsilons: tuple[float, ...] = option(
        "--epsilon",
        type=Finite(min=0, min_open=True),
        multiple=True,
        default=(1.0, 2.0, 4.0),
        help="Of an answer; several times for several.",
    )
    teacher_epsilon: float | None = option(
        "--teacher-epsilon", type=Finite(min=0, min_open=True), help="Also with teachers who agreed to this one."
    )
    panel: int = option(
        "--panel", type=click.IntRange(0), default=0, help="Also with so many people who hand out their profile."
    )
    repeats: int = option("--repeats", type=click.IntRange(1), default=1, help="Draws of the noise for each seed.")
    null_repeats: int = option("--null-repeats", type=click.IntRange(1), default=1, help="The same for the controls.")
    first: int = option("--seed", type=click.IntRange(0), default=0, help="The first seed of network or split.")
    seeds: int = option("--seeds", type=click.IntRange(1), default=1, help="How many seeds.")
    nulls: bool = option("--nulls/--no-nulls", default=True, help="Run the controls that must fail to help.")

    def trial(self) -> "Trial":
        """Return what is tried on each world."""
        from privge.experiments.two_steps import NULLS, Trial
        from privge.teaching import Design

        designs = [Design(epsilon=epsilon) for epsilon in self.epsilons]
        if self.teacher_epsilon is not None:
            lower = [epsilon for epsilon in self.epsilons if epsilon < self.teacher_epsilon]
            designs += [Design(epsilon=epsilon, teacher_epsilon=self.teacher_epsilon) for epsilon in lower]
        if self.panel:
            designs += [Design(epsilon=epsilon, panel=self.panel) for epsilon in self.epsilons]
        return Trial(
            designs=tuple(designs),
            nulls=NULLS if self.nulls else (),
            repeats=self.repeats,
            null_repeats=self.null_repeats,
        )


@click.group()
def simulate() -> None:
    """Try a whole protocol on data at hand, beside its controls. Seeded: NOT PRIVATE."""


@simulate.command("two-step")
@options_into(place=WorldOptions, what=TrialOptions)
@click.option("-o", "--output", type=OUTPUT, help="Add every run to this file, a line of JSON each.")
@json_option
def two_step(place: WorldOptions, what: TrialOptions, output: Path | None, *, as_json: bool) -> None:
    """Teach, then ask: real campaigns, laws and reports of everybody, judged on people whose labels were hidden.

    Every lift is over the structure with the same labels. Answers from somebody else's profile, a
    question taught on shuffled labels and shuffled features must add nothing. The graph alone and no privacy (the
    structure and a model of the clean features) stand beside them. Of own labels half are hidden, to count on.

    \b
    Examples:
      privge simulate two-step --dataset demo --epsilon 1 --epsilon 2 --epsilon 4
      privge simulate two-step --dataset platform --teacher-epsilon 4 --seed 120 --seeds 6 -o platform.jsonl
      privge simulate two-step --graph edges.csv --features table.csv --labels labels.csv --campaign teach.toml
    """
    require("the simulation", "sklearn")
    from privge.experiments.two_steps import run_world, summaries

    trial, records = what.trial(), []
    seeds = range(what.first, what.first + what.seeds)
    for seed, world in zip(seeds, place.worlds(seeds), strict=True):
        divided = _divided(world)
        with progress_bar(f"{world.name}, seed {seed}") as progress:
            for record in run_world(world, trial, seed=seed, progress=progress):
                records.append(record)
                if output is not None:
                    with output.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(record) + "\n")
    if as_json:
        click.echo(json.dumps(records))
        return
    for line in (divided, *_table(summaries(records), records)):
        click.echo(line)


def _divided(world: "World") -> str:
    """Say of how many people labels are used for what."""
    split = world.split
    return (
        f"labels: {len(split.train):,} are learnt from, {len(split.validation):,} are for judging, "
        f"{len(split.test):,} were hidden to count on"
    )


def _table(found: "list[Summary]", records: list[dict[str, Any]]) -> Iterator[str]:
    groups = list(dict.fromkeys(name for one in found for name in one.lifts))
    structure = sum(record["structure"] for record in records) / len(records)
    several = f"± standard error over {found[0].seeds} seeds"
    one_seed = "of one seed: see how far another goes, with --seeds 6"
    shares = [record["majority"] for record in records if "majority" in record]  # the controls say it
    largest = sum(shares) / len(shares)
    how = several if found[0].seeds > 1 else one_seed
    yield f"structure {structure:.2f} %, the largest class alone {largest:.2f} %; lifts over structure in points, {how}"
    yield f"{'':34}" + "".join(f"{name:>19}" for name in groups)
    for one in found:
        budget = "" if one.epsilon is None else f"  ε {one.epsilon:g}"
        budget += "" if one.teacher_epsilon is None else f", teachers {one.teacher_epsilon:g}"
        budget += f", panel of {one.panel}" if one.panel else ""
        cells = (_cell(*one.lifts[name]) if name in one.lifts else "" for name in groups)
        yield f"{one.method + budget:34}" + "".join(f"{cell:>19}" for cell in cells)
    yield from _stronger(found)


def _stronger(found: "list[Summary]") -> Iterator[str]:
    """Say so if something public is better than the structure that lifts are counted from."""
    for one in found:
        lift = one.lifts["everybody"][0]
        if one.method == "graph alone" and lift > 0:
            yield f"{one.method} needs nobody's answers and is {lift:.2f} points above this structure: count from there"


def _cell(mean: float, error: float) -> str:
    return f"{mean:+.2f}" if error != error else f"{mean:+.2f} ± {error:.2f}"  # noqa: PLR0124 (not a number)
