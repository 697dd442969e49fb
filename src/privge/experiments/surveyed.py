"""What is evaluated where a campaign says what is asked: its questions and laws, on a table with everybody's values."""

import hashlib
import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge.campaign import Campaign
from privge.datasets.joined import NamedParts, graph_of, labels_on
from privge.errors import BadData
from privge.graph import Graph
from privge.graph.labelled import places_in
from privge.perturbation.features import Features
from privge.perturbation.raw import RawFeatures
from privge.perturbation.simulate import simulate_counted
from privge.perturbation.truth import true_values
from privge.questions.people import People
from privge.questions.subject import AboutFeature
from privge.reports import Reports

logger = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Surveyed:
    """People with their values, and the campaign that would ask them.

    Parameters
    ----------
    name, graph
        What it is called in results, and the public graph.
    labels, classes
        As of `privge.datasets.Dataset`.
    people
        The values of those whom the campaign asks, in the graph's order.
    campaign
        What is asked of them, and how it is perturbed.
    """

    name: str
    graph: Graph
    labels: NDArray[np.int64]
    classes: tuple[str, ...]
    people: Features | RawFeatures
    campaign: Campaign

    @property
    def columns(self) -> int:
        """How many columns the decoded reports have."""
        return self.campaign.columns

    @property
    def has_true_values(self) -> bool:
        """Whether each answer has a true value: a question about a whole profile has none."""
        questions = self.campaign.questions
        return questions is None or all(isinstance(question, AboutFeature) for question in questions)

    @property
    def fingerprint(self) -> str:
        """What tells two surveys apart: who has which values of what is asked. Epsilon, k and purpose are free."""
        known = hashlib.sha256(json.dumps([_wording(self.campaign), *map(str, self.people.ids.tolist())]).encode())
        for part in _parts(self.people):
            known.update(part)
        return known.hexdigest()

    def at(self, epsilon: float, k: int, purpose: str) -> Campaign:
        """Return the campaign at a budget; its own laws stay if neither the budget nor its share changes."""
        campaign = self.campaign
        same = (epsilon, k) == (campaign.epsilon, campaign.k)
        if campaign.questions is not None:
            asked = campaign.questions
            if not same:
                asked = tuple(replace(question, laws=()) for question in asked)  # type: ignore[type-var]
            return Campaign(questions=asked, epsilon=epsilon, k=k, purpose=purpose, assignment=campaign.assignment)
        return Campaign(
            dimensions=campaign.dimensions,
            names=campaign.names,
            low=campaign.low,
            high=campaign.high,
            mechanism=campaign.mechanism,
            epsilon=epsilon,
            k=k,
            levels=None if same else campaign.levels,
            law=campaign.law if same else None,
            out_of_bounds=campaign.out_of_bounds,
            missing=campaign.missing,
            purpose=purpose,
            assignment=campaign.assignment,
        )

    def simulated(self, campaign: Campaign, seed: int, whose: NDArray[np.int64] | None = None) -> Reports:
        """Perturb the values of each person, or, as a control, of somebody else; seeded and NOT PRIVATE."""
        return _drawn(campaign, self.people if whose is None else _given_to(self.people, whose), seed)

    def truth(self) -> scipy.sparse.csr_array:
        """Return what each of the people would report without privacy."""
        return true_values(self.campaign, self.people)


def surveyed(name: str, parts: NamedParts, campaign: Campaign) -> Surveyed:
    """Join a table of values with the graph and labels; what does not meet, or does not fit, is counted and said.

    Parameters
    ----------
    name
        What it is called in results.
    parts
        What the files hold.
    campaign
        What is asked. Whom it does not ask does not report.
    """
    if campaign.questions is None and campaign.law.fixed_epsilon is not None:
        raise BadData(f"the campaign's mechanism {campaign.mechanism!r} is a control, which is run beside every other")
    graph = graph_of(parts)
    people = _asked(campaign, _in_order(graph, parts.features))
    _, tally = simulate_counted(campaign, people, ids=None, seed=0)
    for sentence in tally.sentences(campaign):
        logger.warning(sentence)
    return Surveyed(name, graph, *labels_on(graph, parts.labels), _of_names(campaign, people), campaign)


def _in_order(graph: Graph, features: Features | RawFeatures) -> Features | RawFeatures:
    """Return the rows of people in the graph, in its order; and say who is left out, or has none."""
    places = places_in(graph, features.ids)
    inside = np.flatnonzero(places >= 0)
    if not inside.size:
        raise BadData(
            f"none of the {len(places):,} ids with features is a node; see whether ids are written alike: 007 is not 7"
        )
    if len(inside) < len(places):
        logger.warning("left out the features of %s ids that are not nodes", f"{len(places) - len(inside):,}")
    if len(inside) < graph.nodes:
        without = f"{graph.nodes - len(inside):,}"
        logger.warning("%s of %s nodes have no features, and do not report", without, f"{graph.nodes:,}")
    return _taken(features, inside[np.argsort(places[inside], kind="stable")])


def _asked(campaign: Campaign, people: Features | RawFeatures) -> Features | RawFeatures:
    """Leave out those whom the campaign does not ask: their devices would not report either."""
    if campaign.assignment is None:
        return people
    asked = np.flatnonzero(campaign.assignment.asks(people.ids.tolist()))
    if not asked.size:
        raise BadData("the campaign asks nobody here; see whether ids are written alike: 007 is not 7")
    if len(asked) < len(people.ids):
        logger.warning("%s of %s people are not asked", f"{len(people.ids) - len(asked):,}", f"{len(people.ids):,}")
    return _taken(people, asked)


def _taken(people: Features | RawFeatures, rows: NDArray[np.integer]) -> Features | RawFeatures:
    if isinstance(people, RawFeatures):
        return people.take(rows)
    return Features(people.ids[rows], people.matrix[rows], people.names)


def _given_to(people: Features | RawFeatures, whose: NDArray[np.int64]) -> Features | RawFeatures:
    """Return the same people with the values of somebody else."""
    return replace(_taken(people, whose), ids=people.ids)


def _of_names(campaign: Campaign, people: Features | RawFeatures) -> Features | RawFeatures:
    """Drop names of columns that the campaign does not have: that order decides then has been said."""
    if isinstance(people, RawFeatures) or campaign.names is not None:
        return people
    return replace(people, names=None)


def _wording(campaign: Campaign) -> object:
    """Return what is asked and by which kinds of laws, whatever it costs."""
    if campaign.questions is None:
        bounds = [campaign.low, campaign.high, campaign.out_of_bounds, campaign.missing]
        return [campaign.mechanism, campaign.names or campaign.dimensions, campaign.levels, *bounds]
    return [
        [question.kind, question.to_document(), [type(law).__name__ for law in question.laws]]
        for question in campaign.questions
    ]


def _parts(people: Features | RawFeatures) -> Iterator[bytes]:
    """Yield bytes that are others for other values."""
    held = people.matrix
    if isinstance(held, People) and held.matrix is None:
        yield from (repr(column.tolist()).encode() for column in held.columns)
        return
    values = scipy.sparse.csr_array(held.matrix if isinstance(held, People) else held)
    for part in (values.indptr, values.indices, values.data):
        yield np.ascontiguousarray(part).astype(np.float64).tobytes()


def _drawn(campaign: Campaign, people: Features | RawFeatures, seed: int) -> Reports:
    """Perturb without a word on what does not fit, which was said when the values were read."""
    return simulate_counted(campaign, people, ids=None, seed=seed)[0]
