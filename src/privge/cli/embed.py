"""``privge embed``: the main job, from reports and a graph to one vector for each node."""

import json
import math
import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from privge._files.folder import Folder
from privge._machine import peak_bytes
from privge.cli.cluster import opened_cluster
from privge.cli.one_of import OneOf
from privge.cli.options import (
    INPUT,
    PLACE,
    campaign_options,
    check_output,
    cluster_option,
    existing,
    in_parts,
    integer_ids_option,
    json_option,
    naming,
    refuse_campaign_options,
    refuse_integer_ids,
)
from privge.cli.progress import progress_bar
from privge.cli.simulated import CampaignOptions, simulated_reports
from privge.embedding import embed as embed_reports
from privge.embedding.embedding import Embedding
from privge.graph import Graph, read_graph
from privge.graph.stored import StoredGraph
from privge.propagation import DEFAULT_ALPHA, DEFAULT_R, DEFAULT_TOLERANCE, Local, OnCluster, Place, engines
from privge.propagation.cluster import stored_graph
from privge.reports import Reports
from privge.reports.parts import ReportParts


@click.command()
@click.option("--graph", "graph_place", type=PLACE, required=True, metavar="PLACE",
              help="Edges: .csv, .tsv (also .gz), .parquet, .npz; or what `privge convert` made.")  # fmt: skip
@click.option("--nodes", "nodes_path", type=INPUT, help="Table with a column id: all nodes, isolated ones too.")
@integer_ids_option
@click.option("--reports", "reports_place", type=PLACE, metavar="PLACE",
              help="Reports that devices sent: .parquet, or a folder or address of parts.")  # fmt: skip
@click.option(
    "--store",
    "store_url",
    metavar="URL",
    help="Or their store: sqlite:///path, postgresql://...  [default: PRIVGE_STORE]",
)
@click.option(
    "--campaign",
    metavar="ID|FILE",
    help="With --store, which campaign: its id, or how it begins. With --features, a campaign in TOML or JSON.",
)
@click.option(
    "--update", "update_path", type=INPUT, help="Earlier embedding of the store: add only what arrived since."
)
@click.option("--features", "features_path", type=INPUT, help="Or private features, to simulate the devices.")
@campaign_options
@click.option("--alpha", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=DEFAULT_ALPHA,
              show_default=True,
              help="Decay: near 1 stays local, near 0 reaches far.")  # fmt: skip
@click.option("--r", type=click.FloatRange(0, 1), default=DEFAULT_R, show_default=True, help="Convolution coefficient.")
@click.option("--tolerance", type=click.FloatRange(0, min_open=True), default=DEFAULT_TOLERANCE, show_default=True,
              help="Largest error of any entry, certified.")  # fmt: skip
@click.option("--engine", type=OneOf(engines), default="sor", show_default=True, help="How to solve it.")
@click.option("--decoding", type=click.Choice(["raw", "unbiased"]), default="raw", show_default=True,
              help="raw as in the paper; unbiased divides by the gain.")  # fmt: skip
@click.option("--clip", type=click.FloatRange(1), help="Largest size of a decoded value; a feature goes from -1 to 1. "
              "For laws with long tails, against false reports.  [default: none]")  # fmt: skip
@click.option("--drop-unknown", is_flag=True, help="Drop reports of nodes that are not in the graph, and count them.")
@click.option("--threads", type=click.IntRange(1), help="By default one for each processor.")
@click.option("--memory", type=click.IntRange(0), help="Bytes the result may take; more goes through a temporary file.")
@cluster_option
@click.option("--regime", type=click.Choice(["auto", "columns", "edges"]), default="auto", show_default=True,
              help="On a cluster: a block of columns a task, or the graph cut in shards.")  # fmt: skip
@click.option("--work-folder", type=PLACE, metavar="PLACE",
              help="On a cluster: a folder that all workers share.  [default: OUTPUT.work]")  # fmt: skip
@click.option("-o", "--output", type=PLACE, required=True, metavar="PLACE",
              help="Where the embedding goes (.parquet or .npy; a folder or address gets parts).")  # fmt: skip
@json_option
def embed(
    graph_place: str, nodes_path: Path | None, reports_place: str | None, store_url: str | None,
    campaign: str | None, update_path: Path | None, features_path: Path | None, mechanism: str,
    epsilon: float | None, k: int | None, low: float | None, high: float | None, levels: int | None, missing: str,
    seed: int | None,
    alpha: float, r: float, tolerance: float, engine: str, decoding: str, clip: float | None, threads: int | None,
    memory: int | None, cluster: str | None, regime: str, work_folder: str | None, output: str, *, integer_ids: bool,
    drop_unknown: bool, as_json: bool,
) -> None:  # fmt: skip
    """Spread reports over a graph by personalized PageRank: one vector for each node.

    Give --store or --reports for a real collection. With --features the devices are simulated, for research: whoever
    runs this sees the private features.

    \b
    Examples:
      privge embed --graph edges.csv --reports reports.parquet -o z.parquet
      privge embed --graph edges.csv --store sqlite:///app.db --campaign 3f5a -o z.parquet
      privge embed --graph edges.csv --store sqlite:///app.db --update z.parquet -o z.parquet
      privge embed --graph edges.csv --features features.csv --epsilon 1 --k 5 -o z.parquet
      privge embed --graph edges.csv --features features.csv --campaign campaign.toml -o z.parquet
      privge embed --graph edges.csv --features features.csv --mechanism structure --k 5 -o control.parquet
      privge embed --graph big.graph --reports reports/ --cluster tcp://host:8786 -o vectors/
    """
    if store_url is None and reports_place is None and features_path is None:
        store_url = os.environ.get("PRIVGE_STORE")  # a password would be visible on the command line
    _check_sources(reports_place, features_path, store_url, campaign, update_path)
    _check_cluster(cluster, features_path)
    if integer_ids and features_path is None:
        refuse_integer_ids(graph_place)
    options = None
    if features_path is not None:
        path = None if campaign is None else Path(campaign)
        options = CampaignOptions(
            path=path,
            mechanism=mechanism,
            epsilon=epsilon,
            k=k,
            low=low,
            high=high,
            levels=levels,
            missing=missing,
            integer_ids=integer_ids,
        )
    for name, value in (("--alpha", alpha), ("--r", r), ("--tolerance", tolerance), ("--clip", clip or 1.0)):
        if not math.isfinite(value):  # click lets NaN through every range
            raise click.BadParameter(f"must be a finite number, got {value}", param_hint=name)
    _check_place(output)
    with ExitStack() as stack:
        address = stack.enter_context(opened_cluster(cluster))
        work = None if cluster is None else _work(work_folder, output)
        graph = _graph(graph_place, nodes_path, work, integer_ids=integer_ids)

        on: Place
        if address is None:
            on = Local(threads=threads, memory=memory, engine=engine)
        else:
            on = OnCluster(address, work, regime)  # type: ignore[arg-type]
        asked = {"alpha": alpha, "r": r, "tolerance": tolerance, "decoding": decoding, "clip": clip}

        def spread(reports: Reports | ReportParts, **other: Any) -> Embedding:  # noqa: ANN401 (parameters of `embed`)
            with progress_bar("Propagating") as progress:
                unknown = "drop" if drop_unknown else "refuse"
                return embed_reports(graph, reports, unknown=unknown, on=on, progress=progress, **{**asked, **other})  # type: ignore[arg-type]

        more: dict[str, object] = {}
        if store_url is not None:
            given = tolerance if _given("tolerance") else None
            embedding, more = _from_store(
                store_url, campaign, update_path, graph, spread, given, threads, drop_unknown=drop_unknown
            )
        else:
            place = reports_place or str(features_path)
            reports = _reports(place) if options is None else simulated_reports(Path(place), options, seed)
            with naming(place):
                embedding = spread(reports)
        _write(embedding, output, address, graph)
        summary = {**_summary(embedding, output), **more}
        click.echo(json.dumps(summary) if as_json else _sentence(embedding, output))
        if work is not None and work_folder is None:
            work.clear()


def _work(place: str | None, output: str) -> Folder:
    """Return the folder that the workers share; one that nobody asked for is marked as ours, because it is removed."""
    if place is not None:
        return Folder.of(place)
    work = Folder.of(f"{output.rstrip('/')}/_work" if "://" in output else f"{output.rstrip('/')}.work")
    work.claim("work")
    return work


def _graph(place: str, nodes: Path | None, work: Folder | None, *, integer_ids: bool) -> Graph | StoredGraph:
    """Open or read the graph; for a cluster it is a folder that all workers see."""
    if not in_parts(place):
        graph = read_graph(Path(place), nodes=nodes, integer_ids=integer_ids)
        return graph if work is None else stored_graph(graph, work)
    if nodes is not None:
        raise click.UsageError("--nodes has no effect with a converted graph, which has all its nodes.")
    stored = StoredGraph.open(place)
    return stored.graph() if work is None else stored


def _reports(place: str) -> Reports | ReportParts:
    return ReportParts.open(place) if in_parts(place) else Reports.from_parquet(existing(Path(place)))


def _write(embedding: Embedding, output: str, cluster: str | None, graph: Graph | StoredGraph) -> None:
    """Write the result; on a cluster its parts are written by the workers."""
    if output.endswith(".npy"):
        embedding.to_npy(output)
    elif cluster is None or not isinstance(graph, StoredGraph) or output.endswith(".parquet"):
        embedding.to_parquet(output)
    else:
        from privge.embedding.cluster import write_embedding

        with progress_bar("Writing") as progress:
            write_embedding(cluster, output, graph, embedding, progress)


def _check_place(output: str) -> None:
    """Refuse, before the work, a place where its result could not be written."""
    if "://" in output:
        if output.endswith(".npy"):
            raise click.BadParameter("a .npy is written to a path, not to an address", param_hint="--output")
    elif output.endswith((".parquet", ".npy")):
        check_output(Path(output), ".parquet", ".npy")
    elif Path(output).suffix or not Path(output).parent.is_dir():
        raise click.BadParameter(
            "the name must end in .parquet or .npy, or be that of a folder in one that exists", param_hint="--output"
        )


def _check_cluster(cluster: str | None, features: Path | None) -> None:
    """Refuse options that only one of the two ways knows, and a run that would draw again when it is continued."""
    if cluster is not None and features is not None:
        raise click.UsageError("With --cluster, `privge perturb` first and give its --reports: nobody is drawn twice.")
    if cluster is None:
        unused = [name for name in ("regime", "work_folder") if _given(name)]
    else:
        unused = [name for name in ("engine", "threads", "memory", "update_path") if _given(name)]
    if unused:
        name = unused[0].removesuffix("_path").replace("_", "-")
        raise click.UsageError(f"--{name} has no effect {'without' if cluster is None else 'with'} --cluster.")


def _check_sources(
    reports: str | None, features: Path | None, store: str | None, campaign: str | None, update: Path | None
) -> None:
    """Refuse options that do not go together."""
    if sum(source is not None for source in (reports, features, store)) != 1:
        raise click.UsageError("Give either --reports or --store (real) or --features (simulated devices).")
    if store is None and update is not None:
        raise click.UsageError("--update goes with --store.")
    if reports is not None and campaign is not None:
        raise click.UsageError("--campaign has no effect with --reports, which bring their own campaign.")
    if features is None:
        refuse_campaign_options("--reports" if store is None else "--store")
    for name in ("alpha", "r", "decoding", "clip", "engine") if update is not None else ():
        if _given(name):
            raise click.UsageError(f"--{name} has no effect with --update: it stays as in the earlier embedding.")


def _given(name: str) -> bool:
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def _from_store(
    url: str, wanted: str | None, update_path: Path | None, graph: Graph | StoredGraph,
    spread: Callable[..., Embedding], tolerance: float | None, threads: int | None, *, drop_unknown: bool,
) -> tuple[Embedding, dict[str, object]]:  # fmt: skip
    """Embed what a store holds; return the embedding and what to say of it."""
    from privge.cli.stored import campaign_in, embed_news, embed_snapshot, previous_embedding
    from privge.collect.stores import open_store

    store = open_store(url, create=False)
    try:
        campaign = campaign_in(store, wanted)
        if update_path is None:
            made = embed_snapshot(store, campaign, spread)
            return made.embedding, made.summary()
        graph = graph.graph() if isinstance(graph, StoredGraph) else graph
        previous = previous_embedding(update_path, graph, campaign)
        news = embed_news(store, graph, previous, tolerance=tolerance, threads=threads, drop_unknown=drop_unknown)
        if news is None:
            click.echo(
                "Reports were erased since the earlier embedding, and an update would keep what they left in it: "
                "embedding from the beginning.",
                err=True,
            )
            run, source = previous.provenance.run, previous.provenance.source
            same = {
                "alpha": run.alpha,
                "r": run.r,
                "tolerance": tolerance or run.tolerance,
                "decoding": source.decoding,
                "clip": source.clip,
            }
            news = embed_snapshot(store, campaign, lambda reports: spread(reports, **same))
        else:
            click.echo(f"{news.new_reports:,} reports arrived since the earlier embedding", err=True)
        return news.embedding, news.summary()
    finally:
        store.close()


def _summary(embedding: Embedding, output: str) -> dict[str, object]:
    graph, source, run = embedding.provenance.graph, embedding.provenance.source, embedding.provenance.run
    return {
        "nodes": graph.nodes,
        "edges": graph.edges,
        "dimensions": embedding.matrix.shape[1],
        "participation": source.participation,
        "mechanism": source.mechanism,
        "epsilon": source.epsilon,
        "k": source.k,
        "clip": source.clip,
        "engine": run.engine,
        "sweeps": run.sweeps,
        "certificate": run.certificate,
        "tolerance": run.tolerance,
        "precision": run.precision,
        "seconds": run.seconds,
        "peak_bytes": peak_bytes(),
        "output": output,
    }


def _sentence(embedding: Embedding, output: str) -> str:
    source, run = embedding.provenance.source, embedding.provenance.run
    asked = f"{source.mechanism}, epsilon {source.epsilon}, k {source.k}"
    return (
        f"{len(embedding):,} vectors of {embedding.matrix.shape[1]:,} dimensions are in {output}\n"
        f"  {source.participation:.1%} of the nodes reported: {asked}\n"
        f"  every entry is within {run.certificate:.2g} of exact "
        f"({run.engine}, {run.sweeps:.0f} sweeps, {run.seconds:.1f} s)"
    )
