"""What ``privge embed`` says of its result: a few lines, or an object for a machine."""

from dataclasses import asdict

from privge._machine import peak_bytes
from privge.curator import Made
from privge.embedding.embedding import Embedding


def summary(made: Made, output: str) -> dict[str, object]:
    """Return what a machine may want to know."""
    told = made.embedding.provenance
    graph, run = told.graph, told.run
    return {
        "nodes": graph.nodes,
        "edges": graph.edges,
        "dimensions": made.embedding.matrix.shape[1],
        **_asked(made.embedding),
        "engine": run.engine,
        "sweeps": run.sweeps,
        "certificate": run.certificate,
        "tolerance": run.tolerance,
        "precision": run.precision,
        "seconds": run.seconds,
        **({} if run.smoothing is None else {"smoothing": asdict(run.smoothing)}),
        **({} if run.projection is None else {"projection": asdict(run.projection)}),
        "peak_bytes": peak_bytes(),
        "output": output,
        **made.summary(),
    }


def _asked(embedding: Embedding) -> dict[str, object]:
    """Return what was asked of people: in one campaign, or in the channels."""
    told = embedding.provenance
    if told.channels:
        return {"epsilon": told.epsilon, "channels": [_channel(embedding, name) for name in embedding.channels]}
    source = told.source
    reading = {name: value for name, value in source.reading.items() if name != "decoding"}  # as ever: not there
    asked = {"mechanism": source.mechanism, "epsilon": source.epsilon, "k": source.k}
    return {"participation": source.participation, **asked, **reading}


def _channel(embedding: Embedding, name: str) -> dict[str, object]:
    channel = embedding.channels[name]
    source = channel.source
    return {
        "name": name,
        "columns": channel.width,
        "epsilon": channel.epsilon,
        "campaign": None if source is None else source.campaign,
        "participation": None if source is None else source.participation,
        "made": channel.made,
    }


def sentence(embedding: Embedding, output: str) -> str:
    """Return what a person may want to know."""
    run = embedding.provenance.run
    lines = [
        f"{len(embedding):,} vectors of {embedding.matrix.shape[1]:,} dimensions are in {output}",
        *_told(embedding),
    ]
    if run.engine != "none":
        lines.append(
            f"every entry is within {run.certificate:.2g} of exact "
            f"({run.engine}, {run.sweeps:.0f} sweeps, {run.seconds:.1f} s)"
        )
    if run.projection is not None:
        shares = f"{run.projection.kept:.0%} of the squares of all {run.projection.columns:,} columns"
        lines.append(f"compact: {run.projection.dimensions:,} {run.projection.kind}, which keep {shares}")
    if run.smoothing is not None:
        lines.append(f"chosen by Stein's unbiased risk: {run.smoothing}")
    return "\n  ".join(lines)


def _told(embedding: Embedding) -> list[str]:
    told = embedding.provenance
    if not told.channels:
        source = told.source
        asked = f"{source.mechanism}, epsilon {source.epsilon}, k {source.k}"
        return [f"{source.participation:.1%} of the nodes reported: {asked}"]
    lines = [f"channel {channel}" for channel in embedding.channels.values()]
    return [*lines, f"one person spent at most epsilon {told.epsilon}"]
