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


def warn(campaign: Campaign) -> None:
    """Say on stderr what a person should hesitate at."""
    for warning in warnings_of(campaign):
        click.echo(f"Warning: {warning}", err=True)


def facts(campaign: Campaign) -> list[tuple[str, str]]:
    """Return what is asked and promised, line by line."""
    each, levels, spent = campaign.epsilon / campaign.k, campaign.law.levels, campaign.sampled.realised_epsilon
    asked = f"each person for {campaign.k:,} of {campaign.dimensions:,} features"
    return [
        ("campaign", campaign.id),
        ("purpose", one_line(campaign.purpose) or "not stated"),
        ("asks", f"{asked}; which, follows from campaign and node id"),
        ("epsilon", f"{campaign.epsilon:g} for the whole report, {each:.3g} for each of its features"),
        ("law", f"{campaign.mechanism}, {levels:,} levels; its exact integers spend {spent:.6g}"),
        ("reveals", _reveals(campaign, each)),
        *((field.shown.label, _words(field, field.shown, campaign)) for field in FIELDS.values() if field.shown),
    ]


def _words(field: Field[Any, Any], shown: Shown, campaign: Campaign) -> str:
    value = getattr(campaign, field.name)
    return shown.absent if value is None else one_line(shown.words.format(field.kind.words(value)))


def _reveals(campaign: Campaign, each: float) -> str:
    if math.isinf(campaign.epsilon):
        return "everything: there is no privacy"
    if campaign.epsilon == 0:
        return "nothing: reports do not depend on the values"
    whole = f"at most {certainty(campaign.epsilon)} sure of it by the whole report"
    part = "" if campaign.k == 1 else f"at most {certainty(each)} by one feature of it, "
    return f"an observer who was undecided about something (50 %) becomes {part}{whole}"


def table(campaign: Campaign) -> Iterator[str]:
    """Yield a table of all features and their bounds; features that nothing tells apart share a line."""
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
