"""``privge datasets``: what datasets there are, what they hold, and what is at hand."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from privge.cli.one_of import NameOrFolder
from privge.cli.options import json_option
from privge.cli.progress import progress_bar
from privge.cli.remarks import show_remarks
from privge.datasets.cache import DataDirectory, data_directory
from privge.datasets.catalogue import datasets as catalogue
from privge.datasets.description import Description
from privge.datasets.export import write_folder
from privge.datasets.fetch import fetch
from privge.datasets.loading import describe, read_dataset
from privge.datasets.status import Status, inspect
from privge.errors import BadData, PrivgeError
from privge.experiments.plan import task_plan
from privge.tasks.settings import TASKS

_COLUMNS = ("name", "nodes", "edges", "paper's edges", "features", "classes", "licence", "state")
_TEXT = {"name", "licence", "state"}  # columns that begin at the left
_FIGURES = ("nodes", "edges", "self_loops", "features", "classes")


@click.command()
@click.argument("names", metavar="[NAME|FOLDER]...", nargs=-1, type=NameOrFolder(catalogue))
@click.option(
    "--data-dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder with a folder for each dataset.  [default: PRIVGE_DATA, or this user's cache]",
)
@click.option("--download", is_flag=True, help="Fetch files that are not there; otherwise nothing is fetched.")
@click.option(
    "--export",
    "target",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write one dataset to this new folder, as one of your own: an example to begin with.",
)
@json_option
def datasets(
    names: tuple[str, ...], data_dir: Path | None, target: Path | None, *, download: bool, as_json: bool
) -> None:
    """List the datasets, with what their files hold and whether they are at hand.

    A folder with a dataset.toml is a dataset of your own; docs/own-data.md shows how to write one.

    Every file is read and compared with the published checksum. Where the paper prints more edges, it counts a
    self-loop as half an edge. It ends with the exit code for bad data if a dataset is damaged, or could not
    be downloaded.

    \b
    Examples:
      privge datasets
      privge datasets cora facebook --download
      privge datasets ./mine
      privge datasets citeseer --export ./citeseer
      PRIVGE_DATA=/data privge datasets --json
    """
    chosen = list(map(describe, dict.fromkeys(names) or catalogue().usable()))
    if any(one.folder is None for one in chosen):
        show_remarks(quiet=True)  # what was dropped is in the table
    directory = data_directory(data_dir)
    if target is not None:
        _export(chosen, directory, target)
        return
    failures = {one.name: _download(one, directory) for one in chosen} if download else {}
    statuses = [inspect(one, directory) for one in chosen]
    rows = [_row(status, directory, failures.get(status.description.name)) for status in statuses]
    if as_json:
        click.echo(json.dumps({"data_dir": str(directory.path), "datasets": rows}))
    else:
        click.echo(_table(rows, directory))
    if any(failures.values()) or any(status.state in ("damaged", "mismatch") for status in statuses):
        click.get_current_context().exit(BadData.exit_code)


def _export(chosen: list[Description], directory: DataDirectory, target: Path) -> None:
    """Write a dataset as a folder, with the settings of the experiments if they have some for it."""
    if len(chosen) != 1:
        raise click.UsageError("--export writes one dataset: name it.")
    if target.exists():
        raise click.BadParameter(f"{target} is there already", param_hint="--export")
    dataset = read_dataset(chosen[0], directory)
    plans = {task: task_plan(task).datasets.get(dataset.name) for task in TASKS}
    write_folder(dataset, target, {task: settings for task, settings in plans.items() if settings is not None})
    click.echo(f"{dataset!r} is in {target}; see its dataset.toml, and try: privge datasets {target}")


def _download(description: Description, directory: DataDirectory) -> str | None:
    """Fetch one dataset; return what went wrong, so that the others are fetched all the same."""
    try:
        with progress_bar(f"Downloading {description.name}") as progress:
            fetch(description, directory, progress=progress)
    except PrivgeError as error:
        return str(error)
    return None


def _row(status: Status, directory: DataDirectory, failure: str | None) -> dict[str, object]:
    about = status.description
    figures = dict.fromkeys(_FIGURES) if status.statistics is None else asdict(status.statistics)
    return {
        "name": about.name,
        "title": about.title,
        **figures,
        "paper_edges": about.paper_edges,
        "low": about.low,
        "high": about.high,
        "licence": about.licence,
        "homepage": about.homepage,
        "state": status.state,
        "problem": failure or status.problem,
        "missing": [
            {"name": file.name, "url": file.url, "path": str(directory.place(about, file))} for file in status.missing
        ],
    }


def _table(rows: list[dict[str, object]], directory: DataDirectory) -> str:
    lines = [_COLUMNS, *([_cell(row, column) for column in _COLUMNS] for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(_COLUMNS))]
    table = ["  ".join(_aligned(*cell) for cell in zip(_COLUMNS, line, widths, strict=True)).rstrip() for line in lines]
    problems = [str(row["problem"]) for row in rows if row["problem"]]
    fetchable = any(row["state"] == "not downloaded" for row in rows)
    hint = ["Add --download to fetch what is not downloaded."] if fetchable and not problems else []
    return "\n".join([*table, "", *problems, *hint, f"Data directory: {directory.path}"])


def _cell(row: dict[str, object], column: str) -> str:
    value = row["paper_edges" if column == "paper's edges" else column]
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _aligned(column: str, text: str, width: int) -> str:
    return text.ljust(width) if column in _TEXT else text.rjust(width)
