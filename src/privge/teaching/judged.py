"""What answers are worth: accuracy on the judges beside its controls, each judge by a fit without their own label.

Judges are labelled people who were asked, so those of whom the graph is unsure: accuracy is lower among them than among
everybody. They are divided into folds. The fusion, with its gate, is fitted to the other folds and predicts the one
that is left out, so that nobody's label helps to predict them.
"""

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats, Progress
from privge.graph.labelled import Rows
from privge.tasks import Answers, Fusion
from privge.tasks.friends import by_friends
from privge.teaching.outcome import Row
from privge.teaching.plan import Plan

FEWEST = 20
"""With fewer judges, nothing is said: folds would be too small to fit."""

FEWEST_OF_GROUP = 30
"""Smaller groups of people with so many friends are left out."""

_FOLDS = 5
_NORMAL = 1.96  # of a two-sided interval of 95 %


class Interval(NamedTuple):
    """In which a value lies with a confidence of 95 %."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Judged(Row):
    """Accuracy among some judges, in percent, beside its controls.

    Parameters
    ----------
    people, count, structure, fused
        As for `privge.teaching.outcome.Row`, of these judges.
    majority
        Of saying the most frequent class of the other labelled people.
    graph_alone
        Of label propagation from the other labelled people; None if the plan does not know.
    interval
        Of what answers add, in points.
    """

    majority: float
    graph_alone: float | None
    interval: Interval

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain values."""
        return {**asdict(self), "lift": self.lift, "interval": list(self.interval)}


def judged(plan: Plan, answers: Answers, *, seed: int = 0, progress: Progress | None = None) -> tuple[Judged, ...]:
    """Return accuracy among all judges, then by their number of friends; nothing if judges are too few.

    Parameters
    ----------
    plan
        Who judges, what is public of them, and their labels.
    answers
        Of everybody who was asked.
    seed
        Of the folds.
    progress
        Called with the folds done, and how many there are.
    """
    judges = plan.roles.judges
    truth = plan.labels[judges]
    if len(judges) < FEWEST:
        return ()
    structure, fused = (found == truth for found in _held_out(plan, answers, seed, progress))
    majority = truth == _most_frequent(plan)
    alone = None if plan.graph_alone is None else plan.graph_alone[judges] == truth
    friends = np.zeros(len(judges), dtype=np.int64) if plan.friends is None else plan.friends[judges]
    everybody, *groups = by_friends(friends)
    groups = [] if plan.friends is None else [group for group in groups if group[1].sum() >= FEWEST_OF_GROUP]
    return tuple(
        Judged(
            people=name,
            count=int(inside.sum()),
            structure=_percent(structure[inside]),
            fused=_percent(fused[inside]),
            majority=_percent(majority[inside]),
            graph_alone=None if alone is None else _percent(alone[inside]),
            interval=paired_interval(structure[inside], fused[inside]),
        )
        for name, inside in (everybody, *groups)
    )


def paired_interval(before: NDArray[np.bool_], after: NDArray[np.bool_]) -> Interval:
    """Return the interval of a difference of accuracy on the same people, in points, after Agresti and Min (2005).

    Half a person is added to each of the four cases (right before, after, both, neither), so that the interval has a
    width even where nobody's class changed.
    """
    people = len(before) + 2
    gained, lost = (after & ~before).sum() + 0.5, (before & ~after).sum() + 0.5
    middle = (gained - lost) / people
    error = (gained + lost - (gained - lost) ** 2 / people) ** 0.5 / people
    return Interval(100 * float(middle - _NORMAL * error), 100 * float(middle + _NORMAL * error))


def _held_out(plan: Plan, answers: Answers, seed: int, progress: Progress | None = None) -> tuple[Rows, Rows]:
    """Return the classes of the judges by the structure and by the fusion, each by a fit without their fold."""
    judges = plan.roles.judges
    own = Answers(answers.likelihood[judges], answers.asked[judges], answers.prior[judges])
    prior, labels = plan.structure.log[judges], plan.labels[judges]
    folds = np.random.default_rng([seed, 15]).permutation(len(judges)) % _FOLDS
    structure, fused = np.empty((2, len(judges)), dtype=np.int64)
    for fold in range(_FOLDS):
        fusion = Fusion.fit(prior, {"answers": own}, labels, np.flatnonzero(folds != fold), seed=seed)
        mine = folds == fold
        structure[mine], fused[mine] = (_classes(each)[mine] for each in (fusion.structure, fusion.probabilities))
        if progress is not None:
            progress(fold + 1, _FOLDS)
    return structure, fused


def _classes(probabilities: Floats) -> Rows:
    classes: Rows = probabilities.argmax(axis=1)
    return classes


def _most_frequent(plan: Plan) -> int:
    """Return the most frequent class of labelled people who do not judge; of all labelled people if all judge."""
    others = np.delete(plan.labels, plan.roles.judges)
    known = others[others >= 0] if (others >= 0).any() else plan.labels[plan.roles.judges]
    return int(np.bincount(known).argmax())


def _percent(hits: NDArray[np.bool_]) -> float:
    return 100 * float(hits.mean())
