"""File formats by the ending of a name, and the words for them in help texts and messages.

Whoever reads a table or a matrix looks here which reader to use. A format that is added here is known to every command
that takes edges, nodes, features, labels or tokens.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import scipy.sparse

from privge._files.matrices import load_npz


class Plain(NamedTuple):
    """A text without quotes: what stands between its columns (None is white space), and what else may."""

    separator: str | None
    others: str


class Columnar(NamedTuple):
    """A table with typed columns: what it is called, and how its names and its columns are read."""

    called: str
    names: Callable[[Path], list[str]]
    read: Callable[[Path, list[str] | None], pa.Table]


def _parquet_names(path: Path) -> list[str]:
    return list(pq.read_schema(path).names)


def _read_parquet(path: Path, columns: list[str] | None) -> pa.Table:
    return pq.read_table(path, columns=columns)


SEPARATED = {".csv": ",", ".tsv": "\t"}
"""Texts whose fields may stand in quotes: what their name says about the separator."""

PLAIN = {".txt": Plain(None, "\t,;"), ".edgelist": Plain(None, "\t")}
"""Texts without quotes."""

COLUMNAR = {".parquet": Columnar("Parquet", _parquet_names, _read_parquet)}
"""Tables with typed columns."""

MATRICES: dict[str, Callable[[Path], scipy.sparse.csr_array]] = {".npz": load_npz}
"""Sparse matrices, whose rows are nodes 0, 1, ...."""


def _listed(endings: Iterable[str]) -> str:
    *most, last = endings
    return f"{', '.join(most)} or {last}" if most else last


MATRIX_NAMES = _listed(MATRICES)
"""What the name of a matrix ends in, for a help text."""

ALL_NAMES = f"{', '.join((*SEPARATED, *PLAIN))} (also .gz), {', '.join((*COLUMNAR, *MATRICES))}"
"""What the name of a table or matrix ends in, for a help text."""

RULE = (
    f"the name must end in {_listed((*SEPARATED, *PLAIN))} (or one of these with .gz), "
    f"{_listed((*COLUMNAR, *MATRICES))}"
)
"""What to say of a name that stands for none of them."""
