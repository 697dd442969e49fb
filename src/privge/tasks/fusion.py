"""`Fusion`: what the structure says of a class and what people answered, put together late and small.

Structure and every fusion are contenders, fitted to the same labels, so that a gain is never one of labels. No class
has an intercept: a weight makes the structure surer or less sure and never names another class, so that no harm is done
where no channel knows anything (decision 12 has what intercepts cost). A channel is heard as far as the held-out labels
make one believe that it knows anything: what is found with it and what is found without it are averaged by that belief.
A channel that more likely knows nothing is left out; if all are, the fusion *is* the structure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from privge._typing import Floats
from privge.errors import BadData
from privge.graph.labelled import Rows
from privge.tasks.judges import Channel, Judges, Stage
from privge.tasks.skill import NOTHING

STRUCTURE = "structure"
RULE = "belief, weights, leanings"
"""How channels are put together, for whoever stores results.

Before, "belief, weights" did not know towards which classes answers lean, "belief" had class intercepts, and
where nothing is said of it there was a hard gate."""

_FOLDS = 5
_ENOUGH = 0.5  # the belief above which a channel is kept
_LARGEST = 1e100  # of a logarithm: what is beyond overflows when it is squared


@dataclass(frozen=True, slots=True)
class Contribution:
    """What a channel added for people whose labels did not fit it.

    Parameters
    ----------
    gain, error
        Mean gain of the log-likelihood of the true class, a person, in nats, and its standard error.
    accuracy
        Gain of accuracy, in points.
    kept
        Whether the channel is used: whether it more likely knows something than nothing.
    belief
        How likely it is, by the labels of the judges, that the channel knows anything.
    """

    gain: float
    error: float
    accuracy: float
    kept: bool
    belief: float

    def words(self) -> str:
        """Say what was made of the channel, and why."""
        if self.kept:
            return f"used with a weight of {self.belief:.2f}, the probability that this channel knows anything"
        return f"left out: that this channel knows anything has a probability of {self.belief:.2f} only"


@dataclass(frozen=True, eq=False, slots=True)
class Fusion:
    """Probabilities of classes from several channels.

    `Fusion.fit` makes it, and says how.

    Parameters
    ----------
    structure
        The contender without the channels: probabilities from the prior alone, as sure as the same labels make it.
    probabilities
        Those of the fusion. The same as ``structure`` if no channel was kept.
    weights
        Of the prior, called ``structure``, and of each channel: its fitted weight times the belief in it; 0 of one
        that was not kept.
    contributions
        What each channel added, in cross-validation, and the belief in it.
    """

    structure: Floats
    probabilities: Floats
    weights: Mapping[str, float]
    contributions: Mapping[str, Contribution]

    @classmethod
    def fit(
        cls,
        prior: Floats,
        evidences: Mapping[str, Channel],
        labels: Rows,
        rows: Rows,
        *,
        seed: int = 0,
    ) -> Self:
        """Fit to held-out labelled people, and keep what helps.

        Parameters
        ----------
        prior
            Logarithms of the structure's probabilities: one row for each person, one column for each class. It must
            not have been fitted to the labels of ``rows``.
        evidences
            By name, for each person and class the logarithm of the likelihood of what was reported: a matrix, or
            something that is fitted, such as `privge.tasks.Answers`.
        labels
            The class of each person, as a column; only those of ``rows`` are read.
        rows
            The labelled people.
        seed
            Of the division for the cross-validation.
        """
        _check(prior, evidences, rows)
        targets = np.asarray(labels)[rows]
        if len(rows) < 2 * _FOLDS or targets.min() < 0 or targets.max() >= prior.shape[1]:
            raise BadData(f"fusion needs at least {2 * _FOLDS} people with a class of the prior, got {len(rows)}")
        judges = Judges(prior, rows, targets, np.random.default_rng([seed, 11]).permutation(len(rows)) % _FOLDS)
        kept, contributions = _select(judges, evidences)
        alone, fitted = judges.fit([]), judges.fit(list(kept.values()))
        weights = dict.fromkeys(evidences, 0.0) | dict(zip(kept, fitted.weights, strict=True))
        return cls(
            np.exp(alone.logs),
            np.exp(fitted.logs),
            {STRUCTURE: alone.structure, **weights},
            contributions,
        )

    @property
    def gate(self) -> bool:
        """Whether any channel is used."""
        return any(one.kept for one in self.contributions.values())


def _check(prior: Floats, evidences: Mapping[str, Channel], rows: Rows) -> None:
    """Refuse what would make a class of nobody, or let a judge be known from their own label."""
    matrices = {f"the channel {name!r}": one for name, one in evidences.items() if isinstance(one, np.ndarray)}
    for name, matrix in {"the prior": prior, **matrices}.items():
        if matrix.shape != prior.shape or prior.ndim != 2:
            raise BadData(f"{name} must have a row for each person and a column for each class, got {matrix.shape}")
        if not (np.abs(matrix) < _LARGEST).all():  # NaN is not below it either
            raise BadData(f"{name} must hold finite logarithms: nothing is impossible, and nothing is missing")
    if len(np.unique(rows)) < len(rows):
        raise BadData("each labelled person may judge once")


def _select(judges: Judges, evidences: Mapping[str, Channel]) -> tuple[dict[str, Stage], dict[str, Contribution]]:
    """Add the channel that is believed in most, as long as there is one."""
    kept: dict[str, Stage] = {}
    contributions: dict[str, Contribution] = {}
    waiting, current = dict(evidences), judges.held_out([])
    while waiting:
        before = list(kept.values())
        tried = {name: judges.held_out([*before, Stage(one)]) for name, one in waiting.items()}
        found = {name: _compare(judges, tried[name], current, [*before, Stage(one)]) for name, one in waiting.items()}
        best = max(found, key=lambda name: (found[name].belief, found[name].gain))
        if not found[best].kept:
            contributions |= found
            break
        kept[best] = Stage(waiting.pop(best), found[best].belief)
        contributions[best], current = found[best], judges.held_out(list(kept.values()))
    return kept, {name: contributions[name] for name in evidences}


def _compare(judges: Judges, better: Floats, than: Floats, stages: Sequence[Stage]) -> Contribution:
    """Return what the last of some channels adds to the others."""
    people = np.arange(len(judges.rows))
    gains = better[people, judges.targets] - than[people, judges.targets]
    hits = (better.argmax(axis=1) == judges.targets).mean() - (than.argmax(axis=1) == judges.targets).mean()
    if isinstance(stages[-1].channel, np.ndarray):  # which has no belief of its own
        doubt = NOTHING / (1 - NOTHING) * float(np.exp(-np.clip(gains.sum(), -500, 500)))
        belief = 1 / (1 + doubt)
    else:
        belief = judges.fit(stages).beliefs[-1]
    error = float(gains.std(ddof=1) / len(gains) ** 0.5)
    return Contribution(float(gains.mean()), error, 100 * float(hits), belief > _ENOUGH, belief)
