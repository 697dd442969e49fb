"""Theory that can be computed: one coordinate of a report, the paper's statements, and a bound for each node."""

from privge.analysis.answers import ChoiceError, DirectionError
from privge.analysis.best_k import PURPOSES, BestK, best_k
from privge.analysis.bounds import NodeBounds, node_bounds
from privge.analysis.paper import Theorem, lemma, stated_gain, stated_half_width, theorems
from privge.analysis.rows import RowNorms, row_norms
from privge.analysis.simulation import Simulated, simulate_errors
from privge.analysis.tails import bennett, bernstein
from privge.analysis.worst_case import Coordinate, WorstCase, limit_for, sampled_for

__all__ = [
    "PURPOSES",
    "BestK",
    "ChoiceError",
    "Coordinate",
    "DirectionError",
    "NodeBounds",
    "RowNorms",
    "Simulated",
    "Theorem",
    "WorstCase",
    "bennett",
    "bernstein",
    "best_k",
    "lemma",
    "limit_for",
    "node_bounds",
    "row_norms",
    "sampled_for",
    "simulate_errors",
    "stated_gain",
    "stated_half_width",
    "theorems",
]
