"""A dataset as a folder of one's own: plain files and a ``dataset.toml``, which `privge.datasets.load` reads again."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import scipy.sparse

from privge._files.toml import write_toml
from privge.datasets.dataset import Dataset
from privge.datasets.folders import DATASET
from privge.errors import BadData
from privge.graph import write_graph
from privge.tasks.settings import Settings, Task, write_settings

SETTINGS = "settings.toml"
"""Settings that a dataset brings with it, for whoever evaluates it."""

_ABOUT = "A dataset of privge: which files, which columns, and what is public about the features."


def write_folder(dataset: Dataset, folder: Path, settings: Mapping[Task, Settings] | None = None) -> None:
    """Write a dataset to a new folder; it is complete or absent.

    Parameters
    ----------
    dataset
        What to write. What its files held beyond it, such as self-loops, is gone.
    folder
        Where; it must not exist.
    settings
        Of tasks, to go with it.
    """
    if folder.exists():
        raise BadData(f"{folder} is there already")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as partial:
        inside = Path(partial) / "made"
        inside.mkdir()
        entry = _write_files(dataset, inside)
        for task, one in (settings or {}).items():
            write_settings(inside / SETTINGS, task, one)
        write_toml(inside / DATASET, entry, about=_ABOUT)
        os.replace(inside, folder)  # noqa: PTH105 (atomic)


def _write_files(dataset: Dataset, folder: Path) -> dict[str, Any]:
    """Write the files; return what the dataset.toml says about them."""
    ids = dataset.graph.ids.tolist()
    write_graph(dataset.graph, folder / "edges.csv")
    pa_csv.write_csv(pa.table({"id": ids}), folder / "nodes.csv")
    classes = np.array([*dataset.classes, None], dtype=np.object_)[dataset.labels]  # the last one where it is -1
    pa_csv.write_csv(pa.table({"id": ids, "label": pa.array(classes.tolist(), pa.string())}), folder / "labels.csv")
    names = {"edges": "edges.csv", "nodes": "nodes.csv", "labels": "labels.csv"}
    weight = {"columns": {"weight": "weight"}} if dataset.graph.weighted else {}
    return {
        "name": dataset.name,
        "classes": list(dataset.classes),
        "integer_ids": dataset.graph.ids.dtype != np.object_,
        **_bounds(dataset),
        "files": {**names, "features": _write_features(dataset, folder)},
        **weight,
    }


def _bounds(dataset: Dataset) -> dict[str, Any]:
    if dataset.encoding is not None:
        return {"features": dataset.encoding.to_document()}
    return {"low": dataset.low, "high": dataset.high}


def _write_features(dataset: Dataset, folder: Path) -> str:
    """Write the features: the raw table if there is one, a matrix if nodes are 0, 1, ..., else a table."""
    ids = dataset.graph.ids.tolist()
    if dataset.encoding is not None and dataset.people is not None:
        columns = dict(zip(dataset.encoding.raw_names or (), dataset.people.columns, strict=True))
        return _write_table(folder, ids, {name: _column(each) for name, each in columns.items()})
    if ids == list(range(len(ids))):
        scipy.sparse.save_npz(folder / "features.npz", dataset.features)
        return "features.npz"
    names = dataset.names or tuple(f"feature {place}" for place in range(dataset.features.shape[1]))
    matrix = dataset.features.toarray()
    return _write_table(folder, ids, {name: matrix[:, place] for place, name in enumerate(names)})


def _write_table(folder: Path, ids: list[str | int], columns: Mapping[str, Any]) -> str:
    pq.write_table(pa.table({"id": ids, **columns}), folder / "features.parquet")
    return "features.parquet"


def _column(values: Any) -> Any:  # noqa: ANN401 (an array of any type)
    """Return a column that Arrow can hold: mixed values as text."""
    if values.dtype != np.object_:
        return values
    listed = values.tolist()
    kinds = {type(value) for value in listed if value is not None}
    return pa.array(listed if len(kinds) <= 1 else [None if value is None else str(value) for value in listed])
