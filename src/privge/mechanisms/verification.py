"""Laws from outside the package are believed in nothing: they are enumerated before they are used.

The package's own classes state their worst ratio by a proof beside their code. Of any other class, every weight is read
and the worst ratio computed from the weights. What was enumerated is also what runs: such a class must leave drawing to
`Law.code`, which reads the weights, because a sampler of its own could follow other ones.

*Mistakes, not malice.* A class from outside is code that runs on the device, and whoever lets it run trusts it: it
could give other weights at each call, or open a connection of its own. A campaign document brings no code.
"""

from fractions import Fraction

import numpy as np

from privge.errors import PrivacyViolation
from privge.mechanisms.controls import NoPrivacy, StructureOnly
from privge.mechanisms.laplace import Laplace
from privge.mechanisms.law import Law
from privge.mechanisms.mechanism import Mechanism
from privge.mechanisms.multibit import MultiBit
from privge.mechanisms.piecewise import Piecewise
from privge.mechanisms.square_wave import SquareWave
from privge.random import TOTAL

OWN: tuple[type[Law], ...] = (SquareWave, Piecewise, MultiBit, Laplace, NoPrivacy, StructureOnly)
"""The laws whose proofs are in this package. A subclass of one is another law."""

_SAMPLERS = {
    "code": Law.code, "codes": Law.codes, "_cumulative": Law._cumulative,  # noqa: SLF001 (of this package)
    "sample": Law.sample, "level": Mechanism.level,
}  # fmt: skip


def trusted(law: Law) -> Law:
    """Return a law of this package as it is, and any other after it was verified."""
    if type(law) not in OWN:
        verify(law)
    elif type(law).from_parameters(law.parameters()) != law or _SAMPLERS.keys() - {"_cumulative"} & vars(law).keys():
        raise PrivacyViolation(f"the law {type(law).__name__} was changed after it was made")
    return law


def verify(law: Law) -> Fraction | None:
    """Read every weight of a law; return its worst ratio, None if an output gives its input away.

    Refuses (`privge.errors.PrivacyViolation`) what is no law: rows that miss ``2**53``, negative weights, a
    ``worst_ratio`` or a ``realised_epsilon`` that the weights do not have, a sampler of its own.
    """
    name, claimed, ratio = type(law).__name__, law.worst_ratio, enumerated_ratio(law)
    plain = None if claimed is None else Fraction(int(claimed.numerator), int(claimed.denominator))
    if plain != ratio:
        raise PrivacyViolation(f"the law {name} says that its worst ratio is {plain}; its weights say {ratio}")
    if type(law).realised_epsilon is not Law.realised_epsilon:
        raise PrivacyViolation(f"the law {name} must leave realised_epsilon to its weights")
    if type(law) not in OWN:
        for method, own in _SAMPLERS.items():
            if getattr(type(law), method) is not own or (method in vars(law) and method != "_cumulative"):
                raise PrivacyViolation(
                    f"the law {name} has a {method}() of its own, which no enumeration covers; leave it out"
                )
    return ratio


def enumerated_ratio(law: Law) -> Fraction | None:
    """Return the largest quotient of two weights in one column, from the weights alone."""
    highest = np.zeros(law.outputs, dtype=np.int64)
    lowest = np.full(law.outputs, TOTAL, dtype=np.int64)
    for level in range(law.levels):
        row = np.array(law.weights(level), subok=False)
        if row.shape != (law.outputs,) or row.dtype.kind not in "iu":
            raise PrivacyViolation(f"row {level} of the law {type(law).__name__} is not {law.outputs} integers")
        if row.min() < 0 or sum(row.tolist()) != TOTAL:
            raise PrivacyViolation(f"row {level} of the law {type(law).__name__} has a weight below 0, or misses 2**53")
        np.maximum(highest, row, out=highest)
        np.minimum(lowest, row, out=lowest)
    possible = highest > 0
    if (lowest[possible] == 0).any():
        return None
    return max(map(Fraction, highest[possible].tolist(), lowest[possible].tolist()))
