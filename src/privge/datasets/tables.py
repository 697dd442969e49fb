"""The format ``tables``: edges, features and labels in files of anybody's own, joined by the ids of their nodes.

Every file is CSV, TSV, plain text or Parquet with a column of ids; features may also be a sparse matrix (``.npz``),
whose rows are the nodes 0, 1, .... What is missing, unknown or outside of its bounds is counted and said.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa

from privge._files.formats import MATRICES
from privge.datasets.contents import Blob, NamedContents
from privge.datasets.joined import KnownLabels, NamedParts, Rules, join
from privge.errors import BadData
from privge.graph import EdgeColumns, Graph, read_graph
from privge.graph.labels import read_labels
from privge.perturbation import read_features
from privge.perturbation.features import Features
from privge.perturbation.raw import RawFeatures, Wanted, read_raw_table
from privge.perturbation.text_values import refuse_text
from privge.questions import Encoding, NumberFeature
from privge.questions.people import as_text

_HOW = "low and high for all columns, or a [[features]] with the kind of each, in dataset.toml"


@dataclass(frozen=True, slots=True)
class Columns:
    """What columns are called.

    Parameters
    ----------
    source, target, weight
        Of the edges; by default as `privge.graph.read_graph` recognises them, without weights.
    id
        Of the tables of nodes, features and labels.
    nodes_id, features_id, labels_id
        The same of one of them, where it has another name.
    label
        Of the labels.
    """

    source: str | None = None
    target: str | None = None
    weight: str | None = None
    id: str = "id"
    label: str = "label"
    nodes_id: str | None = None
    features_id: str | None = None
    labels_id: str | None = None

    @classmethod
    def stated(cls, document: object) -> Self:
        """Read what a file states."""
        known = [each.name for each in fields(cls)]
        if not isinstance(document, Mapping):
            raise BadData(f"columns must be a table with some of {', '.join(known)}")
        for name, value in document.items():
            if name not in known:
                raise BadData(f"columns has no {name!r}; it has {', '.join(known)}")
            if not isinstance(value, str):
                raise BadData(f"the column {name} must be the name of a column, got {value!r}")
        return cls(**document)

    @property
    def of_edges(self) -> EdgeColumns:
        """What the reader of edges is told."""
        return EdgeColumns(self.source, self.target, self.weight, id_column=self.nodes_id or self.id)


@dataclass(frozen=True, slots=True)
class Tables:
    """How the files of a dataset are read.

    Parameters
    ----------
    integer_ids
        Whether ids that are text are integers.
    kinds
        What states the kinds of columns that are not numbers, for messages.
    """

    columns: Columns
    rules: Rules
    integer_ids: bool = False
    kinds: str = "[[features]] of the dataset.toml"

    def parts(
        self, edges: str | Path, features: Path, labels: Path | None = None, nodes: Path | None = None
    ) -> NamedParts:
        """Read files."""
        graph, known = self.public(edges, labels, nodes)
        beside = (self.columns.label,) if labels == features else ()
        return NamedParts(graph, nodes is not None, self._features(features, beside), known)

    def public(self, edges: str | Path, labels: Path | None, nodes: Path | None) -> tuple[Graph, KnownLabels | None]:
        """Read what is public: the graph, and ids with their classes where there are any."""
        columns, integer_ids = self.columns, self.integer_ids
        graph = read_graph(edges, nodes=nodes, columns=columns.of_edges, integer_ids=integer_ids)
        if labels is None:
            return graph, None
        id_column, label_column = columns.labels_id or columns.id, columns.label
        known = read_labels(
            labels, integer_ids=integer_ids, id_column=id_column, label_column=label_column, blanks=True
        )
        return graph, known

    def _features(self, path: Path, leave_out: Sequence[str]) -> Features | RawFeatures:
        integer_ids, id_column = self.integer_ids, self.columns.features_id or self.columns.id
        encoding = self.rules.encoding
        if encoding is None:
            return read_features(
                path, leave_out=leave_out, integer_ids=integer_ids, id_column=id_column, kinds=self.kinds
            )
        if path.suffix in MATRICES:
            raise BadData(f"{path}: features of several kinds need a table whose columns have names, not a matrix")
        found = read_raw_table(
            path, Wanted.of(encoding, "dataset"), leave_out=leave_out, integer_ids=integer_ids, id_column=id_column
        )
        _refuse_text(found, encoding, path)
        return found


def _refuse_text(found: RawFeatures, encoding: Encoding, path: Path) -> None:
    """Refuse text where a number is asked: with one NA, a whole column would be text, and count as missing."""
    for place, feature in enumerate(encoding.features):
        column = found.matrix.columns[place]
        if isinstance(feature, NumberFeature) and column.dtype == np.object_:
            words = pa.chunked_array([pa.array(map(as_text, column.tolist()), pa.string())])
            refuse_text(words, feature.name, path, "is text, where [[features]] state a number: correct one of them")


def table_options(stated: dict[str, Any]) -> dict[str, Any]:
    """Return the options of `read_tables` that a dataset.toml stands for, and refuse what they cannot be."""
    columns = Columns.stated(stated.get("columns", {}))
    encoding = Encoding.from_document(stated["features"]) if "features" in stated else None
    classes = stated.get("classes")
    if classes is not None and not (isinstance(classes, list) and all(isinstance(name, str) for name in classes)):
        raise BadData("classes must be a list of names")
    integer_ids = stated.get("integer_ids", False)
    if not isinstance(integer_ids, bool):
        raise BadData("integer_ids must be true or false")
    bounds = {name: _number(name, stated[name]) for name in ("low", "high") if name in stated}
    missing = stated.get("missing", "midpoint")
    rules = Rules(encoding, **bounds, missing=missing, classes=None if classes is None else tuple(classes), how=_HOW)
    return {"tables": Tables(columns, rules, integer_ids=integer_ids)}


def read_tables(blobs: Mapping[str, Blob], *, tables: Tables) -> NamedContents:
    """Read the files ``edges`` and ``features``, and ``labels`` and ``nodes`` where there are such files."""
    paths = {role: blob.path for role, blob in blobs.items()}
    return join(tables.parts(**paths), tables.rules)


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadData(f"{name} must be a number, got {value!r}")
    return float(value)
