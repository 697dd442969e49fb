"""`Evaluation`: how well held-out friends are found, by each part and by all together, and whom a ranking favours."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np

from privge._typing import Floats
from privge.recommendation.baselines import baselines, qualities
from privge.recommendation.logit import ListwiseLogit
from privge.recommendation.ranking import SHOWN, Found, Quality, best
from privge.recommendation.spread import Spread
from privge.recommendation.trial import Trial
from privge.recommendation.view import ALLOCATION, DEGREE, PAGERANK, View
from privge.recommendation.worth import Lead
from privge.tasks.metrics import auc

COMMON, WALK, CHANNEL = "common friends", "personalized PageRank", "pair channel"
STRUCTURE, VECTORS, FUSED = "structure", "vectors", "fused"
SHUFFLED, NOISE, CLEAN = "shuffled", "structure-only", "no privacy"
"""Controls of vectors: somebody else's report, noise as reports, and the true values where they are at hand."""

_BLOCK = 500  # queries looked at at once


def control(score: str, of: str) -> str:
    """Return what the score of a control is called: that of its vectors, or that of both together."""
    return f"{score}, {of}"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What the score reaches on held-out edges, beside its parts and controls.

    Parameters
    ----------
    queries, ceiling
        How many directions of held-out edges judged, and the share of them whose friend was among the candidates: no
        score can hit more.
    scores
        By name; ``at random`` and ``most friends`` know nobody, ``common friends`` and ``personalized PageRank`` are
        the graph alone.
    spread
        Of the final score: coverage and popularity.
    leads
        How much more the final score finds than ``at random`` and than ``most friends``.
    """

    queries: int
    ceiling: float
    scores: Mapping[str, Quality]
    spread: Spread
    leads: Mapping[str, Lead]

    @classmethod
    def of(cls, trial: Trial, view: View, logit: ListwiseLogit, final: str) -> Self:
        """Judge a score and its parts.

        Parameters
        ----------
        trial
            The held-out edges.
        view
            What is looked at.
        logit
            The score.
        final
            What the score is called.
        """
        parts = _parts(view, logit, final)
        pairs, areas = trial.test(), _areas(trial, view, parts)
        ranks: dict[str, list[Floats]] = {name: [] for name in parts}
        found, shown = [], []
        for first in range(0, len(pairs), _BLOCK):
            queries = trial.queries(view, pairs[first : first + _BLOCK])
            columns = view.columns(queries.candidates)
            found.append(queries.right.any(axis=1))
            for name, weights in parts.items():
                scores = queries.candidates.spread(columns @ weights)
                if name == final:
                    scores = view.scores(queries.candidates, columns, logit)
                ranks[name].append(queries.ranks(scores))
            shown.append(_first(queries.candidates.others, scores))
        together = {name: Found.of(np.concatenate(some)) for name, some in ranks.items()}
        nobody = baselines(trial, pairs)
        quality = qualities(trial, nobody) | {name: each.quality(areas[name]) for name, each in together.items()}
        leads = {name: Lead.of(together[final], each, pairs) for name, each in nobody.items()}
        spread = Spread.of(np.vstack(shown), pairs, view.neighbourhood.graph.degrees)
        return cls(len(pairs), float(np.concatenate(found).mean()), quality, spread, leads)


def _parts(view: View, logit: ListwiseLogit, final: str) -> dict[str, Floats]:
    """Return the weights of each part, the whole last."""
    width = len(logit.weights)
    own = np.eye(width)
    parts = {COMMON: own[ALLOCATION], WALK: own[PAGERANK] + own[DEGREE] / 2}
    if view.channel is not None:
        parts[CHANNEL] = own[len(view.prior) - 1]
    if view.links is not None:
        parts[VECTORS] = own[-1]
    return {**parts, final: logit.weights}


def _areas(trial: Trial, view: View, parts: Mapping[str, Floats]) -> dict[str, float]:
    joined, apart = trial.area_columns(view)
    return {name: auc(joined @ weights, apart @ weights) for name, weights in parts.items()}


def _first(others: np.ndarray, scores: Floats) -> np.ndarray:
    """Return the rows that a person is shown, -1 where there are fewer."""
    chosen = best(scores, SHOWN, others)
    return np.take_along_axis(others, chosen, axis=1)
