"""A profile in words: what was found, what cannot be told, and what the numbers are of."""

import math

import numpy as np

from privge.profiles.missing import counts_as, missing_words
from privge.profiles.profile import Profile
from privge.profiles.table import Cell, cell


def summary(profile: Profile) -> dict[str, object]:
    """Return the counts of a profile, for a machine."""
    told = int(profile.told.sum())
    return {
        "campaign": profile.campaign.id,
        "epsilon": None if math.isinf(profile.campaign.epsilon) else profile.campaign.epsilon,
        "k": profile.campaign.k,
        "questions": profile.campaign.dimensions,
        "people": int(profile.people.sum()) + profile.ungrouped,
        "groups": len(profile.groups),
        "ungrouped": profile.ungrouped,
        "did_not_report": profile.silent,
        "without_group": profile.blank,
        "missing_values": {"count_as": counts_as(profile.campaign), "counted": None},  # only their devices know
        "columns": len(profile.columns),
        "cells": profile.told.size,
        "differences": len(profile.found),
        "no_difference_shown": told - len(profile.found),
        "cannot_be_told": profile.told.size - told,
        "cut_at_bounds": int((profile.inside.clipped & profile.told).sum()),
        "differences_if_shuffled": profile.shuffled,
        "confidence": profile.demands.confidence,
        "false_discoveries": profile.demands.false_discoveries,
        "control": "Benjamini-Hochberg",
        "widest": profile.demands.widest,
        "estimates": "mean over the people of the group who reported, as their devices bounded and rounded it",
    }


def sentences(profile: Profile) -> list[str]:
    """Return what a person may want to know first."""
    told, campaign, demands = summary(profile), profile.campaign, profile.demands
    people = f"{told['people']:,} people reported, epsilon {campaign.epsilon:g}"
    shown_or_not = f"{told['no_difference_shown']:,} show no difference, {told['cannot_be_told']:,} cannot be told"
    few = f"at most {demands.false_discoveries:.0%} are expected to be false (Benjamini-Hochberg)"
    lines = [
        f"{people}, each {campaign.k:,} of {campaign.dimensions:,} questions; {len(profile.groups):,} groups",
        f"{told['differences']:,} of {told['cells']:,} means differ from the rest, {shown_or_not}",
        f"control: with the groups dealt out at random, {profile.shuffled:,} would be shown as different",
        f"intervals of {demands.confidence:.0%}; of the differences shown {few}",
    ]
    if profile.silent or profile.blank:
        blank = f"{profile.blank:,} of the table have no group"
        lines.append(f"{profile.silent:,} people of these groups did not report, and {blank}")
    if told["cut_at_bounds"]:
        lines.append(f"{told['cut_at_bounds']:,} intervals reached beyond the bounds and were cut there")
    return lines


def limits(profile: Profile) -> list[str]:
    """Return what the numbers are of, and what nobody can know from them."""
    step = float(np.max(np.where(profile.columns.steps > 0, 0.5 / np.maximum(profile.columns.steps, 1), 0), initial=0))
    rounded = f" and rounded to a grid (by at most {step:.2%} of the range)" if step else ""
    of_whom = "A mean is that of all people of the group who reported. People who did not report may be different."
    of_what = f"It is of their values as their own devices brought them within the public bounds{rounded}."
    unbiased = "Estimates are unbiased: noise may carry one beyond its bounds. Its interval is that of the bound."
    chosen = "Intervals hold for all cells together; of cells picked out for their difference somewhat fewer hold."
    untold = (
        "Cannot be told: with so few answers at this epsilon an interval could reach over more than "
        f"{profile.demands.widest:.0%} of the range to either side. The law says so before any answer is seen."
    )
    return [f"{of_whom} {of_what}", missing_words(profile.campaign), unbiased, chosen, untold]


def table_lines(profile: Profile, most: int = 20) -> list[str]:
    """Return the clearest differences as lines of a table."""
    rows = [cell(profile, *place) for place in profile.found[:most]]
    if not rows:
        return []
    told = [("group", "people", "feature", "mean", "interval", "rest", ""), *(_texts(each) for each in rows)]
    widths = [max(len(row[place]) for row in told) for place in range(len(told[0]))]
    lines = ["  ".join(f"{text:{width}}" for text, width in zip(row, widths, strict=True)).rstrip() for row in told]
    left = len(profile.found) - len(rows)
    return [*lines, f"and {left:,} more"] if left else lines


def _texts(one: Cell) -> tuple[str, ...]:
    interval = f"{shown(one, one.low)} … {shown(one, one.high)}"
    mean, rest = shown(one, one.mean), shown(one, one.rest)
    return one.group, f"{one.people:,}", one.feature, mean, interval, rest, one.finding


def shown(one: Cell, value: float | None) -> str:
    """Return a value of a cell as people read it."""
    if value is None:
        return "-"
    return f"{value:.0%}" if one.unit == "share" else f"{value:.3g}"
