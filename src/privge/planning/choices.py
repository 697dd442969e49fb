"""One raw feature as a choice: everybody is asked whether one thing is so, by randomised response.

Which feature tells most, and what its answers say, is learnt from one half of a panel and judged on the other.
"""

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.planning.confidence import NORMAL
from privge.planning.gain import Asking
from privge.planning.measured import Forecast

_SOME = 400  # people with whose prior features are compared
_TIMES = 20


def asked_as_choice(above: NDArray[np.bool_], labels: NDArray[np.int64], asking: Asking, seed: int = 0) -> Forecast:
    """Forecast what the best of the features would add, asked as yes or no.

    Parameters
    ----------
    above
        Of the panel: whether each feature is above its middle, a column for each.
    labels
        Their classes.
    asking
        Those who would be asked.
    seed
        Of the halves.
    """
    generator = np.random.default_rng([seed, 48])
    half = generator.permutation(len(labels)) % 2 == 0
    some = asking.prior[generator.permutation(len(asking.prior))[:_SOME]]
    gains, spreads = [], []
    for own in (half, ~half):
        learnt = _shares(above[own], labels[own], asking)
        feature = int(
            np.argmax([_gains(some, learnt[:, column], learnt[:, column]).mean() for column in range(above.shape[1])])
        )
        column, rest = above[:, feature : feature + 1], np.flatnonzero(~own)
        judged = _shares(column[rest], labels[rest], asking)[:, 0]
        gains.append(_gains(asking.prior, learnt[:, feature], judged))
        again = [generator.choice(rest, len(rest)) for _ in range(_TIMES)]
        spreads.append(
            np.std(
                [
                    _gains(some, learnt[:, feature], _shares(column[each], labels[each], asking)[:, 0]).mean()
                    for each in again
                ]
            )
        )
    mean = np.mean(gains, axis=0)
    middle, reach = float(mean.mean()), NORMAL * float(np.mean(spreads))
    most = float(asking.ceiling.mean())
    lifted = np.clip(mean, 0.0, asking.ceiling)
    return Forecast(lifted, min(max(0.0, middle - reach), most), min(max(0.0, middle + reach), most), 0.0)


def _shares(above: NDArray[np.bool_], labels: NDArray[np.int64], asking: Asking) -> Floats:
    """Return how often people of each class send yes, by feature: after randomised response."""
    truth = np.arange(asking.prior.shape[1])[:, None] == labels
    yes = (truth @ above.astype(np.float64) + 0.5) / (truth.sum(axis=1, keepdims=True) + 1.0)
    flipped = 1 / (1 + np.exp(asking.epsilon))
    sent: Floats = flipped + (1 - 2 * flipped) * yes
    return sent


def _gains(prior: Floats, learnt: Floats, true: Floats) -> Floats:
    """Return what people gain whose answers are read by what was learnt, and come as they truly do."""
    rows = np.arange(len(prior))
    right = np.zeros(len(prior))
    for read, sent in ((learnt, true), (1 - learnt, 1 - true)):
        decided = (prior * read).argmax(axis=1)
        right += prior[rows, decided] * sent[decided]
    gain: Floats = right - prior.max(axis=1)
    return gain
