"""A campaign in words and a table, for the person who approves it."""

import math
from collections.abc import Iterator
from typing import Any

import click

from privge.campaign import Campaign
from privge.campaign.campaign import FIELDS
from privge.campaign.field import Field, Shown
from privge.cli.terminal import one_line
from privge.collect.publishing import warnings_of
from privge.mechanisms.odds import certainty
from privge.questions import Encoding, Question


def warn(campaign: Campaign) -> None:
    """Say on stderr what a person should hesitate at."""
    for warning in warnings_of(campaign):
        click.echo(f"Warning: {warning}", err=True)


def facts(campaign: Campaign) -> list[tuple[str, str]]:
    """Return what is asked and promised, line by line."""
    each, spent = campaign.epsilon / campaign.k, campaign.realised_epsilon
    return [
        ("campaign", campaign.id),
        ("purpose", one_line(campaign.purpose) or "not stated"),
        ("asks", _asks(campaign)),
        ("epsilon", f"{campaign.epsilon:g} for the whole report{_each(campaign, each)}"),
        ("law", f"{_law(campaign)} spend {spent:.6g}"),
        ("reveals", _reveals(campaign, each)),
        *(_line(field, campaign) for field in _shown_fields(campaign)),
    ]


def _asks(campaign: Campaign) -> str:
    k, all_of_them = campaign.k, campaign.dimensions
    if campaign.questions is not None and k == all_of_them:
        return "each person one question" if k == 1 else f"each person all {k:,} questions"
    what = "features" if campaign.questions is None else "questions"
    return f"each person for {k:,} of {all_of_them:,} {what}; which, follows from campaign and node id"


def _each(campaign: Campaign, epsilon: float) -> str:
    if campaign.questions is None:
        return f", {epsilon:.3g} for each of its features"
    return ", which is one answer" if campaign.k == 1 else f", {epsilon:.3g} for each of its {campaign.k:,} answers"


def _law(campaign: Campaign) -> str:
    if campaign.questions is not None:
        return "each question has its own; the exact integers of any answers together"
    return f"{campaign.mechanism}, {campaign.law.levels:,} levels; its exact integers"


def _shown_fields(campaign: Campaign) -> Iterator[Field[Any, Any]]:
    """Yield what is shown by itself: everything but what questions say, and what the first format does not have."""
    for field in FIELDS.values():
        if field.shown and (field.stated_in(campaign) or not (field.optional or field.short_form)):
            yield field


def _line(field: Field[Any, Any], campaign: Campaign) -> tuple[str, str]:
    shown, value = field.shown or Shown(field.name), getattr(campaign, field.name)
    return shown.label, shown.absent if value is None else one_line(shown.words.format(field.kind.words(value)))


def _reveals(campaign: Campaign, each: float) -> str:
    if math.isinf(campaign.epsilon):
        return "everything: there is no privacy"
    if campaign.epsilon == 0:
        return "nothing: reports do not depend on the values"
    whole = f"at most {certainty(campaign.epsilon)} sure of it by the whole report"
    one = "feature" if campaign.questions is None else "answer"
    part = "" if campaign.k == 1 else f"at most {certainty(each)} by one {one} of it, "
    return f"an observer who was undecided about something (50 %) becomes {part}{whole}"


def table(campaign: Campaign) -> Iterator[str]:
    """Yield a table of all features and their bounds, or of all questions; features that are alike share a line."""
    if campaign.questions is not None:
        yield from _questions(campaign.questions)
        return
    names, low, high = campaign.names, campaign.low, campaign.high
    if names is None and isinstance(low, float) and isinstance(high, float):
        rows = [(f"all {campaign.dimensions:,}", low, high)]
    else:
        rows = [
            (str(j) if names is None else one_line(names[j]), _at(low, j), _at(high, j))
            for j in range(campaign.dimensions)
        ]
    cells = [("feature", "low", "high"), *((name, f"{below:.12g}", f"{above:.12g}") for name, below, above in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(3)]
    for name, below, above in cells:
        yield f"{name:{widths[0]}}  {below:>{widths[1]}}  {above:>{widths[2]}}"


def _at(bound: float | tuple[float, ...], j: int) -> float:
    return bound if isinstance(bound, float) else bound[j]


def _questions(questions: tuple[Question, ...]) -> Iterator[str]:
    """Yield what each question asks, and what the features mean from which a device computes its answer."""
    cells = [("question", "kind", "asks"), *((one_line(each.title), each.kind, each.words()) for each in questions)]
    widths = [max(len(row[column]) for row in cells) for column in range(2)]
    for title, kind, words in cells:
        yield f"{title:{widths[0]}}  {kind:{widths[1]}}  {one_line(words)}"
    for place, question in enumerate(questions):
        encoding = getattr(question, "encoding", None)
        if isinstance(encoding, Encoding):
            yield ""
            yield f"question {place} ({one_line(question.title)}) is computed on the device from:"
            yield from (f"  {one_line(each.name)}: {one_line(each.words())}" for each in encoding.features)
