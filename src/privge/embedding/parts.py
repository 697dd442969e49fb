"""An embedding in parts: a folder of files, each complete or absent, that says when it is finished."""

from privge._files.finished import finish, reopen
from privge._files.folder import Folder
from privge.embedding import files
from privge.propagation import Matrix

_PART = 1 << 28  # bytes of vectors in one part of a folder, before compression


def part_rows(matrix: Matrix) -> list[slice]:
    """Return the rows of each part of an embedding; one without nodes has one part too."""
    return list(files.blocks(matrix, _PART)) if len(matrix) else [slice(0, 0)]


def begin_parts(folder: Folder) -> None:
    """Take a folder for the parts of an embedding; one that holds anything else is refused."""
    folder.claim("vectors")
    reopen(folder)


def write_part(folder: Folder, number: int, vectors: files.StoredVectors) -> None:
    """Write one part of an embedding, complete or not at all; writing it twice is harmless.

    Parameters
    ----------
    folder
        Where.
    number
        Which part, counted from 0.
    vectors
        Some nodes, their vectors, and what the whole embedding was made from: the same in every part.
    """
    with folder.writing(_part(number)) as file:
        files.write_file(file, vectors)


def write_parts(folder: Folder, vectors: files.StoredVectors) -> None:
    """Write an embedding in parts of bounded size, then say that it is finished."""
    begin_parts(folder)
    parts = part_rows(vectors.matrix)
    for number, rows in enumerate(parts):
        part = vectors._replace(ids=vectors.ids[rows], matrix=vectors.matrix[rows])
        write_part(folder, number, part)
    finish_parts(folder, len(parts), len(vectors.matrix))


def finish_parts(folder: Folder, parts: int, nodes: int) -> None:
    """Say that all parts of an embedding are written; before that nobody reads them. Older parts are removed."""
    folder.remove_leftovers()
    folder.remove(sorted(set(folder.names(".parquet")) - {_part(number) for number in range(parts)}))
    finish(folder, parts=parts, nodes=nodes)


def _part(number: int) -> str:
    return f"part-{number:05d}.parquet"
