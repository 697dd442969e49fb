"""Local-privacy mechanisms as exact integer laws. One file a mechanism; `laws` finds it by name."""

from privge.mechanisms.choice import Choice
from privge.mechanisms.clipped import Clipped
from privge.mechanisms.continuous import ContinuousLimit
from privge.mechanisms.controls import NoPrivacy, StructureOnly
from privge.mechanisms.laplace import Laplace
from privge.mechanisms.law import Law
from privge.mechanisms.laws import LAWS, law_for, laws
from privge.mechanisms.mechanism import DEFAULT_LEVELS, MAX_LEVELS, Mechanism
from privge.mechanisms.multibit import MultiBit
from privge.mechanisms.nearest import Nearest
from privge.mechanisms.piecewise import Piecewise
from privge.mechanisms.sampled import Sampled, default_k
from privge.mechanisms.square_wave import SquareWave
from privge.mechanisms.verification import verify

__all__ = [
    "DEFAULT_LEVELS",
    "LAWS",
    "MAX_LEVELS",
    "Choice",
    "Clipped",
    "ContinuousLimit",
    "Laplace",
    "Law",
    "Mechanism",
    "MultiBit",
    "Nearest",
    "NoPrivacy",
    "Piecewise",
    "Sampled",
    "SquareWave",
    "StructureOnly",
    "default_k",
    "law_for",
    "laws",
    "verify",
]
