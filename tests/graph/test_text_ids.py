import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privge.errors import BadData
from privge.graph import convert_graph
from privge.graph._kernels import enter_texts, find_texts
from privge.graph._kernels.texts import LOWER, UPPER, hash_text
from privge.graph.conversion.integers import write_distinct as write_integers
from privge.graph.conversion.texts import text_rows, write_distinct

TEXTS = st.lists(st.text(st.characters(codec="utf-8"), max_size=6), max_size=60)
QUICK = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def layout(texts):
    encoded = [text.encode() for text in texts]
    return np.cumsum([0, *map(len, encoded)]), np.frombuffer(b"".join(encoded) or b"\0", dtype=np.uint8)


def arrays(texts, size=7):
    return [pa.array(texts[i : i + size], type=pa.large_string()) for i in range(0, len(texts), size)]


@pytest.fixture
def place(tmp_path):
    (tmp_path / "work").mkdir()
    return tmp_path / "ids", tmp_path / "work"


@given(TEXTS, TEXTS, st.sampled_from([1, 3000, 10**9]))
@QUICK
def test_texts_are_distinct_in_the_order_of_their_bytes_and_found_again(place, texts, others, budget):
    found = write_distinct(arrays(texts), *place, budget)
    expected = sorted(set(texts), key=str.encode)
    assert [text for piece in found.pieces() for text in piece.to_pylist()] == expected
    assert not list(place[1].iterdir())
    rows = text_rows(found)(pa.array(texts + others, type=pa.large_string()))
    known = {text: row for row, text in enumerate(expected)}
    assert rows.tolist() == [known.get(text, -1) for text in texts + others]


def test_a_slice_of_an_array_is_looked_for_from_where_it_begins(place):
    found = write_distinct(arrays(["a", "bb", "ccc"]), *place, 10**6)
    asked = pa.array(["zz", "ccc", "a", "zz"], type=pa.large_string()).slice(1, 2)
    assert text_rows(found)(asked).tolist() == [2, 0]


def test_texts_with_the_same_hash_are_not_the_same_id():
    """Two entries that a hash cannot tell apart: the table is as if all 64 bits of both were the same."""
    offsets, text = layout(["other", "asked"])
    asked_offsets, asked = layout(["asked"])
    hashed = hash_text(asked, 0, 5)
    table, rows = np.zeros(4, dtype=np.uint64), np.empty(1, dtype=np.int32)
    slot = int(hashed) % 4
    table[slot] = (hashed & UPPER) | np.uint64(1)
    find_texts(asked_offsets, asked, offsets, text, table, rows)
    assert rows.tolist() == [-1]
    table[(slot + 1) % 4] = (hashed & UPPER) | np.uint64(2)
    find_texts(asked_offsets, asked, offsets, text, table, rows)
    assert rows.tolist() == [1]


def test_a_table_that_is_nearly_full_is_searched_to_its_end():
    texts = [f"n{number}" for number in range(63)]
    table, rows = np.zeros(64, dtype=np.uint64), np.empty(63, dtype=np.int32)
    enter_texts(*layout(texts), table)
    assert sorted((table & LOWER).tolist()) == list(range(64))
    find_texts(*layout(texts), *layout(texts), table, rows)
    assert rows.tolist() == list(range(63))


@pytest.mark.parametrize("budget", [64, 10**9])
def test_an_id_that_must_be_there_once_is_refused_twice(place, budget):
    with pytest.raises(BadData, match=r"people: an id appears twice"):
        write_distinct(arrays(["b", "a", *"cdefghij", "b"]), *place, budget, once="people")


@given(st.lists(st.lists(st.integers(-50, 50) | st.integers(-(2**63), 2**63 - 1), max_size=20), max_size=6))
@QUICK
def test_integers_that_lie_close_and_then_far_apart_are_distinct_and_in_order(place, drawn):
    values = [np.array(part, dtype=np.int64) for part in drawn]
    place[0].mkdir(exist_ok=True)
    count = write_integers(values, place[0] / "ids.npy", place[1], 4000)
    expected = sorted({value for part in drawn for value in part})
    assert (count, np.load(place[0] / "ids.npy").tolist()) == (len(expected), expected)
    repeated = len(expected) < sum(map(len, drawn))
    if repeated:
        with pytest.raises(BadData, match="people: an id appears twice"):
            write_integers(values, place[0] / "ids.npy", place[1], 4000, once="people")


@pytest.mark.parametrize("kind", [int, str])
def test_the_files_are_the_same_on_any_number_of_processors_and_in_any_order_of_edges(tmp_path, monkeypatch, kind):
    monkeypatch.setattr("os.fsync", lambda _: None)
    generator = np.random.default_rng(5)
    pairs = generator.integers(0, 300, (4000, 2))
    written = []
    for number in (1, 2, 4):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, number=number: set(range(number)), raising=False)
        generator.shuffle(pairs)
        columns = [pa.array([kind(end) for end in pairs[:, side].tolist()]) for side in range(2)]
        pq.write_table(pa.table(columns, ["source", "target"]), tmp_path / "edges.parquet", row_group_size=500)
        convert_graph(tmp_path / "edges.parquet", tmp_path / f"{number}.graph", memory=20_000 * number)
        written.append({path.name: path.read_bytes() for path in (tmp_path / f"{number}.graph").iterdir()})
    assert written[0] == written[1] == written[2]
