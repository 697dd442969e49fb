"""The default head for nodes, and classes for everybody: calibrated, cross-validated, beside their controls."""

from privge.tasks.classification.classification import Classification
from privge.tasks.classification.classify import classify
from privge.tasks.classification.decisions import Decisions
from privge.tasks.classification.estimates import Estimate, Gain, Share, expected_calibration_error
from privge.tasks.classification.steady import SteadyClassifier
from privge.tasks.classification.vector_model import VectorModel

__all__ = [
    "Classification",
    "Decisions",
    "Estimate",
    "Gain",
    "Share",
    "SteadyClassifier",
    "VectorModel",
    "classify",
    "expected_calibration_error",
]
