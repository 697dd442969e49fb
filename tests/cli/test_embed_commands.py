import json
import logging
import os
import pty
import subprocess
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest
import scipy.sparse
from click.testing import CliRunner
from pyarrow import csv

from privge import Campaign, Reports
from privge.cli import main
from privge.embedding.embedding import Embedding
from privge.graph import read_graph
from privge.propagation import ENGINES

NODES, DIMENSIONS = 40, 6
SUMMARY = {
    "nodes",
    "edges",
    "dimensions",
    "participation",
    "mechanism",
    "epsilon",
    "k",
    "clip",
    "engine",
    "sweeps",
    "certificate",
    "tolerance",
    "precision",
    "seconds",
    "peak_bytes",
    "output",
    "campaign",
    "store_sequence",
    "new_reports",
    "updated",
}


def run(*arguments):
    return CliRunner().invoke(main, [str(a) for a in arguments])


def run_json(*arguments):
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout)


def write_edges(path, name=str):
    """A ring with a second neighbour: 40 nodes, 80 edges."""
    pairs = [(i, (i + step) % NODES) for i in range(NODES) for step in (1, 2)]
    path.write_text("source,target\n" + "".join(f"{name(a)},{name(b)}\n" for a, b in pairs))
    return path


def write_features(path, rows=range(NODES), name=str):
    values = np.random.default_rng(3).random((NODES, DIMENSIONS))
    lines = [",".join([name(i), *map(repr, values[i % NODES].tolist())]) for i in rows]
    path.write_text("id," + ",".join(f"f{j}" for j in range(DIMENSIONS)) + "\n" + "\n".join(lines) + "\n")
    return path


@pytest.fixture
def edges(tmp_path):
    return write_edges(tmp_path / "edges.csv")


@pytest.fixture
def features(tmp_path):
    return write_features(tmp_path / "features.csv")


@pytest.fixture
def embed(tmp_path, edges):
    """Embed over the ring; return the summary and the vectors."""

    def call(*arguments, graph=edges):
        output = tmp_path / "z.parquet"
        return run_json("embed", "--graph", graph, "-o", output, *arguments), Embedding.from_parquet(output)

    return call


@pytest.fixture
def exact(edges):
    """The series of the paper, summed in float64 for features in [-1, 1]."""

    def call(features, alpha=0.1, r=0.5):
        adjacency = read_graph(edges).to_scipy().toarray()
        degrees = adjacency.sum(axis=1)
        spread = degrees[:, None] ** (r - 1) * adjacency * degrees[None, :] ** -r
        return np.linalg.solve(np.eye(NODES) - (1 - alpha) * spread, alpha * features)

    return call


def test_features_become_vectors(embed, features, tmp_path):
    summary, made = embed("--features", features, "--epsilon", 2, "--k", 3)
    assert set(summary) == SUMMARY
    assert (summary["nodes"], summary["edges"], summary["dimensions"]) == (NODES, 2 * NODES, DIMENSIONS)
    assert (summary["mechanism"], summary["epsilon"], summary["k"]) == ("hds", 2, 3)
    assert summary["participation"] == 1
    assert summary["certificate"] <= summary["tolerance"] == 1e-4
    assert summary["engine"] == "sor"
    assert summary["output"] == str(tmp_path / "z.parquet")
    assert summary["peak_bytes"] > 1e6
    assert made.matrix.shape == (NODES, DIMENSIONS)
    assert not list(tmp_path.glob(".*"))


def test_reports_become_vectors(embed, edges, features, tmp_path, exact):
    reports_path = tmp_path / "r.parquet"
    perturbed = run_json("perturb", "--features", features, "--epsilon", 2, "--k", 3, "-o", reports_path)
    reports = Reports.from_parquet(reports_path)
    assert perturbed["reports"] == len(reports) == NODES
    assert perturbed["campaign"] == reports.campaign.id
    assert (perturbed["mechanism"], perturbed["epsilon"], perturbed["k"]) == ("hds", 2, 3)
    summary, made = embed("--reports", reports_path)
    decoded = reports.decode().toarray()[[reports.ids.tolist().index(node) for node in read_graph(edges).ids.tolist()]]
    assert np.abs(made.matrix - exact(decoded)).max() <= summary["certificate"]
    assert made.provenance.source.campaign == reports.campaign.id


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_keeps_its_certificate(embed, edges, features, exact, engine):
    summary, made = embed("--features", features, "--mechanism", "none", "--k", DIMENSIONS, "--engine", engine)
    values = np.loadtxt(features, delimiter=",", skiprows=1)[read_graph(edges).ids.astype(int), 1:]
    grid = 2 * np.rint(values * 1024) / 1024 - 1  # what the control reports: the features on the grid
    assert summary["engine"] == engine
    assert summary["epsilon"] is None
    assert summary["certificate"] <= 1e-4
    # The certificate is about propagation; decoded values are float32.
    decoding = float(np.finfo(np.float32).eps) * 4
    assert np.abs(made.matrix - exact(grid)).max() <= summary["certificate"] + decoding


def test_structure_alone_does_not_depend_on_the_features(embed, tmp_path, features):
    _, one = embed("--features", features, "--mechanism", "structure", "--k", 2, "--seed", 5)
    scaled = tmp_path / "other.csv"
    scaled.write_text(features.read_text().replace("0.", "0.1"))
    summary, other = embed("--features", scaled, "--mechanism", "structure", "--k", 2, "--seed", 5)
    assert summary["epsilon"] == 0
    assert (one.matrix == other.matrix).all()


def test_nodes_without_a_report_get_vectors_from_their_neighbours(embed, tmp_path):
    some = write_features(tmp_path / "some.csv", rows=range(0, NODES, 4))
    summary, made = embed("--features", some, "--mechanism", "none", "--k", DIMENSIONS)
    assert summary["participation"] == 0.25
    assert len(made) == NODES
    assert np.abs(made[1]).max() > 0


def test_a_node_file_adds_isolated_nodes_at_the_midpoint(embed, tmp_path, features):
    nodes = tmp_path / "nodes.csv"
    nodes.write_text("id\n" + "".join(f"{i}\n" for i in range(NODES + 3)))
    summary, made = embed("--features", features, "--epsilon", 1, "--nodes", nodes)
    assert summary["nodes"] == NODES + 3
    assert summary["participation"] == pytest.approx(NODES / (NODES + 3), rel=1e-12)
    assert made.ids.tolist() == [str(i) for i in range(NODES + 3)]
    assert (made[NODES + 1] == 0).all()


def test_a_graph_in_text_and_typed_features_meet(embed, tmp_path, features):
    typed = tmp_path / "typed.parquet"
    pq.write_table(csv.read_csv(features), typed)
    summary, made = embed("--features", typed, "--mechanism", "none", "--k", DIMENSIONS)
    assert summary["participation"] == 1
    assert made.ids.dtype == object
    _, same = embed("--features", features, "--mechanism", "none", "--k", DIMENSIONS, "--integer-ids")
    assert same.ids.tolist() == [int(node) for node in made.ids]
    assert (same.matrix == made.matrix).all()


def test_integer_ids_must_be_spelled_plainly(tmp_path, edges, features):
    features.write_text(features.read_text().replace("\n7,", "\n007,"))
    for command in (("embed", "--graph", edges), ("perturb",)):
        result = run(*command, "--features", features, "--epsilon", 1, "--integer-ids", "-o", tmp_path / "z.parquet")
        assert result.exit_code == 3
        assert "features.csv, line 9: an id is not an integer" in result.stderr
    (tmp_path / "parts").mkdir()
    result = run("perturb", "--features", tmp_path / "parts", "--epsilon", 1, "--integer-ids", "-o", tmp_path / "r")
    assert result.exit_code == 2
    assert "--integer-ids has no effect" in result.stderr


def test_reports_of_unknown_nodes_are_dropped_when_asked(embed, tmp_path, caplog):
    more = write_features(tmp_path / "more.csv", rows=range(NODES + 2))
    with caplog.at_level(logging.WARNING):
        summary, made = embed("--features", more, "--epsilon", 1, "--drop-unknown")
    assert "dropped 2 of 42 reports (4.8%) of nodes that are not in the graph" in caplog.text
    assert summary["participation"] == 1
    assert len(made) == NODES


def test_reports_of_unknown_nodes_are_refused_otherwise(tmp_path, edges):
    more = write_features(tmp_path / "more.csv", rows=range(NODES + 2))
    result = run("embed", "--graph", edges, "--features", more, "--epsilon", 1, "-o", tmp_path / "z.parquet")
    assert result.exit_code == 3
    assert "2 of 42 reports are of nodes that are not in the graph" in result.stderr
    assert not (tmp_path / "z.parquet").exists()


def test_npy_holds_the_same_vectors(tmp_path, embed, edges, features):
    options = ("--features", features, "--epsilon", 1, "--seed", 1)
    _, made = embed(*options)
    summary = run_json("embed", "--graph", edges, *options, "-o", tmp_path / "z.npy")
    assert summary["output"] == str(tmp_path / "z.npy")
    assert (np.load(tmp_path / "z.npy") == made.matrix).all()


def test_the_same_seed_gives_the_same_vectors(embed, features):
    same = [embed("--features", features, "--epsilon", 1, "--seed", 7)[1].matrix for _ in range(2)]
    other = embed("--features", features, "--epsilon", 1, "--seed", 8)[1].matrix
    assert (same[0] == same[1]).all()
    assert (same[0] != other).any()


def test_the_same_seed_gives_the_same_reports(tmp_path, features):
    for name in ("a", "b"):
        run_json("perturb", "--features", features, "--epsilon", 1, "--seed", 7, "-o", tmp_path / f"{name}.parquet")
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_threads_and_memory_make_no_difference(embed, features):
    options = ("--features", features, "--epsilon", 1, "--seed", 7)
    _, one = embed(*options, "--threads", 1)
    _, other = embed(*options, "--threads", 3, "--memory", 0)
    assert (one.matrix == other.matrix).all()


def test_unbiased_decoding_scales_the_vectors(embed, features):
    options = ("--features", features, "--epsilon", 2, "--k", 3, "--seed", 7, "--tolerance", 1e-7)
    _, raw = embed(*options)
    summary, unbiased = embed(*options, "--decoding", "unbiased")
    campaign = Campaign(dimensions=DIMENSIONS, low=0, high=1, mechanism="hds", epsilon=2.0, k=3)
    gain = float(campaign.sampled.gain)
    assert unbiased.matrix == pytest.approx(raw.matrix / gain, rel=1e-5, abs=1e-7 / gain + 1e-7)
    assert unbiased.provenance.source.decoding == "unbiased"
    assert summary["certificate"] <= 1e-7


def test_sparse_matrices_become_vectors(embed, tmp_path, edges):
    scipy.sparse.save_npz(tmp_path / "g.npz", read_graph(edges).to_scipy())
    scipy.sparse.save_npz(tmp_path / "f.npz", scipy.sparse.random_array((NODES, 9), density=0.2, rng=1).tocsr())
    summary, _ = embed("--features", tmp_path / "f.npz", "--epsilon", 1, graph=tmp_path / "g.npz")
    assert (summary["nodes"], summary["dimensions"], summary["participation"]) == (NODES, 9, 1)


def test_a_campaign_file_takes_the_place_of_options(tmp_path, features):
    campaign = Campaign(dimensions=DIMENSIONS, low=0, high=1, mechanism="laplace", epsilon=3.0, k=2)
    campaign.save(tmp_path / "c.json")
    summary = run_json(
        "perturb", "--features", features, "--campaign", tmp_path / "c.json", "-o", tmp_path / "r.parquet"
    )
    assert summary["campaign"] == campaign.id
    assert Reports.from_parquet(tmp_path / "r.parquet").campaign == campaign


@pytest.mark.parametrize("name", [str, "node {}".format], ids=["integers", "strings"])
@pytest.mark.parametrize("metric", ["cosine", "dot"])
def test_similar_lists_the_most_similar_nodes(tmp_path, name, metric):
    edges, features = (
        write_edges(tmp_path / "edges.csv", name),
        write_features(tmp_path / "features.csv", name=name),
    )
    z = tmp_path / "z.parquet"
    run_json("embed", "--graph", edges, "--features", features, "--epsilon", 1, "-o", z)
    made = Embedding.from_parquet(z)
    answer = run_json("similar", z, "--node", name(3), "--count", 4, "--metric", metric)
    expected = [{"node": node, "score": score} for node, score in made.most_similar(name(3), 4, metric=metric)]
    assert answer == {"node": name(3), "metric": metric, "similar": expected}
    lines = run("similar", z, "--node", name(3), "--count", 4, "--metric", metric).stdout.splitlines()
    assert [line.split("  ")[-1] for line in lines] == [str(item["node"]) for item in expected]


def test_what_a_person_reads_is_the_place_and_the_guarantee(tmp_path, edges, features):
    z = tmp_path / "z.parquet"
    result = run("embed", "--graph", edges, "--features", features, "--epsilon", 1, "-o", z)
    assert result.exit_code == 0
    assert f"40 vectors of 6 dimensions are in {z}" in result.stdout
    assert "every entry is within" in result.stdout
    assert "private features" in result.stderr
    assert "private features" not in result.stdout
    result = run("perturb", "--features", features, "--epsilon", 1, "-o", tmp_path / "r.parquet")
    assert f"40 reports of campaign {Reports.from_parquet(tmp_path / 'r.parquet').campaign.id[:12]}" in result.stdout


def test_bars_and_logs_stay_off_stdout_even_on_a_terminal(tmp_path, edges):
    more = write_features(tmp_path / "more.csv", rows=range(NODES + 2))
    controller, terminal = pty.openpty()
    command = [sys.executable, "-m", "privge", "embed", "--graph", str(edges), "--features", str(more)]
    command += ["--epsilon", "1", "--drop-unknown", "-o", str(tmp_path / "z.parquet"), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=terminal, text=True) as process:
        stdout, _ = process.communicate()
    os.close(terminal)
    drawn = os.read(controller, 100_000).decode()
    os.close(controller)
    assert process.returncode == 0, drawn
    assert set(json.loads(stdout)) == SUMMARY
    assert "Propagating" in drawn
    assert "dropped 2 of 42 reports" in drawn
