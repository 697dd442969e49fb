"""Checks of campaign fields: each returns the canonical value or names the field and the rule."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from privge.errors import InvalidCampaign


def integer(field: str, value: object, *, least: int, most: int | None = None) -> int:
    """Return an integer in a range."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InvalidCampaign(field, f"must be an integer, got {value!r}")
    if value < least or (most is not None and value > most):
        limit = f"at least {least}" if most is None else f"between {least} and {most}"
        raise InvalidCampaign(field, f"must be {limit}, got {value}")
    return int(value)


def number(field: str, value: object) -> float:
    """Return a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise InvalidCampaign(field, f"must be a number, got {value!r}")
    try:
        finite = float(value)
    except OverflowError:
        finite = math.inf
    if not math.isfinite(finite):
        raise InvalidCampaign(field, "must be a finite number that fits a float")
    return finite


def epsilon(value: object, fixed: float | None) -> float:
    """Return the budget; a control has a fixed one."""
    if fixed is not None:
        if value is not None and value != fixed:
            raise InvalidCampaign("epsilon", f"this control has epsilon {fixed:g}, leave it out; got {value!r}")
        return fixed
    if value is None:
        raise InvalidCampaign(
            "epsilon", "is needed, the privacy budget of a person's whole report; only controls have none"
        )
    budget = number("epsilon", value)
    if budget <= 0:
        raise InvalidCampaign("epsilon", f"must be above 0, got {budget!r}")
    return budget


def choice(field: str, value: object, choices: Sequence[str]) -> str:
    """Return one of a few words."""
    if value not in choices:
        raise InvalidCampaign(field, f"must be one of {', '.join(choices)}, got {value!r}")
    return str(value)


def text(field: str, value: object) -> str:
    """Return a string."""
    if not isinstance(value, str):
        raise InvalidCampaign(field, f"must be text, got {value!r}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidCampaign(field, "holds a character that is no Unicode text") from None
    return value


def bound(field: str, value: object, dimensions: int) -> float | tuple[float, ...]:
    """Return one bound for all features, or one for each; equal bounds collapse to one."""
    if not isinstance(value, Sequence | np.ndarray) or isinstance(value, str):
        return number(field, value)
    if len(value) != dimensions:
        raise InvalidCampaign(field, f"must have one entry for each of {dimensions} features, got {len(value)}")
    each = tuple(number(f"{field}[{j}]", item) for j, item in enumerate(value))
    return each[0] if len(set(each)) == 1 else each


def names(value: object, dimensions: int) -> tuple[str, ...] | None:
    """Return distinct feature names, one for each dimension, or None."""
    if value is None:
        return None
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != dimensions:
        raise InvalidCampaign("names", f"must be a list of {dimensions} names, one for each feature")
    each = tuple(text(f"names[{j}]", item) for j, item in enumerate(value))
    first_use: dict[str, int] = {}
    for j, name in enumerate(each):
        if first_use.setdefault(name, j) != j:
            raise InvalidCampaign(f"names[{j}]", f"{name!r} is used twice")
    return each


def time(field: str, value: object) -> str | None:
    """Return a time in UTC as RFC 3339 text with whole seconds."""
    if value is None:
        return None
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    except ValueError:
        raise InvalidCampaign(field, f"must be a time such as 2027-01-31T12:00:00Z, got {str(value)!r}") from None
    if moment.tzinfo is None:
        raise InvalidCampaign(field, f"must have a time zone, such as a final Z, got {str(value)!r}")
    try:
        utc = moment.astimezone(UTC)
    except OverflowError:
        raise InvalidCampaign(field, f"is out of range, got {str(value)!r}") from None
    return utc.replace(microsecond=0, tzinfo=None).isoformat() + "Z"
