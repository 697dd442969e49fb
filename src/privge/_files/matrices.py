"""Sparse matrices in files and from callers: read, and seen to be sound."""

import zipfile
import zlib
from pathlib import Path
from tokenize import TokenError
from typing import TypeAlias

import scipy.sparse

from privge.errors import BadData

SparseMatrix: TypeAlias = scipy.sparse.sparray | scipy.sparse.spmatrix

_NO_MATRIX = (
    OSError,
    ValueError,
    KeyError,
    IndexError,
    EOFError,
    TypeError,
    AttributeError,
    NotImplementedError,
    OverflowError,
    SyntaxError,
    TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What NumPy and scipy raise about an archive that does not hold a matrix."""


def load_npz(path: Path) -> scipy.sparse.csr_array:
    """Read a sparse matrix that scipy wrote."""
    if not path.is_file():
        raise BadData(f"{path}: no such file")
    if not zipfile.is_zipfile(path):  # numpy would leave the file open, or take it for something else
        raise BadData(f"{path}: not a sparse matrix of scipy (not an archive, or a truncated one)")
    try:
        matrix = scipy.sparse.csr_array(checked_matrix(scipy.sparse.load_npz(path)))
    except _NO_MATRIX as error:
        raise BadData(f"{path}: not a sparse matrix of scipy ({error})") from error
    if matrix.ndim != 2:
        raise BadData(f"{path}: a matrix has two dimensions, this one has {matrix.ndim}")
    return matrix


def checked_matrix(matrix: SparseMatrix) -> SparseMatrix:
    """Return a sparse matrix whose indices are in range: compiled code, scipy's too, takes that for granted."""
    if hasattr(matrix, "check_format"):  # those of other formats are checked when they are made
        try:
            matrix.check_format(full_check=True)
        except (ValueError, IndexError, TypeError) as error:
            raise BadData(f"the sparse matrix is damaged: {error}") from error
    return matrix
