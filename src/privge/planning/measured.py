"""What answers would add, measured on a panel, with what chance leaves open."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.graph.labelled import Rows
from privge.planning.confidence import NORMAL
from privge.planning.gain import Asking, Skill
from privge.planning.outlook import Outlook
from privge.planning.panel import Panel, panel_scores, skill_of, taught_scores

DRAWS = 3
"""How often teaching is rehearsed: a real collection has one draw, and its luck is part of the interval."""

MODEL = 0.3
"""About how far forecasts were off on development networks, as a share: the model is not the world."""

_GROUPS = 8  # of the panel, left out one by one
_SOME = 1000  # people, on whom the interval is computed


@dataclass(frozen=True, eq=False, slots=True)
class Forecast:
    """What answers are expected to add, and how discriminable they are.

    There is a gain for each person who could be asked, from 0 to 1; the mean of them lies between ``low`` and ``high``
    with a confidence of 95 %.
    """

    gains: Floats
    low: float
    high: float
    delta: float

    def interval(self, doubt: float) -> tuple[float, float]:
        """Return the interval in points, with what is not sure beside what a panel or a pilot leaves open.

        Parameters
        ----------
        doubt
            Relative standard error of how often the graph is wrong: `privge.planning.outlook.Outlook.doubt`.
        """
        points = 100 * float(self.gains.mean())
        other = points * ((NORMAL * doubt) ** 2 + MODEL**2) ** 0.5
        below, above = points - 100 * self.low, 100 * self.high - points
        return max(0.0, points - (below**2 + other**2) ** 0.5), points + (above**2 + other**2) ** 0.5


def taught_by_reports(
    panel: Panel, outlook: Outlook, asking: Asking, teachers: Rows, epsilon: float, *, seed: int = 0
) -> Forecast:
    """Forecast a question that teachers' reports teach, by rehearsing it.

    Parameters
    ----------
    panel
        Who agreed to show their profile.
    outlook
        What is public.
    asking
        Those who could be asked.
    teachers
        Rows of those who would teach.
    epsilon
        Of a teacher's report.
    seed
        Of the rehearsals.
    """
    prior = outlook.prior.probabilities

    def found(members: Panel, draw: int) -> Skill:
        levelled = members.levelled()
        scores = taught_scores(levelled, outlook, teachers, epsilon, seed + draw)
        return skill_of(scores, levelled.labels, prior[levelled.rows])

    skills = [found(panel, draw) for draw in range(DRAWS)]
    return _forecast(asking, skills, panel, lambda kept: found(panel.take(np.flatnonzero(kept)), 0), seed)


def taught_by_panel(panel: Panel, outlook: Outlook, asking: Asking, *, seed: int = 0) -> Forecast:
    """Forecast a question that the panel itself teaches: each part of it is scored by what the others taught."""
    scores = panel_scores(panel, outlook.prior, outlook.labels, seed)
    own = outlook.prior.probabilities[panel.rows]

    def found(kept: NDArray[np.bool_]) -> Skill:
        return skill_of(scores[kept], panel.labels[kept], own[kept])

    return _forecast(asking, [found(np.ones(len(own), dtype=np.bool_))], panel, found, seed)


def _forecast(
    asking: Asking, skills: list[Skill], panel: Panel, without: Callable[[NDArray[np.bool_]], Skill], seed: int
) -> Forecast:
    """Join what several rehearsals found; leaving out an eighth of the panel at a time says how sure it is."""
    gains: Floats = np.mean([asking.expected(skill) for skill in skills], axis=0)
    some = asking.take(np.random.default_rng([seed, 44]).permutation(len(asking.prior))[:_SOME])
    groups = np.random.default_rng([seed, 45]).permutation(len(panel.labels)) % _GROUPS
    left_out = [some.expected(without(groups != group)).mean() for group in range(_GROUPS)]
    draws = [some.expected(skill).mean() for skill in skills]
    luck = float(np.var(draws, ddof=1)) if len(draws) > 1 else 0.0
    reach = NORMAL * ((_GROUPS - 1) * float(np.var(left_out)) + luck) ** 0.5
    mean = float(gains.mean())
    most = max(mean, float(asking.ceiling.mean()))
    return Forecast(gains, max(0.0, mean - reach), min(most, mean + reach), float(np.mean([s.delta for s in skills])))
