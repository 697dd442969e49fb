"""Compiled reading of plain integers must be the slow reading, only faster: whatever it takes, it takes alike."""

import logging

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privge.errors import BadData
from privge.graph import plain_edges, read_graph, readers

SPELLINGS = st.one_of(
    st.integers(-(10**18) + 1, 10**18 - 1).map(str),
    st.integers(0, 5).map(str),
    st.sampled_from(
        ["007", "+7", "-0", "7.0", "-", "", " 7", "7 ", "0x10", str(10**18), str(2**63), "1e3", '"7"', "é"]
    ),
)
QUICK = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def outcome(path, *, plain, **how):
    """The graph, or else what is said about the file; and what the log says."""
    with pytest.MonkeyPatch.context() as patch:
        if not plain:
            patch.setattr(readers, "read_plain_edges", lambda *_, **__: None)
        try:
            graph = read_graph(path, **how)
        except BadData as error:
            return str(error)
    return graph.ids.tolist(), graph.ids.dtype, graph.indptr.tolist(), graph.indices.tolist()


def assert_alike(path, caplog, **how):
    caplog.set_level(logging.INFO, "privge")
    told = []
    for plain in (True, False):
        caplog.clear()
        told.append((outcome(path, plain=plain, **how), caplog.messages.copy()))
    assert told[0] == told[1]
    return told[0][0]


@given(
    st.lists(st.tuples(SPELLINGS, SPELLINGS), min_size=1, max_size=8),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([1, 5, 1 << 23]),
)
@QUICK
def test_any_spelling_is_read_as_it_would_be_slowly(tmp_path, caplog, pairs, end, header, last, piece):
    lines = ["source,target"] * header + [",".join(pair) for pair in pairs]
    path = tmp_path / "edges.csv"
    path.write_bytes((end.join(lines) + end * last).encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_edges, "_PIECE", piece)
        assert_alike(path, caplog)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("e.csv", "\ufeffsource,target\n1,2\n2,3\n"),
        ("e.csv", '"source","target"\n1,2\n2,3\n'),
        ("e.csv", "target,source,\n1,2,\n"),
        ("e.csv", "target,source\n1,2\n2,3\n9,1\n"),
        ("e.csv", "source;target\n1;2\n"),
        ("e.csv", "source,target\n\n1,2\n"),
        ("e.csv", "source,target\n1,2\r\r\n"),
        ("e.csv", "source,target\n1,2\r"),
        ("e.csv", "source,target\n"),
        ("e.csv", "1,2,3\n4,5,6\n"),
        ("e.tsv", "1\t2\n2\t3\n"),
        ("e.txt", "# a\n# b\n1 2\n2\t3\n"),
        ("e.txt", "# a\n1 2\n# b\n2 3\n"),
        ("e.txt", "1  2\n 2 3\n"),
        ("e.edgelist", "1 2 {}\n"),
        ("e.edgelist", "5 2\n2 2\n2 5\n"),
        ("e.csv", "source,target\n1,2\n3\n"),
    ],
)
def test_any_layout_is_read_as_it_would_be_slowly(tmp_path, caplog, name, content):
    (tmp_path / name).write_bytes(content.encode())
    assert_alike(tmp_path / name, caplog)
    assert_alike(tmp_path / name, caplog, integer_ids=True)


def test_plain_integers_are_taken_and_stay_text(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target\n-7,10\n10,3\n")
    first, second = plain_edges.read_plain_edges(path, ["source", "target"], header=True)
    assert (first.to_pylist(), second.to_pylist()) == ([-7, 10], [10, 3])
    assert read_graph(path).ids.tolist() == ["-7", "10", "3"]


@pytest.mark.parametrize(
    "line", ["007,1", "1,007", "-0,1", "+1,2", "1 ,2", "1,2 ", f"{10**18},1", "1,,2", "1,2,3", "1"]
)
def test_what_is_not_plain_is_left_to_others(tmp_path, line):
    path = tmp_path / "edges.csv"
    path.write_text(f"source,target\n1,2\n{line}\n")
    assert plain_edges.read_plain_edges(path, ["source", "target"], header=True) is None
