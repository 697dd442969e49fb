"""`load`: a dataset by name, downloaded when it is not there."""

import logging
from os import PathLike

import numpy as np
import scipy.sparse

from privge._typing import Progress
from privge.datasets.cache import DataDirectory, data_directory
from privge.datasets.catalogue import datasets
from privge.datasets.contents import Contents
from privge.datasets.dataset import Dataset
from privge.datasets.description import Description
from privge.datasets.fetch import fetch
from privge.errors import DatasetCorrupt
from privge.graph import Graph

logger = logging.getLogger(__name__)


def load(
    name: str | Description,
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
        A name of `datasets`, or a description of your own (another address for the same files, say).
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


def describe(name: str | Description) -> Description:
    """Return the description of a dataset."""
    if isinstance(name, Description):
        return name
    if name not in datasets():
        raise ValueError(f"there is no dataset {name!r}; there are {', '.join(datasets())}")
    return datasets()[name]


def read_dataset(description: Description, directory: DataDirectory) -> Dataset:
    """Return a dataset whose files are there."""
    contents = description.read(directory.read(description))
    nodes = contents.features.shape[0]
    loops = contents.links[:, 0] == contents.links[:, 1]
    return Dataset(
        name=description.name,
        graph=Graph.from_edges(contents.links, nodes=np.arange(nodes)),
        features=_bounded(contents, description),
        low=description.low,
        high=description.high,
        labels=contents.labels,
        classes=contents.classes,
        self_loops=len(np.unique(contents.links[loops, 0])),
    )


def _bounded(contents: Contents, description: Description) -> scipy.sparse.csr_array:
    """Clip the features at the public bounds, as a device would; zeros need no storing, so 0 must be inside."""
    features = contents.features
    if not np.isfinite(features.data).all():
        raise DatasetCorrupt(f"{description.name}: a feature is not a finite number")
    beyond = int(((features.data < description.low) | (features.data > description.high)).sum())
    if beyond:
        logger.info("%s: clipped %d of %d values at the public bounds", description.name, beyond, features.nnz)
    data = np.clip(features.data, description.low, description.high)
    return scipy.sparse.csr_array((data, features.indices, features.indptr), shape=features.shape)
