import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from privge.cli import main
from privge.graph import StoredGraph


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
