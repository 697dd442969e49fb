"""The life of a campaign: draft, published, closed, deleted; what of it has happened, and when the rest will."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from privge.collect.stores.log import Act, Kind
from privge.collect.stores.rules import retired_on
from privge.collect.stores.store import Arrived, CampaignState

_MOST_STEPS = 14  # columns of a picture
_STEPS = (1, 7, 28, 91, 364)  # days


class Stage(NamedTuple):
    """A stage: whether it was reached, and when it was or will be, in words."""

    name: str
    reached: bool
    when: str


@dataclass(frozen=True, slots=True)
class Life:
    """Where a campaign stands: all four stages, in order, and what the store counts."""

    state: CampaignState
    stages: tuple[Stage, ...]

    @property
    def now(self) -> str:
        """The stage that it is in."""
        return [stage.name for stage in self.stages if stage.reached][-1]

    @classmethod
    def of(cls, state: CampaignState, acts: Sequence[Act]) -> "Life":
        """Read a life out of a store's counts and its log; a store keeps no drafts, so what it has is published."""
        campaign = state.campaign
        at = {act.kind: act.when for act in acts if act.campaign == campaign.id}
        closed = at.get(Kind.CLOSED.value)
        due = retired_on(campaign, None if closed is None else date.fromisoformat(closed[:10]))
        deleted = at.get(Kind.RETIRED.value)
        kept = (
            "no time is stated"
            if campaign.retention_days is None
            else f"{campaign.retention_days:,} days after closing"
        )
        return cls(
            state,
            (
                Stage("draft", True, "kept by whoever wrote it"),
                Stage("published", True, _when(at.get(Kind.PUBLISHED.value), "before the log began")),
                Stage("closed", not state.open, _when(closed or campaign.closes, "by hand")),
                Stage("deleted", deleted is not None, _when(deleted, str(due) if due is not None else kept)),
            ),
        )

    def due(self, today: date) -> bool:
        """Say whether its reports are to be deleted by now."""
        day = self.stages[3].when
        return not self.stages[3].reached and day[:4].isdecimal() and day <= today.isoformat()


def _when(happened: str | None, otherwise: str) -> str:
    return otherwise if happened is None else happened.replace("T", " ").replace("Z", " UTC")


def in_steps(arrivals: Sequence[Arrived]) -> tuple[int, list[tuple[str, int]]]:
    """Return how many days a step has, and the reports of each step; no step is finer than a day, and few are shown."""
    if not arrivals:
        return 1, []
    first, last = arrivals[0].day, arrivals[-1].day
    span = (last - first).days + 1
    days = next((step for step in _STEPS if span <= step * _MOST_STEPS), _STEPS[-1])
    counts = [0] * -(-span // days)
    for day, reports in arrivals:
        counts[(day - first).days // days] += reports
    return days, [((first + timedelta(days=place * days)).isoformat(), count) for place, count in enumerate(counts)]
