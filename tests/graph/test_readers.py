import gzip
import logging
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from privge.errors import BadData
from privge.graph import EdgeColumns, Graph, read_graph, read_ids, save_graph, write_graph
from privge.graph.labels import read_labels
from privge.perturbation import read_features

AB_BC = {frozenset("ab"), frozenset("bc")}
HEADERS = [("source", "target"), ("src", "dst"), ("from", "to"), ("id_1", "id_2"), ("u", "v")]
TABLES = ["csv", "tsv", "csv.gz", "tsv.gz", "parquet"]
TRICKY = [
    "NA",
    "true",
    "False",
    "007",
    "7",
    "nan",
    "2024-01-31",
    "1e3",
    "a b",
    "+7",
    "-0",
    'q"q',
    "a,b",
    "a\tb",
    "ß🜁",
    "-",
    "null",
]


def write(path, content):
    data = content if isinstance(content, bytes) else content.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def edge_set(graph):
    table = graph.to_edges()
    pairs = zip(table["source"].to_pylist(), table["target"].to_pylist(), strict=True)
    return {frozenset(pair) for pair in pairs}


def assert_same(one, other):
    assert set(one.ids.tolist()) == set(other.ids.tolist())
    assert edge_set(one) == edge_set(other)


def joined(nodes, pairs):
    """A graph without isolated nodes: the pairs, and a path through all nodes."""
    return Graph.from_edges([*pairs, *pairwise(nodes)])


@st.composite
def graphs(draw):
    integers = st.integers(-(2**63), 2**63 - 1)
    texts = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0"), min_size=1, max_size=4)
    digits = st.integers(0, 20).map(str) | st.sampled_from(["007", "00", "+1", "-0"])
    kind = draw(st.sampled_from([integers, texts.filter(lambda t: t == t.strip()) | st.sampled_from(TRICKY), digits]))
    nodes = draw(st.lists(kind, min_size=2, max_size=8, unique=True))
    node = st.sampled_from(nodes)
    return joined(nodes, draw(st.lists(st.tuples(node, node), max_size=10)))


@pytest.mark.parametrize("suffix", TABLES)
@settings(max_examples=40, deadline=None)
@given(graph=graphs())
def test_a_written_graph_is_read_as_the_same_graph(suffix, graph):
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"g.{suffix}"
        write_graph(graph, path)
        assert_same(read_graph(path, integer_ids=graph.ids.dtype == np.int64), graph)
        assert [p.name for p in Path(folder).iterdir()] == [path.name]


def test_a_written_matrix_is_read_as_the_same_graph_with_isolated_nodes(tmp_path):
    graph = Graph.from_edges([(0, 3), (3, 1)], nodes=range(5))
    write_graph(graph, tmp_path / "g.npz")
    assert read_graph(tmp_path / "g.npz").fingerprint == graph.fingerprint


@pytest.mark.parametrize("suffix", [*TABLES, "npz"])
def test_writing_to_a_folder_that_is_not_there_leaves_nothing(tmp_path, suffix):
    with pytest.raises(OSError, match="nowhere"):
        write_graph(Graph.from_edges([(0, 1)]), tmp_path / "nowhere" / f"g.{suffix}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "tsv"])
@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("spell", [str, str.upper, str.title, " {} ".format])
def test_every_spelling_of_the_header_is_understood(tmp_path, suffix, header, spell):
    comma = "\t" if "tsv" in suffix else ","
    lines = [comma.join(map(spell, header)), comma.join("ab"), comma.join("bc")]
    graph = read_graph(write(tmp_path / f"g.{suffix}", "\n".join(lines)))
    assert edge_set(graph) == {frozenset("ab"), frozenset("bc")}


@pytest.mark.parametrize("header", HEADERS)
def test_every_spelling_of_the_columns_of_a_parquet_file_is_understood(tmp_path, header):
    pq.write_table(pa.table({header[1].upper(): ["a"], header[0]: ["b"]}), tmp_path / "g.parquet")
    assert edge_set(read_graph(tmp_path / "g.parquet")) == {frozenset("ab")}


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "tsv"])
def test_numbers_need_no_header(tmp_path, suffix):
    comma = "\t" if "tsv" in suffix else ","
    path = write(tmp_path / f"g.{suffix}", f"-1{comma}2\n2{comma}{2**62}\n")
    assert edge_set(read_graph(path)) == {frozenset(("-1", "2")), frozenset(("2", str(2**62)))}
    assert edge_set(read_graph(path, integer_ids=True)) == {frozenset((-1, 2)), frozenset((2, 2**62))}


def test_a_byte_order_mark_is_no_part_of_the_header(tmp_path):
    for start in (b"source,target\n", b""):
        graph = read_graph(write(tmp_path / "g.csv", b"\xef\xbb\xbf" + start + b"1,2\r\n2,3\r\n"))
        assert edge_set(graph) == {frozenset("12"), frozenset("23")}


def test_a_header_alone_is_a_graph_without_nodes(tmp_path):
    assert read_graph(write(tmp_path / "g.csv", "source,target\n")).nodes == 0


@pytest.mark.parametrize("odd", ["5", "05", "NA", "true", "nan", "x", "1.5", "2024-01-31", str(2**64)])
def test_ids_of_a_text_file_are_text_whatever_stands_beside_them(tmp_path, odd):
    graph = read_graph(write(tmp_path / "g.csv", f"source,target\n007,{odd}\n7,8\n"))
    assert set(graph.ids.tolist()) == {"007", "7", odd, "8"}


def test_ids_that_look_like_numbers_truth_values_or_dates_are_text_in_every_table(tmp_path):
    for ids in (
        ["true", "false"],
        ["2024-01-31", "2024-02-01"],
        ["1.50", "2.0"],
        ["NA", "007"],
        ["12:30", "13:30"],
        ["007", "7"],
        ["17", "18"],
    ):
        table = write(tmp_path / "t.csv", "id,x,label\n" + "".join(f"{node},1,l\n" for node in ids))
        assert read_ids(table).tolist() == ids
        assert read_labels(table)[0].tolist() == ids
        features = write(tmp_path / "f.csv", "id,x\n" + "".join(f"{node},1\n" for node in ids))
        assert read_features(features).ids.tolist() == ids


def test_quotes_are_no_part_of_an_id(tmp_path):
    graph = read_graph(write(tmp_path / "g.csv", 'source,target\n"007",7\n"7","a,b"\n'))
    assert edge_set(graph) == {frozenset(("007", "7")), frozenset(("7", "a,b"))}


def test_integers_of_a_typed_column_stay_integers(tmp_path):
    pq.write_table(pa.table({"source": pa.array([7, 8], pa.uint16()), "target": [8, 9]}), tmp_path / "g.parquet")
    assert read_graph(tmp_path / "g.parquet").ids.tolist() == [7, 8, 9]
    pq.write_table(pa.table({"id": [7, 8], "x": [0, 1], "label": ["a", "b"]}), tmp_path / "t.parquet")
    for ids in (read_ids(tmp_path / "t.parquet"), read_labels(tmp_path / "t.parquet")[0]):
        assert ids.dtype == np.int64


def test_the_caller_may_say_that_ids_are_integers(tmp_path):
    table = write(tmp_path / "t.csv", f"id,label\n-3,l\n0,l\n{2**63 - 1},l\n")
    assert read_ids(table, integer_ids=True).tolist() == [-3, 0, 2**63 - 1]
    assert read_labels(table, integer_ids=True)[0].dtype == np.int64
    features = write(tmp_path / "f.csv", "id,x\n12,1\n")
    assert read_features(features, integer_ids=True).ids.tolist() == [12]
    pq.write_table(pa.table({"id": ["5", "6"]}), tmp_path / "t.parquet")
    assert read_ids(tmp_path / "t.parquet", integer_ids=True).tolist() == [5, 6]
    nodes = write(tmp_path / "n.csv", "id\n3\n2\n1\n")
    graph = read_graph(write(tmp_path / "g.csv", "source,target\n1,2\n"), nodes=nodes, integer_ids=True)
    assert graph.ids.tolist() == [3, 2, 1]


@pytest.mark.parametrize("odd", ["007", "+7", "-0", "7.0", "0x7", "1e3", "x", str(2**63), "٣"])
def test_an_integer_that_is_not_spelled_plainly_is_refused_with_its_line(tmp_path, odd):
    table = write(tmp_path / "t.csv", f"id,x,label\n1,1,l\n\n{odd},1,l\n")
    features = write(tmp_path / "f.csv", f"id,x\n1,1\n\n{odd},1\n")
    edges = write(tmp_path / "g.csv", f"source,target\n1,2\n\n3,{odd}\n")
    for read, path in ((read_ids, table), (read_labels, table), (read_features, features), (read_graph, edges)):
        with pytest.raises(
            BadData, match=r"\.csv, line 4: an id is not an integer of 64 bits in its plain spelling \("
        ):
            read(path, integer_ids=True)


@pytest.mark.parametrize("odd", [" x", "x ", "\tx", "x\u00a0", "\u2003x", " 7"])
def test_white_space_around_an_id_is_refused_in_every_file(tmp_path, odd):
    table = write(tmp_path / "t.csv", f'id,label\na,l\n"{odd}",l\n')
    features = write(tmp_path / "f.csv", f'id,x\na,1\n"{odd}",1\n')
    edges = write(tmp_path / "g.csv", f'source,target\na,b\nb,"{odd}"\n')
    for read, path in ((read_ids, table), (read_labels, table), (read_features, features), (read_graph, edges)):
        with pytest.raises(BadData, match=r"\.csv, line 3: an id is empty, or begins or ends with white space"):
            read(path)
    pq.write_table(pa.table({"id": ["a", odd], "source": ["a", odd], "target": ["b", "c"]}), tmp_path / "t.parquet")
    with pytest.raises(BadData, match=r"t\.parquet, row 2: an id is empty"):
        read_ids(tmp_path / "t.parquet")
    for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())):
        table = pa.table({"source": ["a", "b"], "target": pa.array(["b", odd]).cast(kind)})
        pq.write_table(table, tmp_path / "g.parquet")
        with pytest.raises(BadData, match=r"g\.parquet, row 2: an id is empty"):
            read_graph(tmp_path / "g.parquet")
    with pytest.raises(BadData, match="white space"):
        write_graph(Graph.from_edges([("a", odd)]), tmp_path / "w.csv")


def test_text_meets_integers_by_their_digits(tmp_path):
    """7 and "7" are one node, "007" is another, whichever side the text is on."""
    text = read_graph(write(tmp_path / "g.csv", "source,target\n7,8\n8,007\n"))
    assert text.rows_of(np.array([8, 7])).tolist() == [1, 0]
    assert text.rows_of(["007", "08"]).tolist() == [2, -1]
    pq.write_table(pa.table({"source": [7], "target": [8]}), tmp_path / "g.parquet")
    typed = read_graph(tmp_path / "g.parquet")
    assert typed.rows_of(["8", "007", "7"]).tolist() == [1, -1, 0]
    pq.write_table(pa.table({"id": [9, 8, 7]}), tmp_path / "n.parquet")
    plain = write(tmp_path / "plain.csv", "source,target\n7,8\n")
    assert read_graph(plain, nodes=tmp_path / "n.parquet").ids.tolist() == [9, 8, 7]
    nodes = write(tmp_path / "n.csv", "id\n9\n8\n7\n")
    assert read_graph(tmp_path / "g.parquet", nodes=nodes).degrees.tolist() == [0, 1, 1]
    with pytest.raises(BadData, match="line 3: an end of the edge is not in"):
        read_graph(tmp_path / "g.csv", nodes=nodes)


def test_a_node_file_gives_order_and_isolated_nodes(tmp_path):
    edges = write(tmp_path / "g.csv", "source,target\na,b\n")
    nodes = write(tmp_path / "n.csv", "id,age\nz,1\nb,2\na,3\n")
    graph = read_graph(edges, nodes=nodes)
    assert graph.ids.tolist() == ["z", "b", "a"]
    assert graph.degrees.tolist() == [0, 1, 1]


def test_a_node_file_beside_a_matrix_is_refused_rather_than_ignored(tmp_path):
    write_graph(Graph.from_edges([(0, 1)]), tmp_path / "g.npz")
    nodes = write(tmp_path / "n.csv", "id\n0\n1\n2\n")
    with pytest.raises(BadData, match=r"g\.npz.*leave out .*n\.csv"):
        read_graph(tmp_path / "g.npz", nodes=nodes)


@pytest.mark.parametrize("empty_lines", [0, 3])
def test_the_line_of_an_error_counts_empty_lines(tmp_path, empty_lines):
    nodes = write(tmp_path / "n.csv", "id\na\nb\n")
    edges = write(tmp_path / "g.csv", "source,target\na,b\n" + "\n" * empty_lines + "a,z\n")
    with pytest.raises(BadData, match=rf"g\.csv, line {3 + empty_lines}: an end of the edge is not in .*n\.csv"):
        read_graph(edges, nodes=nodes)


def test_dense_features_are_read_with_missing_values(tmp_path):
    rows = "id,age,height,empty,yes\na,0.5,,,true\nb,NaN,2,,false\nc,-inf,3,,\n"
    expected = [[0.5, np.nan, np.nan, 1], [np.nan, 2, np.nan, 0], [-np.inf, 3, np.nan, np.nan]]
    for suffix in ("csv", "csv.gz"):
        features = read_features(write(tmp_path / f"f.{suffix}", rows))
        assert features.ids.tolist() == ["a", "b", "c"]
        assert features.names == ("age", "height", "empty", "yes")
        np.testing.assert_array_equal(features.matrix, expected)


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint64(), pa.float32(), pa.float64()])
def test_parquet_features_are_read_with_missing_values(tmp_path, kind):
    table = pa.table({"x": pa.array([1, None], kind), "id": pa.array([5, 6], pa.uint32()), "y": [0.25, 0.5]})
    pq.write_table(table, tmp_path / "f.parquet")
    features = read_features(tmp_path / "f.parquet")
    assert features.ids.tolist() == [5, 6]
    assert features.names == ("x", "y")
    np.testing.assert_array_equal(features.matrix, [[1, 0.25], [np.nan, 0.5]])


def test_sparse_features_stay_sparse_and_keep_missing_values(tmp_path):
    matrix = scipy.sparse.csr_array(np.array([[0, np.nan, 1], [0, 0, 0.5]]))
    scipy.sparse.save_npz(tmp_path / "f.npz", matrix)
    features = read_features(tmp_path / "f.npz")
    assert features.ids.tolist() == [0, 1]
    assert scipy.sparse.issparse(features.matrix)
    np.testing.assert_array_equal(features.matrix.toarray(), matrix.toarray())


def test_a_number_with_a_point_late_in_a_long_file_is_still_a_number(tmp_path):
    rows = "".join(f"{i},1\n" for i in range(200_000))  # more than one block of pyarrow's reader
    features = read_features(write(tmp_path / "f.csv", f"id,x\n{rows}200000,0.5\n"))
    assert features.matrix[-1, 0] == 0.5


def test_labels_are_read_with_their_ids(tmp_path):
    ids, labels = read_labels(write(tmp_path / "l.csv", "label,id\nred,2\nblue,1\n"))
    assert ids.tolist() == ["2", "1"]
    assert labels.tolist() == ["red", "blue"]


@pytest.mark.parametrize("rows", ["id,label\n1,\n", "id\n1\n", "label\nred\n"])
def test_labels_without_a_label_or_an_id_are_refused(tmp_path, rows):
    with pytest.raises(BadData, match=r"l\.csv"):
        read_labels(write(tmp_path / "l.csv", rows))


def test_a_matrix_whose_indices_lie_outside_is_refused_before_compiled_code_sees_it(tmp_path):
    matrix = scipy.sparse.csr_array(np.ones((3, 3)))
    matrix.indices[0] = 10**6
    parts = {"indices": matrix.indices, "indptr": matrix.indptr, "data": matrix.data, "shape": matrix.shape}
    np.savez(tmp_path / "g.npz", format=b"csr", _is_array=True, **parts)
    for read in (read_graph, read_features):
        with pytest.raises(BadData, match=r"g\.npz: not a sparse matrix of scipy"):
            read(tmp_path / "g.npz")


@pytest.fixture
def remarks(caplog):
    caplog.set_level(logging.INFO, "privge")
    return caplog


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("g.csv", "source;target\na;b\nb;c\n", "separated by semicolons, not by commas"),
        ("g.csv", "source|target\na|b\nb|c\n", "separated by bars, not by commas"),
        ("g.csv", "source\ttarget\na\tb\nb\tc\n", "separated by tabs, not by commas"),
        ("g.tsv", "source,target\na,b\nb,c\n", "separated by commas, not by tabs"),
        ("g.csv.gz", "\ufeffsource;target\r\na;b\r\nb;c\r\n", "separated by semicolons"),
        ("g.txt", "source,target\na,b\nb,c\n", "separated by commas, not by white space"),
        ("g.txt", "# SNAP\n# x y\nsource target\na  b\n\n b\tc \n", "left out 2 lines that begin with #"),
        ("g.txt.gz", "from\tto\na\tb\nb\tc", None),
        ("g.edgelist", "a b\nb c\n", "there is no header, so the first line is an edge"),
        ("g.edgelist", "a b {}\nb c {'weight': 2, 'x': 'y z'}\n", "what stands in braces is not used"),
        ("g.edgelist", "source target\na b\nb c\n", None),
        ("g.csv", '"source","target"\n"a","b"\n"b","c"\n', None),
    ],
)
def test_separators_are_recognised_by_the_first_line_and_named_if_unexpected(tmp_path, remarks, name, content, said):
    assert edge_set(read_graph(write(tmp_path / name, content))) == AB_BC
    assert said is None or said in remarks.text
    assert len([record for record in remarks.records if str(tmp_path) in record.getMessage()]) <= 2
    assert said is not None or not remarks.records


def test_blanks_inside_an_id_are_kept_where_tabs_separate(tmp_path):
    graph = read_graph(write(tmp_path / "g.txt", "source\ttarget\nNew York\tSan José\n"))
    assert edge_set(graph) == {frozenset(("New York", "San José"))}


def test_numbers_need_no_header_in_any_text_file(tmp_path, remarks):
    for name, content in (
        ("g.txt", "# c\n1 2\n2   3\n"),
        ("g.edgelist", "1 2 0.5\n2 3 0.5\n"),
        ("g.csv", "1;2\n2;3\n"),
    ):
        graph = read_graph(write(tmp_path / name, content), integer_ids=True)
        assert edge_set(graph) == {frozenset((1, 2)), frozenset((2, 3))}
    assert "column '3' is not used; --weight 3 honours it" in remarks.text


def test_columns_of_any_name_are_read_when_they_are_named(tmp_path):
    columns = EdgeColumns("Person", "friend of")
    text = write(tmp_path / "g.csv", "when;Friend Of;person\n1;a;b\n2;b;c\n")
    pq.write_table(pa.table({"when": [1, 2], "friend of": ["a", "b"], "Person": ["b", "c"]}), tmp_path / "g.parquet")
    for path in (text, tmp_path / "g.parquet"):
        assert edge_set(read_graph(path, columns=columns)) == AB_BC
        with pytest.raises(BadData, match="--source and --target"):
            read_graph(path)
        with pytest.raises(BadData, match="there is no column 'foe' among its 3"):
            read_graph(path, columns=EdgeColumns("person", "foe"))


def test_a_file_without_a_header_is_read_by_the_numbers_of_its_columns(tmp_path):
    path = write(tmp_path / "g.csv", "x,a,b\ny,b,c\n")
    with pytest.raises(BadData, match=r"g\.csv, line 1: unknown columns.*--no-header"):
        read_graph(path)
    assert edge_set(read_graph(path, columns=EdgeColumns("2", "3", header=False))) == AB_BC
    assert edge_set(read_graph(write(path, "a,b\nb,c\n"), columns=EdgeColumns(header=False))) == AB_BC
    numbered = read_graph(write(path, "0,1\n5,6\n"), columns=EdgeColumns("0", "1", header=True))
    assert edge_set(numbered) == {frozenset("56")}  # as a data frame without names is written


def test_columns_that_are_not_used_are_named_in_one_line(tmp_path, remarks):
    read_graph(write(tmp_path / "g.csv", "source,target,weight\na,b,2\nb,c,3\n"))
    assert "g.csv: column 'weight' is not used; --weight weight honours it" in remarks.text
    remarks.clear()
    pq.write_table(pa.table({"u": ["a"], "v": ["b"], "W": [1.0], "t": [0]}), tmp_path / "g.parquet")
    read_graph(tmp_path / "g.parquet")
    assert [record.getMessage().split(": ", 1)[1] for record in remarks.records] == [
        "columns 'W', 't' are not used; --weight W honours 'W'"
    ]


def test_it_is_never_guessed_which_of_two_pairs_is_meant(tmp_path):
    path = write(tmp_path / "g.csv", "u,v,from,to\na,b,x,y\n")
    with pytest.raises(BadData, match=r"both from,to and u,v could be the ends; .*--source"):
        read_graph(path)
    assert edge_set(read_graph(path, columns=EdgeColumns("u", "v"))) == {frozenset("ab")}
    with pytest.raises(BadData, match="only one end"):
        EdgeColumns(source="u")
    with pytest.raises(BadData, match="different ones"):
        EdgeColumns("u", "u")


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("2,x", "line 3: the weight is not a number"),
        ("2,0", "line 3: a weight must be a finite number above 0"),
        ("2,-1", "line 3: a weight must be"),
        ("2,inf", "line 3: a weight must be"),
        ("2,nan", "line 3: a weight must be"),
        ("2,", "line 3: an edge lacks its weight"),
        ("2024-01-01,2024-01-02", "column 'w' holds date32"),
    ],
)
def test_weights_that_are_not_positive_numbers_are_refused_by_line(tmp_path, weights, message):
    one, other = weights.split(",")
    path = write(tmp_path / "g.csv", f"source,target,w\na,b,{one}\nb,c,{other}\n")
    with pytest.raises(BadData, match=message):
        read_graph(path, columns=EdgeColumns(weight="w"))


@pytest.mark.parametrize("name", ["g.csv", "g.parquet", "g.txt"])
def test_weights_that_are_asked_for_reach_the_graph(tmp_path, name):
    path = tmp_path / name
    if name == "g.parquet":
        pq.write_table(pa.table({"u": ["a", "b"], "v": ["b", "c"], "w": [2, 3]}), path)
    else:
        comma = "," if name == "g.csv" else " "
        write(path, "\n".join(comma.join(row) for row in ("uvw", "ab2", "bc3")))
    graph = read_graph(path, columns=EdgeColumns(weight="w"))
    assert graph.weighted
    assert sorted(graph.weights.tolist()) == [2, 2, 3, 3]
    assert not read_graph(path).weighted


def test_a_table_may_call_its_ids_otherwise(tmp_path):
    nodes = write(tmp_path / "n.csv", "age;name\n1;z\n2;b\n3;a\n")
    edges = write(tmp_path / "g.csv", "source,target\na,b\n")
    assert read_ids(nodes, column="name").tolist() == ["z", "b", "a"]
    assert read_graph(edges, nodes=nodes, columns=EdgeColumns(id_column="name")).ids.tolist() == ["z", "b", "a"]
    features = read_features(nodes, id_column="name")
    assert (features.ids.tolist(), features.names) == (["z", "b", "a"], ("age",))
    with pytest.raises(BadData, match=r"no column 'id'.*--id-column"):
        read_features(nodes)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_text_that_people_answer_is_refused_and_needs_a_kind(tmp_path, suffix):
    """One answer is called NA: that does not make the others missing."""
    rows = "id,x,country\na,1,NA\nb,2,Peru\n"
    path = write(tmp_path / "f.csv", rows)
    if suffix == "parquet":
        path = tmp_path / "f.parquet"
        pq.write_table(pa.table({"id": ["a", "b"], "country": pa.array(["NA", "Peru"], pa.large_string())}), path)
    with pytest.raises(
        BadData, match=r"(line 3|row 2): feature 'country' is not a number but text.*--campaign"
    ) as found:
        read_features(path)
    assert "leave the field empty" not in str(found.value)
    assert "Peru" not in str(found.value)


@pytest.mark.parametrize("word", ["NA", "null", "?"])
def test_a_word_for_a_missing_value_is_refused_and_what_to_write_instead_is_said(tmp_path, word):
    with pytest.raises(BadData, match=r"f\.csv, line 3: feature 'x' is not a number; where .* leave the field empty"):
        read_features(write(tmp_path / "f.csv", f"id,x\na,1\nb,{word}\n"))


def test_columns_beside_a_stored_graph_or_a_matrix_are_refused_rather_than_ignored(tmp_path):
    graph = Graph.from_edges([(0, 1)])
    write_graph(graph, tmp_path / "g.npz")
    save_graph(graph, tmp_path / "g.graph")
    for name in ("g.npz", "g.graph"):
        with pytest.raises(BadData, match="belong to an edge list"):
            read_graph(tmp_path / name, columns=EdgeColumns("a", "b"))


def test_the_numbers_of_a_matrix_are_weights_when_asked_for_and_named_otherwise(tmp_path, remarks):
    matrix = scipy.sparse.csr_array(np.array([[0, 2.0, 0], [2.0, 0, 3.0], [0, 3.0, 0]]))
    scipy.sparse.save_npz(tmp_path / "g.npz", matrix)
    assert not read_graph(tmp_path / "g.npz").weighted
    assert "--weight data honours them" in remarks.text
    assert read_graph(tmp_path / "g.npz", columns=EdgeColumns(weight="data")).weights.tolist() == [2, 2, 3, 3]
    remarks.clear()
    scipy.sparse.save_npz(tmp_path / "ones.npz", matrix != 0)
    read_graph(tmp_path / "ones.npz")
    assert not remarks.records
