"""Data to try things on: the paper's five graphs, Citeseer, and a made-up one."""

from privge.datasets.catalogue import DATASETS, datasets
from privge.datasets.dataset import Dataset, Statistics
from privge.datasets.description import Archive, DataFile, Description
from privge.datasets.loading import load
from privge.datasets.synthetic import SocialNetwork, social_network

__all__ = [
    "DATASETS",
    "Archive",
    "DataFile",
    "Dataset",
    "Description",
    "SocialNetwork",
    "Statistics",
    "datasets",
    "load",
    "social_network",
]
