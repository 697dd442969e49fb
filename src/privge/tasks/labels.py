"""Public labels in files, by id."""

from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from privge._files.columns import column_of, ids_of
from privge._files.tables import (
    read_table,
)
from privge.ids import Ids


def read_labels(path: str | PathLike[str], *, integer_ids: bool = False) -> tuple[Ids, NDArray[np.object_]]:
    """Read a table with the columns ``id`` and ``label``; see `read_graph` for ``integer_ids``."""
    path = Path(path)
    table = read_table(path, text=["id"])
    labels = column_of(table, "label", path)
    return ids_of(table, path, integer_ids=integer_ids), labels.to_numpy().astype(np.object_)
