"""Data to try things on: the paper's five graphs, Citeseer, two made-up ones, and folders of your own."""

from privge.datasets.catalogue import DATASETS, datasets
from privge.datasets.dataset import Dataset, Statistics
from privge.datasets.description import Archive, DataFile, Description
from privge.datasets.joined import Rules
from privge.datasets.loading import load
from privge.datasets.platform import Attribute, PlatformNetwork, platform_network
from privge.datasets.synthetic import SocialNetwork, social_network

__all__ = [
    "DATASETS",
    "Archive",
    "Attribute",
    "DataFile",
    "Dataset",
    "Description",
    "PlatformNetwork",
    "Rules",
    "SocialNetwork",
    "Statistics",
    "datasets",
    "load",
    "platform_network",
    "social_network",
]
