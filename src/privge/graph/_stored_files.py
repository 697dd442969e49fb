"""The arrays of a stored graph, looked at once: compiled code takes them as they are."""

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import DTypeLike, NDArray

from privge.errors import BadData
from privge.graph._fingerprint import PIECE
from privge.graph._soundness import UnsoundRows, check_rows, check_weights

if TYPE_CHECKING:
    from privge.graph.stored import StoredGraph


def check_files(stored: "StoredGraph") -> None:
    """Refuse what is absent, incomplete or damaged, with the file's name."""
    _check_sizes(stored)
    _check_ids(stored)
    _check_rows(stored)


def _check_sizes(stored: "StoredGraph") -> None:
    """Refuse files that are absent, cut short or of another size than ``graph.json`` says."""
    _check_array(stored, "indptr.npy", np.int64, stored.nodes + 1)
    _check_array(stored, "indices.npy", np.int32, stored.entries + stored.padding)
    if stored.weighted:
        _check_array(stored, "weights.npy", np.float64, stored.entries)
        _check_array(stored, "strengths.npy", np.float64, stored.nodes)
    if stored.kind == "integers":
        _check_array(stored, "ids.npy", np.int64, stored.nodes)
    else:
        _check_array(stored, "ids-offsets.npy", np.int64, stored.nodes + 1)
        length = int(stored.folder.read("ids-offsets.npy", stored.nodes)[0])
        if length < 0:
            raise _damaged(stored, "ids-offsets.npy", "an offset is negative")
        _check_array(stored, "ids-text.npy", np.uint8, length)


def _check_rows(stored: "StoredGraph") -> None:
    """Refuse rows that compiled code could not take for granted, or that have another largest degree or strength."""
    try:
        largest = check_rows(stored.nodes, stored.entries, stored.indptr, stored.indices)
        arrays = (stored.indptr, stored.indices, stored.weights, stored.strengths)
        heaviest = check_weights(stored.nodes, *arrays) if stored.weighted else None  # type: ignore[arg-type]
    except UnsoundRows as error:
        raise _damaged(stored, f"{error.array}.npy", error.problem) from error
    if largest != stored.largest_degree:
        raise _damaged(stored, "graph.json", f"the largest degree is {largest}")
    if heaviest != stored.heaviest:
        raise _damaged(stored, "graph.json", f"the largest strength is {heaviest}")


def _check_ids(stored: "StoredGraph") -> None:
    """Refuse ids that are not texts, that are there twice, or that are not in the order that is promised."""
    if stored.kind == "strings":
        _check_texts(stored)
        return
    if stored.sorted_ids:
        for first in range(0, stored.nodes, PIECE):
            piece = np.asarray(stored.ids(first, first + PIECE + 1), dtype=np.int64)
            if not _ascend_strictly(piece):
                raise _damaged(stored, "ids.npy", "the ids do not ascend")
    elif not _ascend_strictly(np.sort(np.asarray(stored.ids(), dtype=np.int64))):
        raise _damaged(stored, "ids.npy", "an id is there twice")


def _check_texts(stored: "StoredGraph") -> None:
    try:
        texts = stored.texts()
        texts.validate(full=True)
    except pa.ArrowException:  # its message may quote an id
        raise _damaged(stored, "ids-offsets.npy", "the ids are not texts") from None
    if not pc.all(pc.greater(pc.binary_length(texts), 0), min_count=0).as_py():
        raise _damaged(stored, "ids-offsets.npy", "an id is empty")
    if stored.sorted_ids:
        for first in range(0, stored.nodes, PIECE):
            piece = texts[first : first + PIECE + 1]
            if not pc.all(pc.less(piece[:-1], piece[1:]), min_count=0).as_py():
                raise _damaged(stored, "ids-text.npy", "the ids do not ascend")
    elif pc.count_distinct(texts).as_py() != stored.nodes:
        raise _damaged(stored, "ids-text.npy", "an id is there twice")


def _damaged(stored: "StoredGraph", name: str, problem: str) -> BadData:
    return BadData(f"{stored.folder.address}/{name}: damaged, {problem}")


def _check_array(stored: "StoredGraph", name: str, kind: DTypeLike, length: int) -> None:
    """Read only the end: the last entry must be there, and none after it."""
    place = f"{stored.folder.address}/{name}"
    try:
        end = stored.folder.read(name, max(0, length - 1), length + 1)
    except FileNotFoundError as error:
        raise BadData(f"{place}: the file is missing") from error
    except (OSError, ValueError, EOFError) as error:
        raise BadData(f"{place}: damaged ({error})") from error
    if end.dtype != kind or end.shape != (min(1, length),):
        raise BadData(f"{place}: damaged, it does not hold {length} numbers of type {np.dtype(kind)}")


def _ascend_strictly(ids: NDArray[np.int64]) -> bool:
    return bool(np.all(ids[:-1] < ids[1:]))
