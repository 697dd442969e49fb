"""Whatever is wrong with a file: exit code 3, one line that names it, and nothing left behind."""

import gzip
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse
from click.testing import CliRunner

from privge import Campaign
from privge.cli import main

EDGES = "source,target\na,b\nb,c\n"
FEATURES = "id,x,y\na,0.1,0.2\nb,0.3,0.4\nc,0.5,0.6\n"
NODES = "id\na\nb\nc\n"
NOTICE = "Simulating the devices: this reads everybody's private features."


def compressed(text):
    return gzip.compress(text.encode(), mtime=0)


def long_text():
    return "source,target\n" + "".join(f"{i},{i * 7919 % 10_007}\n" for i in range(10_000))


def corrupted():
    content = bytearray(compressed(long_text()))
    content[12:40] = b"\xff" * 28
    return bytes(content)


def parquet(**columns):
    return lambda path: pq.write_table(pa.table(columns), path)


def sparse(matrix):
    return lambda path: scipy.sparse.save_npz(path, matrix)


def truncated(make, kept):
    def write(path):
        make(path)
        path.write_bytes(path.read_bytes()[:kept])

    return write


def array_of_numpy(path):
    with path.open("wb") as file:
        np.save(file, np.eye(3))


def outside(path):
    matrix = scipy.sparse.csr_array(np.ones((3, 3)))
    matrix.indices[4] = 70_000_000
    parts = {"indices": matrix.indices, "indptr": matrix.indptr, "data": matrix.data, "shape": matrix.shape}
    np.savez(path, format=b"csr", _is_array=True, **parts)


def campaign(**changes):
    fields = {"dimensions": 2, "low": 0, "high": 1, "mechanism": "hds", "epsilon": 1.0, "k": 2, "levels": 33}
    return Campaign(**{**fields, **changes})


def reports(ids=("a", "b")):
    return lambda path: campaign().simulate(np.full((len(ids), 2), 0.5), ids=list(ids)).to_parquet(path)


def flipped(path):
    """Reports whose rows were exchanged after they were written."""
    reports()(path)
    pq.write_table(pq.read_table(path).take([1, 0]), path)


# Name of the bad file; its content, or who writes it; what its error says, after the name of the file.
GRAPHS = {
    "a ragged row": ("g.csv", "source,target\na,b\nb,c,d\n", ", line 3: 3 fields"),
    "a row with one field": ("g.csv", "source,target\na,b\nb\n", ", line 3: 1 fields"),
    "a missing id": ("g.csv", "source,target\na,b\nb,\n", ", line 3: an edge lacks its target"),
    "a missing id after an empty line": ("g.csv", "source,target\n\na,b\n\n,b\n", ", line 5: an edge lacks its source"),
    "a missing id without a header": ("g.csv", "1,2\n,3\n", ", line 2: an edge lacks its source"),
    "a missing id in Parquet": ("g.parquet", parquet(source=["a", None], target=["b", "c"]), ", row 2: an edge lacks"),
    "an unknown header": ("g.csv", "left,right\na,b\n", ", line 1: unknown columns, where"),
    "no header and strings": ("g.csv", "a,b\nb,c\n", ", line 1: unknown columns, where"),
    "two pairs of ends": ("g.csv", "source,target,u,v\na,b,1,2\n", "both source,target and u,v could be the ends"),
    "one column": ("g.csv", "source\na\n", ", line 1: an edge has two ids"),
    "a column twice": ("g.csv", "source,target,x,x\na,b,1,1\n", ": the column 'x' appears twice"),
    "other names, separated by semicolons": ("g.csv", "left;right\na;b\n", ", line 1: unknown columns"),
    "a ragged row between spaces": ("g.txt", "# no header\n1 2\n\n3 4 5\n", ", line 4: 3 fields where"),
    "names without a header in .txt": ("g.txt", "# people\nann bob\n", ", line 2: unknown columns"),
    "unknown columns in Parquet": ("g.parquet", parquet(left=["a"], right=["b"]), "--source and --target"),
    "numbers that are no ids in Parquet": ("g.parquet", parquet(source=[1.5], target=[2.5]), "integers or strings"),
    "lists in Parquet": ("g.parquet", parquet(source=[[1]], target=[[2]]), "integers or strings"),
    "an empty file": ("g.csv", "", ": the file is empty"),
    "an empty Parquet file": ("g.parquet", "", "not a Parquet file"),
    "text named Parquet": ("g.parquet", EDGES, "not a Parquet file"),
    "a truncated Parquet file": ("g.parquet", truncated(parquet(source=[1], target=[2]), -50), "not a Parquet file"),
    "bytes that are no UTF-8": ("g.csv", b"source,target\na,b\nb,\xff\n", ", line 3: this is not UTF-8"),
    "a header that is no UTF-8": ("g.csv", b"source,\xfftarget\na,b\n", ", line 1: this is not UTF-8"),
    "a truncated gz": ("g.csv.gz", compressed(long_text())[:-2000], "ended before"),
    "a gz truncated in its first line": ("g.csv.gz", compressed(long_text())[:25], "ended before"),
    "a gz without its last bytes": ("g.csv.gz", compressed(long_text())[:-4], "ended before"),
    "bytes in a gz that are no UTF-8": ("g.csv.gz", gzip.compress(b"1,2\n\xff,3\n"), ", line 2: this is not UTF-8"),
    "a corrupted gz": ("g.csv.gz", corrupted(), "decompressing"),
    "text named gz": ("g.csv.gz", EDGES, "gzip"),
    "a wrong extension": ("g.xlsx", EDGES, "the name must end in .csv"),
    "no extension": ("g", EDGES, "the name must end in .csv"),
    "an npz that is not sparse": ("g.npz", lambda path: np.savez(path, a=np.eye(3)), "not a sparse matrix"),
    "an npz that is not square": ("g.npz", sparse(scipy.sparse.csr_array((2, 3))), "must be square"),
    "an npz of one dimension": ("g.npz", sparse(scipy.sparse.coo_array(np.ones(3))), "two dimensions"),
    "an npz with indices outside": ("g.npz", outside, "not a sparse matrix"),
    "a truncated npz": ("g.npz", truncated(sparse(scipy.sparse.eye_array(3)), 100), "not a sparse matrix"),
    "an npy named npz": ("g.npz", array_of_numpy, "not a sparse matrix"),
    "text named npz": ("g.npz", "hello", "not a sparse matrix"),
    "an empty npz": ("g.npz", "", "not a sparse matrix"),
}
NODE_FILES = {
    "a node file without an end of an edge": ("n.csv", "id\na\nb\n", r"line 3: an end of the edge is not in"),
    "a node file without ids": ("n.csv", "name\na\n", ": there is no column 'id'"),
    "a node twice": ("n.csv", "id\na\nb\nc\n\na\n", ", line 6: this id appears twice"),
    "a node without an id": ("n.csv", "id,x\na,1\n,2\n", ", line 3: no id"),
    "no node file": ("n.csv", None, "no such file"),
}
TABLES = {
    "a ragged row": ("f.csv", "id,x\na,0.1\nb,0.2,0.3\n", ", line 3: 3 fields"),
    "an id twice": ("f.csv", "id,x\na,0.1\nb,0.2\na,0.3\n", ", line 4: this id appears twice"),
    "an id twice in Parquet": ("f.parquet", parquet(id=[1, 1], x=[0.1, 0.2]), ", row 2: this id appears twice"),
    "a missing id": ("f.csv", "id,x\na,0.1\n,0.2\n", ", line 3: no id"),
    "ids that are fractions in Parquet": ("f.parquet", parquet(id=[1.5], x=[0.1]), "ids must be integers or strings"),
    "text among the numbers": ("f.csv", "id,x,y\na,0.1,0.2\nb,tall,\n", ", line 3: feature 'x' is not a number"),
    "text in Parquet": ("f.parquet", parquet(id=["a"], x=["tall"]), ", row 1: feature 'x' is not a number"),
    "numbers written as text in Parquet": ("f.parquet", parquet(id=["a"], x=["1"]), ": feature 'x' holds string"),
    "dates among the features": ("f.csv", "id,x\na,2024-01-31\n", ": feature 'x' holds date"),
    "a feature that is no UTF-8": ("f.csv", b"id,x\na,\xff\n", ": feature 'x' holds binary"),
    "no id column": ("f.csv", "name,x\na,0.1\n", ": there is no column 'id'"),
    "no feature column": ("f.csv", "id\na\n", ": there is no feature column"),
    "a column twice": ("f.csv", "id,x,x\na,0.1,0.2\n", ": the column 'x' appears twice"),
    "an empty file": ("f.csv", "", ": the file is empty"),
    "ids that are no UTF-8": ("f.csv", b"id,x\n\xff,0.1\n", ", line 2: this is not UTF-8"),
    "a feature name that is no UTF-8": ("f.csv", b"id,\xff\na,0.1\n", ", line 1: this is not UTF-8"),
    "a truncated gz": ("f.csv.gz", compressed(long_text())[:-2000], "ended before"),
    "text named Parquet": ("f.parquet", FEATURES, "not a Parquet file"),
    "a wrong extension": ("f.json", FEATURES, "the name must end in .csv"),
    "an npz that is not sparse": ("f.npz", lambda path: np.savez(path, a=np.eye(3)), "not a sparse matrix"),
    "an npz of one dimension": ("f.npz", sparse(scipy.sparse.coo_array(np.ones(3))), "two dimensions"),
    "an npz of complex numbers": ("f.npz", sparse(scipy.sparse.eye_array(3, dtype=complex)), "must be real numbers"),
    "no such file": ("f.csv", None, "no such file"),
}
REPORTS = {
    "text named Parquet": ("r.parquet", "hello", ""),
    "another table": ("r.parquet", parquet(id=["a"], x=[0.1]), "not a file of reports"),
    "changed reports": ("r.parquet", flipped, "digest"),
    "a truncated file": ("r.parquet", truncated(reports(), -20), ""),
    "reports of unknown nodes": ("r.parquet", reports(("a", "z")), "1 of 2 reports are of nodes that are not in"),
    "no such file": ("r.parquet", None, "no such file"),
}
CAMPAIGNS = {
    "another number of dimensions": (campaign(dimensions=3, k=3), FEATURES, "matrix with 3 columns"),
    "a missing value": (campaign(missing="refuse"), "id,x,y\na,0.1,\n", "is missing, and"),
    "NaN": (campaign(missing="refuse"), "id,x,y\na,0.1,nan\n", "is missing, and"),
    "an infinite value": (campaign(out_of_bounds="refuse"), "id,x,y\na,0.1,inf\n", "outside its public bounds, and"),
    "a value out of bounds": (campaign(out_of_bounds="refuse"), "id,x,y\na,0.1,7.125\n", "outside its public bounds"),
}


def cases(table):
    return pytest.mark.parametrize(("name", "content", "message"), table.values(), ids=table.keys())


def put(path, content):
    if callable(content):
        content(path)
    elif content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.fixture
def refused(tmp_path):
    """Run a command that must refuse ``bad``; check all that every refusal has in common."""

    def call(*arguments, bad, message):
        before = sorted(tmp_path.iterdir())
        output = tmp_path / "out.parquet"
        result = CliRunner().invoke(main, [str(a) for a in (*arguments, "-o", output)])
        lines = [line for line in result.stderr.splitlines() if line != NOTICE]
        assert isinstance(result.exception, SystemExit), result.exception
        assert result.exit_code == 3
        assert len(lines) == 1, lines
        assert lines[0].startswith("Error: ")
        assert lines[0].count(str(bad)) >= 1
        assert message in lines[0]
        assert not re.search(rf"{re.escape(str(bad))}: {re.escape(str(bad))}", lines[0])
        assert result.stdout == ""
        assert sorted(tmp_path.iterdir()) == before

    return call


@cases({**GRAPHS, "no such file": ("g.csv", None, "g.csv"), "no such npz": ("g.npz", None, "no such file")})
def test_a_bad_graph_is_refused_by_name(tmp_path, refused, name, content, message):
    bad, features = put(tmp_path / name, content), put(tmp_path / "features.csv", FEATURES)
    refused("embed", "--graph", bad, "--features", features, "--epsilon", 1, bad=bad, message=message)


@cases(NODE_FILES)
def test_a_bad_node_file_is_refused_by_name(tmp_path, refused, name, content, message):
    edges, features = put(tmp_path / "g.csv", EDGES), put(tmp_path / "f.csv", FEATURES)
    bad = put(tmp_path / name, content)
    arguments = ("embed", "--graph", edges, "--nodes", bad, "--features", features, "--epsilon", 1)
    refused(*arguments, bad=bad, message=message)


@cases(TABLES)
def test_bad_features_are_refused_by_name(tmp_path, refused, name, content, message):
    edges, bad = put(tmp_path / "g.csv", EDGES), put(tmp_path / name, content)
    refused("embed", "--graph", edges, "--features", bad, "--epsilon", 1, bad=bad, message=message)
    refused("perturb", "--features", bad, "--epsilon", 1, bad=bad, message=message)


@cases(REPORTS)
def test_bad_reports_are_refused_by_name(tmp_path, refused, name, content, message):
    edges, bad = put(tmp_path / "g.csv", EDGES), put(tmp_path / name, content)
    refused("embed", "--graph", edges, "--reports", bad, bad=bad, message=message)


@pytest.mark.parametrize(("asked", "content", "message"), CAMPAIGNS.values(), ids=CAMPAIGNS.keys())
def test_features_that_the_campaign_refuses_are_refused_by_name(tmp_path, refused, asked, content, message):
    bad = put(tmp_path / "f.csv", content)
    asked.save(tmp_path / "c.json")
    refused("perturb", "--features", bad, "--campaign", tmp_path / "c.json", bad=bad, message=message)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("c.json", "{", "not JSON"),
        ("c.toml", "= 1", "not TOML"),
        ("c.json", "{}", "'dimensions'"),
        ("c.json", None, "no such"),
    ],
)
def test_a_bad_campaign_is_refused_by_name(tmp_path, refused, name, content, message):
    features, bad = put(tmp_path / "f.csv", FEATURES), put(tmp_path / name, content)
    refused("perturb", "--features", features, "--campaign", bad, bad=bad, message=message)


def test_no_private_value_is_repeated_in_an_error(tmp_path):
    for content in ("id,x,y\na,0.1,7.125\n", "id,x,y\na,7.125,tall\n", "id,x,y\na,7.125\n"):
        features = put(tmp_path / "f.csv", content)
        campaign(out_of_bounds="refuse").save(tmp_path / "c.json")
        arguments = ["perturb", "--features", features, "--campaign", tmp_path / "c.json", "-o", tmp_path / "r.parquet"]
        result = CliRunner().invoke(main, [str(a) for a in arguments])
        assert result.exit_code == 3
        assert "7.125" not in result.output
        assert "tall" not in result.output


@pytest.mark.parametrize("content", ["hello", "", None])
def test_an_embedding_that_cannot_be_read_is_refused_by_name(tmp_path, content):
    bad = put(tmp_path / "z.parquet", content)
    result = CliRunner().invoke(main, ["similar", str(bad), "--node", "a"])
    assert result.exit_code == 3
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith(f"Error: {bad}")


@pytest.mark.parametrize("node", ["z", "--5", "²", "17"])
def test_similar_to_an_unknown_node_is_refused(tmp_path, node):
    edges, features = put(tmp_path / "g.csv", "1,2\n2,3\n"), put(tmp_path / "f.csv", "id,x\n1,0.1\n2,0.5\n")
    z = str(tmp_path / "z.parquet")
    arguments = ["embed", "--graph", str(edges), "--features", str(features), "--epsilon", "1", "-o", z]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    result = CliRunner().invoke(main, ["similar", z, f"--node={node}"])
    assert result.exit_code == 3
    assert result.stderr == f"Error: node {node!r} is not in the embedding\n"


EMBED = ("embed", "--graph", "g.csv", "-o", "z.parquet")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (EMBED, "either --reports"),
        ((*EMBED, "--reports", "r.parquet", "--features", "f.csv"), "either --reports"),
        (("embed", "--features", "f.csv", "-o", "z.parquet"), "--graph"),
        (("embed", "--graph", "g.csv", "--features", "f.csv"), "--output"),
        *(
            ((*EMBED, "--features", "f.csv", "--epsilon", 1, option, value), option)
            for option, value in [
                *(("--alpha", value) for value in (0, 1, -0.5, 1.5, "nan", "x")),
                *(("--r", value) for value in (-0.1, 1.1, "nan")),
                *(("--tolerance", value) for value in (0, -1, "nan", "inf")),
                ("--threads", 0),
                ("--k", 0),
                ("--seed", -1),
                ("--engine", "magic"),
                ("--decoding", "magic"),
                ("--mechanism", "magic"),
                ("--output", "z.xlsx"),
                ("--output", "nowhere/z.parquet"),
            ]
        ),
        ((*EMBED, "--features", "f.csv"), "epsilon"),
        ((*EMBED, "--features", "f.csv", "--epsilon", 0), "epsilon"),
        ((*EMBED, "--features", "f.csv", "--epsilon", "nan"), "epsilon"),
        ((*EMBED, "--features", "f.csv", "--epsilon", 1, "--mechanism", "none"), "epsilon"),
        ((*EMBED, "--features", "f.csv", "--epsilon", 1, "--k", 3), "'k'"),
        ((*EMBED, "--features", "f.csv", "--epsilon", 1, "--low", 2), "'low'"),
        (("perturb", "--features", "f.csv", "--epsilon", 1, "-o", "r.csv"), "--output"),
        (("perturb", "--features", "f.csv", "--epsilon", 1, "-o", "nowhere/r.parquet"), "--output"),
        (("similar", "z.parquet"), "--node"),
        (("similar", "z.parquet", "--node", "a", "--count", 0), "--count"),
    ],
)
def test_wrong_usage_exits_with_2_and_says_what(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "g.csv", EDGES)
    put(tmp_path / "f.csv", FEATURES)
    result = CliRunner().invoke(main, [str(a) for a in arguments])
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == 2
    assert message in result.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["f.csv", "g.csv"]


def test_a_tolerance_out_of_reach_exits_with_1_and_leaves_nothing(tmp_path):
    edges, features = put(tmp_path / "g.csv", EDGES), put(tmp_path / "f.csv", FEATURES)
    arguments = ("embed", "--graph", edges, "--features", features, "--epsilon", 1, "--tolerance", 1e-300)
    result = CliRunner().invoke(main, [str(a) for a in (*arguments, "-o", tmp_path / "z.parquet")])
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1].startswith("Error: ")
    assert not (tmp_path / "z.parquet").exists()


def test_a_process_prints_one_line_and_no_traceback(tmp_path):
    edges, features = put(tmp_path / "g.csv", "source,target\na\n"), put(tmp_path / "f.csv", FEATURES)
    command = [sys.executable, "-m", "privge", "embed", "--graph", edges, "--features", features, "--epsilon", "1"]
    result = subprocess.run(
        [*map(str, command), "-o", str(tmp_path / "z.parquet")], capture_output=True, text=True, check=False
    )
    assert result.returncode == 3
    assert result.stderr == f"Error: {edges}, line 2: 1 fields where the first line has 2\n"
    assert result.stdout == ""


def propagating(_folder):
    time.sleep(2)  # perturbing takes half a second, propagating many


def writing(folder):
    while not list(folder.glob(".*.partial")):
        time.sleep(0.005)


@pytest.mark.parametrize(("wait_until", "edges"), [(propagating, 3_000_000), (writing, 300_000)])
def test_an_interrupted_run_leaves_nothing_behind(tmp_path, wait_until, edges):
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it, and so would ours
    nodes = 300_000
    generator = np.random.default_rng(0)
    ends = tuple(generator.integers(0, nodes, (2, edges), dtype=np.int32))
    features = (generator.random(nodes), (np.arange(nodes), generator.integers(0, 64, nodes)))
    graph = scipy.sparse.coo_array((np.ones(edges, dtype=np.int8), ends), shape=(nodes, nodes))
    scipy.sparse.save_npz(tmp_path / "g.npz", graph, compressed=False)
    scipy.sparse.save_npz(tmp_path / "f.npz", scipy.sparse.csr_array(features, shape=(nodes, 64)), compressed=False)
    command = [sys.executable, "-m", "privge", "embed", "--graph", tmp_path / "g.npz", "--features", tmp_path / "f.npz"]
    command += ["--epsilon", 1, "--alpha", 0.001 if wait_until is propagating else 0.9, "-o", tmp_path / "z.parquet"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([str(part) for part in command], text=True, **pipes) as process:
        # Remarks about the graph come first; once the notice is there, the graph is read and the work begins.
        assert any(line.strip() == NOTICE for line in iter(process.stderr.readline, ""))
        wait_until(tmp_path)
        assert process.poll() is None, "the run was over before it could be interrupted"
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "Traceback" not in stderr
    assert stdout == ""
    assert sorted(p.name for p in tmp_path.iterdir()) == ["f.npz", "g.npz"]


@pytest.mark.parametrize("command", ["nodes", "features", "graph"])
def test_a_file_without_a_header_is_refused_without_quoting_its_first_line(tmp_path, command):
    (tmp_path / "g.csv").write_text("zoe,yan\n" if command == "graph" else EDGES)
    (tmp_path / "n.csv").write_text("zoe\nyan\n" if command == "nodes" else NODES)
    (tmp_path / "f.csv").write_text("zoe,61234.57\n" if command == "features" else FEATURES)
    options = [
        "--nodes",
        tmp_path / "n.csv",
        "--features",
        tmp_path / "f.csv",
        "--epsilon",
        "1",
        "-o",
        tmp_path / "z.npy",
    ]
    result = CliRunner().invoke(main, [str(option) for option in ("embed", "--graph", tmp_path / "g.csv", *options)])
    assert result.exit_code == 3
    assert "header" in result.stderr
    assert not any(private in result.stderr for private in ("zoe", "yan", "61234"))


def test_a_campaign_in_toml_may_begin_with_a_byte_order_mark(tmp_path):
    text = 'dimensions = 2\nlow = 0\nhigh = 1\nmechanism = "hds"\nepsilon = 1\nk = 1\n'
    (tmp_path / "c.toml").write_text(text, encoding="utf-8-sig")
    result = CliRunner().invoke(main, ["campaign", "show", str(tmp_path / "c.toml")])
    assert result.exit_code == 0, result.stderr


def test_a_wrong_time_is_told_as_it_is_written(tmp_path):
    text = 'dimensions = 2\nlow = 0\nhigh = 1\nmechanism = "hds"\nepsilon = 1\ncloses = 2027-01-01T00:00:00\n'
    (tmp_path / "c.toml").write_text(text)
    result = CliRunner().invoke(main, ["campaign", "show", str(tmp_path / "c.toml")])
    assert result.exit_code == 3
    assert "2027-01-01" in result.stderr
    assert "datetime" not in result.stderr


@pytest.mark.parametrize("content", ["admin-token-of-32-characters-0123\n", "a:b:c\n", "", "a:%%%\n"])
def test_a_file_that_holds_no_keys_is_refused_by_name(tmp_path, content):
    path = tmp_path / "keys"
    path.touch(mode=0o600)
    path.write_text(content)
    result = CliRunner().invoke(main, ["token", "mint", "--keys-file", str(path), "--node", "a"])
    assert result.exit_code == 3
    assert f"Error: {path}: " in result.stderr
    assert "privge token keygen" in result.stderr
    assert "admin-token" not in result.stderr
