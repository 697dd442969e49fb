"""Kinds of campaign fields that stand for themselves: numbers, words, times, one of a few."""

import math
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from privge.campaign.field import Held, Kind
from privge.errors import InvalidCampaign

if TYPE_CHECKING:
    from privge.campaign.campaign import Campaign


@dataclass(frozen=True, slots=True)
class Integer(Kind[int]):
    """An integer from ``least`` to ``most``."""

    least: int
    most: int

    def check(self, name: str, value: object, above: "Campaign") -> int:
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            raise InvalidCampaign(name, f"must be an integer, got {value!r}")
        if not self.least <= value <= self.most:
            raise InvalidCampaign(name, f"must be between {self.least} and {self.most}, got {value}")
        return int(value)


@dataclass(frozen=True, slots=True)
class Number(Kind[float]):
    """A finite number."""

    def check(self, name: str, value: object, above: "Campaign") -> float:
        if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
            raise InvalidCampaign(name, f"must be a number, got {value!r}")
        try:
            finite = float(value)
        except OverflowError:
            finite = math.inf
        if not math.isfinite(finite):
            raise InvalidCampaign(name, "must be a finite number that fits a float")
        return finite


@dataclass(frozen=True, slots=True)
class Text(Kind[str]):
    """Any text."""

    def check(self, name: str, value: object, above: "Campaign") -> str:
        if not isinstance(value, str):
            raise InvalidCampaign(name, f"must be text, got {value!r}")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise InvalidCampaign(name, "holds a character that is not Unicode text") from None
        return value


@dataclass(frozen=True, slots=True)
class Name(Kind[str]):
    """Text that is the same wherever it looks the same: what nobody sees in it cannot make two names of one."""

    def check(self, name: str, value: object, above: "Campaign") -> str:
        given = Text().check(name, value, above)
        if (
            not given.isprintable()
            or given != given.strip()
            or given != unicodedata.normalize("NFC", given)
            or not given
        ):
            raise InvalidCampaign(
                name,
                "must be a printable name without white space at its ends, its characters composed (Unicode's NFC), "
                f"got {given!r}",
            )
        return given


@dataclass(frozen=True, slots=True)
class Choice(Kind[str]):
    """One of a few words, each with what it means to the person who is asked."""

    meanings: Mapping[str, str]

    def check(self, name: str, value: object, above: "Campaign") -> str:
        if value not in list(self.meanings):  # which compares, where a mapping would hash whatever a document holds
            raise InvalidCampaign(name, f"must be one of {', '.join(self.meanings)}, got {value!r}")
        return str(value)

    def words(self, value: str) -> str:
        return self.meanings[value]


@dataclass(frozen=True, slots=True)
class Time(Kind[str]):
    """A time in UTC as RFC 3339 text with whole seconds."""

    def check(self, name: str, value: object, above: "Campaign") -> str:
        try:
            moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
        except ValueError:
            raise InvalidCampaign(name, f"must be a time such as 2027-01-31T12:00:00Z, got {str(value)!r}") from None
        if moment.tzinfo is None:
            raise InvalidCampaign(name, f"must have a time zone, such as a final Z, got {str(value)!r}")
        try:
            utc = moment.astimezone(UTC)
        except OverflowError:
            raise InvalidCampaign(name, f"is out of range, got {str(value)!r}") from None
        return utc.replace(microsecond=0, tzinfo=None).isoformat() + "Z"


@dataclass(frozen=True, slots=True)
class Maybe(Kind[Held | None]):
    """Another kind, or None."""

    kind: Kind[Held]

    def check(self, name: str, value: object, above: "Campaign") -> Held | None:
        return None if value is None else self.kind.check(name, value, above)

    def plain(self, value: Held | None) -> object:
        return None if value is None else self.kind.plain(value)

    def words(self, value: Held | None) -> str:
        return "" if value is None else self.kind.words(value)
