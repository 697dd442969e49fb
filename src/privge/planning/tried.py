"""`Tried`: each way to ask, forecast by what a panel or a pilot shows."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from privge.campaign import Campaign
from privge.graph.labelled import Rows
from privge.planning.advice import Cell, Lift, Method
from privge.planning.choices import asked_as_choice
from privge.planning.features import reported
from privge.planning.gain import Asking
from privge.planning.measured import Forecast, taught_by_panel, taught_by_reports
from privge.planning.outlook import Outlook
from privge.planning.panel import Panel
from privge.planning.pilot import Pilot
from privge.planning.separation import Separation
from privge.planning.verdict import standing_of
from privge.tasks.friends import by_friends
from privge.teaching import Roles

_NAMED = 8  # features that are named


@dataclass(frozen=True, eq=False)
class Tried:
    """What can be forecast from what is public, and from who showed their profile or reported before.

    ``worth`` and ``seed`` are those of `privge.planning.plan.Grid`.
    """

    campaign: Campaign
    outlook: Outlook
    panel: Panel | None
    pilot: Pilot | None
    worth: float
    seed: int
    numbers: NDArray[np.float64] | None = field(init=False)
    separation: Separation | None = field(init=False)

    def __post_init__(self) -> None:
        numbers = None
        if self.panel is not None:
            largest = np.maximum(np.array(self.panel.encoding.largest, dtype=np.float64), 1.0)
            coordinates = self.panel.encoding.coordinates(self.panel.people)
            dense = coordinates if isinstance(coordinates, np.ndarray) else coordinates.toarray()
            numbers = np.asarray(dense, dtype=np.float64) / largest
        object.__setattr__(self, "numbers", numbers)
        object.__setattr__(self, "separation", self._separation())

    def _separation(self) -> Separation | None:
        """Return how far classes lie apart in features from -1 to 1, if anybody showed it."""
        if self.panel is not None and self.numbers is not None:
            return Separation.of(self.numbers, self.panel.labels)
        return None if self.pilot is None or self.pilot.directions else self.pilot.separation

    def cells(self, asking: Asking, warmer: Asking, friends: NDArray[np.int64], share: float) -> Iterator[Cell]:
        """Yield a forecast for each way to ask these people, of whom this share takes part.

        If the graph were wrong as often as it well may be (``warmer``), a forecast could be as much higher as the
        ceiling then is.
        """
        most, hottest = float(asking.ceiling.mean()), float(warmer.ceiling.mean())
        for method, found in self._ways(asking, share):
            groups = ((name, inside) for name, inside in by_friends(friends) if inside.any())
            lifts = tuple(Lift(name, 100 * share * float(found.gains[inside].mean())) for name, inside in groups)
            low, high = (share * end for end in found.interval(self.outlook.doubt))
            high = max(high, lifts[0].points * hottest / most if most > 0 else 100 * share * hottest)
            standing = standing_of(lifts[0].points, low, high, self.worth)
            yield Cell(asking.epsilon, share, method, lifts, low, high, found.delta, standing)

    def _ways(self, asking: Asking, share: float) -> Iterator[tuple[Method, Forecast]]:
        outlook, panel, epsilon = self.outlook, self.panel, asking.epsilon
        if self.separation is not None:
            found = reported(self.separation, asking, *self._learners(share), scatter=self._scatter(self.separation))
            yield "the paper's features", found
        if panel is not None and self.numbers is not None:
            yield "a choice", asked_as_choice(self.numbers > 0, panel.labels, asking, self.seed)
            teachers = self._teachers(epsilon, share)
            yield (
                "a question taught by reports",
                taught_by_reports(panel, outlook, asking, teachers, epsilon, seed=self.seed),
            )
            yield "a question taught by the panel", taught_by_panel(panel, outlook, asking, seed=self.seed)
        elif self.pilot is not None and self.pilot.directions:
            teachers = self._teachers(epsilon, share)
            yield "a question taught by reports", self.pilot.taught(asking, outlook, teachers, epsilon)

    def _scatter(self, separation: Separation) -> float:
        """Return how features vary among people of a class, without the noise that a pilot's reports have."""
        noisy = self.panel is None and self.pilot is not None
        return separation.scatter(float(self.pilot.campaign.noise.mean()) if noisy and self.pilot else 0.0)

    def _learners(self, share: float) -> tuple[float, int]:
        """Return how many labelled people would report, and how many classes there are."""
        return share * float((self.outlook.labels >= 0).sum()), self.outlook.prior.probabilities.shape[1]

    def _teachers(self, epsilon: float, share: float) -> Rows:
        """Return who would teach, of those who take part."""
        outlook = self.outlook
        roles = Roles.of(
            outlook.prior.log, train=outlook.train, validation=outlook.validation, epsilon=epsilon, seed=self.seed
        )
        drawn = np.random.default_rng([self.seed, 51]).permutation(roles.teachers)
        return np.sort(drawn[: max(1, round(share * len(drawn)))])

    def fewer(self, asking: Asking) -> int | None:
        """Return the most features, of powers of 2, of which reports would be worth it; None if there is no number.

        Which features are best is learnt from one half of the panel, and judged on the other.
        """
        if self.panel is None or self.numbers is None:
            return None
        half = np.random.default_rng([self.seed, 52]).permutation(len(self.panel.labels)) % 2 == 0
        learnt, judged = (Separation.of(self.numbers[part], self.panel.labels[part]) for part in (half, ~half))
        order = np.argsort(-learnt.energies, kind="stable")
        counts: list[int] = [2**power for power in range(len(order).bit_length()) if 2**power < len(order)]
        for count in reversed(counts):
            scatter = judged.scatter()
            found = reported(judged, asking, *self._learners(1.0), scatter=scatter, columns=order[:count])
            points, low, high = (100 * each for each in (float(found.gains.mean()), found.low, found.high))
            if standing_of(points, low, high, self.worth) == "worth it":
                return count
        return None

    def spent(self) -> Iterator[str]:
        """Say who has spent what, and of what a panel shows little."""
        if self.panel is not None and (unread := self.panel.unread()):
            yield (
                "Most of the panel shows nothing that counts, because it is missing, cannot be read or lies outside of "
                f"the bounds, of: {', '.join(unread[:_NAMED])}{' and more' if len(unread) > _NAMED else ''}. Nothing "
                "can be forecast of that; see how the columns are written."
            )
        if self.panel is not None:
            yield (
                f"The {len(self.panel.rows):,} people of the panel have shown their whole profile in the clear: they "
                "have no local privacy in this, and a question that they teach may tell what they are like."
            )
        if self.pilot is not None:
            yield (
                f"Each of the {len(self.pilot.rows):,} people of the pilot has spent a report with ε = "
                f"{self.pilot.campaign.epsilon:g}; whatever they report again adds to it."
            )
