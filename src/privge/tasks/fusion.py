"""`Fusion`: what the structure says of a class and what people answered, put together late and small.

Structure and every fusion are contenders: each has a class intercept and each is fitted to the same labels, so that a
gain is never one of labels or of intercepts. A channel is kept only if it predicts the held-out labels better than what
there is without it, judged by cross-validation; if none does, the fusion *is* the structure.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from privge._typing import Floats
from privge.errors import BadData
from privge.graph.labelled import Rows
from privge.tasks.logit import ConditionalLogit

STRUCTURE = "structure"
_FOLDS = 5
_LEAST = 1e-9  # nats: below it a gain is one of rounding


class Evidence(Protocol):
    """A channel with parameters of its own, such as `privge.tasks.Answers`."""

    def fitted(self, prior: Floats, targets: Rows, rows: Rows) -> Floats:
        """Return the evidence of everybody, fitted to the classes of some rows and to what is known of them."""
        ...


@dataclass(frozen=True, slots=True)
class Contribution:
    """What a channel added for people whose labels did not fit it.

    Parameters
    ----------
    gain
        Mean gain of the log-likelihood of the true class, a person, in nats.
    error
        Its standard error.
    accuracy
        Gain of accuracy, in points.
    kept
        Whether the channel is used.
    """

    gain: float
    error: float
    accuracy: float
    kept: bool


@dataclass(frozen=True, eq=False, slots=True)
class Fusion:
    """Probabilities of classes from several channels.

    `Fusion.fit` makes it, and says how.

    Parameters
    ----------
    structure
        The contender without the channels: probabilities from the prior alone, with the same labels and intercepts.
    probabilities
        Those of the fusion. The same as ``structure`` if the gate kept no channel.
    weights
        Of the prior, called ``structure``, and of each channel; 0 of one that was not kept.
    intercepts
        One for each class.
    contributions
        What each channel added, in cross-validation.
    """

    structure: Floats
    probabilities: Floats
    weights: Mapping[str, float]
    intercepts: Floats
    contributions: Mapping[str, Contribution]

    @classmethod
    def fit(
        cls,
        prior: Floats,
        evidences: Mapping[str, Evidence | Floats],
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
        targets = np.asarray(labels)[rows]
        if len(rows) < 2 * _FOLDS or targets.min() < 0 or targets.max() >= prior.shape[1]:
            raise BadData(f"fusion needs at least {2 * _FOLDS} people with a class of the prior, got {len(rows)}")
        judges = _Judges(prior, rows, targets, np.random.default_rng([seed, 11]).permutation(len(rows)) % _FOLDS)
        kept, contributions = _select(judges, dict(evidences))
        fitted, logit = judges.fit(kept, np.arange(len(rows)))
        alone, alone_logit = judges.fit({}, np.arange(len(rows)))
        return cls(
            np.exp(alone_logit.log_probabilities(alone)),
            np.exp(logit.log_probabilities(fitted)),
            dict.fromkeys(evidences, 0.0) | dict(zip((STRUCTURE, *kept), logit.weights.tolist(), strict=True)),
            logit.intercepts,
            contributions,
        )

    @property
    def gate(self) -> bool:
        """Whether any channel passed."""
        return any(one.kept for one in self.contributions.values())


@dataclass(frozen=True, eq=False, slots=True)
class _Judges:
    """The labelled people, divided into folds."""

    prior: Floats
    rows: Rows
    targets: Rows
    folds: Rows

    def fit(self, evidences: Mapping[str, Evidence | Floats], places: Rows) -> tuple[list[Floats], ConditionalLogit]:
        """Fit to some of the judges; return the channels of everybody and the logit."""
        rows, targets = self.rows[places], self.targets[places]
        alone = ConditionalLogit.fit([self.prior[rows]], targets)
        known = alone.log_probabilities([self.prior[rows]]) if evidences else self.prior
        channels = [
            self.prior,
            *(one if isinstance(one, np.ndarray) else one.fitted(known, targets, rows) for one in evidences.values()),
        ]
        return channels, ConditionalLogit.fit([channel[rows] for channel in channels], targets)

    def held_out(self, evidences: Mapping[str, Evidence | Floats]) -> Floats:
        """Return log-probabilities of the judges, each by a fit that did not see their label."""
        logs = np.empty((len(self.rows), self.prior.shape[1]))
        for fold in range(_FOLDS):
            channels, logit = self.fit(evidences, np.flatnonzero(self.folds != fold))
            mine = self.folds == fold
            logs[mine] = logit.log_probabilities([channel[self.rows[mine]] for channel in channels])
        return logs

    def compare(self, better: Floats, than: Floats) -> Contribution:
        people = np.arange(len(self.rows))
        gains = better[people, self.targets] - than[people, self.targets]
        hits = (better.argmax(axis=1) == self.targets).mean() - (than.argmax(axis=1) == self.targets).mean()
        gain, error = float(gains.mean()), float(gains.std(ddof=1) / len(gains) ** 0.5)
        return Contribution(gain, error, 100 * float(hits), kept=gain > _LEAST)


def _select(
    judges: _Judges, evidences: Mapping[str, Evidence | Floats]
) -> tuple[dict[str, Evidence | Floats], dict[str, Contribution]]:
    """Add the channel that helps most, as long as one helps."""
    kept: dict[str, Evidence | Floats] = {}
    contributions: dict[str, Contribution] = {}
    waiting, current = dict(evidences), judges.held_out({})
    while waiting:
        tried = {name: judges.held_out({**kept, name: one}) for name, one in waiting.items()}
        found = {name: judges.compare(logs, current) for name, logs in tried.items()}
        best = max(found, key=lambda name: found[name].gain)
        if not found[best].kept:
            contributions |= found
            break
        kept[best], contributions[best], current = waiting.pop(best), found[best], tried[best]
    return kept, {name: contributions[name] for name in evidences}
