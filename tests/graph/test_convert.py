import errno
import signal
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privge.errors import BadData, PrivgeError
from privge.graph import Graph, StoredGraph, convert_graph
from privge.graph.conversion import buckets, growing, stages

INTEGERS = st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 12)
TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=4).filter(lambda text: text == text.strip())
SLOW = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch):
    """Nobody pulls the plug here."""
    monkeypatch.setattr("os.fsync", lambda _: None)


def write_edges(folder, pairs, parts=3, kind=None, names=("source", "target")):
    """Parts in nested folders, as warehouses write them, and a mark beside."""
    for number in range(parts):
        place = folder / f"day={number % 2}" / f"part-{number}.parquet"
        place.parent.mkdir(parents=True, exist_ok=True)
        columns = [pa.array([pair[side] for pair in pairs[number::parts]], type=kind) for side in range(2)]
        pq.write_table(pa.table(columns, list(names)), place)
    (folder / "_SUCCESS").touch()
    return folder


def write_nodes(path, ids, kind=None):
    pq.write_table(pa.table({"id": pa.array(ids, type=kind)}), path)
    return path


def expected(pairs, nodes=None):
    return Graph.from_edges(
        pairs, nodes=sorted(nodes if nodes is not None else {end for pair in pairs for end in pair})
    )


def contents(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def some_pairs(count=300, nodes=40, gap=1):
    return [tuple(pair) for pair in (gap * np.random.default_rng(1).integers(0, nodes, (count, 2))).tolist()]


@pytest.mark.parametrize(("ends", "kind"), [(INTEGERS, pa.int64()), (TEXTS, pa.string())])
@pytest.mark.parametrize("memory", [64, 4096, 2_000_000_000])
@SLOW
@given(data=st.data(), parts=st.integers(1, 5), isolated=st.booleans())
def test_a_converted_graph_is_that_of_its_edges(ends, kind, memory, data, parts, isolated):
    nodes = data.draw(st.lists(ends, min_size=1, max_size=12, unique=True))
    node = st.sampled_from(nodes)
    pairs = data.draw(st.lists(st.tuples(node, node), min_size=1, max_size=40))
    with TemporaryDirectory() as folder:
        edges = write_edges(Path(folder) / "edges", pairs, parts, kind)
        known = write_nodes(Path(folder) / "nodes.parquet", nodes, kind) if isolated else None
        stored = convert_graph(edges, Path(folder) / "a.graph", nodes=known, memory=memory)
        graph, wanted = stored.graph(), expected(pairs, nodes if isolated else None)
        assert graph.ids.tolist() == wanted.ids.tolist()
        np.testing.assert_array_equal(graph.indptr, wanted.indptr)
        np.testing.assert_array_equal(graph.indices, wanted.indices)
        assert stored.fingerprint == wanted.fingerprint
        assert stored.largest_degree == wanted.degrees.max()
        assert stored.loops == sum(one == other for one, other in pairs)
        assert stored.repeated == len(pairs) - stored.loops - wanted.edges
        assert stored.indices()[stored.entries :].tolist() == [0] * 24
        assert not (Path(folder) / "a.graph.work").exists()


@pytest.mark.parametrize("gap", [1, 3, 10**12])  # numbered by subtraction, in a table, by search
def test_ids_are_numbered_alike_however_far_apart(tmp_path, gap):
    pairs = some_pairs(gap=gap)
    stored = convert_graph(write_edges(tmp_path / "edges", pairs), tmp_path / "a.graph", memory=20_000)
    assert stored.fingerprint == expected(pairs).fingerprint


def test_a_hub_larger_than_the_memory_is_sorted_in_several_passes(tmp_path, monkeypatch):
    pairs = [(0, node) for node in range(1, 400)] + some_pairs()
    passes = []
    ranges = buckets._ranges
    monkeypatch.setattr(buckets, "_ranges", lambda *given: [passes.append(pair) or pair for pair in ranges(*given)])
    monkeypatch.setattr(buckets, "_MOST", 2)
    stored = convert_graph(write_edges(tmp_path / "edges", pairs), tmp_path / "a.graph", memory=1000)
    assert len(passes) > 10
    assert stored.fingerprint == expected(pairs).fingerprint


@pytest.mark.parametrize("make", ["file", "glob", "address"])
def test_edges_may_be_a_file_a_glob_or_an_address(tmp_path, make):
    pairs = some_pairs()
    edges = write_edges(tmp_path / "edges", pairs, parts=1)
    place = {"file": edges / "day=0" / "part-0.parquet", "glob": edges / "day=*" / "*.parquet"}.get(make)
    if make == "address":
        import fsspec

        system = fsspec.filesystem("memory")
        system.pipe_file("/test-convert/edges/day=0/a.parquet", (edges / "day=0" / "part-0.parquet").read_bytes())
        system.pipe_file("/test-convert/edges/_mark/a.parquet", b"no data")
        place = "memory://test-convert/edges"
    assert convert_graph(place, tmp_path / "a.graph").fingerprint == expected(pairs).fingerprint


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint16(), pa.int64(), pa.dictionary(pa.int32(), pa.int64())])
def test_integers_of_any_width_are_the_same_ids(tmp_path, kind):
    edges = write_edges(tmp_path / "edges", [(1, 2), (2, 3)], kind=kind, names=("SRC", "dst"))
    assert convert_graph(edges, tmp_path / "a.graph").fingerprint == expected([(1, 2), (2, 3)]).fingerprint


@pytest.mark.parametrize(
    ("pairs", "kind", "names", "message"),
    [
        ([(1, None)], pa.int64(), ("source", "target"), "part-0.*target: an id is missing"),
        ([(1.5, 2.5)], pa.float64(), ("source", "target"), "part-0.*holds double"),
        ([("", "a")], pa.string(), ("source", "target"), "part-0.*an id is empty"),
        ([("a ", "a")], pa.string(), ("source", "target"), "part-0.*ends with white space"),
        ([(2**63, 1)], pa.uint64(), ("source", "target"), "part-0"),
        ([(1, 2)], pa.int64(), ("left", "right"), "part-0.*unknown columns.*the columns are left, right"),
    ],
)
def test_what_is_no_edge_is_refused_with_the_file(tmp_path, pairs, kind, names, message):
    edges = write_edges(tmp_path / "edges", pairs, 1, kind, names)
    with pytest.raises(BadData, match=message):
        convert_graph(edges, tmp_path / "a.graph")
    assert not (tmp_path / "a.graph").exists()


def test_a_file_that_is_no_parquet_is_refused_by_name(tmp_path):
    (write_edges(tmp_path / "edges", [(1, 2)]) / "day=0" / "part-9.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(BadData, match=r"part-9.parquet: cannot be read as Parquet"):
        convert_graph(tmp_path / "edges", tmp_path / "a.graph")


def test_parts_with_ids_of_different_types_are_refused(tmp_path):
    write_edges(tmp_path / "edges" / "one", [(1, 2)], parts=1)
    write_edges(tmp_path / "edges" / "two", [("a", "b")], parts=1)
    with pytest.raises(BadData, match=r"two.*strings here, but integers in .*one"):
        convert_graph(tmp_path / "edges", tmp_path / "a.graph")


@pytest.mark.parametrize(
    ("pairs", "nodes", "row", "name"), [([(1, 2), (2, 77)], [1, 2, 3], 2, "77"), ([("a", "zz")], ["a"], 1, "zz")]
)
def test_an_end_that_is_not_among_the_nodes_is_told_by_its_row(tmp_path, pairs, nodes, row, name):
    edges = write_edges(tmp_path / "edges", pairs, parts=1)
    with pytest.raises(BadData, match=rf"part-0.*, row {row}: .*not among the nodes in .*nodes.parquet") as refused:
        convert_graph(edges, tmp_path / "a.graph", nodes=write_nodes(tmp_path / "nodes.parquet", nodes))
    assert name not in str(refused.value)


@pytest.mark.parametrize("nodes", [[1, 2, 1], ["a", "b", "a"]])
@pytest.mark.parametrize("memory", [64, 2_000_000_000])
def test_a_node_that_is_listed_twice_is_refused(tmp_path, nodes, memory):
    edges = write_edges(tmp_path / "edges", [(nodes[0], nodes[1])], parts=1)
    listed = write_nodes(tmp_path / "nodes.parquet", nodes)
    with pytest.raises(BadData, match=r"nodes.parquet: an id appears twice"):
        convert_graph(edges, tmp_path / "a.graph", nodes=listed, memory=memory)


def test_an_output_folder_with_something_else_in_it_is_left_alone(tmp_path):
    (tmp_path / "a.graph").mkdir()
    (tmp_path / "a.graph" / "photo.jpg").touch()
    with pytest.raises(BadData, match=r"something else, such as photo.jpg"):
        convert_graph(write_edges(tmp_path / "edges", [(1, 2)]), tmp_path / "a.graph")
    assert (tmp_path / "a.graph" / "photo.jpg").exists()


def test_an_older_graph_is_replaced(tmp_path):
    convert_graph(write_edges(tmp_path / "old", [("a", "b")]), tmp_path / "a.graph")
    convert_graph(write_edges(tmp_path / "new", [(1, 2)]), tmp_path / "a.graph")
    assert StoredGraph.open(tmp_path / "a.graph").ids().tolist() == [1, 2]
    assert "ids-text.npy" not in contents(tmp_path / "a.graph")


@pytest.mark.parametrize("text", [False, True])
def test_a_run_that_is_cut_off_anywhere_is_taken_up_and_ends_the_same(tmp_path, monkeypatch, text):
    monkeypatch.setattr(stages, "_NOTED", 50)
    monkeypatch.setattr(stages, "_GROUP", 60)
    pairs = [(f"n{s}", f"n{t}") if text else (s, t) for s, t in some_pairs(200, 20, gap=100)]
    edges = write_edges(tmp_path / "edges", pairs, parts=5)
    convert_graph(edges, tmp_path / "whole.graph", memory=2000)
    failures = _fail_at_every_write(monkeypatch, edges, tmp_path / "a.graph")
    assert failures >= {"append", "seal", "add", "note"}
    assert contents(tmp_path / "a.graph") == contents(tmp_path / "whole.graph")


def _fail_at_every_write(monkeypatch, edges, output):
    """Run again and again, each time for one write more; return what failed on the way to the end."""
    left, failed = [0], []

    def failing(name, real):
        def write(*given, **named):
            left[0] -= 1
            if left[0] == 0:
                failed.append(name)
                if name == "add":
                    with given[0].path(0).open("ab") as torn:
                        torn.write(b"\1\2\3")  # half a number, as a full disk leaves it
                raise OSError(errno.ENOSPC, "No space left on device")
            return real(*given, **named)

        return write

    writers = [(growing, "append"), (growing, "seal"), (buckets.Buckets, "add"), (stages.Conversion, "note")]
    for module, name in writers:
        monkeypatch.setattr(module, name, failing(name, getattr(module, name)))
    for writes in range(1, 400):
        left[0] = writes
        count = len(failed)
        try:
            convert_graph(edges, output, memory=2000)
        except PrivgeError as error:
            assert "disk is full" in str(error)  # noqa: PT017
            assert not output.exists()
        if len(failed) == count:
            return set(failed)
    raise AssertionError("no run ever finished")


def test_finished_stages_are_not_run_again(tmp_path, monkeypatch):
    edges = write_edges(tmp_path / "edges", some_pairs())
    with monkeypatch.context() as patch:
        patch.setattr(stages, "fingerprint_of", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            convert_graph(edges, tmp_path / "a.graph")
    monkeypatch.setattr(stages.integers, "write_distinct", None)
    monkeypatch.setattr(buckets.Buckets, "add", None)
    monkeypatch.setattr(buckets.Buckets, "rows", None)
    assert convert_graph(edges, tmp_path / "a.graph").fingerprint == expected(some_pairs()).fingerprint


def test_a_changed_input_starts_over(tmp_path, monkeypatch):
    edges = write_edges(tmp_path / "edges", some_pairs())
    with monkeypatch.context() as patch:
        patch.setattr(stages, "fingerprint_of", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            convert_graph(edges, tmp_path / "a.graph")
    changed = [(s + 1, t + 1) for s, t in some_pairs()]  # of the same size, later
    write_edges(tmp_path / "edges", changed)
    assert convert_graph(edges, tmp_path / "a.graph").fingerprint == expected(changed).fingerprint


def test_a_killed_process_leaves_no_graph_and_the_next_one_finishes(tmp_path):
    edges = write_edges(tmp_path / "edges", some_pairs())
    program = (
        "import os, signal, sys\n"
        "from privge.graph import convert_graph\n"
        "from privge.graph.conversion import stages\n"
        "stages.fingerprint_of = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "convert_graph(sys.argv[1], sys.argv[2])\n"
    )
    killed = subprocess.run([sys.executable, "-c", program, edges, tmp_path / "a.graph"], check=False, cwd=tmp_path)
    assert killed.returncode == -signal.SIGKILL
    assert not (tmp_path / "a.graph").exists()
    assert (tmp_path / "a.graph.work" / "rows.json").exists()
    assert convert_graph(edges, tmp_path / "a.graph").fingerprint == expected(some_pairs()).fingerprint


def test_two_runs_at_once_are_refused(tmp_path):
    import fcntl

    (tmp_path / "a.graph.work").mkdir()
    with (tmp_path / "a.graph.work" / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(PrivgeError, match="another run"):
            convert_graph(write_edges(tmp_path / "edges", [(1, 2)]), tmp_path / "a.graph")


def test_progress_ends_at_its_total_and_never_falls(tmp_path):
    calls = []
    edges = write_edges(tmp_path / "edges", some_pairs())
    convert_graph(edges, tmp_path / "a.graph", memory=4096, progress=lambda *call: calls.append(call))
    done = [call[0] for call in calls]
    assert done == sorted(done)
    assert calls[-1] == (1200, 1200)


def test_what_is_dropped_is_told(tmp_path, caplog):
    caplog.set_level("INFO", "privge")
    convert_graph(write_edges(tmp_path / "edges", [(1, 1), (1, 2), (2, 1)]), tmp_path / "a.graph")
    assert "dropped 1 self-loops and 1 repeated edges" in caplog.text


@pytest.mark.parametrize(("position", "value"), [(0, 10**9), (1, 10**9), (0, -1), (1, -7)])
def test_a_damaged_bucket_of_an_earlier_run_is_refused_by_name(tmp_path, monkeypatch, position, value):
    edges = write_edges(tmp_path / "edges", some_pairs(50, 10))
    with monkeypatch.context() as patch:
        patch.setattr(
            "privge.graph.conversion.convert.compress_rows", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt)
        )
        with pytest.raises(KeyboardInterrupt):
            convert_graph(edges, tmp_path / "a.graph")
    bucket = tmp_path / "a.graph.work" / "buckets" / "0000.keys"
    numbers = np.fromfile(bucket, dtype=np.int32)
    numbers[position] = value
    numbers.tofile(bucket)
    with pytest.raises(BadData, match=r"0000\.keys: damaged; remove .*a\.graph\.work"):
        convert_graph(edges, tmp_path / "a.graph")
