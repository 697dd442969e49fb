"""What the law of a campaign says of the noise in decoded reports: exactly, up to the mean square of the features.

A feature ``x`` in [-1, 1] is sampled with probability k/d and decoded to ``y``, with mean ``g x`` (g is the gain, 1 if
decoded without bias) and second moment ``s(x)``, sampling included: an entry that was not sampled is 0. Of every window
law ``s(x) = A + B x^2`` exactly, of the two-point law with B = 0, of Laplace up to its clamped tails. So the noise of
an entry, ``s(x) - g^2 x^2``, depends on the features through their mean square alone, and that is known without bias
from the mean square of the codes: it is the B-th part of what they have above A.

*Two-point laws of more than two levels* (B = 0) say nothing of the mean square. It is at least that of the column
means, and with this the noise is counted as large as it can be: the predicted gain is then a lower bound. With two
levels every ``x^2`` is 1.

*Answers to questions.* A direction, a yes or no, and one of a few all have length 1 in truth, so what a report has
beyond that is noise, exactly. With numbers among the questions the noise is that in the middle of what can be said.

The noise of a row is what its report has, minus the mean that a clean row has (``energy``), where noise is larger than
the features: so a report with large codes by chance is not taken for one that says much. Elsewhere all rows have the
same noise.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse

from privge._typing import Floats
from privge.campaign import Campaign
from privge.embedding.join import Reading
from privge.errors import BadData
from privge.mechanisms import Clipped
from privge.mechanisms.second_moment import SecondMoment
from privge.questions import Choice, Direction, Model, Question, YesNo
from privge.smoothing import Noise

_MEASURED = "variance of the law, sampling included, at the mean square of the features that the codes show"
_KNOWN = "variance of the law, sampling included, exactly"
_LARGEST = "variance of the law, sampling included, as large as it can be"


@dataclass(frozen=True, eq=False, slots=True)
class KnownNoise:
    """The noise of decoded reports, and what is known of the clean features.

    Parameters
    ----------
    spread, estimator
        The squared distance of the clean rows from their mean, summed over those who reported; and how the noise is
        known, in words.
    """

    noise: Noise
    spread: float
    estimator: str


def known_noise(rows: scipy.sparse.csr_array, campaign: Campaign, reading: Reading) -> KnownNoise:
    """Return the noise of decoded reports; rows that are empty did not report.

    Parameters
    ----------
    rows
        The decoded reports.
    campaign
        What was asked.
    reading
        How they were decoded.
    """
    reported = max(1, int((np.diff(rows.indptr) > 0).sum()))
    width = rows.shape[1]
    means = np.asarray(rows.sum(axis=0), dtype=np.float64).ravel() / reported
    energies = np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()
    if campaign.questions is not None:
        return _of_answers(energies, means, reported, campaign, reading)
    moments = _moments(campaign, reading)
    entry = energies.sum() / reported / width
    least = max(0.0, (float(means @ means) / width - entry / reported) / max(moments.gain**2, 1e-300))
    square, estimator = _mean_square(moments, entry, min(1.0, least))
    clean = moments.gain**2 * square * width
    noise = max(0.0, entry * width - clean)
    by_row = energies - clean if noise > clean else np.full(len(energies), noise)
    largest = moments.gain**2 * width if estimator == _LARGEST else clean
    spread = reported * (largest - float(means @ means)) + noise if moments.gain else 0.0
    return KnownNoise(Noise(by_row, noise / width), spread, estimator)


def _of_answers(energies: Floats, means: Floats, reported: int, campaign: Campaign, reading: Reading) -> KnownNoise:
    """Return the noise of unbiased answers to questions."""
    if reading.decoding != "unbiased":
        raise BadData(
            "the noise of answers to questions is known of unbiased ones: give decoding='unbiased', on the command "
            "line --decoding unbiased"
        )
    exact = all(_has_unit_length(question, campaign) for question in campaign.questions or ())
    clean = float(campaign.dimensions) if exact else max(0.0, energies.sum() / reported - campaign.noise.sum())
    noise = max(0.0, energies.sum() / reported - clean)
    by_row = energies - clean if exact else np.full(len(energies), noise)
    columns = campaign.noise
    entry = float(np.square(columns).sum() / columns.sum())
    spread = reported * (clean - float(means @ means)) + noise
    return KnownNoise(Noise(by_row, entry), spread, _KNOWN if exact else _LARGEST)


def _has_unit_length(question: Question, campaign: Campaign) -> bool:
    """Say whether the true answer has length 1, whatever it is: a direction, a yes or no, one of a few."""
    if isinstance(question, Model) and campaign.assignment is not None and campaign.assignment.width:
        return False  # columns of classes that a person is not asked about are not 0 in truth
    return isinstance(question, Choice | Direction | Model | YesNo)


def _moments(campaign: Campaign, reading: Reading) -> SecondMoment:
    law, k, width, clip = campaign.law, campaign.k, campaign.dimensions, reading.clip
    mechanism = campaign.sampled if clip is None else Clipped(law, k, width, clip)
    return SecondMoment.of(mechanism, reading.decoding)


def _mean_square(moments: SecondMoment, entry: float, least: float) -> tuple[float, str]:
    """Return the mean square of the features, and how it is known."""
    if moments.levels == 2:
        return 1.0, _KNOWN
    if not moments.tells_squares:
        return least, _LARGEST
    return float(np.clip((entry - moments.at_middle) / moments.by_square, least, 1.0)), _MEASURED
