"""One person's answer."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Report:
    """One person's answer. The indices follow from campaign and node, so only codes are sent."""

    campaign_id: str
    node: str | int
    codes: tuple[int, ...]
    seeded: bool = False
