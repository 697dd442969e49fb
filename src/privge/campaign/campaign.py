"""The public contract of one collection: immutable, and named by the hash of its own text.

A campaign says what is asked (features with public bounds), how it is perturbed (the integer law, so that
a device needs no ``exp``), under which epsilon, why and for how long. Its document is canonical JSON (RFC
8785); its id is the SHA-256 of those bytes, so nobody can change it after a device has agreed to it.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import rfc8785

from privge._files.atomic import atomic_path
from privge._typing import Progress
from privge.campaign import fields
from privge.campaign.document import FORMAT, fields_of, parse_json, read_document
from privge.campaign.indices import INDEX_RULE, indices_of
from privge.errors import BadData, InvalidCampaign, PrivacyViolation
from privge.mechanisms import DEFAULT_LEVELS, LAWS, MAX_LEVELS, Law, Sampled, default_k, law_for

if TYPE_CHECKING:
    from privge.perturbation import FeatureVector
    from privge.perturbation.features import FeatureData
    from privge.reports import Report, Reports

MAX_K = 65_536
"""Largest k: a device draws that many values in a moment, and no document can ask it for more."""


@dataclass(frozen=True, init=False)
class Campaign:
    """One collection of private features, frozen and checked."""

    dimensions: int
    low: float | tuple[float, ...]
    high: float | tuple[float, ...]
    mechanism: str
    epsilon: float
    k: int
    law: Law
    names: tuple[str, ...] | None
    out_of_bounds: str
    missing: str
    index_rule: str
    purpose: str
    opens: str | None
    closes: str | None
    retention_days: int | None

    def __init__(
        self,
        *,
        dimensions: int,
        low: float | Sequence[float],
        high: float | Sequence[float],
        mechanism: str,
        epsilon: float | None = None,
        k: int | None = None,
        levels: int | None = None,
        names: Sequence[str] | None = None,
        out_of_bounds: str = "clip",
        missing: str = "midpoint",
        purpose: str = "",
        opens: str | datetime | None = None,
        closes: str | datetime | None = None,
        retention_days: int | None = None,
        law: Law | None = None,
        index_rule: str = INDEX_RULE,
    ) -> None:
        """Check and freeze the fields.

        Parameters
        ----------
        dimensions
            Number of features each person has, ``d``.
        low, high
            Public bounds: one number for all features, or one for each. They must never be computed
            from private data.
        mechanism
            ``hds``, ``piecewise``, ``multibit``, ``laplace``, or a control: ``none``, ``structure``.
        epsilon
            Privacy budget of a person's whole report. Left out for the controls.
        k
            Features that each person reports; by default `privge.mechanisms.default_k`.
        levels
            Input levels of the public grid, 1,025 by default.
        names
            Feature names, if they have any.
        out_of_bounds
            What becomes of a value outside the bounds: ``clip`` it or take the ``midpoint``. It is fixed here, before
            any data is seen. ``refuse`` raises an error; it is for simulations, and no device answers such a campaign.
        missing
            What becomes of a missing value: the ``midpoint``, or the bound ``low`` or ``high`` (on an even grid, which
            has no midpoint, one of these). ``refuse`` is for simulations, as above.
        purpose
            Why the data is collected, in words for the person who is asked.
        opens, closes
            Times with a zone, between which reports are accepted.
        retention_days
            Days after closing at which the reports are deleted.
        law
            The integer law. Built from mechanism, epsilon, k and levels if left out; one that came
            with a document is checked against epsilon instead.
        index_rule
            How the k indices follow from campaign and node (`privge.campaign.indices`).
        """
        values: dict[str, object] = {}
        d = values["dimensions"] = fields.integer("dimensions", dimensions, least=1, most=2**31 - 1)
        values["low"], values["high"] = _bounds(low, high, d)
        name = values["mechanism"] = fields.choice("mechanism", mechanism, list(LAWS))
        budget = values["epsilon"] = fields.epsilon(epsilon, LAWS[name].fixed_epsilon)
        share = min(default_k(budget, d), MAX_K) if k is None else fields.integer("k", k, least=1, most=min(d, MAX_K))
        values["k"] = share
        values["law"] = _law(law, name, budget, share, d, levels)
        values["names"] = fields.names(names, d)
        values["out_of_bounds"] = fields.choice("out_of_bounds", out_of_bounds, ("clip", "midpoint", "refuse"))
        values["missing"] = fields.choice("missing", missing, ("midpoint", "low", "high", "refuse"))
        values["purpose"] = fields.text("purpose", purpose)
        values["opens"], values["closes"] = fields.time("opens", opens), fields.time("closes", closes)
        values["retention_days"] = (
            None if retention_days is None else fields.integer("retention_days", retention_days, least=0, most=36_500)
        )
        values["index_rule"] = fields.choice("index_rule", index_rule, (INDEX_RULE,))
        for field, value in values.items():
            object.__setattr__(self, field, value)
        self._check_together()

    def _check_together(self) -> None:
        for policy, instead in (("out_of_bounds", "clip"), ("missing", "low or high")):
            if getattr(self, policy) == "midpoint" and self.law.levels % 2 == 0:
                raise InvalidCampaign(
                    policy, f"the midpoint is no input level of an even grid ({self.law.levels}); take {instead}"
                )
        if self.opens and self.closes and self.opens >= self.closes:
            raise InvalidCampaign("closes", f"must be after opens, got {self.closes}")

    @cached_property
    def sampled(self) -> Sampled:
        """The mechanism over all dimensions: k of d through the law."""
        return Sampled(self.law, self.k, self.dimensions)

    @cached_property
    def id(self) -> str:
        """SHA-256 of the canonical document, in hexadecimal."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    def check_for_devices(self) -> None:
        """Refuse, from the document alone, a campaign that no person may answer.

        *Why.* Whether somebody answers is visible, and a refusal costs no epsilon. With the policy ``refuse`` it would
        depend on the values: thirty campaigns that bisect a bound would read one exactly. A control is for
        simulations: ``none`` hides nothing, and ``structure`` costs nothing, so that it would be asked again and again.
        """
        if self.law.fixed_epsilon is not None:
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
        features: "FeatureData",
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
        return {
            "format": FORMAT,
            "purpose": self.purpose,
            "dimensions": self.dimensions,
            "names": None if self.names is None else list(self.names),
            "low": self.low if isinstance(self.low, float) else list(self.low),
            "high": self.high if isinstance(self.high, float) else list(self.high),
            "out_of_bounds": self.out_of_bounds,
            "missing": self.missing,
            "mechanism": self.mechanism,
            "epsilon": None if self.epsilon == math.inf else self.epsilon,
            "k": self.k,
            "index_rule": self.index_rule,
            "law": self.law.parameters(),
            "opens": self.opens,
            "closes": self.closes,
            "retention_days": self.retention_days,
        }

    def to_json(self) -> str:
        """Return the canonical document, whose SHA-256 is the campaign's id."""
        return rfc8785.dumps(self.to_document()).decode()

    def save(self, path: str | PathLike[str]) -> None:
        """Write the canonical document; the file is complete or absent."""
        with atomic_path(Path(path)) as partial:
            partial.write_text(self.to_json(), encoding="utf-8")

    @classmethod
    def from_document(cls, document: Mapping[str, object]) -> Self:
        """Build a campaign from plain values: a saved document, or what a person wrote in TOML."""
        given = fields_of(document, _FIELDS)
        if given.get("law") is not None:
            given["law"] = _law_from(given["law"], given["mechanism"])
        return cls(**given)  # type: ignore[arg-type]

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read a JSON document; whatever is not a campaign is refused with the field named."""
        return cls.from_document(parse_json(text))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a campaign from a ``.toml`` or ``.json`` file; errors name the file."""
        path = Path(path)
        try:
            return cls.from_document(read_document(path))
        except BadData as error:
            raise BadData(f"{path}: {error}") from error


_FIELDS = [*Campaign.__dataclass_fields__, "levels"]


def _bounds(low: object, high: object, dimensions: int) -> tuple[object, object]:
    lows, highs = fields.bound("low", low, dimensions), fields.bound("high", high, dimensions)
    # Halved as in the perturbation, so that no range overflows; one that vanishes there is refused here.
    below, above = np.broadcast_arrays(np.atleast_1d(lows) / 2, np.atleast_1d(highs) / 2)
    wrong = np.flatnonzero(above - below <= 0)
    if wrong.size:
        j = int(wrong[0])
        raise InvalidCampaign("low", f"must be below high, got {2 * below[j]} and {2 * above[j]} for feature {j}")
    return lows, highs


def _law(given: Law | None, mechanism: str, epsilon: float, k: int, dimensions: int, levels: int | None) -> Law:
    """Build the law, or check the given one: it must hold epsilon over k draws and carry a signal."""
    if given is None:
        size = DEFAULT_LEVELS if levels is None else fields.integer("levels", levels, least=2, most=MAX_LEVELS)
        law = law_for(mechanism, epsilon, k, size)
    elif given.name != mechanism or levels not in (None, given.levels):
        raise InvalidCampaign("law", f"is a {given.name} law of {given.levels} levels, as the campaign is not")
    else:
        law = given
    try:
        Sampled(law, k, dimensions).check(epsilon)
    except PrivacyViolation as violation:
        raise InvalidCampaign("law", str(violation)) from violation
    if law.gain == 0 and law.fixed_epsilon is None:
        raise InvalidCampaign(
            "epsilon",
            f"{epsilon:.3g} over k = {k} is too small for {law.levels} levels; lower levels or k",
        )
    return law


def _law_from(parameters: object, mechanism: object) -> Law:
    kind = LAWS[fields.choice("mechanism", mechanism, list(LAWS))]
    if not isinstance(parameters, Mapping):
        raise InvalidCampaign("law", "must be a table of integers")
    try:
        return kind.from_parameters(parameters)
    except (ValueError, TypeError) as error:
        raise InvalidCampaign("law", str(error)) from error
