"""What the two stores share: every rule and nearly every statement.

A store of one kind adds sessions: how a transaction is opened so that one writer works at a time, and how erased bytes
are scrubbed.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, date, datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from privge.campaign import Campaign
from privge.collect.kept import Kept
from privge.collect.stores import rounds, shards, statements
from privge.collect.stores.keys import is_integer, key_of, text_of
from privge.collect.stores.log import UNNAMED, Act, Kind, lines, note
from privge.collect.stores.migrating import Migration, extend
from privge.collect.stores.rules import check_collectable, check_shards, decide, retired_on, shards_of, to_day
from privge.collect.stores.session import Session
from privge.collect.stores.statements import CampaignRow, all_campaigns, document_of, find_campaign
from privge.collect.stores.store import (
    Arrived,
    CampaignState,
    Erased,
    Holding,
    Node,
    Outcome,
    ReportBlock,
    Spent,
    Standing,
    Upload,
)
from privge.collect.stores.verification import find_problems
from privge.mechanisms.budget import exact
from privge.wire.codes import ReportForm

if TYPE_CHECKING:
    from privge.ids import Ids

_LOOKUP = 10_000  # nodes in one look-up; SQLite takes 32,766 values in a statement


class SqlStore(ABC):
    """A store in an SQL database."""

    _blank: str  # expression for what takes the place of removed codes
    migrated: int  # how many steps were applied when it was opened

    def __init__(self, lifetime_epsilon: float | None) -> None:
        if lifetime_epsilon is not None and not (math.isfinite(lifetime_epsilon) and lifetime_epsilon > 0):
            raise ValueError(f"lifetime_epsilon must be a finite number above 0, got {lifetime_epsilon!r}")
        self.lifetime_epsilon = lifetime_epsilon
        self._cap = None if lifetime_epsilon is None else exact(lifetime_epsilon)
        self._parsed: Kept[Campaign] = Kept()

    @property
    @abstractmethod
    def _steps(self) -> list[Migration]:
        """The numbered steps of its tables."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Session]:
        """Open a consistent view."""

    @abstractmethod
    def _writing(self) -> AbstractContextManager[Session]:
        """Open a transaction that no other writer is in; durable when the block ends without error."""

    @abstractmethod
    def _among(self, keys: list[bytes]) -> tuple[str, list[Any]]:
        """Return the condition that a value is one of these, with its values."""

    @abstractmethod
    def _scrub(self) -> None:
        """Remove the bytes of codes that were overwritten from every file, as far as the database can."""

    @abstractmethod
    def ready(self) -> bool:
        """Say whether a report could be stored now."""

    @abstractmethod
    def close(self) -> None:
        """Let go of files and connections."""

    @abstractmethod
    def size(self) -> int:
        """Return the bytes that the store takes."""

    @abstractmethod
    def _integrity(self, session: Session) -> list[str]:
        """Return what the database's own checks find."""

    def add_campaign(self, campaign: Campaign, *, by: str = UNNAMED) -> None:
        """Add and open a campaign; the same campaign again changes nothing."""
        with self._writing() as session:
            if find_campaign(session, campaign.id) is not None:
                return
            check_collectable(campaign, self.lifetime_epsilon)
            if campaign.round is not None or campaign.assignment is not None:
                extend(session, self._steps, by)
                check_shards(campaign, shards.present(session))
            statements.insert_campaign(session, campaign)
            rounds.insert_round(session, campaign)
            note(session, Kind.PUBLISHED, by, campaign=campaign.id)

    def add_shard(self, content: bytes, *, day: date, by: str = UNNAMED) -> str:
        """Keep a shard of an assignment, and return its id; the same again changes nothing."""
        with self._writing() as session:
            extend(session, self._steps, by)
            return shards.insert_shard(session, content, day)

    def shard(self, shard: str) -> bytes | None:
        """Return a shard by its id."""
        with self._reading() as session:
            return shards.find_shard(session, shard)

    def close_campaign(self, campaign: str, *, by: str = UNNAMED) -> bool:
        """Accept no more reports; those stored stay. Say whether it was open."""
        with self._writing() as session:
            closed = statements.close_campaign(session, campaign, datetime.now(UTC).date())
            if closed:
                note(session, Kind.CLOSED, by, campaign=campaign)
        return closed

    def campaign(self, campaign: str) -> CampaignState | None:
        """Return a campaign by its id."""
        with self._reading() as session:
            row = find_campaign(session, campaign)
            return None if row is None else self._state(session, row)

    def campaigns(self) -> list[CampaignState]:
        """Return every campaign, the oldest first."""
        with self._reading() as session:
            return [self._state(session, row) for row in all_campaigns(session)]

    def put(self, campaign: str, uploads: Sequence[Upload], *, day: date) -> list[Outcome]:
        """Store reports in one durable transaction; one outcome for each, in order."""
        pairs = [(key_of(node), bytes(codes)) for node, codes in uploads]
        if not pairs:
            return []
        with self._writing() as session:
            row = find_campaign(session, campaign)
            if row is None:
                return [Outcome.UNKNOWN] * len(pairs)
            known = self._known(session, row, list({key for key, _ in pairs}))
            outcomes = self._decided(row, pairs, known)
            fresh = [position for position, outcome in enumerate(outcomes) if outcome is Outcome.STORED]
            if fresh:
                texts = any(not is_integer(uploads[position].node) for position in fresh)
                statements.insert_reports(session, row, [pairs[position] for position in fresh], day, texts=texts)
        return outcomes

    def ask(self, campaign: str, nodes: Sequence[Node]) -> list[Standing]:
        """Say for each node what a new report would get; changes nothing."""
        keys = [key_of(node) for node in nodes]
        with self._reading() as session:
            row = find_campaign(session, campaign)
            if row is None:
                return [Standing(Outcome.UNKNOWN, None)] * len(keys)
            unique = list(dict.fromkeys(keys))
            known = self._known(session, row, unique)
        outcomes = self._decided(row, [(key, b"") for key in unique], known)  # bytes that no report has
        standings = {key: Standing(outcome, known.held.get(key)) for key, outcome in zip(unique, outcomes, strict=True)}
        return [standings[key] for key in keys]

    def _decided(self, row: CampaignRow, pairs: list[tuple[bytes, bytes]], known: "Known") -> list[Outcome]:
        """Return what becomes of uploads."""
        return decide(
            pairs,
            known.held,
            known.spent,
            price=exact(row.epsilon),
            cap=self._cap,
            is_open=bool(row.is_open),
            elsewhere=known.elsewhere,
        )

    def _known(self, session: Session, row: CampaignRow, keys: list[bytes]) -> "Known":
        """Return what nodes have in a campaign and in others of its round, and what they have spent in all."""
        others = rounds.others_in_round(session, row)
        prices = {number: exact(epsilon) for number, epsilon in session.rows("SELECT number, epsilon FROM campaigns")}
        held: dict[bytes, bytes | None] = {}
        spent: dict[bytes, Fraction] = {}
        elsewhere: set[bytes] = set()
        for start in range(0, len(keys), _LOOKUP):
            condition, values = self._among(keys[start : start + _LOOKUP])
            found = session.rows(
                "SELECT node, campaign, erased, CASE WHEN campaign = ? THEN codes END FROM reports "  # noqa: S608
                f"WHERE node {condition}",
                row.number,
                *values,
            )
            for node, campaign, erased, codes in found:
                spent[node] = spent.get(node, Fraction(0)) + prices[campaign]
                if campaign == row.number and not row.retired:
                    held[node] = None if erased else codes
                if campaign in others:
                    elsewhere.add(node)
        return Known(held, spent, elsewhere)

    def holdings(self, node: Node) -> list[Holding]:
        """Return exactly what is stored about a node."""
        key = key_of(node)
        with self._reading() as session:
            campaigns = {row.number: row for row in all_campaigns(session)}
            found = session.rows(
                "SELECT campaign, codes, day, erased FROM reports WHERE node = ? ORDER BY campaign", key
            )
        return [
            Holding(row.id, None if erased or row.retired else codes, to_day(day), row.epsilon)
            for row, codes, day, erased in ((campaigns[number], *rest) for number, *rest in found)
        ]

    def ledger(self) -> list[Spent]:
        """Return how many nodes have spent how much over all campaigns, the least first; no node is named."""
        with self._reading() as session:
            return [Spent(float(epsilon), int(nodes)) for epsilon, nodes in statements.totals(session)]

    def arrivals(self, campaign: str) -> list[Arrived]:
        """Return on which days how many reports of a campaign came, the first day first; empty days are absent."""
        with self._reading() as session:
            row = find_campaign(session, campaign)
            found = [] if row is None else statements.arrivals(session, row)
            return [Arrived(to_day(day), int(count)) for day, count in found]

    def erase(self, node: Node, *, campaign: str | None = None, by: str | None = None) -> Erased:
        """Remove a node's reports (of one campaign or of all) from every place and leave tombstones.

        If scrubbing fails after the reports were removed, `privge.errors.StoreUnavailable` is raised; erasing again
        then scrubs again.
        """
        key = key_of(node)
        with self._writing() as session:
            wanted = {row.number: row for row in all_campaigns(session) if campaign in (None, row.id)}
            found = [number for (number,) in session.rows("SELECT campaign FROM reports WHERE node = ?", key)]
            rows = [wanted[number] for number in sorted(found) if number in wanted]
            names = tuple(
                row.id for row in rows if not row.retired and statements.erase_report(session, row, key, self._blank)
            )
            if names and by is not None:
                note(session, Kind.ERASED, by, campaign=campaign, count=len(names))
        self._scrub()
        return Erased(names, len(rows) - len(names))

    def read(self, campaign: str, *, after: int = 0, size: int = 65_536) -> Iterator[ReportBlock]:
        """Yield the reports of a campaign block by block, only those stored after a sequence number if given.

        Reports that arrive while reading are left out. Each block is read at once, so that a slow reader holds up
        nobody.
        """
        if size < 1:
            raise ValueError(f"size must be at least 1, got {size}")
        with self._reading() as session:
            row = find_campaign(session, campaign)
            if row is None or row.retired:
                return
            form, end = ReportForm.of(self._campaign(session, row)), row.last
        while after < end:
            with self._reading() as session:
                found = statements.page_of_reports(session, row, after, end, size)
            if not found:
                return
            yield _block(found, form, texts=bool(row.texts))
            after = found[-1][0]

    def stale_since(self, campaign: str, sequence: int) -> int:
        """Return how many reports were erased after a sequence number: an embedding made at it is stale if any."""
        with self._reading() as session:
            row = find_campaign(session, campaign)
            return 0 if row is None else statements.erasures_since(session, row, sequence)

    def retire(self, today: date, *, by: str = UNNAMED) -> int:
        """Delete the reports of campaigns whose retention is over; return how many.

        Such a campaign is closed. Its rows stay without codes: what a node has spent is not given back. Shards that no
        campaign names which is kept go too.
        """
        retired = 0
        named: set[str] = set()
        with self._writing() as session:
            for row in all_campaigns(session):
                campaign = self._campaign(session, row)
                due = retired_on(campaign, None if row.closed is None else to_day(row.closed))
                if row.retired or due is None or due > today:
                    named |= frozenset() if row.retired else shards_of(campaign)
                    continue
                statements.retire_campaign(session, row, today, self._blank)
                note(session, Kind.RETIRED, by, campaign=row.id, count=row.reports)
                retired += row.reports
            shards.forget_unused(session, named, today)
        self._scrub()
        return retired

    def log(self) -> list[Act]:
        """Return what operators did, the oldest act first."""
        with self._reading() as session:
            return lines(session)

    def verify(self) -> list[str]:
        """Look at every row; return what is wrong, without naming a node."""
        with self._reading() as session:
            return self._integrity(session) or find_problems(session, all_campaigns(session), self.lifetime_epsilon)

    def _state(self, session: Session, row: CampaignRow) -> CampaignState:
        return CampaignState(self._campaign(session, row), bool(row.is_open), row.reports, row.erased, row.last)

    def _campaign(self, session: Session, row: CampaignRow) -> Campaign:
        """Return the parsed campaign; reading takes time and parsing checks the law, so both are kept."""
        campaign = self._parsed.get(row.id)
        if campaign is None:
            document = document_of(session, row)
            campaign = self._parsed.keep(row.id, Campaign.from_json(document), len(document))
        return campaign


class Known(NamedTuple):
    """What a store knows of some nodes: their codes here, what they spent, and who is in another of the round."""

    held: dict[bytes, bytes | None]
    spent: dict[bytes, Fraction]
    elsewhere: set[bytes]


def _block(found: list[tuple[Any, ...]], form: ReportForm, *, texts: bool) -> ReportBlock:
    nodes = [text_of(node) for _, node, _ in found]
    ids: Ids = np.array(nodes, dtype=np.object_) if texts else np.array(list(map(int, nodes)), dtype=np.int64)
    return ReportBlock(ids, form.rows([codes for _, _, codes in found]))
