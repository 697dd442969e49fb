"""``privge embed``: the main job, from reports and a graph to one vector for each node."""

import json
from pathlib import Path

import click

from privge._files.folder import Folder
from privge.cli.channels import ChannelOptions
from privge.cli.declared import options_into
from privge.cli.embedded import sentence, summary
from privge.cli.graphs import GraphOptions
from privge.cli.ids import IdOptions
from privge.cli.options import PLACE, check_output, json_option
from privge.cli.progress import progress_bar
from privge.cli.simulated import Simulation, SimulationOptions
from privge.cli.sources import SourceOptions, Task
from privge.cli.walks import JoiningOptions, PlaceOptions, WalkOptions
from privge.curator import Made
from privge.embedding.channel import PRIVATE
from privge.embedding.embedding import Embedding
from privge.embedding.word2vec import refuse_white_space
from privge.graph import Graph, StoredGraph, as_graph
from privge.propagation import OnCluster, Place

_WORDS = (".vec", ".txt", ".w2v")  # as word2vec writes vectors
_TABLES = (".sql", ".csv")  # for pgvector
_FILES = (".parquet", ".npy", *_WORDS, *_TABLES)


@click.command()
@options_into(
    graph=GraphOptions,
    ids=IdOptions,
    source=SourceOptions,
    simulated=SimulationOptions,
    walk=WalkOptions,
    joining=JoiningOptions,
    place=PlaceOptions,
    channels=ChannelOptions,
)
@click.option(
    "-o",
    "--output",
    type=PLACE,
    required=True,
    metavar="PLACE",
    help="Where the embedding goes: .parquet; .npy, with the ids beside it; .vec, .txt or .w2v, as word2vec does; .sql "
    "or .csv, for pgvector; a folder or address gets parts.",
)
@json_option
def embed(
    graph: GraphOptions,
    ids: IdOptions,
    source: SourceOptions,
    simulated: SimulationOptions,
    walk: WalkOptions,
    joining: JoiningOptions,
    place: PlaceOptions,
    channels: ChannelOptions,
    output: str,
    *,
    as_json: bool,
) -> None:
    """Spread reports over a graph by personalized PageRank: one vector for each node.

    Give --store or --reports for a real collection. With --features the devices are simulated, for research: whoever
    runs this sees the private features.

    Of an edge list two columns are read, and a third with --weight; others are named and not used. Columns may be
    separated by commas, semicolons or tabs; in plain text, such as .txt, also by white space.

    \b
    Examples:
      privge embed --graph edges.csv --reports reports.parquet -o z.parquet
      privge embed --graph edges.csv --store sqlite:///app.db --campaign 3f5a -o z.parquet
      privge embed --graph edges.csv --store sqlite:///app.db --update z.parquet -o z.parquet
      privge embed --graph edges.csv --reports all.parquet --update z.parquet --previous-reports old.parquet -o z.npy
      privge embed --graph trade.csv --source buyer --target seller --weight amount --reports r.parquet -o z.parquet
      privge embed --graph edges.csv --features features.csv --epsilon 1 --k 5 -o z.parquet
      privge embed --graph edges.csv --features features.csv --campaign campaign.toml -o z.parquet
      privge embed --graph edges.csv --reports reports.parquet --settings settings.toml -o z.parquet
      privge embed --graph edges.csv --reports reports.parquet --dimensions 128 -o compact.npy
      privge embed --graph edges.csv --reports reports.parquet --smoother auto -o profiles.parquet
      privge embed --graph edges.csv --channels structure,answers --answers answers.parquet --labels l.csv -o z.npy
      privge embed --graph edges.csv --features features.csv --mechanism structure --k 5 -o control.parquet
      privge embed --graph big.graph --reports reports/ --cluster tcp://host:8786 -o vectors/
    """
    channels.check()
    source = source.settled(needed=PRIVATE in channels.wanted)
    place.check()
    walk.check()
    walk = walk.settled()
    simulation = _simulation(source, simulated, ids, place)
    if source.features_path is None:
        ids.refuse_for(graph.graph_place)
    _check_place(output)
    with place.opened(output) as on:
        work = Folder.of(on.folder) if isinstance(on, OnCluster) and on.folder is not None else None
        opened = graph.read(ids, work)
        if output.endswith(_WORDS):
            refuse_white_space(Path(output), opened.ids() if isinstance(opened, StoredGraph) else opened.ids)
        before = graph.read_previous(ids)
        task = Task(graph=opened, before=before, walk=walk, joining=joining, place=on)
        made = task.embed(source, simulation) if PRIVATE in channels.wanted else None
        if not channels.private_alone:
            private = None if made is None else made.embedding
            beside = channels.beside(private, as_graph(opened), ids, source.store_url, joining.joining.unknown)
            made = Made(beside, 0 if made is None else made.new_reports, updated=False)
        if made is not None:
            _write(made.embedding, output, on, opened)
            click.echo(json.dumps(summary(made, output)) if as_json else sentence(made.embedding, output))


def _simulation(
    source: SourceOptions, simulated: SimulationOptions, ids: IdOptions, place: PlaceOptions
) -> Simulation | None:
    """Return the devices to simulate, if any; on a cluster a run that is continued would draw them again."""
    if source.features_path is None:
        return None
    if place.cluster is not None:
        raise click.UsageError("With --cluster, `privge perturb` first and give its --reports: nobody is drawn twice.")
    return Simulation(None if source.campaign is None else Path(source.campaign), simulated, ids)


def _write(embedding: Embedding, output: str, on: Place, graph: Graph | StoredGraph) -> None:
    """Write the result; on a cluster its parts are written by the workers."""
    if not isinstance(on, OnCluster) or not isinstance(graph, StoredGraph) or output.endswith(_FILES):
        embedding.save(output)
        return
    from privge.embedding.cluster import write_embedding

    with progress_bar("Writing") as progress:
        write_embedding(on.address, output, graph, embedding, progress)


def _check_place(output: str) -> None:
    """Refuse, before the work, a place where its result could not be written."""
    if "://" in output:
        if output.endswith(_FILES[1:]):
            raise click.BadParameter("only .parquet and folders are written to an address", param_hint="--output")
    elif output.endswith(_FILES):
        check_output(Path(output), *_FILES)
    elif Path(output).suffix or not Path(output).parent.is_dir():
        names = ", ".join(_FILES[:-1]) + f" or {_FILES[-1]}"
        raise click.BadParameter(
            f"the name must end in {names}, or be that of a folder in one that exists", param_hint="--output"
        )
