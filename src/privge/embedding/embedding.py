"""`Embedding`: one vector for each node, with what it was made from."""

from dataclasses import dataclass
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import pyarrow as pa
from numpy.lib import format as npy
from numpy.typing import NDArray

from privge._files.atomic import atomic_path
from privge._files.folder import Folder
from privge._imports import needed
from privge.embedding import files
from privge.embedding.parts import begin_parts, finish_parts, part_rows, write_part
from privge.embedding.provenance import Provenance
from privge.errors import BadData
from privge.ids import Ids
from privge.propagation import Matrix

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Embedding:
    """One vector for each node.

    Parameters
    ----------
    ids
        Node ids, in the order of the rows.
    matrix
        Nodes x dimensions; may be memory-mapped, or any object with ``shape``, ``dtype``, ``len``, ``__array__`` and
        slices of rows that are arrays. Only `to_numpy`, `to_pandas`, `to_arrow` and `to_pyg` hold all of it at once.
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
        mechanisms = ", ".join(source.mechanism for source in self.provenance.sources)
        return f"Embedding({len(self):,} nodes, {self.matrix.shape[1]:,} dimensions, {mechanisms})"

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
        scores, own = np.empty(len(self)), self.matrix[row]
        for block in files.blocks(self.matrix):
            scores[block] = self.matrix[block] @ own
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
        return files.as_float32(self.matrix)

    def to_pandas(self) -> "pd.DataFrame":
        """Return a data frame indexed by node id."""
        with needed("a data frame"):
            import pandas as pd

        return pd.DataFrame(np.asarray(self.matrix), index=pd.Index(self.ids, name="id"))

    def to_pyg(self, data: Any) -> Any:  # noqa: ANN401 (PyTorch Geometric is not a dependency)
        """Return a copy of a PyTorch Geometric ``Data`` with the vectors as node features ``x``."""
        with needed("PyTorch Geometric"):
            import torch

        copy = data.clone()
        copy.x = torch.from_numpy(self.to_numpy())
        return copy

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table with columns ``id`` and ``vector``."""
        vectors = self._vectors()
        return pa.Table.from_batches([files.batch(vectors, slice(0, len(self)))], schema=files.schema_of(vectors))

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Write ids, vectors and provenance, block by block; the file is complete or absent.

        Parameters
        ----------
        path
            A path, or an address that fsspec knows. If the name does not end in ``.parquet``, it is a folder: parts of
            bounded size, then ``_SUCCESS``.
        """
        place = fspath(path)
        if not place.endswith(".parquet"):
            self._to_folder(Folder.of(place))
            return
        folder, name = Folder.containing(place)
        with folder.writing(name) as file:
            files.write_file(file, self._vectors())

    def _to_folder(self, folder: Folder) -> None:
        begin_parts(folder)
        parts = part_rows(self.matrix)
        for number, rows in enumerate(parts):
            write_part(folder, number, files.Vectors(self.ids[rows], self.matrix[rows], self.provenance.to_json()))
        finish_parts(folder, len(parts), len(self))

    def to_npy(self, path: str | PathLike[str]) -> None:
        """Write the vectors as ``.npy`` in their own precision, in the order of `ids`; any index library reads it."""
        kind, shape = self.matrix.dtype, self.matrix.shape
        with atomic_path(Path(path)) as partial, partial.open("wb") as file:
            # Not through a memory map, where a full disk kills the process instead of raising.
            header = {"descr": npy.dtype_to_descr(kind), "fortran_order": False, "shape": shape}
            npy.write_array_header_1_0(file, header)
            for block in files.blocks(self.matrix):
                np.ascontiguousarray(self.matrix[block]).tofile(file)

    @classmethod
    def from_parquet(cls, path: str | PathLike[str]) -> Self:
        """Read what `to_parquet` wrote: a file, or a folder of parts, which must be finished."""
        place = fspath(path)
        folder = Folder.of(place)
        in_parts = not place.endswith(".parquet") if folder.path is None else folder.path.is_dir()
        vectors = files.read_folder(folder) if in_parts else files.read_file(*Folder.containing(place))
        try:
            return cls(vectors.ids, vectors.matrix, Provenance.from_json(vectors.provenance))
        except (TypeError, KeyError, AttributeError) as error:
            raise BadData(f"{place}: this is no file of an embedding") from error
        except ValueError as error:
            raise BadData(f"{place}: {error}") from error

    @cached_property
    def _norms(self) -> NDArray[np.float64]:
        norms = np.empty(len(self))
        for block in files.blocks(self.matrix):
            norms[block] = np.linalg.norm(self.matrix[block], axis=1)
        return norms

    @cached_property
    def _rows(self) -> dict[str, int]:
        """The row of each node by its text: 17 and "17" are one node, "007" is another."""
        return {str(node): row for row, node in enumerate(self.ids.tolist())}

    def _row(self, node: str | int) -> int:
        row = self._rows.get(str(node))
        if row is None:
            raise BadData(f"node {node!r} is not in the embedding")
        return row

    def _vectors(self) -> files.Vectors:
        return files.Vectors(self.ids, self.matrix, self.provenance.to_json())
