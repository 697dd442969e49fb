"""What the shared statements need of a database: one transaction, and the rows in it."""

from collections.abc import Sequence
from typing import Any, Protocol

Row = tuple[int, int, bytes, int, bytes]
"""Sequence number, campaign, node, day, codes."""


class Session(Protocol):
    """One transaction."""

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401 (what a database takes)
        """Run one statement and return its rows."""

    def insert(self, reports: Sequence[Row]) -> None:
        """Insert reports."""
