"""`Embedding`: one vector for each node, with what it was made from."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import DTypeLike, NDArray

from privge._files.folder import Folder
from privge._imports import needed
from privge.embedding import files
from privge.embedding.channel import ChannelColumns
from privge.embedding.npy import read_npy, write_npy
from privge.embedding.parts import write_parts
from privge.embedding.pgvector import write_pgvector
from privge.embedding.provenance import Provenance
from privge.embedding.pyg import Split, as_data
from privge.embedding.similar import Metric, lengths_of, most_similar_rows
from privge.embedding.word2vec import write_word2vec
from privge.errors import BadData
from privge.graph import Graph
from privge.graph.labels import LabelsById
from privge.ids import Ids, RowsById, SeveralIds, is_node
from privge.propagation import Matrix

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Embedding:
    """One vector for each node, by its id: a mapping from nodes to vectors that NumPy takes for a matrix.

    ``z["ann"]`` is the vector of a node and ``z[["ann", "bob"]]`` the matrix of some; ``"ann" in z``, ``len(z)`` and
    ``for node in z`` go by node, as those of a dictionary do. ``np.asarray(z)`` is the whole matrix, row ``i`` of which
    belongs to ``z.ids[i]``. 17 and ``"17"`` are one node.

    Parameters
    ----------
    ids
        Node ids, in the order of the rows.
    matrix
        Nodes x dimensions; may be memory-mapped, or any object with ``shape``, ``dtype``, ``len``, ``__array__`` and
        slices of rows that are arrays. Only ``np.asarray``, `to_numpy`, `to_frame`, `to_arrow` and `to_pyg` hold all of
        it at once.
    provenance
        Campaign, graph, parameters, certificate, version.
    """

    ids: Ids
    matrix: Matrix
    provenance: Provenance

    def __post_init__(self) -> None:
        if len(self.ids) != len(self.matrix):
            raise ValueError(f"{len(self.ids)} ids for {len(self.matrix)} vectors")
        self.provenance.columns(self.matrix.shape[1])  # or they do not fit

    @property
    def shape(self) -> tuple[int, int]:
        """Nodes and dimensions."""
        return len(self.ids), self.matrix.shape[1]

    @property
    def channels(self) -> dict[str, ChannelColumns]:
        """The channels by name: their columns, where they come from, and what they cost."""
        return self.provenance.columns(self.matrix.shape[1])

    def channel(self, name: str) -> Self:
        """Return the embedding of one channel: its columns, and what they were made from."""
        if name not in self.channels:
            raise BadData(f"there is no channel {name!r}, only {', '.join(self.channels)}")
        if len(self.channels) == 1:
            return self
        return type(self)(self.ids, self.matrix[:, self.channels[name].columns], self.provenance.of_channel(name))

    @property
    def epsilon(self) -> float | None:
        """The most that one person can have spent: see `privge.embedding.channel`."""
        return self.provenance.epsilon

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[str | int]:
        """Yield the nodes, in the order of the rows."""
        return iter(self.ids.tolist())

    def __contains__(self, node: object) -> bool:
        return node in self._rows

    def __repr__(self) -> str:
        mechanisms = ", ".join(source.mechanism for source in self.provenance.sources)
        named = ", ".join(self.channels) if self.provenance.channels else mechanisms
        return f"Embedding({len(self):,} nodes, {self.matrix.shape[1]:,} dimensions, {named})"

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:  # noqa: FBT001 (NumPy's)
        return np.array(self.matrix, dtype=dtype, copy=copy)

    def __getitem__(self, node: str | int | SeveralIds) -> Matrix:
        """Return the vector of a node, or a matrix with a row for each of several; by id, never by position."""
        if is_node(node):
            vector: Matrix = self.matrix[self._rows.row(node)]
            return vector
        if isinstance(node, slice | tuple) or not isinstance(node, Iterable):
            raise BadData("an embedding goes by the ids of nodes: z[id] or z[[id, id]]; np.asarray(z) goes by position")
        return files.some_rows(self.matrix, self._rows.several(node))

    def most_similar(
        self, node: str | int, k: int = 10, *, metric: Metric = "cosine", channel: str | None = None
    ) -> list[tuple[str | int, float]]:
        """Return the ``k`` nodes with the most similar vectors, best first; a node is not similar to itself.

        It looks at every vector once, block by block; nothing of size n x n is made. Channels differ in scale, so of
        several the cosines are averaged.

        Parameters
        ----------
        node
            Similar to which.
        k
            How many.
        metric
            ``cosine`` or ``dot``.
        channel
            Compare this channel alone.
        """
        if channel is not None and len(self.channels) > 1:
            return self.channel(channel).most_similar(node, k, metric=metric)
        if channel is not None:
            self.channel(channel)  # or there is no such channel
        if metric not in ("cosine", "dot"):
            raise ValueError(f"metric must be 'cosine' or 'dot', got {metric!r}")
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k}")
        norms = self._norms if metric == "cosine" else None
        columns = [each.columns for each in self.channels.values()]
        found = most_similar_rows(self.matrix, columns, self._rows.row(node), k, norms)
        return [(self.ids[row : row + 1].tolist()[0], score) for row, score in found]

    def to_numpy(self) -> NDArray[np.float32]:
        """Return a contiguous float32 matrix, as FAISS, usearch and scikit-learn take it."""
        return files.as_float32(self.matrix)

    def to_frame(self) -> "pd.DataFrame":
        """Return a data frame of pandas, indexed by node id."""
        with needed("a data frame"):
            import pandas as pd

        return pd.DataFrame(np.asarray(self.matrix), index=pd.Index(self.ids, name="id"))

    to_pandas = to_frame  # what it was called at first
    to_dataframe = to_frame

    def to_pyg(self, data: Any, *, labels: LabelsById | None = None, split: Split | None = None) -> Any:  # noqa: ANN401 (PyTorch Geometric is not a dependency)
        """Return a ``Data`` of PyTorch Geometric with the vectors as node features ``x``.

        Parameters
        ----------
        data
            The `Graph`, whose edges the result gets; its nodes stand in the order of this embedding, and ``ids`` says
            whose they are. Or a ``Data``: the result is a copy of it, where node ``i`` gets the vector of the id ``i``,
            or of row ``i`` if ids are not numbers.
        labels
            With a graph: classes by id, for ``y``; -1 for whoever has none. ``classes`` says what they are called.
        split
            With a graph: a `privge.tasks.NodeSplit` of ids, for ``train_mask``, ``val_mask`` and ``test_mask``.
        """
        if isinstance(data, Graph):
            return as_data(self.ids, self.to_numpy(), data, labels, split)
        with needed("PyTorch Geometric"):
            import torch

        vectors = self.to_numpy()
        if self.ids.dtype != np.object_ and np.array_equal(np.sort(self.ids), np.arange(len(self))):
            vectors = vectors[np.argsort(self.ids)]
        copy = data.clone()
        copy.x = torch.from_numpy(vectors)
        return copy

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table with columns ``id`` and ``vector``."""
        vectors = self._stored()
        return pa.Table.from_batches([files.batch(vectors, slice(0, len(self)))], schema=files.schema_of(vectors))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the embedding in the format that the name stands for; `load` reads the first two.

        Parameters
        ----------
        path
            ``.parquet``, a file, or a name without an ending, a folder or address of parts (`to_parquet`); ``.npy``
            (`to_npy`); ``.txt``, ``.vec`` or ``.w2v`` (`to_word2vec`); ``.sql`` or ``.csv`` (`to_pgvector`).
        """
        words = dict.fromkeys((".txt", ".vec", ".w2v"), self.to_word2vec)
        writers = {".npy": self.to_npy, **words, **dict.fromkeys((".sql", ".csv"), self.to_pgvector)}
        writers[".parquet"] = self.to_parquet
        place = fspath(path)
        suffix = Path(place).suffix
        if suffix not in writers and suffix and "://" not in place and not Path(place).is_dir():
            raise ValueError(f"{place}: the name must end in {', '.join(writers)}, or in nothing for a folder")
        writers.get(suffix, self.to_parquet)(path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read what `save` wrote: ``.parquet``, a folder of parts, or ``.npy``."""
        if fspath(path).endswith((".vec", ".txt", ".w2v", ".sql", ".csv")):
            reader = "psql or COPY" if fspath(path).endswith((".sql", ".csv")) else "KeyedVectors.load_word2vec_format"
            raise BadData(
                f"{fspath(path)}: this format holds no provenance; give the .parquet, .npy or folder of the embedding "
                f"({'PostgreSQL' if 'COPY' in reader else 'gensim'} reads this one: {reader})"
            )
        return cls.from_npy(path) if fspath(path).endswith(".npy") else cls.from_parquet(path)

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
            write_parts(Folder.of(place), self._stored())
            return
        folder, name = Folder.containing(place)
        with folder.writing(name) as file:
            files.write_file(file, self._stored())

    def to_npy(self, path: str | PathLike[str]) -> None:
        """Write the vectors as ``.npy`` in their own precision, and beside them ``NAME.ids.json``.

        Any index library reads the vectors; ids and provenance stand in the file beside them, which gets its name last.
        """
        write_npy(Path(path), self._stored())

    def to_word2vec(self, path: str | PathLike[str]) -> None:
        """Write the vectors as word2vec does in text, for gensim and others; an id with white space is refused.

        The file is complete or absent. It holds no provenance.
        """
        write_word2vec(Path(path), self._stored())

    def to_pgvector(self, path: str | PathLike[str]) -> None:
        """Write the vectors for pgvector: ``.sql``, a script for psql, or ``.csv`` for a COPY of your own.

        The file is complete or absent. The script has the provenance as a comment.
        """
        write_pgvector(Path(path), self._stored())

    @classmethod
    def from_parquet(cls, path: str | PathLike[str]) -> Self:
        """Read what `to_parquet` wrote: a file, or a folder of parts, which must be finished."""
        place = fspath(path)
        folder = Folder.of(place)
        in_parts = not place.endswith(".parquet") if folder.path is None else folder.path.is_dir()
        stored = files.read_folder(folder) if in_parts else files.read_file(*Folder.containing(place))
        return cls._from_stored(place, stored)

    @classmethod
    def from_npy(cls, path: str | PathLike[str]) -> Self:
        """Read what `to_npy` wrote; the vectors are mapped into memory, not read."""
        return cls._from_stored(fspath(path), read_npy(Path(path)))

    @classmethod
    def _from_stored(cls, place: str, stored: files.StoredVectors) -> Self:
        try:
            return cls(stored.ids, stored.matrix, Provenance.from_json(stored.provenance))
        except (TypeError, KeyError, AttributeError) as error:
            raise BadData(f"{place}: this is not a file of an embedding") from error
        except ValueError as error:
            raise BadData(f"{place}: {error}") from error

    @cached_property
    def _norms(self) -> list[NDArray[np.float64]]:
        return lengths_of(self.matrix, [each.columns for each in self.channels.values()])

    @cached_property
    def _rows(self) -> RowsById:
        return RowsById.of(self.ids, "in the embedding")

    def _stored(self) -> files.StoredVectors:
        return files.StoredVectors(self.ids, self.matrix, self.provenance.to_json())
