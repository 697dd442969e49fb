"""`load`: a dataset by name, downloaded when it is not there; or one of your own, by its folder."""

import logging
from os import PathLike

import numpy as np
import scipy.sparse

from privge._typing import Progress
from privge.datasets.cache import DataDirectory, data_directory
from privge.datasets.catalogue import datasets
from privge.datasets.contents import Contents, NamedContents
from privge.datasets.dataset import Dataset
from privge.datasets.description import Description
from privge.datasets.fetch import fetch
from privge.datasets.folders import described_in, is_place
from privge.errors import DatasetCorrupt

logger = logging.getLogger(__name__)


def load(
    name: str | PathLike[str] | Description,
    *,
    data_dir: str | PathLike[str] | None = None,
    download: bool = True,
    progress: Progress | None = None,
) -> Dataset:
    """Return a dataset.

    Its files are downloaded once; those that are there stay as they are.

    Parameters
    ----------
    name
        A name of `datasets`; the folder of a dataset of your own; or a description (another address for the same
        files, say).
    data_dir
        Folder with a folder for each dataset. By default that of the variable ``PRIVGE_DATA``, or else this user's
        cache.
    download
        Whether to fetch files that are not there.
    progress
        Called with the bytes that are downloaded and their total number.
    """
    description = describe(name)
    directory = data_directory(data_dir)
    if download:
        fetch(description, directory, progress=progress)
    return read_dataset(description, directory)


def describe(name: str | PathLike[str] | Description) -> Description:
    """Return the description of a dataset: of the catalogue by its name, of somebody's own by its folder."""
    if isinstance(name, Description):
        return name
    if not isinstance(name, str):
        return described_in(name)
    if name not in datasets() and is_place(name):
        return described_in(name)
    if name not in datasets():
        raise ValueError(
            f"there is no dataset {name!r}; there are {', '.join(datasets())}, and folders with a dataset.toml, such "
            f"as ./{name}"
        )
    return datasets()[name]


def read_dataset(description: Description, directory: DataDirectory) -> Dataset:
    """Return a dataset whose files are there."""
    contents = description.read(directory.read(description))
    return dataset_of(contents, description.name, description.low, description.high)


def dataset_of(contents: Contents | NamedContents, name: str, low: float, high: float) -> Dataset:
    """Return what a reader found as a dataset, with its features clipped at the public bounds."""
    return Dataset(
        name=name,
        graph=contents.graph,
        labels=contents.labels,
        classes=contents.classes,
        features=_bounded(contents.features, name, low, high),
        low=low,
        high=high,
        self_loops=contents.self_loops,
        names=contents.names,
        people=contents.people,
        encoding=contents.encoding,
    )


def _bounded(features: scipy.sparse.csr_array, name: str, low: float, high: float) -> scipy.sparse.csr_array:
    """Clip the features at the public bounds, as a device would; zeros need no storing, so 0 must be inside."""
    if not np.isfinite(features.data).all():
        raise DatasetCorrupt(f"{name}: a feature is not a finite number")
    beyond = int(((features.data < low) | (features.data > high)).sum())
    if beyond:
        logger.info("%s: clipped %d of %d values at the public bounds", name, beyond, features.nnz)
    data = np.clip(features.data, low, high)
    return scipy.sparse.csr_array((data, features.indices, features.indptr), shape=features.shape)
