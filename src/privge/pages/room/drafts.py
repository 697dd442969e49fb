"""A draft: the fields of the room's form, the campaign they make, and what is said beside it before it is published."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from privge.campaign import Campaign
from privge.campaign.document import parse_json
from privge.collect.publishing import check_times, warnings_of
from privge.collect.stores.rules import check_collectable
from privge.errors import BadData, InvalidCampaign, PrivgeError

FIELDS: Mapping[str, str] = {
    "purpose": "",
    "names": "",
    "low": "0",
    "high": "1",
    "mechanism": "hds",
    "epsilon": "1",
    "k": "",
    "closes": "",
    "retention_days": "",
    "round": "",
    "people": "1000",
    "document": "",
}
"""Every field of the form, with what it holds at first."""

_TEXTS = ("purpose", "mechanism", "round")
_NUMBERS = ("low", "high", "epsilon")
_COUNTS = ("k", "retention_days")
_MOST_PEOPLE = 10**9


@dataclass(frozen=True, slots=True)
class Draft:
    """What somebody wrote into the form, and the campaign that it makes, unless something is wrong."""

    fields: Mapping[str, str]  # as written, to be shown again
    campaign: Campaign | None
    people: int  # expected to take part, for the forecast
    trouble: str = ""  # what is wrong, in a sentence
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: Mapping[str, str], now: datetime, lifetime_epsilon: float | None) -> "Draft":
        """Read a form; whatever is wrong is told, and nothing that was written is lost."""
        fields = {name: given.get(name, "").strip() for name in FIELDS}
        people = 1000
        try:
            people = _people(fields["people"])
            campaign = Campaign.from_document(_document(fields))
            check_times(campaign, now)
            check_collectable(campaign, lifetime_epsilon)
            if campaign.assignment is not None:
                raise InvalidCampaign(
                    "assignment", "has shards that are files; publish this one with `privge campaign publish`"
                )
        except PrivgeError as error:
            return cls(fields, None, people, trouble=str(error))
        return cls(fields, campaign, people, warnings=tuple(warnings_of(campaign)))


def _document(fields: Mapping[str, str]) -> Mapping[str, object]:
    """Return the plain values that a form stands for; a document in it stands for all of them."""
    if text := fields["document"]:
        if text.startswith("{"):
            return parse_json(text)
        try:
            return tomllib.loads(text)
        except (ValueError, RecursionError) as error:  # more digits or brackets than anybody reads
            raise BadData(f"the document is neither JSON nor TOML: {error}") from None
    names = [line.strip() for line in fields["names"].splitlines() if line.strip()]
    if not names:
        raise BadData("nothing is asked yet: write what is asked, one name on each line, or just how many")
    document: dict[str, object] = {name: fields[name] for name in _TEXTS if fields[name]}
    document |= {name: _number(name, fields[name], float) for name in _NUMBERS}
    document |= {name: _number(name, fields[name], int) for name in _COUNTS if fields[name]}
    if fields["closes"]:
        document["closes"] = _closing(fields["closes"])
    if len(names) == 1 and names[0].isdecimal():
        return document | {"dimensions": _number("names", names[0], int)}
    return document | {"names": names, "dimensions": len(names)}


def _closing(day: str) -> str:
    """Return the end of a day; what is more than a day is left as it is, for the campaign to judge."""
    return f"{day}T23:59:59Z" if len(day) == len("2027-01-31") else day


def _number(name: str, text: str, kind: type[float] | type[int]) -> float:
    try:
        return kind(text)
    except ValueError:
        raise InvalidCampaign(name, f"must be a{' whole' if kind is int else ''} number") from None


def _people(text: str) -> int:
    people = int(_number("people", text or "0", int))
    if not 1 <= people <= _MOST_PEOPLE:
        raise InvalidCampaign("people", f"must be from 1 to {_MOST_PEOPLE:,}")
    return people
