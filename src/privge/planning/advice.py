"""`Advice`: everything that a plan found, and its verdict; as plain values for machines."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from privge.planning.costs import Costs
from privge.planning.features import BestReport, Noise
from privge.planning.outlook import Controls

Standing: TypeAlias = Literal["worth it", "not worth it", "not sure"]
Method: TypeAlias = Literal[
    "the paper's features", "a choice", "a question taught by reports", "a question taught by the panel"
]

ANY = "any report"
"""Under this name the ceiling stands beside the methods."""


class Lift(NamedTuple):
    """What would be added, in points of accuracy, for some people."""

    people: str
    points: float


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The most that any report could add, for those without a label on the average.

    Parameters
    ----------
    lifts, high
        For everybody, then by the number of friends; and the most for everybody, with a confidence of 95 %: how often
        the graph is wrong is known from some people only.
    participation, asked
        The share of people who send a report, and of those for whom an answer could change the decision.
    """

    epsilon: float
    participation: float
    lifts: tuple[Lift, ...]
    asked: float
    high: float

    @property
    def points(self) -> float:
        """For everybody."""
        return self.lifts[0].points


@dataclass(frozen=True, slots=True)
class Cell:
    """A forecast.

    Parameters
    ----------
    epsilon, participation, method
        What would be done.
    lifts
        What it would add, for everybody, then by the number of friends.
    low, high
        In which that of everybody lies with a confidence of 95 %.
    delta
        Discriminability of what people would send.
    standing
        Whether it is worth asking.
    """

    epsilon: float
    participation: float
    method: Method
    lifts: tuple[Lift, ...]
    low: float
    high: float
    delta: float
    standing: Standing

    @property
    def points(self) -> float:
        """For everybody."""
        return self.lifts[0].points


class Planned(NamedTuple):
    """The campaign, in numbers.

    Of ``dimensions`` things, which are features or questions (``asks``), a report has ``k``; all of them together read
    ``width`` numbers of a profile.
    """

    mechanism: str
    epsilon: float
    k: int
    dimensions: int
    asks: Literal["features", "questions"]
    width: int

    def described(self) -> str:
        """Say it in words."""
        law = f"{self.mechanism}, " if self.asks == "features" else ""
        return f"{law}ε = {self.epsilon:g}, {self.k:,} of {self.dimensions:,} {self.asks}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What a plan for a campaign found, and its verdict in plain words.

    Accuracies are in percent, and what is added to them in points.

    Parameters
    ----------
    worth
        Fewer points than this are not worth asking for.
    prior, controls
        Which prior was used, and None if no labels are known; and what needs no report.
    nodes, wanted
        How many people there are, and how many of unknown class.
    ceilings, cells
        The grid.
    smallest
        By method: the smallest epsilon of the grid at which asking is worth it, with everybody; None if at none.
    reports
        By epsilon: the mechanism and k with the least noise.
    noise
        Noise of a propagated vector of the campaign.
    costs
        Storage and time.
    few
        With how many features, at most, the paper's report would be worth it at the campaign's epsilon; None if none.
    recovered
        Of a pilot: the share of profiles that a smoother would recover.
    spent
        Who has spent what for this plan, in words.
    """

    campaign: Planned
    worth: float
    prior: str | None
    controls: Controls | None
    nodes: int
    wanted: int
    ceilings: tuple[Ceiling, ...]
    cells: tuple[Cell, ...]
    smallest: dict[str, float | None]
    reports: dict[float, BestReport]
    noise: tuple[Noise, ...]
    costs: Costs
    few: int | None
    recovered: float | None
    spent: tuple[str, ...]
    verdict: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "campaign": self.campaign._asdict(),
            "worth": self.worth,
            "prior": self.prior,
            "controls": None if self.controls is None else self.controls._asdict(),
            "nodes": self.nodes,
            "wanted": self.wanted,
            "ceilings": [{**_cell(each), "asked": each.asked, "high": each.high} for each in self.ceilings],
            "forecasts": [
                {
                    **_cell(each),
                    "method": each.method,
                    "low": each.low,
                    "high": each.high,
                    "delta": each.delta,
                    "standing": each.standing,
                }
                for each in self.cells
            ],
            "smallest epsilon": self.smallest,
            "best reports": [{"epsilon": epsilon, **best._asdict()} for epsilon, best in self.reports.items()],
            "noise": [each._asdict() for each in self.noise],
            "costs": self.costs._asdict(),
            "most features": self.few,
            "recovered": self.recovered,
            "spent": list(self.spent),
            "verdict": list(self.verdict),
        }


def _cell(each: Ceiling | Cell) -> dict[str, Any]:
    return {
        "epsilon": each.epsilon,
        "participation": each.participation,
        "lift": each.points,
        "by friends": {lift.people: lift.points for lift in each.lifts},
    }
