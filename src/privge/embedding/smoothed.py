"""What is left to Stein's unbiased risk when reports are embedded: alpha alone, or the whole smoother."""

import logging
import time
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self, TypeAlias

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._typing import Progress
from privge.embedding.known_noise import KnownNoise
from privge.graph import Graph
from privge.propagation import DEFAULT_ALPHA, Matrix, Walk
from privge.smoothing import FAMILIES, Chosen, PageRank, candidates_for, choose
from privge.smoothing.pagerank import ACCURACY

logger = logging.getLogger(__name__)

Family: TypeAlias = Literal["auto", "pagerank", "spectral", "clusters", "shrinkage"]
"""Which smoothers to choose from: all, or those of one family."""

SMOOTHERS = ("auto", *FAMILIES)
"""What ``smoother`` can be."""

NOTHING = "these reports tell nothing beyond the graph"
"""What is said of reports whose predicted gain is zero."""


@dataclass(frozen=True, slots=True)
class Automatic:
    """What of the computation is chosen from the reports.

    By default nothing is.

    Parameters
    ----------
    alpha
        Whether alpha is chosen by Stein's unbiased risk.
    smoother
        Among which smoothers that risk chooses, if all of it is; see `privge.embed`.
    dimensions
        How many leading directions are kept; None keeps all columns.
    """

    alpha: bool = False
    smoother: Family | None = None
    dimensions: int | None = None

    def options(self, walk: Walk) -> dict[str, Any]:
        """Return what `privge.embed` is told."""
        told = asdict(walk) | {"smoother": self.smoother, "dimensions": self.dimensions}
        return told | {"alpha": "auto"} if self.alpha else told


AS_GIVEN = Automatic()
"""Nothing is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Smoothing:
    """What Stein's unbiased risk chose, and what it expects; no label was read, and no privacy was spent.

    Parameters
    ----------
    chosen
        ``alpha``, in an embedding that is propagated as ever, or ``smoother``.
    smoother
        The family; None if nothing is better than the mean of all reports.
    parameters
        Of the smoother.
    factor
        What the smoothed differences from the mean are multiplied by.
    predicted_gain
        The share of the variance of the clean features that the estimate is expected to explain; 0 says that the
        reports tell nothing beyond the graph.
    evidence
        How many standard deviations the prediction is above nothing.
    candidates
        How many smoothers were tried.
    noise
        How the noise of the reports is known.
    """

    chosen: Literal["alpha", "smoother"]
    smoother: str | None
    parameters: dict[str, float]
    factor: float
    predicted_gain: float
    evidence: float
    candidates: int
    noise: str

    @classmethod
    def of(cls, what: Literal["alpha", "smoother"], chosen: Chosen, noise: str) -> Self:
        """Write down a choice."""
        best = chosen.best
        return cls(
            chosen=what,
            smoother=None if best is None else best.smoother.name,
            parameters={} if best is None else best.smoother.parameters,
            factor=0.0 if best is None else best.factor,
            predicted_gain=chosen.predicted_gain,
            evidence=max((risk.evidence for risk in chosen.risks), default=0.0) if best is None else best.evidence,
            candidates=len(chosen.risks),
            noise=noise,
        )

    @property
    def alpha(self) -> float:
        """The decay factor to propagate with: the default, if the reports do not prefer another."""
        return self.parameters.get("alpha", DEFAULT_ALPHA)

    def __str__(self) -> str:
        if self.smoother is None:
            return f"predicted gain 0: {NOTHING}"
        told = ", ".join(f"{name} {value:g}" for name, value in self.parameters.items())
        return (
            f"{self.smoother}{f' ({told})' if told else ''} of {self.candidates} smoothers; predicted gain "
            f"{self.predicted_gain:.1%} of the variance of the features"
        )


@dataclass(frozen=True, slots=True)
class Smoothed:
    """An estimate of the clean features, and how it came about.

    Parameters
    ----------
    matrix
        The estimate, a row for each node of the graph, in its order.
    smoothing
        What was chosen.
    error
        No entry is farther than this from what the smoother says.
    seconds
        How long it took.
    """

    matrix: Matrix
    smoothing: Smoothing
    error: float
    seconds: float

    @classmethod
    def of(cls, chosen: Chosen, smoothing: Smoothing, start: float) -> Self:
        """Take the estimate of a choice; propagation and storing are what costs accuracy."""
        matrix, rows = chosen.matrix, chosen.observations.rows
        error = float(np.finfo(np.float32).eps * np.abs(matrix).max(initial=0.0))
        if smoothing.smoother == PageRank.name:
            largest = np.abs(rows.data).max(initial=0.0) + np.abs(chosen.observations.mean).max(initial=0.0)
            error += smoothing.factor * ACCURACY * float(largest)
        return cls(matrix, smoothing, error, time.perf_counter() - start)


def alpha_for(graph: Graph, rows: scipy.sparse.csr_array, known: KnownNoise, r: float) -> Smoothing:
    """Choose alpha for propagation with a given r."""
    observed = reported(rows)
    tried = candidates_for(graph, rows.shape[1], families=["pagerank"], observed=observed, rs=(r,))
    chosen = choose(rows, known.noise, graph, candidates=tried, observed=observed, spread=known.spread)
    return _remarked(Smoothing.of("alpha", chosen, known.estimator))


def smoothed(
    graph: Graph, rows: scipy.sparse.csr_array, known: KnownNoise, family: str, progress: Progress | None
) -> Smoothed:
    """Estimate the clean features by the best smoother of a family, or of all."""
    start, observed = time.perf_counter(), reported(rows)
    families = FAMILIES if family == "auto" else (family,)
    tried = candidates_for(graph, rows.shape[1], families=families, observed=observed)
    chosen = choose(
        rows, known.noise, graph, candidates=tried, observed=observed, spread=known.spread, progress=progress
    )
    smoothing = _remarked(Smoothing.of("smoother", chosen, known.estimator))
    return Smoothed.of(chosen, smoothing, start)


def reported(rows: scipy.sparse.csr_array) -> NDArray[np.bool_]:
    """Say which nodes have a report."""
    has: NDArray[np.bool_] = np.diff(rows.indptr) > 0
    return has


def _remarked(smoothing: Smoothing) -> Smoothing:
    if smoothing.smoother is None:
        logger.warning("%s: no smoother is better than the mean of all reports", NOTHING)
    else:
        logger.info("%s", smoothing)
    return smoothing
