"""`evaluate`: the whole protocol on data of one's own, with every control that the data allow."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from privge._typing import Progress
from privge.datasets import Dataset, Description
from privge.datasets.export import SETTINGS
from privge.errors import BadData
from privge.experiments.cell import Cell
from privge.experiments.collected import Collected
from privge.experiments.comparison import Comparison, Table
from privge.experiments.method import CAMPAIGN, REPORTS, Method
from privge.experiments.own import Own, enter, fingerprint_of, settings_of
from privge.experiments.plan import STEADY_HEAD, CellSettings, TaskPlan, task_plan
from privge.experiments.results import Results
from privge.experiments.schedule import run_all
from privge.experiments.sources import Data, Sources
from privge.tasks import split_nodes
from privge.tasks.settings import TASKS, Settings, Task, read_all_settings

logger = logging.getLogger(__name__)

Head: TypeAlias = Literal["default", "paper"]

LEAST_LABELLED = 20
"""Labelled nodes below which nothing can be judged by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What is evaluated.

    Parameters
    ----------
    tasks, settings, repeats
        Which of ``nodes`` and ``links``, how each is run, and how often: splits and draws of noise.
    methods
        Mechanisms to simulate. Of collected reports and of a campaign there is nothing to choose.
    epsilons
        Budgets of a person's whole report; none stands for that of the campaign.
    k
        How many features a person reports; by default that of the campaign, of the settings, or of the rule of
        campaigns.
    head
        What learns classes from vectors: the default head of `privge.classify`, which chooses among several, or the
        paper's, as `privge.reproduce` has it. Links have one head.
    """

    tasks: tuple[Task, ...] = TASKS
    methods: tuple[Method, ...] = ()
    epsilons: tuple[float, ...] = (1.0,)
    k: int | None = None
    repeats: int = 10
    settings: Mapping[Task, Settings]
    head: Head = "default"


def stated_settings(description: Description | None, path: Path | None, tasks: Sequence[Task]) -> dict[Task, Settings]:
    """Return the settings of a dataset: of a file, of its own folder, of the experiments, or else the default ones.

    Parameters
    ----------
    description
        What is known about the dataset; None of mere files. The paper's settings are for nobody's own data.
    path
        A file of settings, which comes first.
    tasks
        What is evaluated: for what a file does not have, that is said.
    """
    folder = None if description is None else description.folder
    beside = None if folder is None else folder / SETTINGS
    chosen = path if path is not None else beside if beside is not None and beside.is_file() else None
    if chosen is not None:
        found = read_all_settings(chosen)
        for task in tasks:
            if task not in found:
                logger.warning("%s has no settings for %s: the default ones are used", chosen, task)
        return {task: found.get(task, Settings()) for task in TASKS}
    if description is None or folder is not None:
        return {task: Settings() for task in TASKS}
    return {task: task_plan(task).datasets.get(description.name) or Settings() for task in TASKS}


def own_of(data: Data, what: Evaluation) -> Own:
    """Return what a results folder must know about a dataset."""
    features = int(data.features.shape[1]) if isinstance(data, Dataset) else data.columns
    methods, epsilons, k, clean = _asked(data, what)
    return Own(
        name=data.name,
        fingerprint=fingerprint_of(data),
        features=features,
        majority=_majority(data),
        clean=clean,
        settings=_with_head(settings_of(what.settings, features, epsilons[0], k), what.head),
        methods=methods,
        epsilons=epsilons,
    )


class _Asked(NamedTuple):
    """Which methods run at which budgets, k if it is decided, and whether true values are at hand."""

    methods: tuple[Method, ...]
    epsilons: tuple[float, ...]
    k: int | None
    clean: bool


def _asked(data: Data, what: Evaluation) -> _Asked:
    """Return what was or will be asked: reports are what they are, and a campaign states what is left open."""
    if isinstance(data, Collected):
        return _Asked((REPORTS,), (data.epsilon,), data.k, clean=False)
    if isinstance(data, Dataset):
        return _Asked(what.methods, what.epsilons, what.k, clean=True)
    epsilons, k = what.epsilons or (data.campaign.epsilon,), what.k or data.campaign.k
    for epsilon in epsilons:
        data.at(epsilon, k, "")  # refuses, before the work, what no campaign can be
    return _Asked((CAMPAIGN,), epsilons, k, data.has_true_values)


def _with_head(settings: dict[Task, CellSettings], head: Head) -> dict[Task, CellSettings]:
    """Put the default head in place of the paper's, if it is asked for; walk and k stay as they are."""
    return settings if head == "paper" else {**settings, "nodes": replace(settings["nodes"], head=STEADY_HEAD)}


def _majority(data: Data) -> float:
    """Return the percentage of the largest class among the labelled."""
    counts = np.bincount(data.labels[data.labels >= 0])
    return round(100 * float(counts.max() / counts.sum()), 4) if counts.size else 0.0


def check_data(data: Data, tasks: Sequence[Task]) -> None:
    """Refuse, before the work, what no protocol could judge."""
    labelled, found = int((data.labels >= 0).sum()), len(np.unique(data.labels[data.labels >= 0]))
    if "nodes" in tasks and (labelled < LEAST_LABELLED or found < 2):
        raise BadData(
            f"{data.name}: {labelled:,} labelled nodes of {found} classes are too few to judge by; there must be at "
            f"least {LEAST_LABELLED} of 2, or take --task links"
        )
    if "links" in tasks and data.graph.edges < LEAST_LABELLED:
        raise BadData(f"{data.name}: {data.graph.edges:,} edges are too few to hide some; take --task nodes")


def test_nodes(data: Data) -> int:
    """Return how many nodes each repeat is judged by."""
    return len(split_nodes(data.labels, seed=0).test)


def cells_of(own: Own, plan: TaskPlan) -> list[Cell]:
    """Return the cells to evaluate in a task, without controls."""
    k = own.settings[plan.task].k
    return [Cell(plan.task, own.name, method, epsilon, k) for method in own.methods for epsilon in own.epsilons]


def controls_of(own: Own, plan: TaskPlan, cells: list[Cell]) -> list[Cell]:
    """Return the controls of cells: of reports without clean features, all but no privacy."""
    controls = [*plan.controls(cells), *(plan.structure_channel_of(cell) for cell in cells)]
    if not own.clean:
        controls = [cell for cell in controls if cell != plan.no_privacy_of(cell)]
    return list(dict.fromkeys(controls))


def evaluate(
    data: Data,
    what: Evaluation,
    folder: Path,
    sources: Sources,
    *,
    jobs: int = 1,
    progress: Progress | None = None,
) -> list[Comparison]:
    """Run what is not finished, and return every cell beside its controls.

    Finished repeats are kept in the folder, and never run again.

    Parameters
    ----------
    data, what
        What is evaluated, and how.
    sources
        How other processes load the data.
    jobs
        Processes; they share the processors.
    progress
        Called with the repeats done and the repeats in all.
    """
    check_data(data, what.tasks)
    own = own_of(data, what)
    enter(folder, own)
    results = Results(folder)
    cells = [cell for task in what.tasks for cell in cells_of(own, results.plan(task))]
    planned = [
        cell
        for task in what.tasks
        for cell in controls_of(own, results.plan(task), [one for one in cells if one.task == task])
    ]
    run_all(results, planned + cells, what.repeats, jobs=jobs, sources=sources, progress=progress)
    return Table(results, what.repeats).comparisons(cells)
