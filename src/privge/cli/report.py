"""``privge report``: the results of ``privge reproduce`` as a page and a summary."""

from pathlib import Path

import click

from privge._imports import require
from privge.cli.options import OUTPUT
from privge.errors import BadData


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=Path("results"))
@click.option("-o", "--output", type=OUTPUT, help="Where the page goes.  [default: report.html in FOLDER]")
@click.option("--markdown", type=OUTPUT, help="Where the summary goes.  [default: report.md in FOLDER]")
def report(folder: Path, output: Path | None, markdown: Path | None) -> None:
    """Turn the results in FOLDER (default: results) into one self-contained page and a Markdown summary.

    Results of `privge reproduce beyond` become a Markdown page of their own, beyond.md beside the summary.
    """
    require("the report", "matplotlib", "jinja2")
    from privge.experiments.beyond.page import write_beyond
    from privge.experiments.report import write_report
    from privge.experiments.results import Results

    page = output or folder / "report.html"
    summary = markdown or folder / "report.md"
    beyond = summary.with_name("beyond.md")
    written = {
        "Open this page in a browser": page if write_report(Results(folder), page, summary) else None,
        "Beyond the paper": beyond if write_beyond(folder, beyond) else None,
    }
    if not any(written.values()):
        raise BadData(f"{folder}: no results here; `privge reproduce` makes them")
    for words, path in written.items():
        if path is not None:
            click.echo(f"{words}: {path.resolve()}")
