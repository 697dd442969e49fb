"""`Embedding`: one vector for each node, with what it was made from."""

import json
from dataclasses import asdict, dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from privge._atomic import atomic_path
from privge.errors import BadData
from privge.ids import Ids, as_ids
from privge.propagation import Matrix

if TYPE_CHECKING:
    import pandas as pd

_PROVENANCE = b"privge.provenance"
_BLOCK = 1 << 26  # bytes of vectors treated at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What an embedding was made from, and what is guaranteed about it."""

    campaign: str
    mechanism: str
    epsilon: float | None
    k: int
    decoding: str
    graph: str
    nodes: int
    edges: int
    participation: float
    alpha: float
    r: float
    engine: str
    tolerance: float
    certificate: float
    sweeps: float
    precision: str
    seconds: float
    version: str
    store_sequence: int | None = None
    """Up to which change of the store of reports it was made, if it came from a store."""


@dataclass(frozen=True, eq=False, repr=False)
class Embedding:
    """One vector for each node.

    Parameters
    ----------
    ids
        Node ids, in the order of the rows.
    matrix
        Nodes x dimensions; may be memory-mapped.
    provenance
        Campaign, graph, parameters, certificate, version.
    """

    ids: Ids
    matrix: Matrix
    provenance: Provenance

    def __post_init__(self) -> None:
        if len(self.ids) != len(self.matrix):
            raise ValueError(f"{len(self.ids)} ids for {len(self.matrix)} vectors")

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"Embedding({len(self):,} nodes, {self.matrix.shape[1]:,} dimensions, {self.provenance.mechanism})"

    def __getitem__(self, node: str | int) -> Matrix:
        """Return the vector of a node."""
        vector: Matrix = self.matrix[self._row(node)]
        return vector

    def most_similar(
        self, node: str | int, k: int = 10, *, metric: Literal["cosine", "dot"] = "cosine"
    ) -> list[tuple[str | int, float]]:
        """Return the ``k`` nodes with the most similar vectors, best first; a node is not similar to itself.

        It looks at every vector once, block by block; nothing of size n x n is made.
        """
        if metric not in ("cosine", "dot"):
            raise ValueError(f"metric must be 'cosine' or 'dot', got {metric!r}")
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k}")
        row = self._row(node)
        scores = np.empty(len(self))
        for block in self._blocks():
            scores[block] = self.matrix[block] @ self.matrix[row]
        if metric == "cosine":
            lengths = self._norms * self._norms[row]
            scores = np.divide(scores, lengths, out=np.zeros_like(scores), where=lengths > 0)
        scores[row] = -np.inf
        best = np.argpartition(-scores, min(k, len(self) - 1))[:k]
        best = best[np.lexsort((best, -scores[best]))]
        return [
            (self.ids[i] if self.ids.dtype == np.object_ else int(self.ids[i]), float(scores[i]))
            for i in best.tolist()
            if i != row
        ]

    def to_numpy(self) -> NDArray[np.float32]:
        """Return a contiguous float32 matrix, as FAISS, usearch and scikit-learn take it."""
        return np.ascontiguousarray(self.matrix, dtype=np.float32)

    def to_pandas(self) -> "pd.DataFrame":
        """Return a data frame indexed by node id."""
        import pandas as pd

        return pd.DataFrame(self.matrix, index=pd.Index(self.ids, name="id"))

    def to_pyg(self, data: Any) -> Any:  # noqa: ANN401 (PyTorch Geometric is not a dependency)
        """Return a copy of a PyTorch Geometric ``Data`` with the vectors as node features ``x``."""
        import torch

        copy = data.clone()
        copy.x = torch.from_numpy(self.to_numpy())
        return copy

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table with columns ``id`` and ``vector``."""
        return pa.Table.from_batches([self._batch(slice(0, len(self)))], schema=self._schema)

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Write ids, vectors and provenance, block by block; the file is complete or absent."""
        with atomic_path(Path(path)) as partial, pq.ParquetWriter(partial, self._schema, compression="zstd") as writer:
            for block in self._blocks():
                writer.write_batch(self._batch(block))

    def to_npy(self, path: str | PathLike[str]) -> None:
        """Write the vectors as ``.npy`` in their own precision, in the order of `ids`; any index library reads it."""
        with atomic_path(Path(path)) as partial, partial.open("wb") as file:
            np.save(file, np.ascontiguousarray(self.matrix))

    @classmethod
    def from_parquet(cls, path: str | PathLike[str]) -> Self:
        """Read what `to_parquet` wrote."""
        path = Path(path)
        try:
            table = pq.read_table(path)
            provenance = Provenance(**json.loads((table.schema.metadata or {})[_PROVENANCE]))
            vectors = table["vector"].combine_chunks()
            width = vectors.type.list_size
            matrix = vectors.flatten().to_numpy().reshape(-1, width)
            return cls(as_ids(table["id"].to_numpy()), matrix, provenance)
        except FileNotFoundError:
            raise
        except (KeyError, AttributeError, TypeError) as error:
            raise BadData(f"{path}: this is no file of an embedding") from error
        except (pa.ArrowException, OSError, ValueError) as error:
            raise BadData(f"{path}: {error}") from error

    @cached_property
    def _norms(self) -> NDArray[np.float64]:
        norms = np.empty(len(self))
        for block in self._blocks():
            norms[block] = np.linalg.norm(self.matrix[block], axis=1)
        return norms

    @cached_property
    def _rows(self) -> dict[str | int, int]:
        return {node: row for row, node in enumerate(self.ids.tolist())}

    def _row(self, node: str | int) -> int:
        if node not in self._rows and isinstance(node, str) and node.removeprefix("-").isdecimal():
            node = int(node)  # ids typed on a command line
        if node not in self._rows:
            raise BadData(f"node {node!r} is not in the embedding")
        return self._rows[node]

    @property
    def _schema(self) -> pa.Schema:
        kind = pa.float32() if self.matrix.dtype == np.float32 else pa.float64()
        id_kind = pa.int64() if self.ids.dtype == np.int64 else pa.string()
        fields = [pa.field("id", id_kind), pa.field("vector", pa.list_(kind, self.matrix.shape[1]))]
        return pa.schema(fields, metadata={_PROVENANCE: json.dumps(asdict(self.provenance))})

    def _batch(self, rows: slice) -> pa.RecordBatch:
        schema = self._schema
        flat = pa.array(np.ascontiguousarray(self.matrix[rows]).ravel())
        vectors = pa.FixedSizeListArray.from_arrays(flat, self.matrix.shape[1])
        return pa.RecordBatch.from_arrays([pa.array(self.ids[rows], type=schema[0].type), vectors], schema=schema)

    def _blocks(self) -> list[slice]:
        rows = max(1, _BLOCK // max(1, self.matrix.shape[1] * self.matrix.dtype.itemsize))
        return [slice(first, min(first + rows, len(self))) for first in range(0, len(self), rows)]
