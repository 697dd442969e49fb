"""``privge convert``: an edge list larger than memory to a graph that is opened at once."""

import json
import re
import time
from dataclasses import dataclass
from pathlib import Path

import click

from privge._machine import peak_bytes
from privge.cli.declared import option, options_into
from privge.cli.graphs import ColumnOptions
from privge.cli.options import json_option
from privge.cli.progress import progress_bar
from privge.graph import StoredGraph, convert_graph

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


class _Bytes(click.ParamType):  # type: ignore[type-arg]  # (no generic at run time before click 8.4)
    """A number of bytes: 2000000000, 500MB, 2GB."""

    name = "bytes"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        written = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)B?", str(value).strip().upper())
        number = int(float(written[1]) * _UNITS[written[2]]) if written else 0
        if number < 1:
            self.fail(f"{value!r} is not a number of bytes such as 500MB or 2GB", param, ctx)
        return number


@dataclass(frozen=True, kw_only=True)
class EdgeOptions:
    """Where the edges and nodes are."""

    edges: str = option(
        "--edges",
        required=True,
        metavar="PLACE",
        help="Parquet: a file, a folder of parts, a quoted glob, an address (s3://bucket/edges).",
    )
    nodes: str | None = option(
        "--nodes", metavar="PLACE", help="Parquet with a column id: all nodes, isolated ones too."
    )


@dataclass(frozen=True, kw_only=True)
class ConversionOptions:
    """What the conversion may take, and where its result goes."""

    id_column: str = option("--id-column", metavar="NAME", default="id", help="Column of the ids in the nodes.")
    memory: int = option(
        "--memory",
        type=_Bytes(),
        default="2GB",
        metavar="BYTES",
        help="Memory to use, roughly: 500MB, 2GB. Less is slower, and works too.",
    )
    output: Path = option(
        "-o",
        "--output",
        type=click.Path(path_type=Path, file_okay=False),
        required=True,
        help="The folder to write (.graph).",
    )


@click.command()
@options_into(read=EdgeOptions, columns=ColumnOptions, options=ConversionOptions)
@json_option
def convert(read: EdgeOptions, columns: ColumnOptions, options: ConversionOptions, *, as_json: bool) -> None:
    """Turn edges in Parquet into a graph on disk, however many they are.

    The edges may lie in any number of files, in nested folders too, as Spark, DuckDB and warehouses write them. Two
    columns are the ends of each edge: source and target (or src,dst; from,to; id_1,id_2; u,v), or what --source and
    --target name, integers or strings; other columns are left alone. Each pair is one edge, whichever way round;
    self-loops and repetitions are dropped.

    The result is a folder that other commands take as --graph: they look at it once, and only what is used of it comes
    into memory. Disk space for about 20 bytes an edge is needed while this runs, and 8 bytes an edge remain.

    A run that was cut off goes on where it stopped if you give the same command again; until it is done, its files
    are in OUTPUT.work.

    \b
    Examples:
      privge convert --edges edges/ -o big.graph
      privge convert --edges 's3://lake/follows/day=2024-*/*.parquet' --nodes people.parquet -o big.graph
      privge embed --graph big.graph --reports reports.parquet -o z.parquet
    """
    output = options.output
    if output.suffix != ".graph":
        raise click.BadParameter("the name must end in .graph", param_hint="--output")
    if not output.parent.is_dir():
        raise click.BadParameter(f"there is no folder {output.parent}", param_hint="--output")
    names = columns.edge_columns()
    start = time.perf_counter()
    with progress_bar("Converting") as progress:
        stored = convert_graph(
            read.edges,
            output,
            nodes=read.nodes,
            id_column=options.id_column,
            memory=options.memory,
            progress=progress,
            source=names.source,
            target=names.target,
            weight=names.weight,
        )
    seconds = time.perf_counter() - start
    if as_json:
        click.echo(
            json.dumps({**_summary(stored), "seconds": seconds, "peak_bytes": peak_bytes(), "output": str(output)})
        )
    else:
        click.echo(f"{stored.nodes:,} nodes and {stored.edges:,} edges are in {output} ({seconds:.1f} s)")


def _summary(stored: StoredGraph) -> dict[str, object]:
    shown = ("nodes", "edges", "loops", "repeated", "largest_degree", "fingerprint")
    return {name: getattr(stored, name) for name in shown}
