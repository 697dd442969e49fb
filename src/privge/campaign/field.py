"""A field of a campaign, stated once: its kind, its default, and how a command and a person see it."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, dataclass_transform, overload

from privge.errors import InvalidCampaign

if TYPE_CHECKING:
    from collections.abc import Callable

    from privge.campaign.campaign import Campaign

Given = TypeVar("Given")
Held = TypeVar("Held")
Class = TypeVar("Class")

REQUIRED = object()
"""The default of a field that has none."""


class Kind(ABC, Generic[Held]):
    """What a field holds, and how it is checked and written."""

    @abstractmethod
    def check(self, name: str, value: object, above: "Campaign") -> Held:
        """Return the canonical value, or refuse it by name; ``above`` has the fields declared before this one."""

    def plain(self, value: Held) -> object:
        """Return the value as a document has it."""
        return value

    def words(self, value: Held) -> str:
        """Return the value as a person reads it."""
        return str(value)


@dataclass(frozen=True, slots=True)
class Asked:
    """How the command line asks for a field.

    Parameters
    ----------
    help
        What the option says of itself in ``--help``.
    default
        What the option is by default, if that is not the default of the field.
    flag
        What the option is called, if it is not named after the field.
    """

    help: str
    default: object = None
    flag: str | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """How a field reads to the person who approves a campaign.

    Parameters
    ----------
    label
        What the line begins with, such as the name of the field.
    words
        The rest of it, with ``{}`` for the value.
    absent
        The rest of it if there is no value.
    """

    label: str
    words: str = "{}"
    absent: str = "not stated"


@dataclass(frozen=True, slots=True)
class ShortForm:
    """That a field belongs to the short form of a campaign, many numbers alike, and not to one of questions.

    Parameters
    ----------
    needed
        Whether the short form cannot do without it: then it must be stated.
    instead
        What it holds where there are questions.
    """

    needed: bool = False
    instead: "Callable[[Campaign], object]" = lambda _: None


class Field(Generic[Given, Held]):
    """A field that takes what is ``Given`` and holds the canonical value.

    Parameters
    ----------
    kind
        What it holds.
    default
        What it takes if nothing is given; a field without a default must be given.
    asked
        How the command line asks for it; None if it does not.
    shown
        How it is shown for approval; None if a sentence about several fields says it.
    in_document
        Whether a document carries it; otherwise another field there says it.
    short_form
        Stated if it belongs to the short form alone.
    optional
        Whether a document leaves it out where it is None.
    """

    name: str

    def __init__(
        self,
        kind: Kind[Held],
        *,
        default: object = REQUIRED,
        asked: Asked | None = None,
        shown: Shown | None = None,
        in_document: bool = True,
        short_form: ShortForm | None = None,
        optional: bool = False,
    ) -> None:
        self.kind, self.default = kind, default
        self.asked, self.shown, self.in_document = asked, shown, in_document
        self.short_form, self.optional = short_form, optional

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return self.default is REQUIRED

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, campaign: None, owner: type) -> Self: ...

    @overload
    def __get__(self, campaign: "Campaign", owner: type) -> Held: ...

    def __get__(self, campaign: "Campaign | None", owner: type) -> object:
        if campaign is not None:
            return campaign.__dict__[self.name]
        if self.required:  # as dataclasses learn that there is no default
            raise AttributeError(self.name)
        return self.default

    def __set__(self, campaign: "Campaign", value: Given) -> None:
        if self.short_form is None:
            campaign.__dict__[self.name] = self.kind.check(self.name, value, campaign)
        elif campaign.questions is not None:
            instead = self.default if isinstance(self.default, str) else self.short_form.instead(campaign)
            if value is not None and not (isinstance(value, str | int | tuple) and value == instead):
                raise InvalidCampaign(self.name, "is not stated beside questions, which say it themselves")
            campaign.__dict__[self.name] = instead
        elif value is None and self.short_form.needed:
            raise InvalidCampaign(self.name, "is missing")
        else:
            campaign.__dict__[self.name] = self.kind.check(self.name, value, campaign)

    def stated_in(self, campaign: "Campaign") -> bool:
        """Say whether the document of a campaign states this field."""
        if self.short_form is not None and campaign.questions is not None:
            return False
        return self.in_document and not (self.optional and getattr(campaign, self.name) is None)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(Field,))
def stated_once(kind: type[Class]) -> type[Class]:
    """Make a frozen dataclass of a class with fields; type checkers read what each takes and what it holds."""
    return dataclass(frozen=True, kw_only=True)(kind)


def stated_fields(kind: type) -> dict[str, Field[Any, Any]]:
    """Return every field by name, in the order of declaration."""
    return {name: field for name, field in vars(kind).items() if isinstance(field, Field)}
