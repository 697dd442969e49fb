"""What a person has spent, and how much they are willing to spend: one small file beside the finished reports.

The ledger remembers every report that was, or may have been, sent: by campaign, node and the hash of the report, and in
which round. It is kept apart from the reports (`privge.device.memory`): whoever deletes a report does not get a second
one with it.
"""

import json
import math
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, Self

from privge.campaign import Campaign
from privge.device.folder import write_durably
from privge.errors import BadData, BudgetExceeded, SecondDraw
from privge.mechanisms.budget import exact
from privge.mechanisms.odds import certainty

_FILE = "ledger.json"
_FORMAT = "privge-ledger-1"
_WITH_ROUNDS = "privge-ledger-2"


@dataclass(frozen=True, slots=True)
class Caps:
    """A person's own limits on epsilon: for one campaign, and for all campaigns of a lifetime together."""

    campaign: float = 3.0
    lifetime: float = 6.0

    def __post_init__(self) -> None:
        for name, value in (("campaign", self.campaign), ("lifetime", self.lifetime)):
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
                raise ValueError(f"the cap of a {name} must be a finite number of at least 0, got {value!r}")


DEFAULT_CAPS: Final = Caps()
"""Epsilon 3 for one campaign, 6 for life: observers that were undecided end at most 95 % and 99.8 % sure."""


@dataclass(frozen=True, slots=True)
class Spent:
    """One report: for which campaign, as which node, at which epsilon, and its SHA-256."""

    campaign: str
    node: str | int
    epsilon: float
    report: str


@dataclass(frozen=True, slots=True)
class InRound:
    """In which campaign of a round the person has reported: they report in no other of it."""

    round: str
    campaign: str


@dataclass(frozen=True, slots=True)
class Ledger:
    """Caps, draws and rounds of one person."""

    caps: Caps = DEFAULT_CAPS
    draws: tuple[Spent, ...] = ()
    rounds: tuple[InRound, ...] = ()

    @property
    def spent(self) -> float:
        """Epsilon spent so far."""
        return float(_total(self.draws))

    def of(self, campaign: str) -> Spent | None:
        """Return the draw for a campaign, if there was one."""
        return next((draw for draw in self.draws if draw.campaign == campaign), None)

    def check(self, campaign: Campaign) -> None:
        """Refuse what no device answers, and what a cap forbids. It needs no value, and nothing has been drawn."""
        campaign.check_for_devices()
        self._check_round(campaign)
        cost = exact(campaign.epsilon)
        if cost > exact(self.caps.campaign):
            raise BudgetExceeded(
                f"the campaign asks for epsilon {campaign.epsilon:g}, and your cap for one campaign is "
                f"{self.caps.campaign:g}; nothing was drawn. An observer could become {certainty(campaign.epsilon)} "
                "sure of something they knew nothing about. If you accept that, raise the cap (--max-epsilon)"
            )
        if _total(self.draws) + cost > exact(self.caps.lifetime):
            raise BudgetExceeded(
                f"you have spent epsilon {self.spent:g} in {len(self.draws)} campaigns and this one asks for "
                f"{campaign.epsilon:g} more, but your lifetime cap is {self.caps.lifetime:g}; nothing was drawn. "
                "What several campaigns learn about you adds up. If you accept that, raise the cap (--lifetime-epsilon)"
            )

    def _check_round(self, campaign: Campaign) -> None:
        for each in self.rounds:
            if each.round == campaign.round and each.campaign != campaign.id:
                raise SecondDraw(
                    f"you have reported in campaign {each.campaign[:12]}, which is of the same round as "
                    f"{campaign.id[:12]}, and a person reports once in a round; nothing was drawn"
                )

    def with_caps(self, campaign: float | None, lifetime: float | None) -> Self:
        """Return the ledger with other caps; None leaves a cap as it is."""
        caps = Caps(
            self.caps.campaign if campaign is None else campaign, self.caps.lifetime if lifetime is None else lifetime
        )
        return replace(self, caps=caps)

    def adding(self, draw: Spent, in_round: str | None = None) -> Self:
        """Return the ledger with one more draw, and the round of its campaign."""
        more = () if in_round is None else (InRound(in_round, draw.campaign),)
        return replace(self, draws=(*self.draws, draw), rounds=(*self.rounds, *more))

    def save(self, folder: Path) -> None:
        """Write the ledger durably."""
        document = {"format": _FORMAT, "caps": asdict(self.caps), "draws": [asdict(draw) for draw in self.draws]}
        if self.rounds:  # a program that knows no rounds must not write this ledger again without them
            document |= {"format": _WITH_ROUNDS, "rounds": [asdict(each) for each in self.rounds]}
        write_durably(folder / _FILE, json.dumps(document, indent=1).encode())

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read the ledger; a damaged one is refused, because an empty one in its place would forget what was spent."""
        path = folder / _FILE
        if not path.exists():
            return cls()
        try:
            return cls._from_document(json.loads(path.read_bytes()))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise BadData(
                f"{path}: this ledger is damaged, so nothing will be drawn; restore it from a copy"
            ) from error

    @classmethod
    def _from_document(cls, document: dict[str, Any]) -> Self:
        if document["format"] != (_WITH_ROUNDS if "rounds" in document else _FORMAT):
            raise ValueError("another format")
        draws = tuple(Spent(**draw) for draw in document["draws"])
        if len({draw.campaign for draw in draws}) < len(draws):
            raise ValueError("a campaign appears twice")
        if not all(0 <= draw.epsilon < math.inf for draw in draws):
            raise ValueError("a draw has no epsilon")
        rounds = tuple(InRound(**each) for each in document.get("rounds", ()))
        if not {each.campaign for each in rounds} <= {draw.campaign for draw in draws}:
            raise ValueError("a round of a campaign without a draw")
        return cls(Caps(**document["caps"]), draws, rounds)


def _total(draws: tuple[Spent, ...]) -> Fraction:
    return sum((exact(draw.epsilon) for draw in draws), Fraction(0))
