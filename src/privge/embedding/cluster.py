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
from privge._typing import Progress
from privge.embedding.computation import Computation
from privge.embedding.embedding import Embedding
from privge.embedding.files import StoredVectors
from privge.embedding.join import Joining, check_strangers, joined
from privge.embedding.parts import begin_parts, finish_parts, part_rows, write_part
from privge.embedding.provenance import Provenance, Source
from privge.errors import BadData
from privge.graph import Graph
from privge.graph.stored import StoredGraph
from privge.propagation import OnCluster, Walk
from privge.propagation.cluster import (
    Entries,
    Inputs,
    TiledMatrix,
    propagate_entries,
    run_folder,
    stored_graph,
)
from privge.propagation.cluster.entries import write_part as write_entries
from privge.propagation.strengths import node_scale, unit_of
from privge.reports import Reports
from privge.reports.parts import ReportParts

if TYPE_CHECKING:
    from distributed import Client

    from privge.propagation.problem import Matrix


def embed_on_cluster(
    place: OnCluster,
    graph: Graph | StoredGraph,
    reports: Reports | ReportParts,
    walk: Walk,
    joining: Joining,
    progress: Progress | None,
) -> Embedding:
    """Spread the reports over the graph: see `privge.embed`. The matrix of the result stays in the folder."""
    with connected(place.address) as client, run_folder(client, place.folder) as shared, translated():
        stored = stored_graph(graph, shared)
        parts = reports if isinstance(reports, ReportParts) else _as_part(reports, shared)
        inputs = Inputs(stored, f"{parts.digest} {joining.key}", walk)
        run = inputs.folder(shared)
        entries, participation = join_parts(client, inputs, parts, run.sub("entries"), joining)
        matrix, made = propagate_entries(client, run, inputs, entries, regime=place.regime, progress=progress)
    source = Source.of(parts.campaign, joining, participation)
    vectors = cast("Matrix", matrix)  # it asks for rows, which tiles give too
    return Embedding(stored.ids(), vectors, Provenance.of(source, stored, Computation.of(walk, made)))


def _as_part(reports: Reports, place: Folder) -> ReportParts:
    """Write reports that are in memory where the workers can read them; others have another folder."""
    folder = place.sub(f"reports-{reports.digest[:16]}")
    folder.make()
    reports.to_parquet(folder.file("part-00000.parquet"))
    finish(folder, campaign=reports.campaign.id, parts=1, reports=len(reports))
    return ReportParts.open(folder)


@dataclass(frozen=True, slots=True)
class JoinedPart:
    """What a task says of the part that it joined with the graph: counts, no reports."""

    part: int
    reports: int
    strangers: int
    columns: int
    largest: float


def join_parts(
    client: "Client", inputs: Inputs, reports: ReportParts, folder: Folder, joining: Joining
) -> tuple[Entries, float]:
    """Decode the reports into the rows of the graph; return where they lie and the share of nodes that reported."""
    graph, r = inputs.graph, inputs.walk.r
    tasks = [(graph, reports, part, folder, r, joining) for part in range(len(reports))]
    done = sorted(completed(client, join_part, tasks), key=lambda part: part.part)
    strangers = sum(part.strangers for part in done)
    check_strangers(strangers, sum(part.reports for part in done), joining.unknown)
    _refuse_second_reports(folder, reports, graph.nodes)
    largest = max((part.largest for part in done), default=0.0)
    entries = Entries(folder, len(done), max(part.columns for part in done), largest)
    return entries, (sum(part.reports for part in done) - strangers) / max(1, graph.nodes)


def join_part(
    graph: StoredGraph, parts: ReportParts, part: int, folder: Folder, r: float, joining: Joining
) -> JoinedPart:
    """Decode one part of the reports; a task. Its rows are kept beside it, to see that no node reports twice."""
    reports = parts.read(part)
    rows, order, strangers = joined(graph, reports.ids)
    if joining.unknown == "refuse":
        try:
            check_strangers(strangers, len(reports), joining.unknown)
        except BadData as error:
            raise BadData(f"{parts.folder.file(parts.names[part])}: {error}") from error
    decoded = joining.decoded(reports)[order]
    counts = np.diff(decoded.indptr)
    write_entries(folder, part, np.repeat(rows, counts), decoded.indices, decoded.data, decoded.shape[1])
    folder.write(_rows_name(part), rows)
    scale = np.repeat(node_scale(graph.strengths_at(rows), r, unit_of(graph)), counts)
    largest = float(np.abs(decoded.data.astype(np.float64) / scale).max(initial=0.0))
    return JoinedPart(part, len(reports), strangers, decoded.shape[1], largest)


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
    cluster: "Cluster",
    output: str | os.PathLike[str] | Folder,
    graph: StoredGraph,
    embedding: Embedding,
    progress: Progress | None = None,
) -> int:
    """Write an embedding that was made on a cluster as Parquet parts, by tasks; return the number of parts."""
    folder, made = Folder.of(output), embedding.provenance
    if graph.fingerprint != made.graph.fingerprint:
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
    write_part(folder, number, StoredVectors(graph.ids(rows.start, rows.stop), matrix[rows], provenance.to_json()))


def _rows_name(part: int) -> str:
    return f"p{part:05d}-rows.npy"
