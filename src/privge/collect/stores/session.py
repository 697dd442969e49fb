"""What the shared statements need of a database: one transaction, and the rows in it."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

Row = tuple[int, int, bytes, int, bytes]
"""Sequence number, campaign, node, day, codes."""


class Session(Protocol):
    """One transaction."""

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401 (what a database takes)
        """Run one statement and return its rows."""

    def insert(self, reports: Sequence[Row]) -> None:
        """Insert reports."""


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


def document_of(session: Session, row: CampaignRow) -> str:
    """Read the document of a campaign."""
    ((document,),) = session.rows("SELECT document FROM campaigns WHERE number = ?", row.number)
    return str(document)
