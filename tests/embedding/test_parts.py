import uuid
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import privge.embedding.embedding
import privge.embedding.files
from embedding.test_embedding import INTEGER_IDS, PROVENANCE, TEXT_IDS, embedding
from privge._files.folder import Folder
from privge.embedding.embedding import Embedding
from privge.embedding.files import StoredVectors
from privge.embedding.parts import begin_parts, finish_parts, write_part
from privge.errors import BadData


@pytest.fixture(params=["path", "memory"])
def place(request, tmp_path):
    return str(tmp_path / "z") if request.param == "path" else f"memory://{uuid.uuid4()}/z"


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(privge.embedding.parts, "_PART", 40)  # two rows of four float32


@pytest.mark.parametrize("ids", [INTEGER_IDS, TEXT_IDS], ids=["integers", "strings"])
@pytest.mark.usefixtures("small_parts")
def test_a_folder_gives_back_the_same_embedding(place, ids):
    made = embedding(ids)
    made.to_parquet(place)
    again = Embedding.from_parquet(place)
    assert len(Folder(place).names(".parquet")) == 3
    assert again.ids.tolist() == ids.tolist()
    assert again.ids.dtype == ids.dtype
    assert again.matrix.dtype == made.matrix.dtype
    assert (again.matrix == made.matrix).all()
    assert again.provenance == made.provenance


def test_a_name_that_ends_in_a_slash_is_a_folder(tmp_path):
    embedding().to_parquet(f"{tmp_path}/z.parquet/")
    assert (tmp_path / "z.parquet" / "_SUCCESS").exists()
    assert len(Embedding.from_parquet(tmp_path / "z.parquet")) == 6


def test_an_address_that_ends_in_parquet_is_one_file():
    place = f"memory://{uuid.uuid4()}/z.parquet"
    made = embedding()
    made.to_parquet(place)
    assert (Embedding.from_parquet(place).matrix == made.matrix).all()


def test_a_folder_of_no_nodes_is_an_embedding_too(place):
    Embedding(np.empty(0, np.int64), np.empty((0, 3), np.float32), PROVENANCE).to_parquet(place)
    assert Embedding.from_parquet(place).matrix.shape == (0, 3)


def test_parts_that_others_wrote_are_read_in_the_order_of_names(place):
    made, folder = embedding(), Folder(place)
    begin_parts(folder)
    for number, rows in ((1, slice(4, 6)), (0, slice(0, 4))):
        write_part(folder, number, StoredVectors(made.ids[rows], made.matrix[rows], PROVENANCE.to_json()))
    with pytest.raises(BadData, match=r"unfinished.*again"):
        Embedding.from_parquet(place)
    finish_parts(folder, 2, 6)
    assert (Embedding.from_parquet(place).matrix == made.matrix).all()


@pytest.mark.usefixtures("small_parts")
def test_a_smaller_embedding_leaves_nothing_of_a_larger_one(place):
    embedding().to_parquet(place)
    embedding(np.arange(2)).to_parquet(place)
    assert Embedding.from_parquet(place).ids.tolist() == [0, 1]


@pytest.mark.usefixtures("small_parts")
def test_a_folder_that_failed_half_way_is_unfinished_even_if_it_was_finished_before(place, monkeypatch):
    embedding().to_parquet(place)

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(privge.embedding.files, "batch", fail)
    with pytest.raises(OSError, match="disk full"):
        embedding(seed=1).to_parquet(place)
    with pytest.raises(BadData, match="unfinished"):
        Embedding.from_parquet(place)


def part(folder, number, ids, **changes):
    made = embedding(np.array(ids), **changes)
    write_part(folder, number, StoredVectors(made.ids, made.matrix, made.provenance.to_json()))


@pytest.mark.parametrize(
    ("second", "nodes", "message"),
    [
        ({"ids": [2, 3], "columns": 5}, 4, "belongs to another embedding"),
        ({"ids": [2, 3], "kind": np.float64}, 4, "of another type"),
        ({"ids": [0, 3]}, 4, "appears twice"),
        ({"ids": [2, 3]}, 3, "there are 4 vectors, and _SUCCESS does not say so"),
        ({"ids": [2, 3]}, 5, "there are 4 vectors, and _SUCCESS does not say so"),
    ],
)
def test_parts_that_do_not_belong_together_are_refused(place, second, nodes, message):
    folder = Folder(place)
    begin_parts(folder)
    part(folder, 0, [0, 1])
    part(folder, 1, **second)
    finish_parts(folder, 2, nodes)
    with pytest.raises(BadData, match=message):
        Embedding.from_parquet(place)


def test_parts_of_another_provenance_are_refused(place):
    folder = Folder(place)
    begin_parts(folder)
    for number, alpha in ((0, 0.1), (1, 0.2)):
        provenance = replace(PROVENANCE, run=replace(PROVENANCE.run, alpha=alpha)).to_json()
        write_part(folder, number, StoredVectors(np.arange(1), np.zeros((1, 2), np.float32), provenance))
    finish_parts(folder, 2, 2)
    with pytest.raises(BadData, match=r"part-00001\.parquet: this part belongs to another"):
        Embedding.from_parquet(place)


@pytest.mark.usefixtures("small_parts")
def test_a_part_that_is_lost_is_missed(place):
    embedding().to_parquet(place)
    Folder(place).remove(["part-00001.parquet"])
    with pytest.raises(BadData, match="there are 2 parts"):
        Embedding.from_parquet(place)


def test_a_vector_that_is_missing_is_refused_by_its_file(tmp_path):
    embedding().to_parquet(tmp_path / "z")
    path = tmp_path / "z" / "part-00000.parquet"
    table = pq.read_table(path)
    rows = [None, *table["vector"].to_pylist()[1:]]
    pq.write_table(table.set_column(1, "vector", pa.array(rows, type=table["vector"].type)), path)
    with pytest.raises(BadData, match=r"part-00000\.parquet: a vector is missing"):
        Embedding.from_parquet(tmp_path / "z")
