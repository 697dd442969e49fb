import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from privge.cli import main
from privge.graph import StoredGraph, convert_graph, read_graph


@pytest.fixture
def edges(tmp_path):
    pq.write_table(pa.table({"source": [1, 2, 3, 3], "target": [2, 1, 3, 1]}), tmp_path / "edges.parquet")
    return tmp_path / "edges.parquet"


def run(*arguments):
    return CliRunner().invoke(main, ["convert", *map(str, arguments)])


def test_convert_writes_a_graph_and_says_what_it_holds(edges, tmp_path):
    result = run("--edges", edges, "--memory", "500MB", "-o", tmp_path / "a.graph", "--json")
    told = json.loads(result.stdout)
    assert (told["nodes"], told["edges"], told["loops"], told["repeated"]) == (3, 2, 1, 1)
    assert told["fingerprint"] == StoredGraph.open(tmp_path / "a.graph").fingerprint
    assert told["seconds"] > 0
    assert told["peak_bytes"] > 0


@pytest.mark.parametrize("memory", ["0", "much", "-1GB", "2XB"])
def test_what_is_no_number_of_bytes_is_wrong_usage(edges, tmp_path, memory):
    assert run("--edges", edges, "--memory", memory, "-o", tmp_path / "a.graph").exit_code == 2


def test_edges_that_are_not_there_are_bad_data(tmp_path):
    result = run("--edges", tmp_path / "none", "-o", tmp_path / "a.graph")
    assert result.exit_code == 3
    assert "none: there is no Parquet file" in result.stderr


def test_columns_of_any_name_are_converted_when_they_are_named(tmp_path):
    table = pa.table({"buyer": ["a", "b"], "seller": ["b", "c"], "amount": [2.0, 3.0], "day": [1, 2]})
    pq.write_table(table, tmp_path / "e.parquet")
    pq.write_table(pa.table({"name": ["a", "b", "c", "d"]}), tmp_path / "n.parquet")
    arguments = ["convert", "--edges", tmp_path / "e.parquet", "-o", tmp_path / "g.graph", "--nodes"]
    arguments += [tmp_path / "n.parquet", "--id-column", "name", "--source", "buyer", "--target", "seller"]
    result = CliRunner().invoke(main, [str(a) for a in (*arguments, "--weight", "amount")])
    assert result.exit_code == 0, result.stderr
    assert "column 'day' is not used" in result.stderr
    graph = read_graph(tmp_path / "g.graph")
    assert (graph.ids.tolist(), graph.weights.tolist()) == (["a", "b", "c", "d"], [2, 2, 3, 3])
    unnamed = CliRunner().invoke(
        main, ["convert", "--edges", str(tmp_path / "e.parquet"), "-o", str(tmp_path / "h.graph")]
    )
    assert unnamed.exit_code == 3
    assert "--source and --target" in unnamed.stderr


def test_a_run_with_other_columns_does_not_go_on_with_what_was_left(tmp_path):
    table = pa.table({"u": [1, 2], "v": [2, 3], "x": [5, 6], "y": [6, 7]})
    pq.write_table(table, tmp_path / "e.parquet")

    def stop(done, total):
        if 2 * done >= total:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        convert_graph(tmp_path / "e.parquet", tmp_path / "g.graph", source="x", target="y", progress=stop)
    assert (tmp_path / "g.graph.work").is_dir()
    graph = convert_graph(tmp_path / "e.parquet", tmp_path / "g.graph", source="u", target="v").graph()
    assert graph.ids.tolist() == [1, 2, 3]
