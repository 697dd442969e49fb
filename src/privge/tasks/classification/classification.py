"""`Classification`: a class for everybody, how sure it is, and what is to be expected of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from privge._typing import Floats
from privge.graph.labelled import Rows
from privge.graph.labels import Classes
from privge.ids import Ids
from privge.tasks.classification.calibrated import Calibration
from privge.tasks.classification.decisions import Decisions, as_table, decide
from privge.tasks.classification.estimates import Estimate, Gain, Share, expected_calibration_error
from privge.tasks.classification.friends import Sureness, by_friends
from privge.tasks.classification.fused import Fused
from privge.tasks.classification.known import Known
from privge.tasks.classification.vector_model import VectorModel

MAJORITY, VECTORS, WALKS, STRUCTURE = "majority class", "vectors alone", "label propagation", "structure channel"
ANSWERS = "answers, "
"""How the name of a control begins that is an answer too, from other vectors: it is decided as the answers are."""


@dataclass(frozen=True, eq=False, repr=False)
class Classification:
    """What `privge.classify` found.

    Where nodes have no ids, their numbers stand for them.

    Parameters
    ----------
    probabilities
        Calibrated, of each class (columns) for each node (rows).
    known
        The labelled nodes, their classes, and what the classes are called.
    held_out
        Probabilities of the labelled nodes, of each by heads, weights and temperatures that did not see its label.
    controls
        The same of what each answer is compared with.
    said
        What each part says of everybody, as logarithms of probabilities; the prior, and each head.
    fused
        How much each part counts, and how far it is believed in.
    calibration
        How the probabilities were calibrated, by number of friends.
    model
        What was learnt from vectors alone, which can be stored and used for other vectors with the same columns; None
        of a graph alone.
    friends
        How many friends each node has; None without a graph.
    """

    ids: Ids
    probabilities: Floats
    known: Known
    held_out: Floats
    controls: Mapping[str, Floats]
    said: Mapping[str, Floats]
    fused: Fused
    calibration: Calibration
    model: VectorModel | None
    friends: Rows | None = None

    def __repr__(self) -> str:
        return f"Classification({len(self.ids):,} nodes, {len(self.classes)} classes, {self.estimate().accuracy} found)"

    @property
    def classes(self) -> Classes:
        """What the columns are called."""
        return self.known.classes

    @cached_property
    def unlabelled(self) -> Rows:
        """The rows of the nodes whose class was not known."""
        return np.setdiff1d(np.arange(len(self.ids)), self.known.rows)

    @property
    def learnt(self) -> bool:
        """Whether labelled nodes are likelier under the answer than under the shares of the classes."""
        people = np.arange(len(self.known.targets))
        own = np.log(np.maximum(self.held_out[people, self.known.targets], 1e-12))
        return bool(own.mean() > np.log(self.known.shares[self.known.targets]).mean())

    @property
    def calibration_error(self) -> float:
        """The expected calibration error of the held-out probabilities."""
        return expected_calibration_error(self.held_out, self.known.targets)

    @property
    def temperature(self) -> float:
        """The common temperature; above 1 probabilities had been too sure."""
        return self.calibration.temperature

    @property
    def by_friends(self) -> tuple[Sureness, ...]:
        """How sure and how right held-out answers are, by number of friends; nothing without a graph."""
        if self.friends is None:
            return ()
        return tuple(by_friends(self.held_out, self.known.targets, self.friends[self.known.rows]))

    def decide(self, rows: Rows | None = None, *, abstain: float = 0.0, balanced: bool = False) -> Decisions:
        """Return a class for each of some rows; by default for the nodes whose class was not known.

        Parameters
        ----------
        rows
            For whom.
        abstain
            Leave the answer open where its probability is below this.
        balanced
            Answer the class that is likeliest compared with its share; see `privge.tasks.classification.decisions`.
        """
        chosen = self.probabilities[self.unlabelled if rows is None else rows]
        return decide(chosen, self.known.shares, abstain=abstain, balanced=balanced)

    def held_out_decisions(self, *, abstain: float = 0.0, balanced: bool = False) -> Decisions:
        """Return the same for the labelled nodes, of each without its own label."""
        return decide(self.held_out, self.known.shares, abstain=abstain, balanced=balanced)

    def estimate(self, *, abstain: float = 0.0, balanced: bool = False) -> Estimate:
        """Return what the labelled nodes say of answers given so; those that are left open do not count."""
        decided = self.held_out_decisions(abstain=abstain, balanced=balanced)
        answered = decided.answered
        return Estimate.of(decided.places[answered], self.known.targets[answered])

    @property
    def majority(self) -> Share:
        """The share of the largest class among the labelled nodes: what is found for nothing."""
        return Share(int(np.bincount(self.known.targets).max()), len(self.known.targets))

    def control(self, name: str, *, balanced: bool = False) -> Estimate:
        """Return what the labelled nodes say of a control."""
        return Estimate.of(self._places(name, balanced=balanced), self.known.targets)

    def gain(self, name: str, *, balanced: bool = False) -> Gain:
        """Return by how many points more labelled nodes are found than by a control."""
        answers = self.held_out_decisions(balanced=balanced).places
        return Gain.of(answers, self._places(name, balanced=balanced), self.known.targets)

    def _places(self, name: str, *, balanced: bool) -> Rows:
        """Return the classes that a control finds; `balanced` is about those that are answers."""
        said = self.controls[name]
        if name.startswith(ANSWERS):
            return decide(said, self.known.shares, balanced=balanced).places
        likeliest: Rows = said.argmax(axis=1)
        return likeliest

    def to_arrow(self, *, abstain: float = 0.0, balanced: bool = False) -> pa.Table:
        """Return a table of the nodes whose class was not known: ``id``, ``class``, ``confidence``, and ``p(...)``.

        Parameters
        ----------
        abstain, balanced
            As for `decide`; the class is null where the answer is left open.
        """
        decided, rows = self.decide(abstain=abstain, balanced=balanced), self.unlabelled
        return as_table(self.ids[rows], self.classes, self.probabilities[rows], decided)
