"""Nodes of one list in another; as everywhere, 17 and "17" are one node."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from privge.ids import Ids, as_texts


def rows_among(known: Ids, asked: Ids) -> NDArray[np.int64]:
    """Return where each id that is asked for stands among those that are known, and -1 for one that does not."""
    if known.dtype != asked.dtype:
        known, asked = as_texts(known), as_texts(asked)
    kind = pa.int64() if known.dtype == np.int64 else pa.large_string()
    found = pc.index_in(pa.array(asked, type=kind), pa.array(known, type=kind))
    rows: NDArray[np.int64] = pc.fill_null(found, -1).to_numpy().astype(np.int64)
    return rows
