"""``privge analyse``: what theory says of mechanisms, of the paper's statements, and of each node of a graph."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from privge._files.atomic import atomic_path
from privge._imports import require
from privge.analysis import (
    Coordinate,
    Theorem,
    WorstCase,
    best_k,
    limit_for,
    node_bounds,
    sampled_for,
    theorems,
)
from privge.analysis.best_k import PURPOSES
from privge.campaign import Campaign
from privge.cli.analyse_options import CHANCE, AskedOptions, BoundOptions, BudgetOptions
from privge.cli.analysed import NodeFindings, Row, mechanism_table, node_lines, paper_lines, write_bounds
from privge.cli.declared import options_into
from privge.cli.graphs import OneGraphOptions
from privge.cli.ids import IdOptions
from privge.cli.options import OUTPUT, Finite, check_output, json_option, naming
from privge.mechanisms import LAWS, MAX_LEVELS, laws

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from privge._typing import Decoding

_COMPARED = tuple(name for name, law in LAWS.items() if law.ordered and law.fixed_epsilon is None)
_PICTURES = (".svg", ".png", ".pdf")


@click.group()
def analyse() -> None:
    """Ask theory how noisy a mechanism is, what the paper states, and how far off each node is.

    Nothing here reads private data.
    """


@analyse.command()
@options_into(budget=BudgetOptions)
@click.option("--levels", type=click.IntRange(2, MAX_LEVELS), default=1025, show_default=True, help="Of the grid.")
@click.option("--picture", type=OUTPUT, help="Draw variance and error over k: .svg, .png or .pdf.")
@json_option
def mechanisms(budget: BudgetOptions, levels: int, picture: Path | None, *, as_json: bool) -> None:
    """Compare the mechanisms: gain, bias, variance and mean squared error of one feature, and the best k.

    Everything is at the worst input, on the scale from -1 (lower bound) to 1; that only k of d features are reported
    is part of it. "law" is what the integers say that devices run, "limit" the paper's formulas, corrected.

    \b
    Examples:
      privge analyse mechanisms --epsilon 1
      privge analyse mechanisms --epsilon 8 --dimensions 500 --k 3
      privge analyse mechanisms --epsilon 8 --dimensions 500 --picture k.svg --json
    """
    _check_picture(picture)
    rows = [row for name in _COMPARED for row in _rows(name, budget, levels)]
    heading: dict[str, float] = {
        "epsilon": budget.epsilon,
        "k": budget.share,
        "dimensions": budget.dimensions,
        "levels": levels,
    }
    if picture is not None:
        from privge.experiments.theory_figures import over_k

        _draw(over_k(budget.epsilon, budget.dimensions), picture)
    document, text = mechanism_table(heading, rows)
    click.echo(json.dumps(document) if as_json else text)


def _rows(name: str, budget: BudgetOptions, levels: int) -> Iterator[Row]:
    """Yield one line for each way to decode a mechanism; only that of HDS makes a difference."""
    law = sampled_for(name, budget.epsilon, budget.share, budget.dimensions, levels=levels)
    limit = limit_for(name, budget.epsilon, budget.share, budget.dimensions)
    best = {str(purpose): best_k(name, budget.epsilon, budget.dimensions, purpose) for purpose in PURPOSES}
    decodings: tuple[Decoding, ...] = ("raw",) if laws()[name].rescaled else ("raw", "unbiased")
    for decoding in decodings:
        yield name, decoding, Coordinate.of(law, decoding), WorstCase.of_limit(limit, decoding), best


@analyse.command()
@options_into(budget=BudgetOptions)
@click.option(
    "--delta",
    type=Finite(0, 1, min_open=True, max_open=True),
    default=CHANCE,
    show_default=True,
    help="How often a bound may fail.",
)
@json_option
def paper(budget: BudgetOptions, delta: float, *, as_json: bool) -> None:
    """Print the lemma and the theorems of the paper as it states them, beside what is right.

    \b
    Examples:
      privge analyse paper --epsilon 1 --dimensions 1433
      privge analyse paper --epsilon 1 --dimensions 1433 --json
    """
    document, text = paper_lines(budget.epsilon, budget.share, budget.dimensions, delta)
    click.echo(json.dumps(document) if as_json else text)


@analyse.command()
@options_into(graph=OneGraphOptions, ids=IdOptions, asked=AskedOptions, bound=BoundOptions)
@click.option("-o", "--output", type=OUTPUT, help="Write the bound of each node: .csv or .parquet.")
@click.option("--picture", type=OUTPUT, help="Draw the bounds: .svg, .png or .pdf.")
@json_option
def nodes(
    graph: OneGraphOptions,
    ids: IdOptions,
    asked: AskedOptions,
    bound: BoundOptions,
    output: Path | None,
    picture: Path | None,
    *,
    as_json: bool,
) -> None:
    """Bound, for each node, how far its embedding is from the one that clean features would give.

    The bound holds for any features whatever: it is made of the law and of the node's own row of the propagation
    matrix, both public. It is on the scale from -1 (lower bound) to 1, and assumes that everybody reports.

    \b
    Examples:
      privge analyse nodes --graph edges.csv --campaign campaign.json
      privge analyse nodes --graph edges.csv --dimensions 24 --epsilon 1 --draws 20
      privge analyse nodes --graph edges.csv --campaign campaign.json --picture bounds.svg -o bounds.csv
    """
    _check_picture(picture)
    if output is not None:
        check_output(output, ".csv", ".parquet")
    campaign, known = asked.campaign(), graph.read_here(ids)
    with naming(asked.campaign_path or "campaign"):
        mechanism = campaign.sampled
    if bound.decoding == "unbiased" and mechanism.gain == 0:
        raise click.UsageError(
            f"--decoding unbiased: {campaign.mechanism} says nothing of a feature that could be scaled."
        )
    worst = Coordinate.of(mechanism, bound.decoding)
    norms = bound.norms(known)
    bounds = node_bounds(worst, norms, chance=bound.chance, entries=campaign.dimensions, on_grid=bound.on_grid)
    seen = bound.seen(known, campaign, norms.ids)
    found = NodeFindings(known.nodes, norms, bounds, seen, _stated(campaign, bound.chance))
    if output is not None:
        write_bounds(output, found)
    if picture is not None:
        from privge.experiments.theory_figures import node_bounds_figure

        proved = None if found.theorem is None else found.theorem.proved
        _draw(node_bounds_figure(bounds, found.seen, paper=proved), picture)
    click.echo(json.dumps(found.document()) if as_json else "\n".join(node_lines(found)))


def _stated(campaign: Campaign, chance: float) -> Theorem | None:
    """Return what the paper states of the mechanism of a campaign, if it does; of Laplace, only on all features."""
    if campaign.mechanism not in _COMPARED or (campaign.mechanism == "laplace" and campaign.k < campaign.dimensions):
        return None
    stated = theorems(campaign.epsilon, campaign.k, campaign.dimensions, chance)
    return next((one for one in stated if one.mechanism == campaign.mechanism), None)


def _check_picture(picture: Path | None) -> None:
    if picture is not None:
        require("a picture", "matplotlib")
        check_output(picture, *_PICTURES)


def _draw(figure: "Figure", picture: Path) -> None:
    with atomic_path(picture) as partial:
        figure.savefig(partial, format=picture.suffix[1:], dpi=130)
