"""Bounds that nobody stated are 0 and 1, and values outside are refused instead of clipped."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse

import privge as pg
from privge._files.folder import Folder
from privge.errors import BadData

GRAPH = pg.Graph.from_edges([(i, (i + 1) % 30) for i in range(30)])
TABLE = pd.DataFrame({"age": np.linspace(18, 80, 30), "likes": np.linspace(0, 1, 30), "debt": np.linspace(-9, 1, 30)})


def test_unstated_bounds_do_not_clip():
    with pytest.raises(
        BadData, match=r"2 of 3 columns .* outside 0\.\.1, .*: 'age' \(30 of 30 .*'debt' \(27 of 30"
    ) as no:
        pg.PrivGE(graph=GRAPH).fit(TABLE)
    assert "public" in str(no.value)
    assert not any(str(value) in str(no.value) for value in ("18", "80", "-9"))
    assert pg.PrivGE(graph=GRAPH).fit(TABLE[["likes"]]).campaign_.high == 1


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ({"low": -10}, r"1 of 3 columns have values above 1.*: 'age' \(30"),
        ({"high": 100}, r"1 of 3 columns have values below 0.*: 'debt' \(27"),
    ],
)
def test_a_bound_that_is_not_stated_is_not_taken_from_the_other(bounds, message):
    with pytest.raises(BadData, match=message):
        pg.PrivGE(graph=GRAPH, **bounds).fit(TABLE)


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array])
def test_columns_without_names_are_numbered(form):
    with pytest.raises(BadData, match=r"2 of 3 columns .*: column 0 \(30 of 30 values\), column 2 \(27 of 30 values\)"):
        pg.PrivGE(graph=GRAPH).fit(form(TABLE.to_numpy()))


def test_bounds_go_by_name_too():
    low, high = {"debt": -10, "age": 0, "likes": 0}, {"likes": 2, "debt": 10, "age": 120, "never asked": 1}
    made = pg.PrivGE(graph=GRAPH, low=low, high=high).fit(TABLE).campaign_
    assert (made.names, made.low, made.high) == (("age", "likes", "debt"), (0, 0, -10), (120, 2, 10))
    with pytest.raises(BadData, match=r"there is no bound for 1 of 3 features: 'debt' \(is it 'dept'\?\)"):
        pg.PrivGE(graph=GRAPH, low={"age": 0, "likes": 0, "dept": 0}, high=100).fit(TABLE)
    with pytest.raises(BadData, match="no names"):
        pg.PrivGE(graph=GRAPH, low={"age": 0}, high=100).fit(TABLE.to_numpy())


def write(folder, name, column, **options):
    pq.write_table(
        pa.table({"id": np.arange(len(column)), "a": column, "b": [0.5] * len(column)}), folder / name, **options
    )


@pytest.mark.parametrize("statistics", [True, False])
@pytest.mark.parametrize("column", [[0.5, 1.5], [3, 0], [None, -0.1], [float("nan"), 2.0]])
def test_a_folder_is_looked_at_before_anything_is_drawn(tmp_path, statistics, column):
    from privge.perturbation.bounds import check_parts

    write(tmp_path, "0.parquet", [0.0, 1.0], write_statistics=statistics)
    for good in ([None, None], [float("nan"), 0.5], [True, False], ["text", "is for another to refuse"]):
        write(tmp_path, "1.parquet", pa.array(good), write_statistics=statistics)
        check_parts(Folder(str(tmp_path)), ["0.parquet", "1.parquet"], ["a", "b"], (0, 1), "")
    write(tmp_path, "1.parquet", column, write_statistics=statistics)
    with pytest.raises(BadData, match=r"1 of 2 columns have values outside 0\.\.1, .*: 'a'; state public bounds"):
        check_parts(Folder(str(tmp_path)), ["0.parquet", "1.parquet"], ["a", "b"], (0, 1), "")
