"""Embedding on a real local Dask cluster: reports in parts, vectors in parts, the bits of one process."""

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

import privge as pg
from privge._files.finished import finish
from privge._files.folder import Folder
from privge.cli import main
from privge.embedding.cluster import write_embedding
from privge.errors import BadData
from privge.graph.stored import save_graph
from privge.reports.parts import ReportParts

NODES, FEATURES = 600, 40


@pytest.fixture(scope="module")
def graph():
    generator = np.random.default_rng(3)
    return pg.Graph.from_edges(generator.integers(0, NODES, (4 * NODES, 2)), nodes=np.arange(NODES))


@pytest.fixture(scope="module")
def reports(graph):
    campaign = pg.Campaign(dimensions=FEATURES, low=0, high=1, mechanism="hds", epsilon=1, k=3)
    features = np.random.default_rng(4).random((NODES - 50, FEATURES))
    return campaign.simulate(features, ids=graph.ids[: NODES - 50], seed=5)


def part_of(reports, rows):
    return pg.Reports.with_indices(reports.campaign, reports.ids[rows], reports.codes[rows], reports.indices[rows])


def write_parts(folder, *parts):
    folder.mkdir()
    for number, part in enumerate(parts):
        part.to_parquet(folder / f"part-{number}.parquet")
    finish(
        Folder(str(folder)), campaign=parts[0].campaign.id, parts=len(parts), reports=sum(len(part) for part in parts)
    )
    return ReportParts.open(folder)


@pytest.fixture
def parts(reports, tmp_path):
    mixed = np.random.default_rng(6).permutation(len(reports))
    return write_parts(tmp_path / "reports", *(part_of(reports, rows) for rows in np.array_split(mixed, 3)))


@pytest.mark.parametrize("decoding", ["raw", "unbiased"])
def test_reports_in_parts_give_the_bits_of_one_process(cluster, graph, reports, parts, tmp_path, decoding):
    here = pg.embed(graph, reports, decoding=decoding)
    there = pg.embed(
        save_graph(graph, tmp_path / "g.graph"),
        parts,
        decoding=decoding,
        on=pg.OnCluster(cluster, folder=tmp_path / "run"),
    )
    assert there.to_numpy().tobytes() == here.to_numpy().tobytes()
    assert there.ids.tolist() == here.ids.tolist()
    run = replace(there.provenance.run, seconds=here.provenance.run.seconds)
    assert replace(there.provenance, run=run) == here.provenance


def test_reports_and_graph_in_memory_can_be_given_too(cluster, graph, reports):
    here = pg.embed(graph, reports)
    there = pg.embed(graph, reports, on=pg.OnCluster(cluster))
    assert there.to_numpy().tobytes() == here.to_numpy().tobytes()
    assert there.most_similar(7, 3) == here.most_similar(7, 3)


def test_parts_are_joined_without_a_cluster_too(graph, reports, parts):
    assert pg.embed(graph, parts).to_numpy().tobytes() == pg.embed(graph, reports).to_numpy().tobytes()


def test_a_node_in_two_parts_is_refused(cluster, graph, reports, tmp_path):
    twice = write_parts(tmp_path / "twice", part_of(reports, np.arange(300)), part_of(reports, np.arange(299, 400)))
    with pytest.raises(BadData, match=r"part-1.parquet: 1 of its nodes have a report in another part already"):
        pg.embed(graph, twice, on=pg.OnCluster(cluster, folder=tmp_path / "run"))


def test_strangers_are_refused_by_name_or_dropped_and_counted(cluster, graph, reports, tmp_path, caplog):
    smaller = pg.Graph.from_edges(graph.to_edges().slice(0, 900), nodes=None)
    parts = write_parts(tmp_path / "reports", reports)
    strangers = int((smaller.rows_of(reports.ids) < 0).sum())
    assert strangers
    with pytest.raises(BadData, match=r"part-0.parquet: \d+ of 550 reports are of nodes that are not in the graph"):
        pg.embed(smaller, parts, on=pg.OnCluster(cluster, folder=tmp_path / "run"))
    there = pg.embed(smaller, parts, unknown="drop", on=pg.OnCluster(cluster, folder=tmp_path / "run2"))
    here = pg.embed(smaller, reports, unknown="drop")
    assert there.to_numpy().tobytes() == here.to_numpy().tobytes()
    assert there.provenance.source.participation == here.provenance.source.participation
    assert f"dropped {strangers} of 550 reports" in caplog.text


def test_parts_with_nothing_but_strangers_are_no_embedding(cluster, reports, tmp_path):
    other = pg.Graph.from_edges([("one", "other")])
    parts = write_parts(tmp_path / "r", part_of(reports, np.arange(300)), part_of(reports, np.arange(300, 550)))
    with pytest.raises(BadData, match="none of the 550 reports is of a node in the graph"):
        pg.embed(other, parts, unknown="drop", on=pg.OnCluster(cluster, folder=tmp_path / "run"))


def test_workers_write_the_parts_of_an_embedding(cluster, graph, reports, tmp_path, monkeypatch):
    monkeypatch.setattr("privge.embedding.parts._PART", 4 * FEATURES * 100)  # a hundred rows
    stored = save_graph(graph, tmp_path / "g.graph")
    embedding = pg.embed(stored, reports, on=pg.OnCluster(cluster, folder=tmp_path / "run"))
    assert write_embedding(cluster, tmp_path / "vectors", stored, embedding) == 6
    read = pg.Embedding.from_parquet(tmp_path / "vectors")
    assert read.to_numpy().tobytes() == embedding.to_numpy().tobytes()
    assert read.ids.tolist() == graph.ids.tolist()
    assert read.provenance == embedding.provenance


@pytest.mark.usefixtures("parts")
def test_the_command_line_does_the_whole_way_on_a_cluster(cluster, graph, reports, tmp_path):
    save_graph(graph, tmp_path / "g.graph")
    result = CliRunner().invoke(
        main,
        ["embed", "--graph", f"{tmp_path}/g.graph", "--reports", f"{tmp_path}/reports", "--cluster",
         cluster.scheduler.address, "-o", f"{tmp_path}/vectors", "--json"],
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["nodes"] == NODES
    here = pg.embed(graph, reports)
    assert pg.Embedding.from_parquet(tmp_path / "vectors").to_numpy().tobytes() == here.to_numpy().tobytes()
    assert not (tmp_path / "vectors.work").exists()


def test_a_folder_with_other_files_is_never_overwritten(cluster, graph, reports, parts, tmp_path):
    stored = save_graph(graph, tmp_path / "g.graph")
    embedding = pg.embed(stored, reports, on=pg.OnCluster(cluster, folder=tmp_path / "run"))
    before = {path.name: path.read_bytes() for path in (tmp_path / "reports").iterdir()}
    for write in (embedding.to_parquet, lambda place: write_embedding(cluster, place, stored, embedding)):
        with pytest.raises(BadData, match="there are other files here"):
            write(tmp_path / "reports")
    assert {path.name: path.read_bytes() for path in (tmp_path / "reports").iterdir()} == before
    assert len(parts) == 3


@pytest.mark.usefixtures("parts")
def test_a_work_folder_with_other_files_is_never_removed(graph, tmp_path):
    save_graph(graph, tmp_path / "g.graph")
    (tmp_path / "vectors.work").mkdir()
    (tmp_path / "vectors.work" / "thesis.tex").write_text("years of work")
    result = CliRunner().invoke(
        main,
        ["embed", "--graph", f"{tmp_path}/g.graph", "--reports", f"{tmp_path}/reports", "--cluster",
         "tcp://127.0.0.1:9", "-o", f"{tmp_path}/vectors"],
    )  # fmt: skip
    assert result.exit_code == 3
    assert "there are other files here, such as thesis.tex" in result.output
    assert (tmp_path / "vectors.work" / "thesis.tex").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--engine", "push", "--cluster", "tcp://127.0.0.1:9"], "--engine has no effect with --cluster"),
        (["--regime", "edges"], "--regime has no effect without --cluster"),
        (["--cluster", "local:x"], "local:N takes a number of workers"),
    ],
)
@pytest.mark.usefixtures("parts")
def test_options_of_the_other_way_are_refused(tmp_path, options, message):
    result = CliRunner().invoke(
        main, ["embed", "--graph", "g.csv", "--reports", f"{tmp_path}/reports", "-o", f"{tmp_path}/z.parquet", *options]
    )
    assert result.exit_code == 2
    assert message in result.output


def test_the_cluster_command_says_how_to_start_one():
    result = CliRunner().invoke(main, ["cluster"])
    assert result.exit_code == 0
    for tool in ("dask ssh", "dask scheduler", "Kubernetes", "SLURM", "--work-folder"):
        assert tool in result.output
