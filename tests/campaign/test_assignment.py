"""Who is asked about what: public, named by hashes, the same for everybody who looks."""

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privge.campaign import Assignment
from privge.errors import BadData, NotAsked

NODES = [f"node {i}" for i in range(3000)]


def some(bits=None):
    generator = np.random.default_rng(0)
    classes = generator.permuted(np.tile(np.arange(5), (3000, 1)), axis=1)[:, :3]
    classes[::2, 1] = -1
    offsets = generator.integers(-(2**31) + 1, 2**31, (3000, 3))
    return classes, offsets, Assignment.of(NODES, classes, offsets, bits=bits)


@pytest.mark.parametrize("bits", [None, 0, 5, 16])
def test_every_node_finds_its_own_classes_in_increasing_order(bits):
    classes, offsets, made = some(bits)
    assert made.sizes == (2, 3)
    for row in (0, 1, 17, 2999):
        pairs = sorted((int(c), int(o)) for c, o in zip(classes[row], offsets[row], strict=True) if c >= 0)
        assert made.personal(NODES[row]) == (tuple(c for c, _ in pairs), tuple(o for _, o in pairs))
    rows = made.rows(NODES)[0]
    assert ((rows >= 0).sum(axis=1) == (classes >= 0).sum(axis=1)).all()


def test_a_node_finds_itself_with_its_own_shard_alone():
    _, _, made = some()
    assert len(made.digests) > 1
    bare = Assignment.from_document(made.to_document())
    assert bare == made
    number = bare.shard_of("node 7")
    fetched = bare.with_shards({number: made.shards[number]})
    assert fetched.personal("node 7") == made.personal("node 7")
    assert not fetched.complete
    with pytest.raises(BadData, match="not at hand"):
        bare.personal("node 7")


def test_a_node_that_is_not_in_it_is_not_asked():
    _, _, made = some()
    with pytest.raises(NotAsked, match="not asked"):
        made.personal("somebody else")
    assert "somebody else" not in made
    assert "node 3" in made
    with pytest.raises(NotAsked, match=r"2 of 3 nodes are not asked"):
        made.rows(["node 1", "eve", "mal"])


def test_a_shard_that_was_changed_by_one_bit_is_refused():
    _, _, made = some()
    bare = Assignment.from_document(made.to_document())
    shard = bytearray(made.shards[0])
    shard[5] ^= 1
    with pytest.raises(BadData, match="hash"):
        bare.with_shards({0: bytes(shard)})
    with pytest.raises(BadData, match="hash"):
        bare.with_shards({1: made.shards[0]})


def test_neither_the_order_of_nodes_nor_that_of_classes_changes_the_hashes():
    made = Assignment.of(["a", "b"], [[0, 3], [2, 1]], [[7, 8], [9, 4]])
    assert Assignment.of(["b", "a"], [[1, 2], [3, 0]], [[4, 9], [8, 7]]) == made
    assert Assignment.of(["a", "b"], [[0, 3], [2, 1]], [[7, 8], [9, 5]]) != made
    assert Assignment.of([1, 2], [[0, 1], [0, 2]]) == Assignment.of(["1", "2"], [[0, 1], [0, 2]])


def test_members_are_an_assignment_without_classes(tmp_path):
    made = Assignment.members(NODES)
    assert made.personal("node 3").classes == ()
    assert "eve" not in made
    made.save(tmp_path / "shards")
    assert Assignment.from_document(made.to_document()).load(tmp_path / "shards").complete


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(min_size=1), min_size=1, max_size=30, unique=True), st.integers(0, 4))
def test_whatever_ids_look_like_each_is_found(ids, bits):
    try:
        made = Assignment.members(ids, bits=bits)
    except BadData:  # not text that can be encoded
        return
    assert all(node in made for node in ids)


@pytest.mark.parametrize(
    ("classes", "offsets"),
    [
        ([[0, -1]], None),
        ([[1, 1]], None),
        ([[0, 70_000]], None),
        ([[0, -2]], None),
        ([[0.5, 1]], None),
        ([[0, 1], [1, 2]], None),
        ([[0, 1]], [[1, 2**31]]),
        ([[0, 1]], [[1]]),
    ],
)
def test_what_is_not_an_assignment_is_refused(classes, offsets):
    with pytest.raises(BadData):
        Assignment.of(["ann"], classes, offsets)


def test_documents_that_contradict_themselves_are_refused():
    document = some()[2].to_document()
    changes = {"bits": 17, "width": 4, "sizes": [3, 2], "nodes": 0, "shards": document["shards"][:-1], "offsets": 1}
    for name, value in changes.items():
        with pytest.raises(BadData):
            Assignment.from_document({**document, name: value})
    with pytest.raises(BadData, match="fields"):
        Assignment.from_document({**document, "more": 1})


RECORD = 16 + 2 * 3 + 4 * 3


@pytest.mark.parametrize(
    "changed",
    [
        lambda records: records[::-1],
        lambda records: [records[0], *records],
        lambda records: [records[0][:22] + b"\x00\x00\x00\x80" + records[0][26:], *records[1:]],
        lambda records: [records[0][:16] + records[0][18:20] + records[0][16:18] + records[0][20:], *records[1:]],
        lambda records: [records[0][:16] + b"\xff\xff" + records[0][18:], *records[1:]],
        lambda records: [*records, *([b"\xff" * 15 + bytes([i]) + records[0][16:] for i in range(9)])],
    ],
    ids=["another order", "a node twice", "an offset too low", "classes in another order", "a gap", "too many nodes"],
)
def test_a_shard_in_another_form_is_refused_though_its_hash_is_right(changed):
    nodes = ["ann", "bob", "cec"]
    made = Assignment.of(nodes, [[0, 1, 2], [1, 2, 3], [0, 3, -1]], [[1, 2, 3], [4, 5, 6], [7, 8, 0]], bits=0)
    shard = made.shards[0]
    records = [shard[start : start + RECORD] for start in range(0, len(shard), RECORD)]
    assert b"".join(records) == shard
    wrong = b"".join(changed(records))
    document = {**made.to_document(), "shards": [hashlib.sha256(wrong).hexdigest()]}
    with pytest.raises(BadData, match="has not the form of an assignment"):
        Assignment.from_document(document).with_shards({0: wrong})


def test_the_highest_class_is_that_of_the_shards_at_hand():
    _, _, made = some()
    assert made.highest == 4
    assert Assignment.from_document(made.to_document()).highest == -1
    assert Assignment.members(["ann"]).highest == -1


def test_with_another_shard_at_hand_its_nodes_are_found_too():
    _, _, made = some(bits=1)
    nodes = [next(node for node in NODES if made.shard_of(node) == number) for number in (0, 1)]
    bare = Assignment.from_document(made.to_document())
    first = bare.with_shards({0: made.shards[0]})
    assert nodes[0] in first
    both = first.with_shards({1: made.shards[1]})
    assert both.complete
    assert (nodes[0] in both, nodes[1] in both) == (True, True)
    assert not first.complete
    assert both == made


def test_adding_a_shard_looks_at_that_shard_alone(monkeypatch):
    _, _, made = some(bits=4)
    looked = []
    check = Assignment._check
    monkeypatch.setattr(Assignment, "_check", lambda self, *given: looked.append(given[0]) or check(self, *given))
    monkeypatch.setattr(Assignment, "__post_init__", lambda _: looked.append("all"))
    made.with_shards({3: made.shards[3]})
    assert looked == [3]
