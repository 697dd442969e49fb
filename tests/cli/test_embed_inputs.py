"""Graphs and tables as people have them, through the command line."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from privge import Embedding, Graph, Reports, embed
from privge.cli import main
from privge.graph import read_graph

NODES = 12


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def done(*arguments):
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    return result


def apart(one, other):
    """How far two embeddings differ, beyond what both certify."""
    far = np.abs(one.matrix.astype(float) - other.matrix).max()
    return far - one.provenance.run.certificate - other.provenance.run.certificate


@pytest.fixture
def ring():
    return [(f"n{i}", f"n{(i + 1) % NODES}") for i in range(NODES)]


@pytest.fixture
def edges(tmp_path, ring):
    (tmp_path / "e.csv").write_text("source,target\n" + "".join(f"{a},{b}\n" for a, b in ring))
    return tmp_path / "e.csv"


@pytest.fixture
def reports(tmp_path):
    rows = "".join(f"n{i};{i / NODES};{1 - i / NODES}\n" for i in range(NODES))
    (tmp_path / "f.csv").write_text(f"person;x;y\n{rows}")
    arguments = ["--features", tmp_path / "f.csv", "--id-column", "person", "--epsilon", 2, "--k", 1]
    result = done("perturb", *arguments, "-o", tmp_path / "r.parquet")
    assert "f.csv: the columns are separated by semicolons, not by commas" in result.stderr
    return tmp_path / "r.parquet"


def test_an_edge_list_with_names_and_weights_of_its_own_is_embedded(tmp_path, ring, reports):
    rows = "".join(f"{number};{a};{b};{number % 3 + 1}\n" for number, (a, b) in enumerate(ring))
    path = tmp_path / "trade.csv"
    path.write_text(f"day;buyer;seller;amount\n{rows}")
    arguments = ["embed", "--graph", path, "--reports", reports, "--source", "buyer", "--target", "seller"]
    result = done(*arguments, "--weight", "amount", "-o", tmp_path / "z.parquet")
    assert "column 'day' is not used" in result.stderr
    weighted = Graph.from_edges(ring, weights=[number % 3 + 1 for number in range(NODES)])
    made, expected = Embedding.load(tmp_path / "z.parquet"), embed(weighted, Reports.from_parquet(reports))
    assert made.provenance.graph.fingerprint == weighted.fingerprint
    assert apart(made, expected) <= 0
    unweighted = done(*arguments, "-o", tmp_path / "u.parquet")
    assert "columns 'day', 'amount' are not used" in unweighted.stderr
    plain = Graph.from_edges(ring).fingerprint
    assert Embedding.load(tmp_path / "u.parquet").provenance.graph.fingerprint == plain != weighted.fingerprint
    assert apart(Embedding.load(tmp_path / "u.parquet"), expected) > 0
    assert run("embed", "--graph", path, "--reports", reports, "-o", tmp_path / "n.parquet").exit_code == 3
    only = run(*arguments[:5], "--source", "buyer", "-o", tmp_path / "n.parquet")
    assert only.exit_code == 2
    assert "both --source and --target" in only.stderr


@pytest.mark.parametrize("name", ["g.txt", "g.edgelist", "g.csv"])
def test_an_edge_list_without_a_header_is_embedded(tmp_path, ring, reports, name):
    comma = "," if name == "g.csv" else " "
    (tmp_path / name).write_text("".join(f"{a}{comma}{b}\n" for a, b in ring))
    arguments = ["embed", "--graph", tmp_path / name, "--reports", reports, "-o", tmp_path / "z.parquet"]
    if name != "g.edgelist":  # which never has one
        refused = run(*arguments)
        assert refused.exit_code == 3
        assert "--no-header" in refused.stderr
        arguments.append("--no-header")
    done(*arguments)
    assert len(Embedding.load(tmp_path / "z.parquet")) == NODES


def test_columns_beside_a_converted_graph_are_refused(tmp_path, ring, reports):
    pq.write_table(pa.table({"u": [a for a, _ in ring], "v": [b for _, b in ring]}), tmp_path / "e.parquet")
    done("convert", "--edges", tmp_path / "e.parquet", "-o", tmp_path / "g.graph")
    arguments = ["embed", "--graph", tmp_path / "g.graph", "--reports", reports, "-o", tmp_path / "z.parquet"]
    done(*arguments)
    for option in (("--weight", "w"), ("--source", "u", "--target", "v"), ("--id-column", "name")):
        refused = run(*arguments, *option)
        assert refused.exit_code == 2
        assert "no effect" in refused.stderr


@pytest.mark.parametrize("name", ["z.parquet", "z.npy", "z"])
def test_what_embed_writes_similar_reads(tmp_path, edges, reports, name):
    done("embed", "--graph", edges, "--reports", reports, "-o", tmp_path / name)
    assert len(done("similar", tmp_path / name, "--node", "n3", "--count", 4).stdout.splitlines()) == 4


@pytest.mark.parametrize("name", ["z.vec", "z.txt"])
def test_vectors_are_written_as_word2vec_does(tmp_path, edges, reports, name):
    done("embed", "--graph", edges, "--reports", reports, "-o", tmp_path / name)
    head, *lines = (tmp_path / name).read_text().splitlines()
    assert head == f"{NODES} 2"
    expected = embed(read_graph(edges), Reports.from_parquet(reports))
    for line in lines:
        node, *vector = line.split()
        np.testing.assert_allclose(np.array(vector, dtype=float), expected[node], atol=1e-3)
    similar = run("similar", tmp_path / name, "--node", "n3")
    assert similar.exit_code == 3
    assert "holds no provenance" in similar.stderr


def test_names_that_word2vec_cannot_hold_are_refused_before_the_work(tmp_path, reports):
    (tmp_path / "g.csv").write_text("source,target\nn 1,n2\n")
    result = run("embed", "--graph", tmp_path / "g.csv", "--reports", reports, "-o", tmp_path / "z.vec")
    assert result.exit_code == 3
    assert "white space" in result.stderr
    assert "not in the graph" not in result.stderr  # which would be found out later


@pytest.fixture
def newer(tmp_path, reports):
    """A file with all reports, and one that had come before; ids decide, not the order."""
    everything = Reports.from_parquet(reports)
    everything.take(np.arange(8)).to_parquet(tmp_path / "old.parquet")
    everything.take(np.arange(NODES)[::-1].copy()).to_parquet(tmp_path / "new.parquet")
    return tmp_path / "new.parquet"


def test_an_update_from_a_newer_file_adds_what_is_new(tmp_path, edges, newer):
    z, old = tmp_path / "z.parquet", tmp_path / "old.parquet"
    done("embed", "--graph", edges, "--reports", old, "-o", z)
    update = ["embed", "--graph", edges, "--reports", newer, "--update", z, "-o", z]
    assert "--previous-reports" in run(*update).stderr
    result = done(*update, "--previous-reports", old, "--json")
    summary = json.loads(result.stdout)
    assert (summary["new_reports"], summary["updated"], summary["participation"]) == (4, True, 1)
    assert "4 reports arrived since the earlier embedding" in result.stderr
    made, whole = Embedding.load(z), embed(read_graph(edges), Reports.from_parquet(newer))
    assert apart(made, whole) <= 0
    stale = run(*update, "--previous-reports", old)
    assert stale.exit_code == 3
    assert f"{z}: the embedding was not made from the previous reports" in stale.stderr
    assert "leave out --update" in stale.stderr
    assert "no effect without --update" in run(*update[:5], "--previous-reports", old, "-o", z).stderr


def test_an_update_takes_a_graph_that_gained_nodes(tmp_path, edges, newer):
    z, old, grown = tmp_path / "z.parquet", tmp_path / "old.parquet", tmp_path / "grown.csv"
    grown.write_text(edges.read_text() + "n0,m1\nm1,m2\n")
    done("embed", "--graph", edges, "--reports", old, "-o", z)
    update = [
        "embed",
        "--graph",
        grown,
        "--reports",
        newer,
        "--update",
        z,
        "--previous-reports",
        old,
        "-o",
        z,
        "--json",
    ]
    refused = run(*update)
    assert refused.exit_code == 3
    assert "another graph" in refused.stderr
    assert "--previous-graph" in refused.stderr
    assert run(*update, "--previous-graph", grown).exit_code == 3
    summary = json.loads(done(*update, "--previous-graph", edges).stdout)
    assert (summary["nodes"], summary["new_reports"], summary["updated"]) == (NODES + 2, 4, True)
    made, whole = Embedding.load(z), embed(read_graph(grown), Reports.from_parquet(newer))
    assert made.ids.tolist() == whole.ids.tolist()
    assert apart(made, whole) <= 0
