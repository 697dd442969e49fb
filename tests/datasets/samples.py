"""Small datasets in the formats of the big ones, written byte by byte as Python 2 wrote them."""

import hashlib
import json
import struct
from functools import partial

import numpy as np
import scipy.sparse

from privge.datasets import Archive, DataFile, Description, Statistics
from privge.datasets.musae import read_musae
from privge.datasets.planetoid import read_planetoid

RECONSTRUCT = b"cnumpy.core.multiarray\n_reconstruct\n"
NDARRAY = b"cnumpy\nndarray\n"
CLASSES = ("even", "odd")


def integer(value):
    if 0 <= value < 256:
        return b"K" + bytes([value])
    return b"M" + struct.pack("<H", value) if 0 <= value < 2**16 else b"J" + struct.pack("<i", value)


def text(value):
    return b"U" + bytes([len(value)]) + value if len(value) < 256 else b"T" + struct.pack("<i", len(value)) + value


def shape(sides):
    return b"(" + b"".join(map(integer, sides)) + b"t"


def number_type(code):
    state = integer(3) + text(b"<") + b"NNN" + integer(-1) + integer(-1) + integer(0)
    return b"cnumpy\ndtype\n" + text(code) + integer(0) + integer(1) + b"\x87R" + b"(" + state + b"tb"


def array_body(array, *, names=RECONSTRUCT + NDARRAY, sides=None, code=None, data=None):
    code = code or array.dtype.str[1:].encode()
    data = array.tobytes() if data is None else data
    made = names + integer(0) + b"\x85" + text(b"b") + b"\x87R"
    return made + b"(" + integer(1) + shape(sides or array.shape) + number_type(code) + b"\x89" + text(data) + b"tb"


def array_pickle(array, **changes):
    return b"\x80\x02" + array_body(array, **changes) + b"."


def matrix_pickle(matrix, **parts):
    """A csr_matrix, whose second and third array refer back to the names of the first."""
    arrays = {"indptr": matrix.indptr, "indices": matrix.indices, "data": matrix.data, **parts}
    again = [RECONSTRUCT + b"q\x01" + NDARRAY + b"q\x02", b"h\x01h\x02", b"h\x01h\x02"]
    items = b"".join(
        text(name.encode()) + array_body(array, names=names)
        for (name, array), names in zip(arrays.items(), again, strict=True)
    )
    size = text(b"_shape") + shape(matrix.shape)
    return b"\x80\x02cscipy.sparse.csr\ncsr_matrix\n)\x81}(" + text(b"format") + text(b"csr") + size + items + b"ub."


def graph_pickle(neighbours):
    rows = b"".join(
        integer(node) + b"](" + b"".join(map(integer, others)) + b"e" for node, others in neighbours.items()
    )
    return b"\x80\x02ccollections\ndefaultdict\nc__builtin__\nlist\n\x85Rq\x01(" + rows + b"u."


def planetoid_files():
    """Seven nodes: 0-3, then test nodes 4 and 6; node 5 is in no file but the graph, node 2 has no label."""
    first = scipy.sparse.csr_matrix(np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0]], dtype=np.float32))
    test = scipy.sparse.csr_matrix(np.array([[0, 0, 0.5], [0, 2.5, 0]], dtype=np.float32))
    return {
        "allx": matrix_pickle(first),
        "ally": array_pickle(np.array([[1, 0], [0, 1], [0, 0], [0, 1]], dtype=np.int32)),
        "tx": matrix_pickle(test),
        "ty": array_pickle(np.array([[1, 0], [0, 1]], dtype=np.int32)),
        "graph": graph_pickle({0: [1, 1, 2], 1: [0], 2: [0], 3: [3, 4], 4: [3], 5: [], 6: [0]}),
        "test.index": b"6\n4\n",
    }


PLANETOID = Statistics(nodes=7, edges=4, self_loops=1, features=3, classes=2)


def musae_files():
    """Six nodes of classes 7 (three), 5 (two) and 9 (one); node 3 has no features."""
    return {
        "edges": b"id_1,id_2\n0,1\n1,0\n1,2\n2,2\n3,4\n4,5\n",
        "features": json.dumps({"1": [4, 0, 4], "0": [1], "2": [2], "4": [3], "5": []}).encode(),
        "target": 'id,name,target\n5,"a, b\nc",9\n1,x,7\n2,x,7\n3,x,5\n4,x,5\n0,é,7\n'.encode(),
    }


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def describe(files, *, base="https://example.invalid", read=None, statistics=None, archive=None, name="tiny"):
    """A description of files as they are; ``read`` is found by their roles."""
    format_reader = partial(read_planetoid, classes=CLASSES) if "allx" in files else read_musae
    source = None if archive is None else Archive(f"{base}/tiny.zip", len(archive), sha256(archive))
    return Description(
        name=name,
        title="A tiny dataset",
        licence="none",
        homepage="",
        files=tuple(
            DataFile(role, f"tiny.{role}", len(data), sha256(data), source or f"{base}/tiny.{role}")
            for role, data in files.items()
        ),
        read=read or format_reader,
        statistics=statistics,
    )


def write(files, folder, name="tiny"):
    (folder / name).mkdir(parents=True, exist_ok=True)
    for role, data in files.items():
        (folder / name / f"tiny.{role}").write_bytes(data)


def left_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
