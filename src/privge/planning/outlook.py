"""`Outlook`: what the graph and the known labels say of everybody before anybody is asked, beside its controls."""

import math
from dataclasses import dataclass
from time import process_time
from typing import Literal, NamedTuple, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from privge._imports import needed
from privge._typing import Floats
from privge.errors import BadData
from privge.graph import Graph
from privge.graph.labelled import LabelledGraph, Rows
from privge.graph.labels import LabelsById, LabelsByRow
from privge.planning.confidence import share_limits
from privge.structure import NodeChannel, node_channel
from privge.structure.calibration import at_temperature, best_temperature
from privge.structure.heads import log_loss
from privge.tasks.baselines import label_mass

PriorName: TypeAlias = Literal["auto", "structure", "label propagation"]
PRIORS: tuple[PriorName, ...] = get_args(PriorName)
"""*structure*: walks, eigenvectors and degrees, stacked (`privge.structure`); seconds to minutes. *label propagation*:
one walk of the labels, calibrated; for large graphs."""

LARGE = 1_000_000
"""Edges beyond which *auto* means label propagation."""

FEWEST = 50
"""Labelled people that are needed: a fifth of them calibrates and judges the controls."""

BLOCK = 16
"""Columns that walk over a graph together."""

_JUDGING = 0.2
_HOTTEST, _HALVINGS = 6.0, 30  # logarithm of a temperature at which all classes are about alike
_WEIGHTS = (0.03, 0.1, 0.3, 1.0)  # of the classes' frequencies beside what arrives, in units of the mean that arrives


class Controls(NamedTuple):
    """Accuracy in percent on labelled people who were held out: what must be beaten."""

    people: int
    majority: float
    graph_alone: float
    structure: float


@dataclass(frozen=True, eq=False, slots=True)
class Outlook:
    """The public side of a plan.

    Nodes stand in the order of the graph.

    Parameters
    ----------
    prior
        Calibrated probabilities of classes of every node; those of labelled nodes do not know their own label.
    labels
        The known class of each node, as a column of the prior; -1 if it is not known.
    train, validation
        Rows of labelled nodes: that the prior learnt from, and that calibrated it.
    friends
        How many each node has.
    made_by
        Which prior it is.
    controls
        What needs no report.
    seconds
        Of processor time that a block of 16 columns took to walk over the graph, here.
    """

    prior: NodeChannel
    labels: NDArray[np.int64]
    train: Rows
    validation: Rows
    friends: NDArray[np.int64]
    made_by: str
    controls: Controls
    seconds: float

    @property
    def unlabelled(self) -> Rows:
        """Rows of those whose class is wanted."""
        return np.flatnonzero(self.labels < 0)

    @property
    def doubt(self) -> float:
        """Relative standard error of how often the graph is wrong, which gains are about proportional to."""
        wrong = 1 - self.controls.structure / 100
        people = self.controls.people + 2
        return float(((1 - wrong) / max(wrong, 1 / people) / people) ** 0.5)

    @property
    def temperature(self) -> float:
        """At which the prior expects to be wrong as often as it well may be, by those held out (95 % sure).

        Of few people, none may be wrong by chance; a prior that is sure by them alone must not settle what can be
        gained.
        """
        held = self.prior.probabilities[self.validation]
        most = share_limits(1 - self.controls.structure / 100, self.controls.people)[1]
        low, high = 0.0, _HOTTEST
        if 1 - held.max(axis=1).mean() >= most:
            return 1.0
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            wrong = 1 - at_temperature(held, math.exp(middle)).max(axis=1).mean()
            low, high = (middle, high) if wrong < most else (low, middle)
        return math.exp(high)

    @classmethod
    def of(
        cls,
        graph: Graph,
        labels: LabelsByRow | LabelsById,
        *,
        prior: PriorName = "auto",
        split: tuple[Rows, Rows] | None = None,
        seed: int = 0,
    ) -> Self:
        """Look at the graph and the known labels.

        Parameters
        ----------
        graph
            The public graph.
        labels
            By row or by id: the classes that are known.
        prior
            One of `PRIORS`; *auto* is the structure up to a million edges.
        split
            Rows to learn from and rows to calibrate by; by default a fifth of the labelled, at random, calibrates.
        seed
            Of that fifth, and of the structure.
        """
        labelled = LabelledGraph.of(graph, labels)
        known = np.full(graph.nodes, -1)
        train, validation = _divided(labelled, seed) if split is None else split
        for part in (train, validation):
            known[part] = labelled.labels.places[part]
        _check(known, train, validation)
        names = labelled.labels.classes
        named = [names[place] if place >= 0 else None for place in known.tolist()]
        start = process_time()
        mass = label_mass(graph, named, train, tolerance=1e-5)[1]
        seconds = (process_time() - start) / math.ceil(mass.shape[1] / BLOCK)
        walked, temperature = _walked(mass, known, train, validation, len(names))
        chosen = ("structure" if graph.edges <= LARGE else "label propagation") if prior == "auto" else prior
        channel = NodeChannel(graph.ids, names, walked, temperature)
        if chosen == "structure":
            with needed("the structural prior"):
                channel = node_channel(graph, named, train=train, validation=validation, seed=seed)
        truth = known[validation]
        controls = Controls(
            len(validation),
            100 * float((truth == np.bincount(known[train]).argmax()).mean()),
            100 * float((np.unique(known[train])[mass[validation].argmax(axis=1)] == truth).mean()),
            100 * float((channel.probabilities[validation].argmax(axis=1) == truth).mean()),
        )
        return cls(channel, known, train, validation, graph.degrees, chosen, controls, seconds)


def _divided(labelled: LabelledGraph, seed: int) -> tuple[Rows, Rows]:
    known = np.random.default_rng([seed, 14]).permutation(labelled.labels.known)
    validation, train = np.split(known, [int(_JUDGING * len(known))])
    return np.sort(train), np.sort(validation)


def _check(known: NDArray[np.int64], train: Rows, validation: Rows) -> None:
    count = len(train) + len(validation)
    if count < FEWEST:
        raise BadData(f"at least {FEWEST} people must be labelled for a plan; {count} are")
    if len(np.unique(known[train])) < 2:
        raise BadData("the labelled people must be of at least two classes: of one there is nothing to ask")
    if (known < 0).sum() == 0:
        raise BadData("everybody's class is known already: there is nobody to ask for")


def _walked(
    mass: NDArray[np.floating], known: NDArray[np.int64], train: Rows, validation: Rows, classes: int
) -> tuple[Floats, float]:
    """Return calibrated probabilities from what arrives of each class, and their temperature.

    The frequency of each class is added with a weight, so that nobody whom no label reaches is sure of anything.
    """
    places = np.unique(known[train])
    shares = np.bincount(known[train], minlength=classes) / len(train)
    arrived = np.zeros((len(mass), classes), dtype=np.float32)
    arrived[:, places] = np.maximum(mass, 0)
    typical = float(arrived.sum(axis=1, dtype=np.float64).mean())
    targets, best = known[validation], (np.inf, 0.0, 1.0)
    for weight in _WEIGHTS:
        held = _normed(arrived[validation] + weight * typical * shares)
        temperature = best_temperature(held, targets)
        best = min(best, (log_loss(at_temperature(held, temperature), targets), weight, temperature))
    _, weight, temperature = best
    return at_temperature(_normed(arrived + np.float32(weight * typical) * shares), temperature), temperature


def _normed(values: NDArray[np.floating]) -> Floats:
    normed: Floats = values / values.sum(axis=1, keepdims=True)
    return normed
