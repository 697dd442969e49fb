"""The paper's way, k of d features in a report: the best mechanism and k, signal and noise, and what it would add.

A report has noise of known variance in each feature, and people of one class differ besides. Its discriminability, if
the mean of each class were known, is ``sqrt(S / v)`` with S the squared distance of class means and v the variance of a
feature, of both together; so it is finite without any noise. The means must be learnt from labelled people's reports,
which costs the factor ``S / (S + d v (1/n + 1/n))`` of its square. Propagation divides
the noise of a node by ``1 / ||Pi_v||``, but what it adds to the node's own report is what friends report, and of them
the structure knows the classes; the forecast is of the own report.
"""

from typing import NamedTuple

import numpy as np

from privge.analysis import best_k
from privge.analysis.rows import RowNorms, row_norms
from privge.graph import Graph
from privge.graph.labelled import Rows
from privge.mechanisms import LAWS
from privge.planning.confidence import NORMAL
from privge.planning.gain import Asking, gain_of_evidence
from privge.planning.measured import Forecast
from privge.planning.separation import Separation
from privge.tasks.friends import by_friends

MECHANISMS = tuple(name for name, law in LAWS.items() if law.ordered and law.fixed_epsilon is None)
"""Those that are compared."""

_ROWS, _ROWS_LARGE, _LARGE = 400, 16, 200_000


class BestReport(NamedTuple):
    """The mechanism and k with the least noise; features go from -1 to 1."""

    mechanism: str
    k: int
    variance: float


class Noise(NamedTuple):
    """Noise of one entry of a propagated vector, for some people; features go from -1 to 1.

    ``signal`` is the squared distance of class means over the noise's variance, if every friend were of one's own
    class; None where it is not known how far classes lie apart.
    """

    people: str
    deviation: float
    signal: float | None


def best_report(epsilon: float, dimensions: int) -> BestReport:
    """Return what adds the least noise, for anything that adds up unbiased reports."""
    found = [(name, best_k(name, epsilon, dimensions)) for name in MECHANISMS]
    name, best = min(found, key=lambda each: each[1].value)
    return BestReport(name, best.k, best.value)


def sampled_rows(graph: Graph, seed: int = 0) -> tuple[RowNorms, Rows]:
    """Return the rows of the propagation matrix of some nodes, and how many friends these have."""
    most = _ROWS if graph.nodes <= _LARGE else _ROWS_LARGE
    chosen = np.sort(np.random.default_rng([seed, 47]).permutation(graph.nodes)[:most])
    return row_norms(graph, nodes=graph.ids[chosen]), graph.degrees[chosen]


def node_noise(norms: RowNorms, friends: Rows, variance: float, energy: float | None) -> tuple[Noise, ...]:
    """Return noise and signal by the number of friends: the median of some nodes of each group."""
    found = []
    for name, inside in by_friends(friends):
        if inside.any():
            deviation = variance**0.5 * norms.lengths[inside]
            signal = (
                None if energy is None else float(np.median(max(energy, 0.0) * (norms.sums[inside] / deviation) ** 2))
            )
            found.append(Noise(name, float(np.median(deviation)), signal))
    return tuple(found)


def reported(
    separation: Separation,
    asking: Asking,
    labelled: float,
    classes: int,
    *,
    scatter: float,
    columns: Rows | None = None,
) -> Forecast:
    """Forecast what one's own report of k of d features would add.

    Parameters
    ----------
    separation
        Of the features, from -1 to 1.
    asking
        Those who would report.
    labelled
        How many people with labels report.
    classes
        How many classes there are.
    scatter
        Variance of a feature among people of one class, without any noise.
    columns
        Ask for these features alone.
    """
    energies = separation.energies if columns is None else separation.energies[columns]
    error = separation.error * (len(energies) / len(separation.energies)) ** 0.5
    variance = best_report(asking.epsilon, len(energies)).variance + scatter
    low, middle, high = (
        _delta(max(0.0, float(energies.sum()) + shift * NORMAL * error), variance, len(energies), labelled / classes)
        for shift in (-1, 0, 1)
    )
    gains = {delta: np.minimum(gain_of_evidence(asking.prior, delta), asking.ceiling) for delta in {low, middle, high}}
    return Forecast(gains[middle], float(gains[low].mean()), float(gains[high].mean()), middle)


def _delta(energy: float, variance: float, features: int, each: float) -> float:
    learnt = energy / max(energy + features * variance * 2 / max(each, 1.0), 1e-300)
    return float((energy / variance * learnt) ** 0.5)
