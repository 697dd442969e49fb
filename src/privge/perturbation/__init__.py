"""From private values to reports: the only package that sees private data.

A device draws (`privge.perturbation.draw`); research simulates everybody (`privge.perturbation.simulate`). Neither is
imported here: a device must not load what only a simulation needs.
"""

from typing import TYPE_CHECKING

from privge._imports import lazy

if TYPE_CHECKING:
    from privge.perturbation.draw import Drawn, FeatureVector
    from privge.perturbation.feature_files import read_features
    from privge.perturbation.features import FeatureData, Features, features_of

__all__ = ["Drawn", "FeatureData", "FeatureVector", "Features", "features_of", "read_features"]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "privge.perturbation.draw": ["Drawn", "FeatureVector"],
        "privge.perturbation.feature_files": ["read_features"],
        "privge.perturbation.features": ["FeatureData", "Features", "features_of"],
    },
)
