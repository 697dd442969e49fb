"""``privge embed``: the main job, from reports and a graph to one vector for each node."""

import json
import math
from pathlib import Path

import click

from privge._memory import peak_bytes
from privge.cli.options import (
    INPUT,
    OUTPUT,
    campaign_options,
    check_output,
    existing,
    json_option,
    naming,
    refuse_campaign_options,
    simulated_campaign,
)
from privge.cli.progress import progress_bar
from privge.embedding import embed as embed_reports
from privge.graph import Graph, read_features, read_graph
from privge.propagation import DEFAULT_TOLERANCE, ENGINES
from privge.reports import Reports
from privge.vectors import Embedding


@click.command()
@click.option("--graph", "graph_path", type=INPUT, required=True, help="Edges: .csv, .tsv (also .gz), .parquet, .npz.")
@click.option("--nodes", "nodes_path", type=INPUT, help="Table with a column id: all nodes, isolated ones too.")
@click.option("--reports", "reports_path", type=INPUT, help="Reports that devices sent (.parquet).")
@click.option("--features", "features_path", type=INPUT, help="Or private features, to simulate the devices.")
@campaign_options
@click.option("--alpha", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.1, show_default=True,
              help="Decay: near 1 stays local, near 0 reaches far.")  # fmt: skip
@click.option("--r", type=click.FloatRange(0, 1), default=0.5, show_default=True, help="Convolution coefficient.")
@click.option("--tolerance", type=click.FloatRange(0, min_open=True), default=DEFAULT_TOLERANCE, show_default=True,
              help="Largest error of any entry, certified.")  # fmt: skip
@click.option("--engine", type=click.Choice(list(ENGINES)), default="sor", show_default=True, help="How to solve it.")
@click.option("--decoding", type=click.Choice(["raw", "unbiased"]), default="raw", show_default=True,
              help="raw as in the paper; unbiased divides by the gain.")  # fmt: skip
@click.option("--drop-unknown", is_flag=True, help="Drop reports of nodes that are not in the graph, and count them.")
@click.option("--threads", type=click.IntRange(1), help="By default one for each processor.")
@click.option("--memory", type=click.IntRange(0), help="Bytes the result may take; more goes through a temporary file.")
@click.option("-o", "--output", type=OUTPUT, required=True, help="Where the embedding goes (.parquet or .npy).")
@json_option
def embed(
    graph_path: Path, nodes_path: Path | None, reports_path: Path | None, features_path: Path | None, mechanism: str,
    epsilon: float | None, k: int | None, low: float, high: float, levels: int | None, seed: int | None, alpha: float,
    r: float, tolerance: float, engine: str, decoding: str, threads: int | None, memory: int | None, output: Path, *,
    drop_unknown: bool, as_json: bool,
) -> None:  # fmt: skip
    """Spread reports over a graph by personalized PageRank: one vector for each node.

    Give --reports for a real collection. With --features the devices are simulated, for research: whoever runs this
    sees the private features.

    \b
    Examples:
      privge embed --graph edges.csv --reports reports.parquet -o z.parquet
      privge embed --graph edges.csv --features features.csv --epsilon 1 --k 5 -o z.parquet
      privge embed --graph edges.csv --features features.csv --mechanism structure --k 5 -o control.parquet
    """
    if (reports_path is None) == (features_path is None):
        raise click.UsageError("Give either --reports (real) or --features (simulated devices).")
    if reports_path is not None:
        refuse_campaign_options("--reports")
    for name, value in (("--alpha", alpha), ("--r", r), ("--tolerance", tolerance)):
        if not math.isfinite(value):  # click lets NaN through every range
            raise click.BadParameter(f"must be a finite number, got {value}", param_hint=name)
    check_output(output, ".parquet", ".npy")
    graph = read_graph(graph_path, nodes=nodes_path)
    if reports_path is not None:
        reports = Reports.from_parquet(existing(reports_path))
    else:
        reports = _simulated(features_path, mechanism, epsilon, k, low, high, levels, seed)  # type: ignore[arg-type]
    with naming(reports_path or features_path), progress_bar("Propagating") as progress:  # type: ignore[arg-type]
        embedding = embed_reports(
            graph, reports, alpha=alpha, r=r, tolerance=tolerance, engine=engine, decoding=decoding,  # type: ignore[arg-type]
            unknown="drop" if drop_unknown else "refuse", threads=threads, memory=memory, progress=progress,
        )  # fmt: skip
    (embedding.to_npy if output.suffix == ".npy" else embedding.to_parquet)(output)
    click.echo(json.dumps(_summary(graph, embedding, output)) if as_json else _sentence(embedding, output))


def _simulated(
    path: Path, mechanism: str, epsilon: float | None, k: int | None, low: float, high: float, levels: int | None,
    seed: int | None,
) -> Reports:  # fmt: skip
    features = read_features(path)
    campaign = simulated_campaign(features.matrix.shape[1], mechanism, epsilon, k, low, high, levels)
    click.echo("Simulating the devices: this reads everybody's private features.", err=True)
    with naming(path), progress_bar("Perturbing") as progress:
        return campaign.simulate(features.matrix, ids=features.ids, seed=seed, progress=progress)  # type: ignore[arg-type]


def _summary(graph: Graph, embedding: Embedding, output: Path) -> dict[str, object]:
    made = embedding.provenance
    return {
        "nodes": graph.nodes,
        "edges": graph.edges,
        "dimensions": embedding.matrix.shape[1],
        "participation": made.participation,
        "mechanism": made.mechanism,
        "epsilon": made.epsilon,
        "k": made.k,
        "engine": made.engine,
        "sweeps": made.sweeps,
        "certificate": made.certificate,
        "tolerance": made.tolerance,
        "precision": made.precision,
        "seconds": made.seconds,
        "peak_bytes": peak_bytes(),
        "output": str(output),
    }


def _sentence(embedding: Embedding, output: Path) -> str:
    made = embedding.provenance
    return (
        f"{len(embedding):,} vectors of {embedding.matrix.shape[1]:,} dimensions are in {output}\n"
        f"  {made.participation:.1%} of the nodes reported: {made.mechanism}, epsilon {made.epsilon}, k {made.k}\n"
        f"  every entry is within {made.certificate:.2g} of exact "
        f"({made.engine}, {made.sweeps:.0f} sweeps, {made.seconds:.1f} s)"
    )
