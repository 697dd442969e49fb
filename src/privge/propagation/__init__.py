"""Personalized PageRank propagation. One protocol, several engines; knows nothing of privacy."""

from privge.propagation.change import propagate_change
from privge.propagation.chebyshev import Chebyshev
from privge.propagation.engines import ENGINES, engines
from privge.propagation.exact import Exact
from privge.propagation.former import other_rows
from privge.propagation.growth import Growth, propagate_growth
from privge.propagation.leading import Leading, propagate_leading
from privge.propagation.places import HERE, Local, OnCluster, Place, Regime
from privge.propagation.problem import Certificate, Engine, Matrix, Problem, Propagation
from privge.propagation.propagate import propagate
from privge.propagation.push import Push
from privge.propagation.ripple import ChangeTooLarge
from privge.propagation.sor import Sor
from privge.propagation.walk import DEFAULT_ALPHA, DEFAULT_R, DEFAULT_TOLERANCE, Walk

__all__ = [
    "DEFAULT_ALPHA",
    "DEFAULT_R",
    "DEFAULT_TOLERANCE",
    "ENGINES",
    "HERE",
    "Certificate",
    "ChangeTooLarge",
    "Chebyshev",
    "Engine",
    "Exact",
    "Growth",
    "Leading",
    "Local",
    "Matrix",
    "OnCluster",
    "Place",
    "Problem",
    "Propagation",
    "Push",
    "Regime",
    "Sor",
    "Walk",
    "engines",
    "other_rows",
    "propagate",
    "propagate_change",
    "propagate_growth",
    "propagate_leading",
]
