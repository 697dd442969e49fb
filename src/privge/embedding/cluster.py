"""Embedding on a cluster: reports that come in parts, and an embedding that leaves in parts; no process holds either.

Each part of the reports becomes a part of the features, by a task that knows where the graph lies. Each part of the
embedding is written by a task from the tiles of the result.
"""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from privge._dask import Cluster, completed, connected, translated
from privge._files.finished import finish
from privge._files.folder import Folder
from privge._typing import Decoding, Progress
from privge.embedding.embedding import Embedding
from privge.embedding.files import Vectors
from privge.embedding.join import Unknown, check_strangers
from privge.embedding.parts import begin_parts, finish_parts, part_rows, write_part
from privge.embedding.provenance import Provenance, provenance_of
from privge.errors import BadData
from privge.graph import Graph
from privge.graph.stored import StoredGraph
from privge.propagation.cluster import (
    Entries,
    Inputs,
    Regime,
    TiledMatrix,
    propagate_entries,
    run_folder,
    stored_graph,
)
from privge.propagation.cluster.entries import write_part as write_entries
from privge.propagation.problem import Matrix, check_parameters, degree_scale
from privge.reports import Reports
from privge.reports.parts import ReportParts

if TYPE_CHECKING:
    from distributed import Client


def embed_on_cluster(
    cluster: "Cluster",
    graph: Graph | StoredGraph,
    reports: Reports | ReportParts,
    *,
    alpha: float,
    r: float,
    tolerance: float,
    decoding: Decoding,
    clip: float | None,
    unknown: Unknown,
    folder: str | os.PathLike[str] | Folder | None,
    regime: Regime,
    progress: Progress | None,
) -> Embedding:
    """Spread the reports over the graph: see `privge.embed`. The matrix of the result stays in the folder."""
    check_parameters(alpha, r, tolerance)
    with connected(cluster) as client, run_folder(client, folder) as place, translated():
        stored = stored_graph(graph, place)
        parts = reports if isinstance(reports, ReportParts) else _as_part(reports, place)
        inputs = Inputs(stored, f"{parts.digest} {decoding} {clip} {unknown}", alpha, r, tolerance)
        run = inputs.folder(place)
        entries, participation = spread_parts(client, inputs, parts, run.sub("entries"), decoding, clip, unknown)
        matrix, made = propagate_entries(client, run, inputs, entries, regime=regime, progress=progress)
    provenance = provenance_of(
        stored, parts.campaign, made, alpha=alpha, r=r, decoding=decoding, clip=clip, participation=participation
    )
    return Embedding(stored.ids(), cast("Matrix", matrix), provenance)  # it asks for rows, which tiles give too


def _as_part(reports: Reports, place: Folder) -> ReportParts:
    """Write reports that are in memory where the workers can read them; others have another folder."""
    folder = place.sub(f"reports-{reports.digest[:16]}")
    folder.make()
    reports.to_parquet(folder.file("part-00000.parquet"))
    finish(folder, campaign=reports.campaign.id, parts=1, reports=len(reports))
    return ReportParts.open(folder)


@dataclass(frozen=True, slots=True)
class Spread:
    """What a task says of the part that it spread over the rows of the graph: counts, no reports."""

    part: int
    reports: int
    strangers: int
    largest: float


def spread_parts(
    client: "Client", inputs: Inputs, reports: ReportParts, folder: Folder, decoding: Decoding, clip: float | None,
    unknown: Unknown,
) -> tuple[Entries, float]:  # fmt: skip
    """Decode the reports into the rows of the graph; return where they lie and the share of nodes that reported."""
    graph = inputs.graph
    tasks = [(graph, reports, part, folder, inputs.r, decoding, clip, unknown) for part in range(len(reports))]
    done = sorted(completed(client, spread_part, tasks), key=lambda spread: spread.part)
    strangers = sum(spread.strangers for spread in done)
    check_strangers(strangers, sum(spread.reports for spread in done), unknown)
    _refuse_second_reports(folder, reports, graph.nodes)
    largest = max((spread.largest for spread in done), default=0.0)
    entries = Entries(folder, len(done), reports.campaign.dimensions, largest)
    return entries, (sum(spread.reports for spread in done) - strangers) / max(1, graph.nodes)


def spread_part(
    graph: StoredGraph, parts: ReportParts, part: int, folder: Folder, r: float, decoding: Decoding,
    clip: float | None, unknown: Unknown,
) -> Spread:  # fmt: skip
    """Decode one part of the reports; a task. Its rows are kept beside it, to see that no node reports twice."""
    reports = parts.read(part)
    rows = graph.rows_of(reports.ids)
    strangers = int((rows < 0).sum())
    if unknown == "refuse":
        try:
            check_strangers(strangers, len(rows), unknown)
        except BadData as error:
            raise BadData(f"{parts.folder.file(parts.names[part])}: {error}") from error
    known = np.flatnonzero(rows >= 0)
    order = known[np.argsort(rows[known], kind="stable")]
    rows = rows[order]
    values = reports.decode(decoding, clip=clip).data.reshape(-1, parts.campaign.k)[order]
    every = np.repeat(rows, parts.campaign.k)
    write_entries(folder, part, every, reports.indices[order].ravel(), values.ravel(), parts.campaign.dimensions)
    folder.write(_rows_name(part), rows)
    degrees = graph.indptr()[rows + 1] - graph.indptr()[rows]
    scale = degree_scale(degrees, r)[:, None]
    largest = float(np.abs(values.astype(np.float64) / scale).max(initial=0.0))
    return Spread(part, len(reports), strangers, largest)


def _refuse_second_reports(folder: Folder, parts: ReportParts, nodes: int) -> None:
    """See that no node is in two parts, with a bit for each node."""
    seen = np.zeros(-(-nodes // 8), dtype=np.uint8)
    for part in range(len(parts)):
        rows = folder.read(_rows_name(part))
        bits = (1 << (rows & 7)).astype(np.uint8)
        twice = np.flatnonzero(seen[rows >> 3] & bits)
        if twice.size:
            name = parts.folder.file(parts.names[part])
            raise BadData(f"{name}: {twice.size} of its nodes have a report in another part already; each reports once")
        np.bitwise_or.at(seen, rows >> 3, bits)


def write_embedding(
    cluster: "Cluster", output: str | os.PathLike[str] | Folder, graph: StoredGraph, embedding: Embedding,
    progress: Progress | None = None,
) -> int:  # fmt: skip
    """Write an embedding that was made on a cluster as Parquet parts, by tasks; return the number of parts."""
    folder, made = Folder.of(output), embedding.provenance
    if graph.fingerprint != made.graph:
        raise BadData("the embedding was made from another graph")
    begin_parts(folder)
    parts = part_rows(embedding.matrix)
    tasks = [(folder, number, graph, embedding.matrix, made, rows) for number, rows in enumerate(parts)]
    with connected(cluster) as client:
        for done, _ in enumerate(completed(client, write_rows, tasks), start=1):
            if progress is not None:
                progress(done, len(tasks))
    finish_parts(folder, len(tasks), len(embedding))
    return len(tasks)


def write_rows(
    folder: Folder, number: int, graph: StoredGraph, matrix: TiledMatrix, provenance: Provenance, rows: slice
) -> None:
    """Write one part of an embedding; a task."""
    write_part(folder, number, Vectors(graph.ids(rows.start, rows.stop), matrix[rows], provenance.to_json()))


def _rows_name(part: int) -> str:
    return f"p{part:05d}-rows.npy"
