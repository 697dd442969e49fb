"""Heads beside a prior: `privge.tasks.Fusion` says which to hear, one logit how much, as a rule that can be kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np

from privge._typing import Floats
from privge.graph.labelled import Rows
from privge.tasks.fusion import STRUCTURE, Fusion
from privge.tasks.logit import ConditionalLogit


@dataclass(frozen=True, eq=False, slots=True)
class Fused:
    """How much the prior and each head count.

    Parameters
    ----------
    weights
        Of the prior, called ``structure``, and of each head; 0 of one that adds nothing.
    intercepts
        One for each class.
    beliefs
        How likely it is that each head adds anything to the others, by labels that it did not see.
    """

    weights: Mapping[str, float]
    intercepts: Floats
    beliefs: Mapping[str, float]

    @classmethod
    def fit(cls, prior: Floats, heads: Mapping[str, Floats], targets: Rows, *, seed: int = 0) -> Self:
        """Keep the heads that `privge.tasks.Fusion` believes in, and fit one weight for each of them, together."""
        gate = Fusion.fit(prior, heads, targets, np.arange(len(targets)), seed=seed).contributions
        kept = {name: said for name, said in heads.items() if gate[name].kept}
        logit = ConditionalLogit.fit([prior, *kept.values()], targets)
        weights = dict.fromkeys(heads, 0.0) | dict(zip((STRUCTURE, *kept), logit.weights.tolist(), strict=True))
        return cls(weights, logit.intercepts, {name: one.belief for name, one in gate.items()})

    def probabilities(self, prior: Floats, heads: Mapping[str, Floats]) -> Floats:
        """Return the probability of each class, for each row of what the prior and the heads say, as logarithms."""
        kept = {name: said for name, said in heads.items() if self.weights[name] > 0}
        weights = np.array([self.weights[name] for name in (STRUCTURE, *kept)])
        logs = ConditionalLogit(weights, self.intercepts).log_probabilities([prior, *kept.values()])
        probabilities: Floats = np.exp(logs)
        return probabilities


def held_out_probabilities(
    prior: Floats, heads: Mapping[str, Floats], targets: Rows, folds: Rows, *, seed: int = 0
) -> Floats:
    """Return the probabilities of labelled nodes, of each part by a rule that did not see its labels.

    Parameters
    ----------
    prior
        What is known anyway of each labelled node, as logarithms of probabilities.
    heads
        What each head says of them; no head may have seen the label of a node that it speaks of.
    targets
        Their classes.
    folds
        The part of each.
    seed
        Of `privge.tasks.Fusion`.
    """
    held_out = np.empty_like(prior)
    for fold in np.unique(folds):
        mine = folds == fold
        rule = Fused.fit(prior[~mine], {name: said[~mine] for name, said in heads.items()}, targets[~mine], seed=seed)
        held_out[mine] = rule.probabilities(prior[mine], {name: said[mine] for name, said in heads.items()})
    return held_out
