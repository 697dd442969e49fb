"""`Recommendations`: who is recommended to whom, in which order and why; and its files."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from os import PathLike
from pathlib import Path
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from privge._files.atomic import atomic_path
from privge._typing import Floats
from privge.ids import Ids

COMMON, NEAR, VECTORS, POPULAR = "common friends", "near in the graph", "similar vector", "popular"
"""Why somebody is recommended: the first of these that holds."""


@dataclass(frozen=True, eq=False, repr=False)
class Recommendations:
    """New friends, line by line.

    Parameters
    ----------
    people
        All who were to be recommended somebody, whether somebody was found or not.
    nodes, recommended
        Of each line, to whom and who.
    ranks
        From 1, the best.
    scores
        The higher the better; they compare candidates of one person.
    common
        How many friends both have in common.
    because
        Why: `COMMON`, `NEAR`, `VECTORS` or `POPULAR`.
    """

    people: Ids
    nodes: Ids
    recommended: Ids
    ranks: NDArray[np.int64]
    scores: Floats
    common: NDArray[np.int64]
    because: NDArray[np.object_]

    def __len__(self) -> int:
        return len(self.nodes)

    def __repr__(self) -> str:
        return f"Recommendations({len(self):,} for {len(self.people):,} people)"

    def __iter__(self) -> Iterator[tuple[str | int, str | int, float]]:
        """Yield node, who is recommended to it, and the score."""
        return zip(self.nodes.tolist(), self.recommended.tolist(), self.scores.tolist(), strict=True)

    @classmethod
    def together(cls, parts: Sequence[Self]) -> Self:
        """Put parts below each other."""
        return cls(*(np.concatenate([getattr(part, one.name) for part in parts]) for one in fields(cls)))

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table, a line for each recommendation."""
        return pa.table(
            {
                "node": pa.array(self.nodes),
                "recommended": pa.array(self.recommended),
                "rank": pa.array(self.ranks, pa.int32()),
                "score": pa.array(self.scores, pa.float32()),
                "common_friends": pa.array(self.common, pa.int32()),
                "because": pa.array(self.because, pa.string()),
            }
        )


def because(nearness: NDArray[np.float32], *, vectors: bool) -> NDArray[np.object_]:
    """Say why each is recommended, from how near they are."""
    apart = VECTORS if vectors else POPULAR
    reasons = np.where(nearness[:, 0] > 0, COMMON, np.where(nearness[:, 1] > 0, NEAR, apart))
    return reasons.astype(np.object_)


def write_recommendations(path: str | PathLike[str], parts: Iterator[Recommendations]) -> None:
    """Write recommendations part by part, ``.parquet`` or ``.csv``; the file is complete or absent."""
    target = Path(path)
    first = next(parts).to_arrow()
    with atomic_path(target) as partial:
        kind = pq.ParquetWriter if target.suffix == ".parquet" else pa_csv.CSVWriter
        with kind(partial, first.schema) as writer:
            writer.write_table(first)
            for part in parts:
                writer.write_table(part.to_arrow())
