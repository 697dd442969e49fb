"""The statements that both stores share: standard SQL with ``?`` for a value, each in the caller's transaction."""

from datetime import date
from typing import Any, NamedTuple

from privge.campaign import Campaign
from privge.collect.stores.rules import to_number
from privge.collect.stores.session import Session
from privge.errors import StoreMismatch

_COLUMNS = "number, id, epsilon, is_open, closed, retired, texts, reports, erased, last"
_DAMAGED = "the store is damaged: the table of campaigns holds something else than it must"


class CampaignRow(NamedTuple):
    """A row of the table of campaigns, without its document: that may be large, and few need it (`document_of`)."""

    number: int
    id: str
    epsilon: float
    is_open: int
    closed: int | None
    retired: int
    texts: int
    reports: int
    erased: int
    last: int


def all_campaigns(session: Session) -> list[CampaignRow]:
    """Return every campaign, the oldest first."""
    return [_row(values) for values in session.rows(f"SELECT {_COLUMNS} FROM campaigns ORDER BY number")]  # noqa: S608


def find_campaign(session: Session, campaign: str) -> CampaignRow | None:
    """Return a campaign by its id."""
    found = session.rows(f"SELECT {_COLUMNS} FROM campaigns WHERE id = ?", campaign)  # noqa: S608
    return _row(found[0]) if found else None


def document_of(session: Session, row: CampaignRow) -> str:
    """Read the document of a campaign."""
    ((document,),) = session.rows("SELECT document FROM campaigns WHERE number = ?", row.number)
    return str(document)


def last_sequence(session: Session) -> int:
    """Return the newest sequence number; reports and erasures of all campaigns have one count."""
    last: int = session.rows("SELECT coalesce(max(last), 0) FROM campaigns")[0][0]
    if not _is_integer(last):
        raise StoreMismatch(_DAMAGED)
    return last


def insert_campaign(session: Session, campaign: Campaign) -> None:
    """Add a campaign that is not there."""
    session.rows(
        "INSERT INTO campaigns (number, id, document, epsilon) "
        "SELECT coalesce(max(number), 0) + 1, ?, ?, ? FROM campaigns",
        campaign.id,
        campaign.to_json(),
        campaign.epsilon,
    )


def close_campaign(session: Session, campaign: str, today: date) -> bool:
    """Close a campaign; say whether it was open."""
    closed = session.rows(
        "UPDATE campaigns SET is_open = 0, closed = ? WHERE id = ? AND is_open = 1 RETURNING number",
        to_number(today),
        campaign,
    )
    return bool(closed)


def insert_reports(
    session: Session, row: CampaignRow, pairs: list[tuple[bytes, bytes]], day: date, *, texts: bool
) -> None:
    """Add reports, as keys of nodes and codes."""
    last, number = last_sequence(session), to_number(day)
    session.insert(
        [(sequence, row.number, key, number, codes) for sequence, (key, codes) in enumerate(pairs, last + 1)]
    )
    session.rows(
        "UPDATE campaigns SET reports = reports + ?, last = ?, texts = ? WHERE number = ?",
        len(pairs),
        last + len(pairs),
        int(texts or row.texts),
        row.number,
    )


def page_of_reports(session: Session, row: CampaignRow, after: int, end: int, size: int) -> list[tuple[Any, ...]]:
    """Return sequence number, node and codes of reports that are not erased, the oldest first."""
    return session.rows(
        "SELECT sequence, node, codes FROM reports WHERE campaign = ? AND sequence > ? AND sequence <= ? "
        "AND erased = 0 ORDER BY sequence LIMIT ?",
        row.number,
        after,
        end,
        size,
    )


def erase_report(session: Session, row: CampaignRow, key: bytes, blank: str) -> bool:
    """Put a blank (an expression) in the place of a node's codes, and a tombstone; say whether there were any."""
    found = session.rows(
        f"UPDATE reports SET codes = {blank}, erased = 1 "  # noqa: S608 (a constant)
        "WHERE node = ? AND campaign = ? AND erased = 0 RETURNING sequence",
        key,
        row.number,
    )
    if found:
        sequence = last_sequence(session) + 1
        session.rows("INSERT INTO erasures (sequence, campaign) VALUES (?, ?)", sequence, row.number)
        session.rows(
            "UPDATE campaigns SET reports = reports - 1, erased = erased + 1, last = ? WHERE number = ?",
            sequence,
            row.number,
        )
    return bool(found)


def totals(session: Session) -> list[tuple[Any, ...]]:
    """Return what nodes have spent in all campaigns, the least first, and how many have spent just that."""
    return session.rows(
        "SELECT total, count(*) FROM (SELECT sum(epsilon) AS total FROM reports JOIN campaigns ON campaign = number "
        "GROUP BY node) AS each_node GROUP BY total ORDER BY total"
    )


def arrivals(session: Session, row: CampaignRow) -> list[tuple[Any, ...]]:
    """Return the days on which reports of a campaign came, the first one first, and how many."""
    return session.rows("SELECT day, count(*) FROM reports WHERE campaign = ? GROUP BY day ORDER BY day", row.number)


def erasures_since(session: Session, row: CampaignRow, sequence: int) -> int:
    """Return how many reports of a campaign were erased after a sequence number."""
    counted = session.rows("SELECT count(*) FROM erasures WHERE campaign = ? AND sequence > ?", row.number, sequence)
    return int(counted[0][0])


def retire_campaign(session: Session, row: CampaignRow, today: date, blank: str) -> None:
    """Close a campaign and put a blank in the place of all its codes."""
    session.rows(f"UPDATE reports SET codes = {blank} WHERE campaign = ?", row.number)  # noqa: S608 (a constant)
    session.rows(
        "UPDATE campaigns SET is_open = 0, closed = coalesce(closed, ?), retired = 1, reports = 0 WHERE number = ?",
        to_number(today),
        row.number,
    )


def _row(values: tuple[Any, ...]) -> CampaignRow:
    """Return a row of the table of campaigns; SQLite would hold anything in any column."""
    row = CampaignRow(*values)
    numbers = (row.number, row.is_open, row.retired, row.texts, row.reports, row.erased, row.last, row.closed or 0)
    if not (isinstance(row.id, str) and isinstance(row.epsilon, int | float) and all(map(_is_integer, numbers))):
        raise StoreMismatch(_DAMAGED)
    return row


def _is_integer(value: object) -> bool:
    return isinstance(value, int)
