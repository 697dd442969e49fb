"""Edge lists larger than memory to a stored graph, in bounded memory; a run that was cut off is taken up again."""

import errno
import logging
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from os import PathLike, fspath
from pathlib import Path

from privge._files.folder import Folder
from privge._files.lock import locked
from privge._typing import Progress
from privge.errors import BadData, PrivgeError
from privge.graph._weights import tell_dropped
from privge.graph.conversion.conversion import Conversion
from privge.graph.conversion.parts import edge_parts, kind_of, node_parts
from privge.graph.conversion.stages import compress_rows, fill_buckets, finish, number_ids
from privge.graph.edge_columns import EdgeColumns
from privge.graph.stored import StoredGraph

logger = logging.getLogger(__name__)

DEFAULT_MEMORY = 2_000_000_000
_VERSION = 2  # of what the work folder holds
_ARRAYS = ("indptr", "indices", "weights", "strengths", "ids", "ids-offsets", "ids-text")
_FILES = {"graph.json", *(f"{name}.npy" for name in _ARRAYS)}
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def convert_graph(
    edges: str | PathLike[str],
    output: str | PathLike[str],
    *,
    nodes: str | PathLike[str] | None = None,
    source: str | None = None,
    target: str | None = None,
    weight: str | None = None,
    id_column: str = "id",
    memory: int = DEFAULT_MEMORY,
    progress: Progress | None = None,
) -> StoredGraph:
    """Write the graph of an edge list of any size, with rows in the order of the ids.

    Each pair is one undirected edge, whichever way round; self-loops and repetitions are dropped and counted in the
    log. What is finished stays in ``<output>.work``, from where the same call goes on after a crash, as long as the
    inputs are the same; at the end that folder is removed.

    Parameters
    ----------
    edges
        Parquet with columns such as ``source`` and ``target``, integers or strings: a file, a folder of files however
        nested, a glob, or an address that fsspec knows, such as ``s3://bucket/edges``.
    output
        The folder to write, conventionally ``*.graph``. A graph that lies there is replaced when the new one is done.
    nodes
        Parquet with a column ``id``: all nodes, isolated ones too. By default the ends of the edges.
    source, target
        The columns of the ends, if they have other names.
    weight
        The column of the edges that holds their weights, finite numbers above 0; the weights of all edges between two
        nodes are added. None leaves weights aside.
    id_column
        The column of ids in ``nodes``, if it has another name.
    memory
        Bytes to use, roughly: sorting is split into pieces that fit. The libraries take some 200 MB besides.
    progress
        Called as ``progress(done, total)``.
    """
    if memory < 1:
        raise ValueError(f"memory must be a number of bytes above 0, got {memory!r}")
    place = _target(output)
    work = place.with_name(f"{place.name}.work")
    parts = edge_parts(edges, EdgeColumns(source, target, weight))
    known = None if nodes is None else node_parts(nodes, id_column)
    kind = kind_of([*parts, *(known or [])])
    conversion = Conversion(work, parts, known, str(nodes), kind, memory, progress, weight)
    with _full_disk(place, work), _alone(work):
        _take_up(conversion)
        count = number_ids(conversion)
        buckets, loops = fill_buckets(conversion, count)
        rows = compress_rows(conversion, buckets)
        repeated = conversion.rows - loops - rows.entries // 2
        finish(conversion, count, rows, loops, repeated)
        _put(work, place)
    tell_dropped(loops, repeated, weighted=weight is not None)
    return StoredGraph.open(place)


def _target(output: str | PathLike[str]) -> Path:
    """Return the path of the output; a folder that holds something else than a graph is refused."""
    path = Folder(fspath(output)).path
    if path is None:
        raise BadData(f"{output}: a graph is converted to a path; from there it can be copied to any address")
    if path.exists() and not path.is_dir():
        raise BadData(f"{path}: this is a file; a stored graph is a folder")
    if path.exists() and (others := {entry.name for entry in path.iterdir()} - _FILES):
        raise BadData(f"{path}: the folder holds something else, such as {min(others)}")
    return path


def _take_up(conversion: Conversion) -> None:
    """Keep what an earlier run left, if it was about the same inputs; else start over."""
    inputs = {"version": _VERSION, **conversion.manifest()}
    if conversion.document("inputs.json") == inputs:
        logger.info("going on where an earlier run stopped, with what it left in %s", conversion.work)
        return
    for entry in conversion.work.iterdir():
        if entry.is_dir():
            shutil.rmtree(entry)
        elif entry.name != "lock":
            entry.unlink()
    conversion.note("inputs.json", inputs)


def _put(work: Path, target: Path) -> None:
    """Move the finished graph to its place; an older one goes with the work folder."""
    shutil.rmtree(work / "replaced", ignore_errors=True)
    if target.exists():
        target.rename(work / "replaced")
    (work / "graph").rename(target)
    shutil.rmtree(work)


@contextmanager
def _alone(work: Path) -> Iterator[None]:
    """Refuse a second run in the same folder."""
    work.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(work / "lock", wait=False))
        except BlockingIOError as error:
            raise PrivgeError(f"{work}: another run is converting this graph") from error
        yield


@contextmanager
def _full_disk(target: Path, work: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        again = f"what is finished is kept in {work}, and the same command goes on from there"
        if error.errno in _FULL:
            raise PrivgeError(f"{target}: the disk is full; make room: {again}") from error
        raise PrivgeError(f"{target}: cannot be written ({error}); {again}") from error
