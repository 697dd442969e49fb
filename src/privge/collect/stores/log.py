"""The log of a store: what operators did to it, one line for each act, written in the transaction of the act.

*No node.* A line says what was done, by whom and when, to which campaign and how many reports; never whose.

*When.* To the second where an operator acts on a campaign or on the tables. Of an erasure only the day is kept, as of a
report: somebody asked for it, and to the second the line would be theirs for whoever sees a ticket or a mailbox. What
the service does by itself has the day alone too: it closes a campaign when a report comes too late, and that moment is
a device's. A person who erases their own report (``DELETE /v1/me``) leaves no line; it is not an operator's act.

*Append-only.* Triggers refuse to change or delete a line, and `privge store verify` sees a gap. That stops mistakes,
not whoever owns the database.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum

from privge.collect.stores.session import Session

OPERATOR = "operator"
"""Whoever showed the admin token of a service."""

SERVICE = "service"
"""The service by itself."""

UNNAMED = "unnamed"
"""A program that uses the library and does not say for whom."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._@+-]{0,63}")


class Kind(Enum):
    """What an operator can do."""

    MADE = "made"
    MIGRATED = "migrated"
    PUBLISHED = "published"
    CLOSED = "closed"
    ERASED = "erased"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True)
class Act:
    """One line of the log.

    Lines are only ever added.

    Parameters
    ----------
    number
        Lines are counted from 1, without gaps.
    when
        Time in UTC, or the day alone.
    kind, by
        What was done, and who did it.
    campaign
        Id of the campaign; None if it was done to the store or to all campaigns.
    count
        Reports that were removed; for tables, the version that they have now.
    """

    number: int
    when: str
    kind: str
    by: str
    campaign: str | None
    count: int | None


def signed(name: str | None, proven: str) -> str:
    """Return who is written down: what is known for sure, and the name that somebody gives themself before it."""
    if name is None:
        return proven
    if not _NAME.fullmatch(name):
        raise ValueError("a name in the log has at most 64 letters, digits, spaces and . _ @ + -")
    return f"{name} ({proven})"


def note(session: Session, kind: Kind, by: str, *, campaign: str | None = None, count: int | None = None) -> None:
    """Add a line, inside the transaction of the act."""
    now = datetime.now(UTC)
    day_only = kind is Kind.ERASED or by == SERVICE
    session.rows(
        "INSERT INTO acts (number, at, kind, actor, campaign, count) "
        "VALUES ((SELECT coalesce(max(number), 0) + 1 FROM acts), ?, ?, ?, ?, ?)",
        now.strftime("%Y-%m-%d" if day_only else "%Y-%m-%dT%H:%M:%SZ"),
        kind.value,
        by,
        campaign,
        count,
    )


def lines(session: Session) -> list[Act]:
    """Return the log, the oldest line first."""
    return [Act(*row) for row in session.rows("SELECT number, at, kind, actor, campaign, count FROM acts ORDER BY 1")]


def gaps(session: Session) -> int:
    """Return how many lines are missing."""
    ((last, found),) = session.rows("SELECT coalesce(max(number), 0), count(*) FROM acts")
    return int(last) - int(found)
