"""A profile as a picture: groups and features as a map, and the clearest differences with their intervals."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from privge._files.atomic import atomic_path
from privge.experiments import pages
from privge.experiments.pages import CONTROL, INK, embedded
from privge.profiles.profile import Profile
from privge.profiles.table import cell
from privge.profiles.words import limits, sentences, shown, summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

SUFFIXES = (".html", ".svg", ".png")
"""What a picture is written as."""

_ABOVE, _BELOW, _UNTOLD = "#0f766e", "#c2410c", "#e3e7e9"
_GROUPS, _COLUMNS, _CLEAREST = 25, 30, 20  # that fit a page


def write_picture(profile: Profile, path: Path) -> None:
    """Write a page (``.html``), or the map alone (``.svg``, ``.png``); the file is complete or absent."""
    if path.suffix == ".html":
        clearest = [cell(profile, *place) for place in profile.found[:_CLEAREST]]
        pages.write_page(
            "profile.html",
            path,
            told=summary(profile),
            sentences=sentences(profile),
            limits=limits(profile),
            cells=clearest,
            shown=shown,
            map=embedded(map_figure(profile)),
            clearest=embedded(clearest_figure(profile)) if clearest else None,
            left_out=_left_out(profile),
            confidence=profile.demands.confidence,
        )
        return
    with atomic_path(path) as partial:
        map_figure(profile).savefig(partial, format=path.suffix[1:], dpi=130)


def map_figure(profile: Profile) -> "Figure":
    """Draw groups against features: the colour is the difference from the rest, grey is what cannot be told."""
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.figure import Figure

    columns = _telling_columns(profile)
    rows = np.arange(min(len(profile.groups), _GROUPS))
    place = np.ix_(rows, columns)
    told, differs = profile.told[place], profile.differs[place]
    apart = 100 * (profile.inside.mean - profile.rest.mean)[place]
    most = max(5.0, float(np.abs(apart[told]).max(initial=0.0)))
    figure = Figure(figsize=(3.4 + 0.42 * len(columns), 2.4 + 0.36 * len(rows)), layout="constrained")
    axes = figure.subplots()
    colours = LinearSegmentedColormap.from_list("profile", [_BELOW, "#ffffff", _ABOVE])
    axes.set_facecolor(_UNTOLD)  # seen through what cannot be told
    image = axes.imshow(np.where(told, apart, np.nan), cmap=colours, vmin=-most, vmax=most, aspect="auto")
    _write_cells(axes, apart, told, differs, most)
    names = [_short(profile.columns.names[column]) for column in columns]
    axes.set_xticks(range(len(columns)), names, rotation=40, ha="right", fontsize=8, parse_math=False)
    people = [f"{_short(profile.groups[row])}  ({profile.people[row]:,})" for row in rows]
    axes.set_yticks(range(len(rows)), people, fontsize=8.5, parse_math=False)
    _lines_between(axes, len(rows), len(columns))
    bar = figure.colorbar(image, ax=axes, shrink=0.7, aspect=18)
    bar.set_label("difference from everybody else,\npoints of the range", fontsize=8, color=INK)
    bar.ax.tick_params(labelsize=8)
    axes.set_title(
        "Bold numbers: shown to differ from the rest. Pale: no difference shown. Grey: cannot be told.",
        fontsize=8.5,
        color=INK,
        loc="left",
    )
    return figure


def clearest_figure(profile: Profile) -> "Figure":
    """Draw the clearest differences: the group's mean with its interval, and the mean of everybody else."""
    from matplotlib.figure import Figure

    found = profile.found[:_CLEAREST]
    figure = Figure(figsize=(8.6, 1.2 + 0.3 * len(found)), layout="constrained")
    axes = figure.subplots()
    places = np.arange(len(found))[::-1]
    inside, rest = (
        [getattr(part, name)[each] for each in found]
        for part, name in ((profile.inside, "mean"), (profile.rest, "mean"))
    )
    low, high = ([getattr(profile.inside, name)[each] for each in found] for name in ("low", "high"))
    colours = [_ABOVE if profile.differs[each] > 0 else _BELOW for each in found]
    axes.hlines(places, 100 * np.array(low), 100 * np.array(high), color=colours, linewidth=4, alpha=0.45)
    axes.scatter(
        100 * np.clip(inside, 0, 1), places, color=colours, s=36, zorder=3, label="this group, with its interval"
    )
    axes.scatter(100 * np.clip(rest, 0, 1), places, marker="|", s=140, color=INK, zorder=3, label="everybody else")
    names = [f"{_short(profile.groups[row])} · {_short(profile.columns.names[column])}" for row, column in found]
    axes.set_yticks(places, names, fontsize=8.5, parse_math=False)
    axes.set_xlim(0, 100)
    axes.set_xlabel(
        "mean, % of the way from the lower to the upper bound (of yes-no and choices: % of people)", fontsize=8.5
    )
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="x", color="#e4eaec", linewidth=0.8)
    axes.set_axisbelow(True)
    figure.legend(loc="outside upper right", ncols=2, fontsize=8.5, frameon=False)
    return figure


def _write_cells(
    axes: "Axes", apart: NDArray[np.float64], told: NDArray[np.bool_], differs: NDArray[np.int64], most: float
) -> None:
    for row, column in np.ndindex(*apart.shape):
        if not told[row, column]:
            axes.text(column, row, "?", ha="center", va="center", fontsize=7.5, color=CONTROL)
        elif differs[row, column]:
            dark = abs(apart[row, column]) > 0.55 * most
            text = f"{apart[row, column]:+.0f}"
            colour = "white" if dark else INK
            axes.text(column, row, text, ha="center", va="center", fontsize=8, color=colour, weight="bold")
        else:
            axes.add_patch(_veil(column, row))


def _veil(column: int, row: int) -> "Rectangle":
    """Return a white veil over a cell in which no difference is shown: its colour would be chance."""
    from matplotlib.patches import Rectangle

    return Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor="white", alpha=0.8, linewidth=0)


def _lines_between(axes: "Axes", rows: int, columns: int) -> None:
    axes.set_xticks(np.arange(columns + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(rows + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=1.5)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)


def _telling_columns(profile: Profile) -> NDArray[np.int64]:
    """Return the columns that are drawn, in their order: if there are many, those with the clearest differences."""
    if len(profile.columns) <= _COLUMNS:
        return np.arange(len(profile.columns))
    clearest = np.nanmin(np.where(profile.told & np.isfinite(profile.p), profile.p, 1.0), axis=0)
    return np.sort(np.argsort(clearest, kind="stable")[:_COLUMNS])


def _left_out(profile: Profile) -> list[str]:
    """Say what the map does not show."""
    told = []
    if len(profile.groups) > _GROUPS:
        told.append(f"the {_GROUPS} largest of {len(profile.groups):,} groups are drawn")
    if len(profile.columns) > _COLUMNS:
        told.append(f"the {_COLUMNS} of {len(profile.columns):,} features with the clearest differences are drawn")
    return told


def _short(name: str) -> str:
    return name if len(name) <= 28 else f"{name[:27]}…"
