"""Kinds of campaign fields that decide what a report reveals: mechanism, epsilon, k, and the law they make."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from privge.campaign.field import Kind
from privge.campaign.kinds import Integer, Number
from privge.errors import InvalidCampaign, PrivacyViolation
from privge.mechanisms import DEFAULT_LEVELS, MAX_LEVELS, Law, Sampled, default_k, law_for, laws

if TYPE_CHECKING:
    from privge.campaign.campaign import Campaign

MAX_K = 65_536
"""Largest k: a device draws that many values in a moment, and no document can ask it for more."""

UNDECIDED = 0
"""The levels of a campaign whose law is not there yet."""


@dataclass(frozen=True, slots=True)
class Mechanism(Kind[str]):
    """The name of a law."""

    def check(self, name: str, value: object, above: "Campaign") -> str:
        if not isinstance(value, str) or value not in laws():
            raise InvalidCampaign(name, f"must be one of {', '.join(laws())}, got {value!r}")
        return value


@dataclass(frozen=True, slots=True)
class Budget(Kind[float]):
    """The privacy budget of a report; a control has a fixed one."""

    def check(self, name: str, value: object, above: "Campaign") -> float:
        fixed = None if above.questions is not None else laws()[above.mechanism].fixed_epsilon
        if fixed is not None:
            if value is not None and value != fixed:
                raise InvalidCampaign(name, f"this control has epsilon {fixed:g}, leave it out; got {value!r}")
            return fixed
        if value is None:
            raise InvalidCampaign(
                name, "is needed, the privacy budget of a person's whole report; only controls have none"
            )
        budget = Number().check(name, value, above)
        if budget <= 0:
            raise InvalidCampaign(name, f"must be above 0, got {budget!r}")
        return budget

    def plain(self, value: float) -> object:
        return None if value == math.inf else value


@dataclass(frozen=True, slots=True)
class Share(Kind[int]):
    """How many features share the budget."""

    def check(self, name: str, value: object, above: "Campaign") -> int:
        if value is None:
            return min(default_k(above.epsilon, above.dimensions), MAX_K)
        return Integer(1, min(above.dimensions, MAX_K)).check(name, value, above)


@dataclass(frozen=True, slots=True)
class Grid(Kind[int]):
    """How many input levels the law has: `UNDECIDED` until the law is there, which may come with its own."""

    least: int = 2
    most: int = MAX_LEVELS

    def check(self, name: str, value: object, above: "Campaign") -> int:
        return UNDECIDED if value is None else Integer(self.least, self.most).check(name, value, above)


@dataclass(frozen=True, slots=True)
class IntegerLaw(Kind[Law]):
    """The law: built from the fields above, or given, as a document has it too, and checked against them."""

    def check(self, name: str, value: object, above: "Campaign") -> Law:
        try:
            return self._checked(name, value, above)
        except (ArithmeticError, LookupError) as error:  # of a law from outside, with integers that it did not expect
            raise InvalidCampaign(name, f"the law fails with {type(error).__name__}: {error}") from error

    def _checked(self, name: str, value: object, above: "Campaign") -> Law:
        law = _built(name, above) if value is None else _given(name, value, above)
        try:
            Sampled(law, above.k, above.dimensions).check(above.epsilon)
        except PrivacyViolation as violation:
            raise InvalidCampaign(name, str(violation)) from violation
        if law.gain == 0 and law.fixed_epsilon is None:
            raise InvalidCampaign(
                "epsilon",
                f"{above.epsilon:.3g} over k = {above.k} is too small for {law.levels} levels; lower levels or k",
            )
        return law

    def plain(self, value: Law) -> object:
        return value.parameters()


def _built(name: str, above: "Campaign") -> Law:
    levels = DEFAULT_LEVELS if above.levels == UNDECIDED else above.levels
    try:
        law = law_for(above.mechanism, above.epsilon, above.k, levels)
        read = type(law).from_parameters(law.parameters())
    except (ValueError, TypeError) as error:  # of a law from outside, which may not have every grid
        raise InvalidCampaign(name, str(error)) from error
    if read != law:
        raise InvalidCampaign(name, f"is not what its own parameters say, so no device could read it: {read}")
    return law


def _given(name: str, value: object, above: "Campaign") -> Law:
    law = value if isinstance(value, Law) else _read(name, value, above)
    if law.name != above.mechanism or above.levels not in (UNDECIDED, law.levels):
        raise InvalidCampaign(name, f"is a {law.name} law of {law.levels} levels, as the campaign is not")
    return law


def _read(name: str, parameters: object, above: "Campaign") -> Law:
    if not isinstance(parameters, Mapping):
        raise InvalidCampaign(name, "must be a table of integers")
    try:
        return laws()[above.mechanism].from_parameters(parameters)
    except (ValueError, TypeError) as error:
        raise InvalidCampaign(name, str(error)) from error
