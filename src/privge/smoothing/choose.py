"""`choose`: the smoother with the smallest risk, by what is known of the noise alone."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._typing import ArrayLike, Progress
from privge.graph import GraphData, as_graph
from privge.propagation import Matrix
from privge.smoothing.candidates import candidates_for
from privge.smoothing.noise import Noise
from privge.smoothing.risk import EVIDENT, Observations, Risk
from privge.smoothing.smoother import Smoother

logger = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Chosen:
    """The smoother that was chosen, and what it is expected to do.

    The estimate is computed when it is first asked for.

    Parameters
    ----------
    observations
        The noisy rows, and what is known of their noise.
    risks
        What each candidate is expected to gain, in the order in which they were tried.
    spread
        The squared distance of the clean rows from their mean, summed: what gains are shares of. If it is not above
        0, there is nothing to gain.
    """

    observations: Observations
    risks: tuple[Risk, ...]
    spread: float

    @cached_property
    def best(self) -> Risk | None:
        """The candidate with the largest gain, if that is more than chance; None if nothing beats the mean."""
        best = max(self.risks, key=lambda risk: risk.gain, default=None)
        found = best is not None and best.evidence > EVIDENT and best.gain > 0
        return best if found and self.spread > 0 else None

    @property
    def smoother(self) -> Smoother | None:
        """The smoother; None if nothing beats the mean."""
        return None if self.best is None else self.best.smoother

    @property
    def predicted_gain(self) -> float:
        """The share of the variance of the clean rows that smoothing is expected to explain; 0 if the mean is best."""
        return 0.0 if self.best is None else min(1.0, self.best.gain / self.spread)

    @cached_property
    def matrix(self) -> Matrix:
        """The estimate of the clean rows, ``m + c H (Y - m)``; the mean row for everybody if nothing beats it."""
        rows, best = self.observations.rows, self.best
        estimate = np.empty(rows.shape, dtype=np.float32)
        estimate[:] = self.observations.mean
        if best is not None:
            for part in self.observations.smoothed(best.smoother):
                estimate[:, part.columns] += best.factor * part.smooth
        return estimate


def choose(
    noisy: Matrix | scipy.sparse.csr_array,
    variance: ArrayLike | Noise,
    graph: GraphData,
    *,
    candidates: Sequence[Smoother] | None = None,
    observed: NDArray[np.bool_] | None = None,
    spread: float | None = None,
    progress: Progress | None = None,
) -> Chosen:
    """Choose the smoother that Stein's unbiased risk finds best, without labels and without clean values.

    Parameters
    ----------
    noisy
        One row for each node, in the graph's order: clean rows plus noise with mean 0 that is independent between rows.
    variance
        That of the noise: a number for every entry, one for each column, or whatever NumPy can stretch to the matrix;
        or a `Noise`.
    graph
        The graph, in any form that `privge.as_graph` takes.
    candidates
        Smoothers over this graph; by default `privge.smoothing.candidates_for`.
    observed
        Which nodes have a row of their own; by default all. The others are estimated, and nothing is learnt from them.
    spread
        The squared distance of the clean rows from their mean, summed, if it is known better than by the matrix.
    progress
        Called with the candidates done and the candidates in all.
    """
    network, rows = as_graph(graph), scipy.sparse.csr_array(noisy)
    if rows.shape[0] != network.nodes:
        raise ValueError(f"the matrix has {rows.shape[0]} rows for {network.nodes} nodes")
    seen = np.ones(network.nodes, dtype=np.bool_) if observed is None else np.asarray(observed, dtype=np.bool_)
    noise = variance if isinstance(variance, Noise) else Noise.of(variance, rows.shape)
    kept = (
        rows if observed is None else scipy.sparse.csr_array(scipy.sparse.diags_array(seen.astype(rows.dtype)) @ rows)
    )
    observations = Observations(kept, seen, noise)
    tried = candidates_for(network, rows.shape[1], observed=seen) if candidates is None else candidates
    risks = []
    for number, smoother in enumerate(tried, start=1):
        risks.append(observations.risk(smoother))
        logger.debug("%s %s: gain %.4g, evidence %.1f", smoother.name, smoother.parameters, *_told(risks[-1]))
        if progress is not None:
            progress(number, len(tried))
    return Chosen(observations, tuple(risks), observations.spread if spread is None else spread)


def _told(risk: Risk) -> tuple[float, float]:
    return risk.gain, risk.evidence
