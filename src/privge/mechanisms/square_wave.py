"""Square wave (Li et al. 2020; Algorithm 1 of the paper), the law inside HDS.

A window law (``window.py`` states the weights and proves epsilon) whose window is ``b`` times as wide as
the input range, with the ``b`` that maximises the information of the output. The paper decodes it *without*
correcting its gain, so the raw output is biased towards 0.
"""

import math
from dataclasses import dataclass

from privge.mechanisms.continuous import ContinuousLimit
from privge.mechanisms.window import WindowLaw


def half_width(epsilon: float) -> float:
    r"""Return the window's half-width ``b`` of the paper, without its cancellation and overflow.

    .. math:: b = \frac{\epsilon e^\epsilon - e^\epsilon + 1}{e^\epsilon (e^\epsilon - \epsilon - 1)}
              = \frac{\varphi(-\epsilon)}{\varphi(\epsilon)}, \quad
              \varphi(z) = \frac{e^z - 1 - z}{z^2} = \sum_{n \ge 0} \frac{z^n}{(n + 2)!}
    """
    if epsilon < 0.5:
        return _phi(-epsilon) / _phi(epsilon)
    shrink = math.exp(-epsilon)
    return shrink * (epsilon + math.expm1(-epsilon)) / (1 - shrink * (1 + epsilon))


def _phi(z: float) -> float:
    """Sum the series of phi; 16 terms are exact to a float for ``|z| <= 0.5``."""
    total, term = 0.0, 0.5
    for n in range(16):
        total += term
        term *= z / (n + 3)
    return total


@dataclass(frozen=True)
class SquareWave(WindowLaw):
    """Window law with the square wave's width; raw decoding leaves the bias as the paper does.

    Unbiased decoding divides by ``gain``, and the standard deviation grows in the same proportion.
    """

    name = "hds"
    label = "HDS"
    colour = "#0f766e"
    rescaled = False
    width = staticmethod(half_width)

    @classmethod
    def continuous_limit(cls, epsilon: float) -> ContinuousLimit:
        # Everything is divided by e^epsilon, so that nothing overflows.
        b, shrink = half_width(epsilon), math.exp(-epsilon)
        norm = b + shrink  # (b e^eps + 1) / e^eps
        gain = b * -math.expm1(-epsilon) / norm
        constant = (b**3 + shrink * (3 * b**2 + 3 * b + 1)) / (3 * norm)
        return ContinuousLimit(gain=gain, constant=constant, slope=gain)
