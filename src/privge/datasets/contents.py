"""What lies between the files of a dataset and a `Dataset`: checked bytes, and what a format's reader makes of them."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge.errors import DatasetCorrupt


@dataclass(frozen=True, eq=False, slots=True)
class Blob:
    """The bytes of one file, and where they came from, for messages."""

    path: Path
    data: bytes

    def corrupt(self, problem: str) -> DatasetCorrupt:
        """Return the error that names this file."""
        return DatasetCorrupt(f"{self.path}: {problem}")


@dataclass(frozen=True, eq=False, slots=True)
class Contents:
    """What a reader found: links between rows (self-loops and repetitions included), features, labels."""

    links: NDArray[np.int64]
    features: scipy.sparse.csr_array
    labels: NDArray[np.int64]
    classes: tuple[str, ...]
