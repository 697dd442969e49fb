"""The public contract of one collection: immutable, and named by the hash of its own text.

A campaign says what is asked (features with public bounds), how it is perturbed (the integer law, so that
a device needs no ``exp``), under which epsilon, why and for how long. Its document is canonical JSON (RFC
8785); its id is the SHA-256 of those bytes, so nobody can change it after a device has agreed to it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from copy import copy
from datetime import datetime
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import rfc8785

from privge._files.atomic import atomic_path
from privge._typing import Floats, Progress
from privge.campaign import asking
from privge.campaign.asking import Assigned, Questions
from privge.campaign.assignment import Assignment
from privge.campaign.document import FORMAT, LATER_FIELDS, LATER_FORMAT, fields_of, parse_json, read_document
from privge.campaign.features import Bound, Bounds, Names, UpperBound
from privge.campaign.field import Asked, Field, ShortForm, Shown, stated_fields, stated_once
from privge.campaign.indices import INDEX_RULE, indices_of
from privge.campaign.kinds import Choice, Integer, Maybe, Name, Text, Time
from privge.campaign.privacy import UNDECIDED, Budget, Grid, IntegerLaw, Mechanism, Share
from privge.errors import BadData, InvalidCampaign, PrivacyViolation
from privge.mechanisms import Law, Sampled
from privge.questions import Question

if TYPE_CHECKING:
    from privge.perturbation import FeatureVector
    from privge.perturbation.raw import AnyFeatures
    from privge.reports import Report, Reports

_POLICIES = {
    "clip": "counted as the nearer bound",
    "midpoint": "counted as the middle of the bounds",
    "low": "counted as the lower bound",
    "high": "counted as the upper bound",
    "refuse": "an error, for simulations; no device answers this",
}


@stated_once
class Campaign:
    """One collection of private features, frozen and checked.

    Every field below is an argument, given by its name: ``Field[A, B]`` takes an ``A`` and holds a ``B``.
    """

    questions: Field[Sequence[Question] | None, tuple[Question, ...] | None] = Field(
        Maybe(Questions()), default=None, optional=True
    )
    """What is asked (`privge.questions`), each with a law of its own. None is the short form, many numbers
    alike, which fields below describe."""

    dimensions: Field[int | None, int] = Field(
        Integer(1, 2**31 - 1),
        default=None,
        asked=Asked("How many features a person has."),
        short_form=ShortForm(needed=True, instead=lambda campaign: len(campaign.questions or ())),
    )
    """Number of features each person has, ``d``; the number of questions, if there are any."""

    names: Field[Sequence[str] | None, tuple[str, ...] | None] = Field(
        Maybe(Names()),
        default=None,
        asked=Asked("Or their names, one on each line.", flag="--names-file"),
        short_form=ShortForm(instead=asking.titles),
    )
    """Feature names, if they have any; what the questions are called, if there are any."""

    low: Field[float | Sequence[float] | None, Bounds] = Field(
        Bound(),
        default=None,
        asked=Asked("Public lower bound of every feature.", default=0.0),
        short_form=ShortForm(needed=True),
    )
    """Public lower bound: one number for all features, or one for each. It must never be computed from private data."""

    high: Field[float | Sequence[float] | None, Bounds] = Field(
        UpperBound(),
        default=None,
        asked=Asked("Public upper bound of every feature.", default=1.0),
        short_form=ShortForm(needed=True),
    )
    """Public upper bound, as for ``low``."""

    mechanism: Field[str | None, str] = Field(
        Mechanism(),
        default=None,
        asked=Asked("What devices run.", default="hds"),
        short_form=ShortForm(needed=True, instead=lambda _: "questions"),
    )
    """What devices run: a name of `privge.mechanisms.laws`, such as ``hds``; the controls are for simulations."""

    epsilon: Field[float | None, float] = Field(
        Budget(), default=None, asked=Asked("Privacy budget of a person's whole report.")
    )
    """Privacy budget of a person's whole report. Left out for the controls."""

    k: Field[int | None, int] = Field(
        Share(), default=None, asked=Asked("Features a person reports.  [default: epsilon / 2.5, at least 1]")
    )
    """Features that each person reports; by default `privge.mechanisms.default_k`."""

    levels: Field[int | None, int] = Field(
        Grid(),
        default=None,
        asked=Asked("Input levels of the grid.  [default: 1025]"),
        in_document=False,
        short_form=ShortForm(instead=lambda _: UNDECIDED),
    )
    """Input levels of the public grid, 1,025 by default. A document has them in its law."""

    law: Field[Law | None, Law] = Field(IntegerLaw(), default=None, short_form=ShortForm())
    """The integer law. Built from mechanism, epsilon, k and levels if left out; one that came with a document is
    checked against epsilon instead."""

    out_of_bounds: Field[str, str] = Field(
        Choice({word: _POLICIES[word] for word in ("clip", "midpoint", "refuse")}),
        default="clip",
        asked=Asked("What a value outside the bounds becomes (refuse: simulations only)."),
        shown=Shown("outside", "a value outside its bounds: {}"),
        short_form=ShortForm(),
    )
    """What becomes of a value outside the bounds: ``clip`` it or take the ``midpoint``. It is fixed here, before any
    data is seen. ``refuse`` raises an error; it is for simulations, and no device answers such a campaign."""

    missing: Field[str, str] = Field(
        Choice({word: _POLICIES[word] for word in ("midpoint", "low", "high", "refuse")}),
        default="midpoint",
        asked=Asked("What a missing value counts as (refuse: simulations only)."),
        shown=Shown("missing", "a value that is missing: {}"),
        short_form=ShortForm(),
    )
    """What becomes of a missing value: the ``midpoint``, or the bound ``low`` or ``high`` (on an even grid, which has
    no midpoint, one of these). ``refuse`` is for simulations, as above."""

    purpose: Field[str, str] = Field(
        Text(), default="", asked=Asked("Why you ask, in words for the person who is asked.")
    )
    """Why the data is collected, in words for the person who is asked."""

    opens: Field[str | datetime | None, str | None] = Field(
        Maybe(Time()),
        default=None,
        asked=Asked("Time with a zone, such as 2027-01-01T00:00:00Z."),
        shown=Shown("opens", absent="at once"),
    )
    """Time with a zone, from which on reports are accepted."""

    closes: Field[str | datetime | None, str | None] = Field(
        Maybe(Time()),
        default=None,
        asked=Asked("Time with a zone; no report is taken after it."),
        shown=Shown("closes", absent="when it is closed by hand"),
    )
    """Time with a zone, after which no report is accepted."""

    retention_days: Field[int | None, int | None] = Field(
        Maybe(Integer(0, 36_500)),
        default=None,
        asked=Asked("Days to keep the reports after --closes.", flag="--retention"),
        shown=Shown("retention", "{} days after closing"),
    )
    """Days after closing at which the reports are deleted."""

    index_rule: Field[str, str] = Field(
        Choice({INDEX_RULE: "which, follows from campaign and node id"}), default=INDEX_RULE
    )
    """How the k indices follow from campaign and node (`privge.campaign.indices`)."""

    assignment: Field[Assignment | None, Assignment | None] = Field(
        Maybe(Assigned()), default=None, shown=Shown("people", absent="whoever takes part"), optional=True
    )
    """Who is asked, and about which classes; None asks everybody about everything."""

    round: Field[str | None, str | None] = Field(
        Maybe(Name()),
        default=None,
        asked=Asked("What several campaigns have in common of which a person answers one."),
        shown=Shown("round", "{}: a person answers one campaign of it", absent="none: this campaign stands alone"),
        optional=True,
    )
    """Name of a round: a person reports in at most one of its campaigns."""

    def __post_init__(self) -> None:
        if self.opens and self.closes and self.opens >= self.closes:
            raise InvalidCampaign("closes", f"must be after opens, got {self.closes}")
        if self.questions is not None:
            self.__dict__["questions"] = asking.with_laws(self)
            return
        if self.assignment is not None and self.assignment.width:
            raise InvalidCampaign("assignment", "assigns classes, which only a model question has")
        object.__setattr__(self, "levels", self.law.levels)
        for policy, instead in (("out_of_bounds", "clip"), ("missing", "low or high")):
            if getattr(self, policy) == "midpoint" and self.law.levels % 2 == 0:
                raise InvalidCampaign(
                    policy, f"the midpoint is not an input level of an even grid ({self.law.levels}); take {instead}"
                )

    @cached_property
    def sampled(self) -> Sampled:
        """The mechanism over all dimensions: k of d through the law. Of the short form alone."""
        if self.questions is not None:
            raise BadData("this campaign asks questions, each with a law of its own")
        return Sampled(self.law, self.k, self.dimensions)

    @cached_property
    def id(self) -> str:
        """SHA-256 of the canonical document, in hexadecimal."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    @property
    def realised_epsilon(self) -> float:
        """Upper bound of the privacy loss of a whole report, whichever k of the questions it answers."""
        return self.sampled.realised_epsilon if self.questions is None else asking.realised_epsilon(self)

    @property
    def outputs(self) -> int:
        """Every code of every report is below this."""
        return self.law.outputs if self.questions is None else max(each.outputs for each in self.questions)

    def outputs_of(self, node: str | int) -> tuple[int, ...]:
        """Return, for each code of a node's report, what it is below: the outputs of that question for that node."""
        return (self.law.outputs,) * self.k if self.questions is None else asking.outputs_of(self, node)

    @cached_property
    def column_names(self) -> tuple[str, ...] | None:
        """What the columns of decoded reports are called; None if they have no names."""
        if self.questions is None:
            return self.names
        return tuple(name for question in self.questions for name in question.names)

    @property
    def columns(self) -> int:
        """Columns of decoded reports: a number has one, a choice one for each value, a direction one a coordinate."""
        return self.dimensions if self.questions is None else len(self.column_names or ())

    @cached_property
    def raw_names(self) -> tuple[str, ...] | None:
        """The columns of a table of people that are read, in order; None if they have no names."""
        return self.names if self.questions is None else asking.raw_names(self)

    @cached_property
    def raw_places(self) -> Mapping[str, int]:
        """Where each of them stands, by name."""
        return {name: place for place, name in enumerate(self.raw_names or ())}

    @property
    def raw_width(self) -> int:
        """How many raw columns are read."""
        return self.dimensions if self.questions is None else asking.raw_width(self)

    @property
    def noise(self) -> Floats:
        """Exact variance of each column of unbiased decoded reports, for somebody in the middle of what can be said.

        The middle is the middle level of a number, any value of a choice with the same probability, and a coordinate
        in which the profile is 0 for a direction. That only k of the questions are answered is part of it.
        """
        return asking.noise(self)

    def check_for_devices(self) -> None:
        """Refuse, from the document alone, a campaign that no person may answer.

        *Why.* Whether somebody answers is visible, and a refusal costs no epsilon. With the policy ``refuse`` it would
        depend on the values: thirty campaigns that bisect a bound would read one exactly. A control is for
        simulations: ``none`` hides nothing, and ``structure`` costs nothing, so that it would be asked again and again.
        """
        if self.questions is None and self.law.fixed_epsilon is not None:
            raise PrivacyViolation(
                f"the mechanism {self.mechanism!r} is a control for simulations, and no device answers it"
            )
        for policy in ("out_of_bounds", "missing"):
            if getattr(self, policy) == "refuse":
                raise PrivacyViolation(
                    f"with {policy} = 'refuse', taking part would depend on private values; this is for simulations, "
                    "and no device answers it"
                )

    def indices_of(self, node: str | int) -> list[int]:
        """Return the features that a node reports."""
        return indices_of(self.id, node, self.dimensions, self.k)

    def report(self, x: "FeatureVector", *, node: str | int) -> "Report":
        """Perturb one person's features on their own device. Cryptographic randomness, no seed.

        Draw once and keep the result: each further report of the same person spends epsilon again. A campaign that no
        device answers (`check_for_devices`) is refused before ``x`` is looked at.
        """
        from privge.perturbation.draw import report

        return report(self, x, node)

    def simulate(
        self,
        features: "AnyFeatures",
        *,
        ids: Sequence[str] | Sequence[int] | None = None,
        seed: int | None = None,
        progress: Progress | None = None,
    ) -> "Reports":
        """Perturb everybody's rows at once, for research; see `privge.perturbation.simulate`."""
        from privge.perturbation.simulate import simulate

        return simulate(self, features, ids=ids, seed=seed, progress=progress)

    def to_document(self) -> dict[str, Any]:
        """Return the document as plain values."""
        fields = [field for field in FIELDS.values() if field.stated_in(self)]
        later = any(field.name in LATER_FIELDS for field in fields)
        stated = {field.name: field.kind.plain(getattr(self, field.name)) for field in fields}
        return {"format": LATER_FORMAT if later else FORMAT, **stated}

    def to_json(self) -> str:
        """Return the canonical document, whose SHA-256 is the campaign's id."""
        return rfc8785.dumps(self.to_document()).decode()

    def save(self, path: str | PathLike[str]) -> None:
        """Write the canonical document; the file is complete or absent.

        Shards of the assignment that are at hand are written before it, into the folder ``.shards`` of the same name.
        """
        if self.assignment is not None and self.assignment.shards:
            self.assignment.save(shards_beside(path))
        with atomic_path(Path(path)) as partial:
            partial.write_text(self.to_json(), encoding="utf-8")

    @classmethod
    def from_document(cls, document: Mapping[str, object]) -> Self:
        """Build a campaign from plain values: a saved document, or what a person wrote in TOML."""
        short = document.get("questions") is None
        needed = [name for name, field in FIELDS.items() if field.short_form and field.short_form.needed and short]
        return cls(**fields_of(document, known=list(FIELDS), required=needed))  # type: ignore[arg-type]

    def with_assignment(self, assignment: Assignment) -> Self:
        """Return the same campaign with the shards of its assignment at hand; another assignment is refused."""
        if assignment != self.assignment:
            raise InvalidCampaign("assignment", "is not the one that the campaign names by its hashes")
        same = copy(self)
        same.__dict__["assignment"] = assignment
        return same

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read a JSON document; whatever is not a campaign is refused with the field named."""
        return cls.from_document(parse_json(text))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a campaign from a ``.toml`` or ``.json`` file, with the shards beside it; errors name the file."""
        path = Path(path)
        try:
            campaign = cls.from_document(read_document(path))
            if campaign.assignment is None:
                return campaign
            return campaign.with_assignment(campaign.assignment.load(shards_beside(path)))
        except BadData as error:
            raise BadData(f"{path}: {error}") from error


def shards_beside(path: str | PathLike[str]) -> Path:
    """Return the folder in which the shards of a campaign file are."""
    return Path(path).with_suffix(".shards")


FIELDS = stated_fields(Campaign)
"""Every field of a campaign, as it is stated there."""
