"""``privge demo``: the whole way on a made-up network, ending in a page to look at."""

import json
from pathlib import Path

import click

from privge._imports import require
from privge.cli.options import OUTPUT, json_option
from privge.cli.progress import progress_bar
from privge.cli.remarks import show_remarks


@click.command()
@click.option(
    "-o", "--output", type=OUTPUT, default=Path("demo/report.html"), show_default=True, help="Where the page goes."
)
@click.option(
    "--people", type=click.IntRange(1000, 20_000), default=3000, show_default=True, help="Size of the network."
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the made-up network, not of the noise."
)
@json_option
def demo(output: Path, people: int, seed: int, *, as_json: bool) -> None:
    """Show the whole thing in a minute, on a made-up social network.

    Who belongs to which community? The graph alone says it of most people. At epsilon 1, 2 and 4, people then send one
    private report each: the paper's noisy interests, or the answer to one question that their own device computes.
    Everything stands beside its controls: the graph alone, noise, other people's profiles, and no privacy. The result
    is a page to open in a browser.
    """
    require("the demo", "sklearn", "matplotlib", "jinja2", extra="demo")
    from privge.experiments.demo.page import write_page
    from privge.experiments.demo.run import run_demo

    show_remarks(quiet=True)  # of no interest for a made-up network
    click.echo(f"Making a network of {people:,} people, and asking each of them once, in several ways ...", err=True)
    with progress_bar("Repeats, with controls") as progress:
        demonstration = run_demo(people, seed, progress)
    write_page(demonstration, output)
    if as_json:
        click.echo(json.dumps({**demonstration.to_dict(), "page": str(output.resolve())}))
        return
    for line in demonstration.cases.lines():
        click.echo(line)
    click.echo(f"The largest community alone has {demonstration.majority:.1f} % of the people.")
    for sentence in demonstration.cases.conclusions():
        click.echo(sentence)
    click.echo(f"Open this page in a browser: {output.resolve()}")
