"""Laws from outside the package are believed in nothing: they are enumerated before they are used.

The package's own classes state their worst ratio by a proof beside their code. Of any other class, every weight is read
and the worst ratio computed from the weights. What was enumerated is also what runs: such a class must leave drawing to
`Law.code`, which reads the weights, because a sampler of its own could follow other ones.

A law with more than `MAX_WEIGHTS` weights cannot be enumerated in a moment, and is refused.

*Mistakes, not malice.* A class from outside is code that runs on the device, and whoever lets it run trusts it: it
could give other weights at each call, or open a connection of its own. A campaign document brings no code: it names a
law that somebody installed, and gives its integers, with which the law is enumerated on the device itself.
"""

from fractions import Fraction

import numpy as np

from privge.errors import PrivacyViolation
from privge.mechanisms.choice import Choice
from privge.mechanisms.controls import NoPrivacy, StructureOnly
from privge.mechanisms.laplace import Laplace
from privge.mechanisms.law import Law
from privge.mechanisms.mechanism import Mechanism, check_levels
from privge.mechanisms.multibit import MultiBit
from privge.mechanisms.piecewise import Piecewise
from privge.mechanisms.square_wave import SquareWave
from privge.random import TOTAL

OWN: tuple[type[Law], ...] = (SquareWave, Piecewise, MultiBit, Laplace, Choice, NoPrivacy, StructureOnly)
"""The laws whose proofs are in this package. A subclass of one is another law."""

MAX_WEIGHTS = 2**24
"""Most weights of a law from outside: they are read in about a second, and fit the memory of a device."""

MAX_OUTPUTS = 2**16
"""Most output codes of any law: a code has 16 bits wherever it is kept or sent."""

_SAMPLERS = {
    "code": Law.code,
    "codes": Law.codes,
    "_codes": Law._codes,  # noqa: SLF001 (of this package)
    "_cumulative": Law._cumulative,  # noqa: SLF001 (of this package)
    "sample": Law.sample,
    "level": Mechanism.level,
}


def trusted(law: Law) -> Law:
    """Return a law of this package as it is, and any other after it was verified."""
    if type(law) not in OWN:
        verify(law)
    elif type(law).from_parameters(law.parameters()) != law or _SAMPLERS.keys() - {"_cumulative"} & vars(law).keys():
        raise PrivacyViolation(f"the law {type(law).__name__} was changed after it was made")
    return law


def verify(law: Law) -> Fraction | None:
    """Read every weight of a law; return its worst ratio, None if an output gives its input away.

    Refuses (`privge.errors.PrivacyViolation`) what is not a law: rows that miss ``2**53``, negative weights, a
    ``worst_ratio`` or a ``realised_epsilon`` that the weights do not have, a sampler of its own, too many weights.
    """
    if type(law) not in OWN:
        _check_size(law)
        _check_sampler(law)
    name, claimed, ratio = type(law).__name__, law.worst_ratio, enumerated_ratio(law)
    plain = None if claimed is None else Fraction(int(claimed.numerator), int(claimed.denominator))
    if plain != ratio:
        raise PrivacyViolation(f"the law {name} says that its worst ratio is {plain}; its weights say {ratio}")
    return ratio


def _check_size(law: Law) -> None:
    name, outputs = type(law).__name__, law.outputs
    try:
        levels = check_levels(law.levels)
    except (TypeError, ValueError) as error:
        raise PrivacyViolation(f"the law {name} has no grid: {error}") from error
    if not (isinstance(outputs, int | np.integer) and 1 <= outputs <= MAX_OUTPUTS):
        raise PrivacyViolation(f"the law {name} must have 1 to {MAX_OUTPUTS:,} outputs, got {outputs!r}")
    if levels * int(outputs) > MAX_WEIGHTS:
        raise PrivacyViolation(
            f"the law {name} has {levels:,} levels of {outputs:,} weights, which are too many to read; "
            f"a law from outside has at most {MAX_WEIGHTS:,} weights in all"
        )


def _check_sampler(law: Law) -> None:
    kind = type(law)
    if kind.realised_epsilon is not Law.realised_epsilon:
        raise PrivacyViolation(f"the law {kind.__name__} must leave realised_epsilon to its weights")
    for method, own in _SAMPLERS.items():
        if getattr(kind, method) is not own or (method in vars(law) and method != "_cumulative"):
            raise PrivacyViolation(
                f"the law {kind.__name__} has a {method}() of its own, which no enumeration covers; leave it out"
            )


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
