"""Pickles are instructions; these tests hold that only harmless ones are followed."""

import io
import pickle
import random
import struct
import tracemalloc
import warnings
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

from datasets.samples import NDARRAY, RECONSTRUCT, array_body, array_pickle, graph_pickle, integer, matrix_pickle, text
from privge.datasets.contents import Blob
from privge.datasets.pickles import read_pickle
from privge.errors import DatasetCorrupt

MATRIX = scipy.sparse.csr_matrix(np.array([[0, 1.5], [2, 0], [0, 3]], dtype=np.float32))


def read(data):
    return read_pickle(Blob(Path("cora/ind.cora.x"), data))


def trusted(data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy.core moved
        return pickle.loads(data, encoding="latin1")  # noqa: S301 (made in this file)


@pytest.mark.parametrize("code", ["i4", "i8", "f4", "f8"])
def test_an_array_is_what_pickle_makes_of_it(code):
    data = array_pickle(np.arange(600, dtype=code).reshape(300, 2))
    assert np.array_equal(read(data), trusted(data))
    assert read(data).dtype == trusted(data).dtype


def test_a_sparse_matrix_is_what_pickle_makes_of_it():
    data = matrix_pickle(MATRIX)
    assert isinstance(read(data), scipy.sparse.csr_array)
    assert (read(data) != trusted(data)).nnz == 0


def test_a_dictionary_of_lists_is_what_pickle_makes_of_it():
    data = graph_pickle({0: [1, 2, 70_000], 300: []})
    assert read(data) == dict(trusted(data)) == {0: [1, 2, 70_000], 300: []}


def command(path):
    return f"touch {path}".encode()


def hostile_calls(path):
    """Pickles that run a command, each in its own way."""
    line = command(path)
    evaluated = b"__import__('os').system('" + line + b"')"
    one = text(line) + b"\x85R."
    by_getattr = b"c__builtin__\ngetattr\ncos\n__dict__\n" + text(b"get") + b"\x86R" + text(b"system") + b"\x85R" + one
    unicode_names = b"".join(b"\x8c" + bytes([len(name)]) + name for name in (b"posix", b"system"))
    inside = b"\x80\x02" + b"](" + integer(1) + b"(cos\nsystem\n" + text(line) + b"\x85Rte."
    state = b"}(" + text(b"_shape") + b"cos\nsystem\n" + text(line) + b"\x85Rub."
    return {
        "os.system": b"\x80\x02cos\nsystem\n" + one,
        "posix.system": b"\x80\x02cposix\nsystem\n" + one,
        "subprocess": b"\x80\x02csubprocess\ngetoutput\n" + one,
        "eval": b"\x80\x02c__builtin__\neval\n" + text(evaluated) + b"\x85R.",
        "exec of Python 3": b"\x80\x02cbuiltins\nexec\n" + text(evaluated) + b"\x85R.",
        "getattr": b"\x80\x02" + by_getattr,
        "protocol 0": b"cos\nsystem\n(S'" + line + b"'\ntR.",
        "class instance": b"(S'" + line + b"'\nios\nsystem\n.",
        "object": b"\x80\x02(cos\nsystem\n" + text(line) + b"o.",
        "names from the stack": b"\x80\x04" + unicode_names + b"\x93" + one,
        "dotted name": b"\x80\x04\x8c\x05numpy\x8c\x18_core.multiarray.os.systm\x93" + one,
        "a name that goes on": b"\x80\x02cnumpy\nndarray.__init__.__globals__\n" + one,
        "numpy runs a string": b"\x80\x02cnumpy.testing._private.utils\nrunstring\n" + text(evaluated) + b"}\x86R.",
        "numpy loads a file": b"\x80\x02cnumpy\nload\n" + one,
        "copy_reg": b"\x80\x02ccopy_reg\n_reconstructor\ncos\nsystem\nc__builtin__\nobject\nN\x87R.",
        "extension registry": b"\x80\x02\x82\x01.",
        "persistent id": b"\x80\x02" + text(line) + b"Q.",
        "a name that is not called": b"\x80\x02cos\nsystem\n.",
        "nested in a list": inside,
        "nested in the state of a matrix": b"\x80\x02cscipy.sparse.csr\ncsr_matrix\n)\x81" + state,
        "a pickle inside a pickle": b"\x80\x02c_pickle\nloads\n" + text(b"cos\nsystem\n" + one) + b"\x85R.",
    }


@pytest.mark.parametrize("name", hostile_calls(""))
def test_a_pickle_that_calls_something_is_refused_and_named(name, tmp_path):
    with pytest.raises(DatasetCorrupt, match=r"cora/ind\.cora\.x: refused as a pickle"):
        read(hostile_calls(tmp_path / "ran")[name])
    assert not (tmp_path / "ran").exists()


def test_the_hostile_pickles_are_hostile(tmp_path):
    """The control: ``pickle`` itself runs the command."""
    trusted(hostile_calls(tmp_path / "ran")["os.system"])
    assert (tmp_path / "ran").exists()


ARRAY = np.arange(3, dtype=np.int32)
FILLED = RECONSTRUCT + NDARRAY + integer(0) + b"\x85" + text(b"b") + b"\x87R"
WRONG = {
    "a huge shape": array_pickle(ARRAY, sides=(2**31 - 1, 2**31 - 1)),
    "a negative shape": array_pickle(ARRAY, sides=(-1, -3)),
    "too few bytes": array_pickle(ARRAY, data=bytes(11)),
    "too many bytes": array_pickle(ARRAY, data=bytes(13)),
    "no shape": array_pickle(ARRAY, sides=(0,)),
    "objects": array_pickle(ARRAY, code=b"O8"),
    "a type with fields": array_pickle(ARRAY, code=b"i4,i4,O"),
    "an array that is allocated": b"\x80\x02" + NDARRAY + integer(2**31 - 1) + b"\x85R.",
    "an array that is allocated anew": b"\x80\x02" + NDARRAY + integer(2**31 - 1) + b"\x85\x81.",
    "a reconstruction of another size": b"\x80\x02"
    + FILLED.replace(integer(0) + b"\x85", integer(255) + b"\x85")
    + b".",
    "an array that is never filled": b"\x80\x02" + FILLED + b".",
    "an array that is filled with nothing": array_pickle(ARRAY)[:-1] + b"(" + integer(1) + b"tb.",
    "a name that is filled": b"\x80\x02" + RECONSTRUCT + b"}" + b"b.",
    "a matrix that is not square with itself": matrix_pickle(MATRIX, indptr=np.array([0, 1, 2], dtype=np.int32)),
    "a matrix that points outside": matrix_pickle(MATRIX, indices=np.array([0, 9, 1], dtype=np.int32)),
    "a matrix that points before itself": matrix_pickle(MATRIX, indices=np.array([0, -9, 1], dtype=np.int32)),
    "a matrix with real indices": matrix_pickle(MATRIX, indices=np.array([0, 1, 1], dtype=np.float32)),
    "a matrix with a table as data": matrix_pickle(MATRIX, data=np.ones((3, 1), dtype=np.float32)),
    "a matrix without parts": b"\x80\x02cscipy.sparse.csr\ncsr_matrix\n)\x81}b.",
    "a memo that is not there": b"\x80\x02h\x05.",
    "an empty stack": b"\x80\x02\x85.",
    "no mark": b"\x80\x02t.",
    "two results": b"\x80\x02K\x01K\x02.",
    "no result": b"\x80\x02.",
    "no end": b"\x80\x02K\x01",
    "something after the end": b"\x80\x02K\x01.K\x02.",
    "a text longer than the file": b"\x80\x02T" + struct.pack("<i", 2**31 - 1) + b"x.",
    "nothing at all": b"",
    "another protocol": b"\x80\x05K\x01.",
    "no pickle": b"<!DOCTYPE html><html></html>",
    "an appended number": b"\x80\x02K\x01K\x02a.",
    "a key without a value": b"\x80\x02}(K\x01u.",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_pickle_that_makes_no_sense_is_refused_and_named(name):
    with pytest.raises(DatasetCorrupt, match=r"cora/ind\.cora\.x: refused as a pickle"):
        read(WRONG[name])


@pytest.mark.parametrize("cut", range(0, 300, 7))
def test_a_truncated_pickle_is_refused(cut):
    with pytest.raises(DatasetCorrupt):
        read(matrix_pickle(MATRIX)[:cut])


def test_a_key_that_takes_for_ever_to_hash_is_refused():
    doubled = b"".join(b"q" + bytes([i]) + b"h" + bytes([i]) + b"\x86" for i in range(64))  # 2^64 leaves
    with pytest.raises(DatasetCorrupt, match="key"):
        read(b"\x80\x02}(K\x01" + doubled + b"K\x01u.")


def test_a_key_that_is_nested_too_deep_to_hash_is_refused():
    with pytest.raises(DatasetCorrupt, match="key"):
        read(b"\x80\x02}(K\x01" + b"\x85" * 50_000 + b"K\x01u.")


def test_a_small_file_cannot_ask_for_much_memory():
    greedy = [WRONG["a huge shape"], WRONG["an array that is allocated"], WRONG["a text longer than the file"]]
    greedy.append(b"\x80\x02K\x01r" + struct.pack("<I", 2**32 - 1) + b"0.")  # a memo of four billion places
    tracemalloc.start()
    for data in greedy:
        with pytest.raises(DatasetCorrupt):
            read(data)
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**20


class AllowListed(pickle.Unpickler):
    """The alternative: Python's own machine, which may find these names and no others."""

    names = {  # noqa: RUF012
        ("numpy.core.multiarray", "_reconstruct"): np.ndarray.__reduce__(np.empty(0))[0],
        ("numpy", "ndarray"): np.ndarray,
        ("scipy.sparse.csr", "csr_matrix"): scipy.sparse.csr_matrix,
        ("__builtin__", "list"): list,
    }

    def find_class(self, module, name):
        return self.names[module, name]


def allow_listed(data):
    return AllowListed(io.BytesIO(data), encoding="latin1").load()


def test_a_file_cannot_change_the_classes_of_this_process_as_an_allow_list_lets_it():
    attack = b"\x80\x02cscipy.sparse.csr\ncsr_matrix\nN}(" + text(b"toarray") + b"c__builtin__\nlist\nu\x86b."
    with pytest.raises(DatasetCorrupt, match="refused as a pickle"):
        read(attack)
    assert scipy.sparse.csr_matrix.toarray is not list
    try:
        allow_listed(attack)
        assert scipy.sparse.csr_matrix.toarray is list
    finally:
        del scipy.sparse.csr_matrix.toarray  # it hid the one that the class inherits
    assert MATRIX.toarray().shape == (3, 2)


@pytest.mark.parametrize(
    "attack",
    [
        b"\x80\x02" + RECONSTRUCT + b"(" + NDARRAY + b"(" + integer(2**22) + b"t" + text(b"d") + b"tR.",
        b"\x80\x02Nr" + struct.pack("<I", 2**20) + b"0K\x01.",
    ],
    ids=["array", "memo"],
)
def test_a_file_cannot_ask_for_more_memory_than_it_holds_as_an_allow_list_lets_it(attack):
    def peak(reader):
        tracemalloc.start()
        try:
            with suppress(DatasetCorrupt):
                reader(attack)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(allow_listed) > 2**20
    assert peak(read) < 2**18


@pytest.mark.filterwarnings("ignore:invalid escape sequence:DeprecationWarning")
def test_whatever_a_damaged_byte_does_it_is_read_or_refused():
    generator = random.Random(0)  # noqa: S311 (which bytes are damaged is no secret)
    whole = matrix_pickle(MATRIX)
    refused = 0
    for _ in range(3000):
        data = bytearray(whole)
        for _ in range(generator.randint(1, 3)):
            data[generator.randrange(len(data))] = generator.randrange(256)
        try:
            read(bytes(data))
        except DatasetCorrupt:
            refused += 1
    assert refused > 1000


def test_a_refusal_shows_no_control_characters():
    with pytest.raises(DatasetCorrupt) as caught:
        read(b"\x80\x02X" + struct.pack("<i", 8) + b"\x1b[31mred" + b"\x8c\x08\x1b[31mred.")
    assert str(caught.value).isprintable()


def test_the_sample_writer_is_the_format_of_the_published_files():
    assert array_body(ARRAY).startswith(
        b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R(K\x01"
    )
