"""What a store promises. Both stores pass the same contract tests (``tests/collect/stores/``).

*One draw for each node and campaign.* The key of a report is (campaign, node). The same bytes again are `SAME`;
different bytes are `DIFFERENT` and not kept; after erasure a tombstone answers `ERASED` for ever. So at most one draw
of a node is ever stored in a campaign, whatever devices, proxies and operators do.

*One report in a round.* Campaigns may belong to one round (`Campaign.round`). A node that has a report in one of them,
erased or not, gets `OTHER_ROUND` in all others, decided in the transaction that stores.

*The ledger.* Storing a report spends the campaign's epsilon from the node's lifetime budget in the same transaction;
a report that would exceed the cap is `OVER_BUDGET` and not kept. Erasure does not give budget back: the report was
seen.

*The log.* What an operator does (publish, close, erase, retire, migrate) is written down in the same transaction, by
whom and when, and never names a node (`privge.collect.stores.log`).

*Shards.* Who is asked what is public, named by its hash (`privge.campaign.Assignment`), and there before the campaign
that names it. It is deleted when no campaign that is kept names it any more.

*Durability.* When `put` returns, everything it acknowledged is on the disk.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from enum import Enum
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privge.campaign import Campaign
from privge.collect.stores.log import UNNAMED, Act
from privge.errors import PrivgeError
from privge.ids import Ids

Node: TypeAlias = str | int


class Outcome(Enum):
    """What became of one report."""

    STORED = "stored"
    SAME = "same"  # these very bytes were stored before
    DIFFERENT = "different"  # another report of this node is stored; this one is not
    CLOSED = "closed"  # the campaign is not open
    ERASED = "erased"  # the node had its report erased; no second draw
    OVER_BUDGET = "over_budget"  # the node's ledger would exceed the cap
    OTHER_ROUND = "other_round"  # the node has reported in another campaign of this round
    UNKNOWN = "unknown"  # there is no such campaign


class Upload(NamedTuple):
    """One report on its way into a store: whose, and its codes as little-endian 16-bit integers."""

    node: Node
    codes: bytes


class Standing(NamedTuple):
    """How a node stands in a campaign: what a new report would get, and the codes if one is held (`DIFFERENT`)."""

    outcome: Outcome
    codes: bytes | None


class Holding(NamedTuple):
    """Everything that is stored about a node in one campaign; ``codes`` is None after erasure."""

    campaign: str
    codes: bytes | None
    day: date
    epsilon: float


class Spent(NamedTuple):
    """So many nodes have spent so much, over all campaigns; erased and retired reports were seen, and count."""

    epsilon: float
    nodes: int


class Arrived(NamedTuple):
    """So many reports of a campaign came on a day, those that were erased or retired since among them."""

    day: date
    reports: int


@dataclass(frozen=True, slots=True)
class CampaignState:
    """A campaign as its operator sees it. Counts only."""

    campaign: Campaign
    open: bool
    reports: int
    erased: int
    last: int  # sequence number of the newest change; see `Store.read`


@dataclass(frozen=True, eq=False, slots=True)
class ReportBlock:
    """Some reports of one campaign, ready for `privge.Reports`."""

    ids: Ids
    codes: NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class Erased:
    """What an erasure did.

    Parameters
    ----------
    campaigns
        Ids of the campaigns from which a report was removed.
    before
        In how many others the node took part, and nothing was left: erased before, or retired.
    """

    campaigns: tuple[str, ...]
    before: int = 0


class NoBackup(PrivgeError):
    """The store is in a database that has its own tools for copies."""


class Store(Protocol):
    """A place for campaigns, reports, the ledger, tombstones and the log. Safe for use from several threads.

    ``by`` is who is written down in the log.
    """

    @property
    def lifetime_epsilon(self) -> float | None:
        """The most a node may spend over all campaigns; None sets no limit."""

    @property
    def migrated(self) -> int:
        """How many steps brought the tables up to date when the store was opened."""

    def add_campaign(self, campaign: Campaign, *, by: str = UNNAMED) -> None:
        """Add and open a campaign; the same campaign again changes nothing.

        One that could not be collected is refused (`privge.collect.stores.rules.check_collectable`), and so is one that
        names a shard which is not here.
        """

    def add_shard(self, content: bytes, *, day: date, by: str = UNNAMED) -> str:
        """Keep a shard of an assignment, and return its id: its SHA-256. The same again changes nothing."""

    def shard(self, shard: str) -> bytes | None:
        """Return a shard by its id."""

    def close_campaign(self, campaign: str, *, by: str = UNNAMED) -> bool:
        """Accept no more reports; those stored stay. Say whether it was open."""

    def campaign(self, campaign: str) -> CampaignState | None:
        """Return a campaign by its id."""

    def campaigns(self) -> list[CampaignState]:
        """Return every campaign, the oldest first."""

    def put(self, campaign: str, uploads: Sequence[Upload], *, day: date) -> list[Outcome]:
        """Store reports in one durable transaction; one outcome for each, in order.

        The service has checked length and range of the codes. ``day`` is all that is kept of the time.
        """

    def ask(self, campaign: str, nodes: Sequence[Node]) -> list[Standing]:
        """Say for each node what a new report would get, so that nothing is drawn or sent in vain; changes nothing."""

    def holdings(self, node: Node) -> list[Holding]:
        """Return exactly what is stored about a node."""

    def ledger(self) -> list[Spent]:
        """Return how many nodes have spent how much over all campaigns, the least first; no node is named."""

    def arrivals(self, campaign: str) -> list[Arrived]:
        """Return on which days how many reports of a campaign came, the first day first; empty days are absent."""

    def erase(self, node: Node, *, campaign: str | None = None, by: str | None = None) -> Erased:
        """Remove a node's reports (of one campaign or of all) from every place and leave tombstones.

        When this returns, the bytes are in no file of the store. Campaigns that lost a report are marked, so that
        embeddings made before are known to be stale. Without ``by`` it is the person's own act, and not in the log.
        """

    def read(self, campaign: str, *, after: int = 0, size: int = 65_536) -> Iterator[ReportBlock]:
        """Yield the reports of a campaign block by block, only those stored after a sequence number if given."""

    def stale_since(self, campaign: str, sequence: int) -> int:
        """Return how many reports were erased after a sequence number: an embedding made at it is stale if any."""

    def retire(self, today: date, *, by: str = UNNAMED) -> int:
        """Delete the reports of campaigns whose retention is over; return how many.

        Shards that no campaign names which is kept go too, from the second day after they came.
        """

    def log(self) -> list[Act]:
        """Return what operators did, the oldest act first."""

    def verify(self) -> list[str]:
        """Look at every row; return what is wrong, without naming a node."""

    def size(self) -> int:
        """Return the bytes that the store takes."""

    def backup(self, target: Path) -> None:
        """Copy the store while it is in use; the copy is complete or absent. A database may refuse (`NoBackup`)."""

    def ready(self) -> bool:
        """Say whether a report could be stored now."""

    def close(self) -> None:
        """Let go of files and connections."""
