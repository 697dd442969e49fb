"""Teach, then ask, on worlds: every run beside its controls, one record each.

Lifts are over the structural channel, which knows the same labels. The controls:

``graph alone``
    Label propagation.
``no privacy``
    Structure and clean profiles of the training people: what could be had if nobody minded.
``other profile``, ``shuffled labels``, ``shuffled features``
    The same protocol with nothing to learn or to tell; their lifts must be about 0.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from privge._imports import needed
from privge._typing import Floats, Progress
from privge.datasets.worlds import World
from privge.graph.labelled import Rows
from privge.structure import NodeChannel
from privge.tasks import best_label_propagation
from privge.teaching import Design, Null, public_prior, two_step
from privge.teaching.outcome import rows_by_friends
from privge.teaching.teach import unit_profiles

TAUGHT = "taught"
NULLS: tuple[Null, ...] = get_args(Null)
_STRENGTHS = (0.1, 1.0, 10.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What is tried on one world.

    Parameters
    ----------
    designs
        Budgets, teachers and panels.
    nulls
        Which controls of the protocol.
    repeats
        Draws of the noise, for each design.
    null_repeats
        Draws of the noise, for each control of each design.
    """

    designs: tuple[Design, ...]
    nulls: tuple[Null, ...] = NULLS
    repeats: int = 1
    null_repeats: int = 1

    @property
    def runs(self) -> int:
        """How many runs of the protocol there are."""
        return len(self.designs) * (self.repeats + len(self.nulls) * self.null_repeats)


def run_world(world: World, trial: Trial, *, seed: int, progress: Progress | None = None) -> Iterator[dict[str, Any]]:
    """Yield a record for each control and for each run.

    Parameters
    ----------
    world
        Where.
    trial
        What.
    seed
        Of everything that is drawn.
    progress
        Called with the runs done and the runs in all.
    """
    split = world.split
    train, validation = np.asarray(split.train, dtype=np.int64), np.asarray(split.validation, dtype=np.int64)
    structure = public_prior(world.graph, world.labels, train=train, validation=validation, seed=seed)
    whose = {"world": world.name, "seed": seed}
    for name, probabilities in _controls(world, structure):
        yield {**whose, "method": name, **_scores(world, structure.probabilities, probabilities)}
    done = 0
    for design in trial.designs:
        for method in (None, *trial.nulls):
            for repeat in range(trial.null_repeats if method else trial.repeats):
                outcome = two_step(
                    world.graph,
                    world.features,
                    world.labels,
                    encoding=world.encoding,
                    split=split,
                    design=design,
                    null=method,
                    structure=structure,
                    seed=1000 * seed + repeat,
                )
                yield {**whose, **_chosen(design), "method": method or TAUGHT, "repeat": repeat, **outcome.to_dict()}
                done += 1
                if progress is not None:
                    progress(done, trial.runs)


def _chosen(design: Design) -> dict[str, Any]:
    return {"epsilon": design.epsilon, "teacher epsilon": design.teacher_epsilon, "panel": design.panel}


def _controls(world: World, structure: NodeChannel) -> Iterator[tuple[str, Floats]]:
    split, classes = world.split, len(structure.classes)
    train, validation = np.asarray(split.train, dtype=np.int64), np.asarray(split.validation, dtype=np.int64)
    found = np.asarray(best_label_propagation(world.graph, world.labels, split))
    yield "graph alone", (found[:, None] == np.asarray(structure.classes)).astype(np.float64)
    yield "no privacy", no_privacy(world, structure, train, validation, classes)


def no_privacy(world: World, structure: NodeChannel, train: Rows, validation: Rows, classes: int) -> Floats:
    """Return probabilities from structure and clean profiles, by a logistic regression on the training people."""
    with needed("the control without privacy"):
        from sklearn.linear_model import LogisticRegression

    width = int((np.array(world.encoding.largest) > 0).sum())
    live = np.flatnonzero(np.array(world.encoding.largest) > 0)
    coordinates = world.encoding.coordinates(world.features)
    known = np.hstack([unit_profiles(coordinates[:, live]) * width**0.5, structure.log])
    best: tuple[float, Floats] | None = None
    for strength in _STRENGTHS:
        model = LogisticRegression(C=strength / width, max_iter=300).fit(known[train], world.labels[train])
        found = np.full((len(known), classes), 1e-12)
        found[:, np.searchsorted(structure.classes, model.classes_)] = model.predict_proba(known)
        right = float((found.argmax(axis=1)[validation] == world.labels[validation]).mean())
        if best is None or right > best[0]:
            best = (right, found)
    assert best is not None  # noqa: S101 (there are strengths)
    return best[1]


def _scores(world: World, structure: Floats, probabilities: Floats) -> dict[str, Any]:
    test = np.asarray(world.split.test, dtype=np.int64)
    rows = rows_by_friends(world.graph.degrees, world.labels, test, structure, probabilities)
    friends = [{"people": row.people, "count": row.count, "lift": row.lift} for row in rows]
    return {
        "structure": rows[0].structure,
        "accuracy": rows[0].fused,
        "lift": rows[0].lift,
        "majority": round(100 * float(np.bincount(world.labels[test]).max()) / len(test), 4),
        "by friends": friends,
    }


@dataclass(frozen=True, slots=True)
class Summary:
    """Lifts of one method over several seeds.

    Parameters
    ----------
    method
        ``taught`` or a control.
    epsilon, teacher_epsilon, panel
        The design; None and 0 for controls without one.
    seeds
        How many.
    accuracy
        Mean, in percent.
    lifts
        By group of people: mean over seeds and its standard error, in points.
    """

    method: str
    epsilon: float | None
    teacher_epsilon: float | None
    panel: int
    seeds: int
    accuracy: float
    lifts: dict[str, tuple[float, float]]


def summaries(records: Sequence[dict[str, Any]]) -> list[Summary]:
    """Return one summary for each method and design; repeats of one seed are averaged before."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for record in records:
        key = (record["method"], record.get("epsilon"), record.get("teacher epsilon"), record.get("panel", 0))
        groups.setdefault(key, []).append(record)
    return [_summary(key, members) for key, members in groups.items()]


def _summary(key: tuple[Any, ...], members: list[dict[str, Any]]) -> Summary:
    seeds = sorted({member["seed"] for member in members})
    names = dict.fromkeys(row["people"] for member in members for row in member["by friends"])
    lifts = {}
    for name in names:
        means = [
            np.mean(
                [
                    row["lift"]
                    for member in members
                    if member["seed"] == seed
                    for row in member["by friends"]
                    if row["people"] == name
                ]
            )
            for seed in seeds
        ]
        spread = float(np.std(means, ddof=1) / len(means) ** 0.5) if len(means) > 1 else float("nan")
        lifts[name] = (float(np.mean(means)), spread)
    method, epsilon, teacher_epsilon, panel = key
    accuracy = float(np.mean([member["accuracy"] for member in members]))
    return Summary(method, epsilon, teacher_epsilon, panel, len(seeds), accuracy, lifts)
