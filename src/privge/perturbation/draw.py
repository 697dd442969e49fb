"""One person's values to one report, on their own device.

A device reads only the ``k`` values that its indices name. Each value is treated by the campaign's policy,
normalised by the public bounds, rounded to an input level, and handed to the integer law; nothing else
about the person, and nothing about anybody else, enters the report. No message contains a private value.
"""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray

from privge.campaign import Campaign
from privge.errors import BadData
from privge.perturbation.levels import levels_of, outside_bounds
from privge.perturbation.own_answers import draw_answers
from privge.questions.people import as_number, is_text
from privge.random import SystemSource
from privge.reports import Report

FeatureVector: TypeAlias = Sequence[float | str | None] | NDArray[Any] | Mapping[str, float | str | None]


class Drawn(NamedTuple):
    """A report, and how many of its values were none or lay outside the bounds: for the person's own eyes."""

    report: Report
    missing: int
    outside: int


def report(campaign: Campaign, x: FeatureVector, node: str | int) -> Report:
    """Perturb one person's features with the operating system's randomness; see `draw`."""
    return draw(campaign, x, node).report


def draw(campaign: Campaign, x: FeatureVector, node: str | int) -> Drawn:
    """Perturb one person's features, and say how many values did not fit.

    *Taking part says nothing.* Whatever the values are, a report comes out, after the same work: what is not a number
    is missing, what lies outside the bounds is treated by the campaign's policy, and names that the campaign does not
    ask for are not looked at. What is refused is refused for the public document, before ``x`` is touched, or for the
    form of ``x`` (a list where there must be names, or of another length), which an application decides, not a person.

    Parameters
    ----------
    campaign
        The public contract.
    x
        One value for each feature, in order; or a mapping from feature name to value. None, NaN and what is not a
        number are missing values, as is a feature that the mapping leaves out.
    node
        The person's id in the graph.
    """
    campaign.check_for_devices()
    with np.errstate(all="ignore"), warnings.catch_warnings():  # an application may have made errors of them
        warnings.simplefilter("ignore")
        return _draw(campaign, x, node)


def _draw(campaign: Campaign, x: FeatureVector, node: str | int) -> Drawn:
    if campaign.questions is not None:
        codes, misfits = draw_answers(campaign, partial(raw_values_at, campaign, x), node)
        missing, outside = (sum(getattr(each, name) for each in misfits) for name in ("absent", "outside"))
        return Drawn(Report(campaign.id, node, codes), missing, outside)
    if campaign.assignment is not None:
        campaign.assignment.personal(node)  # refuses whoever is not asked
    indices = campaign.indices_of(node)
    values = np.array(values_at(campaign, x, indices), dtype=np.float64)
    columns = np.array(indices, dtype=np.int32)
    outside = outside_bounds(campaign, values, columns)
    levels = levels_of(campaign, values, columns)
    words = SystemSource().words(campaign.k).tolist()
    codes = tuple(campaign.law.code(level, word) for level, word in zip(levels.tolist(), words, strict=True))
    return Drawn(Report(campaign.id, node, codes), int(np.isnan(values).sum()), int(outside.sum()))


def rehearse(campaign: Campaign, node: str | int) -> None:
    """Do the work of `draw` on public values and forget the result; what the law prepares for everybody stays.

    The values are not numbers, which takes the longest to find out.
    """
    draw(campaign, np.broadcast_to(np.array(object(), dtype=np.object_), campaign.raw_width), node)


def values_at(campaign: Campaign, x: FeatureVector, indices: list[int]) -> list[float]:
    """Return the values at some indices, NaN for what is not a number; no others are looked at."""
    return [_number(value) for value in raw_values_at(campaign, x, indices)]


def raw_values_at(campaign: Campaign, x: FeatureVector, indices: list[int]) -> list[object]:
    """Return the values of some raw columns as they are; no others are looked at."""
    names, width = campaign.raw_names, campaign.raw_width
    if _by_name(x):
        if names is None:
            raise BadData("this campaign names no features: give the values as a list")
        return [x.get(names[index]) for index in indices]
    values = x if isinstance(x, Sequence | np.ndarray) else np.asarray(x)
    no_vector = isinstance(values, str | bytes) or (isinstance(values, np.ndarray) and values.ndim != 1)
    if no_vector or len(values) != width:
        raise BadData(f"a person has {width} features; give one value for each, in order")
    return [values[index] for index in indices]


def _by_name(x: FeatureVector) -> TypeGuard[Mapping[str, object]]:
    """Say whether values have names: a mapping, or a row of a pandas table, whose labels are its columns."""
    labels: Iterable[object] = getattr(x, "keys", tuple)()
    return isinstance(x, Mapping) or any(isinstance(label, str) for label in labels)


def _number(value: object) -> float:
    """Return a number, NaN for whatever is none; here that is also every text."""
    return np.nan if is_text(value) else as_number(value)
