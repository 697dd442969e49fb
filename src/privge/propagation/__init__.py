"""Personalized PageRank propagation. One protocol, several engines; knows nothing of privacy."""

from privge.propagation.change import propagate_change
from privge.propagation.chebyshev import Chebyshev
from privge.propagation.engines import ENGINES
from privge.propagation.exact import Exact
from privge.propagation.problem import (
    DEFAULT_ALPHA,
    DEFAULT_R,
    DEFAULT_TOLERANCE,
    Certificate,
    Engine,
    Matrix,
    Problem,
    Propagation,
)
from privge.propagation.propagate import propagate
from privge.propagation.push import Push
from privge.propagation.sor import Sor

__all__ = [
    "DEFAULT_ALPHA",
    "DEFAULT_R",
    "DEFAULT_TOLERANCE",
    "ENGINES",
    "Certificate",
    "Chebyshev",
    "Engine",
    "Exact",
    "Matrix",
    "Problem",
    "Propagation",
    "Push",
    "Sor",
    "propagate",
    "propagate_change",
]
