"""The empirical attack: draw from the shipped sampler for two inputs, and bound epsilon from below by what is seen.

*Event.* The inputs are two that the law tells apart best: one for which the worst ratio is reached, and that of the
largest total variation from it. Of a report, the sum over its codes of the log-ratio
of their weights is the strongest statistic there is (Neyman and Pearson): the event is that it reaches a threshold,
which a fifth of the draws chooses and the others, which it has not seen, measure.

*Bound.* With Clopper-Pearson limits at a joint error of `ALPHA`, epsilon is at least the logarithm of the lower limit
of the event's probability for one input over the upper limit for the other. A bound above the realised epsilon says
that the sampler does not draw from the law that was proven.

*Reachability.* A code that was drawn for one input and cannot be drawn for the other reveals everything at once,
however rare. For samplers that work in floats `privge.audit.reachability` looks for it.
"""

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats, Progress
from privge.audit.proof import LawProof, Proof, Witness
from privge.audit.rows import AnyLaw, Rows, Table, rows_of
from privge.audit.same_work import ways_to_draw
from privge.mechanisms import Law
from privge.random import Source, SystemSource

Counts: TypeAlias = NDArray[np.int64]

ALPHA = 1e-6
"""Probability that a bound is above the true epsilon."""

DRAWS = 1_000_000
"""Draws of each question's law, at least, unless somebody asks for more."""

_CHUNK = 65_536  # reports at once
_PILOT = 5  # one of so many draws chooses the event
_CODES = 16  # reports have so many codes before fewer of them are drawn
_FEW = 1000  # reports, whatever their size
_EXPECTED = 25.0  # of each class of codes in the test of fit
_OTHERS = 256  # inputs that are compared with the worst one
_WORDS = 2000  # on which the device's sampler is compared


@dataclass(frozen=True, slots=True)
class Attack:
    """What was seen of one law.

    Parameters
    ----------
    title, law
        What the question and its law are called.
    draws
        Codes that were drawn, for both inputs together.
    codes
        Codes in a report of the event: k of them where features are alike, else one.
    hits, reports
        How often the event came about for each of the two inputs, and in how many reports each.
    lower
        Lower bound of epsilon, for a report of so many codes.
    realised
        Its exact value.
    fit
        p-value of the codes being those of the law (chi-squared).
    impossible
        Codes that were drawn for one input and are impossible for the other.
    device_agrees
        Whether the sampler of a device gives the same codes for the same words.
    ways
        How many different sequences of instructions a device runs, over inputs and words: more than one could be timed.
    """

    title: str
    law: str
    draws: int
    codes: int
    hits: tuple[int, int]
    reports: int
    lower: float
    realised: float
    fit: float
    impossible: int
    device_agrees: bool
    ways: int

    @property
    def violations(self) -> list[str]:
        """What is wrong, in words."""
        found = []
        if self.lower > self.realised:
            found.append(f"{self.title}: the sampler spends at least {self.lower:.6g}, its law {self.realised:.6g}")
        if self.fit < ALPHA:
            found.append(f"{self.title}: the sampler does not follow the weights of its law (p = {self.fit:.2g})")
        if self.impossible:
            found.append(f"{self.title}: {self.impossible:,} draws are impossible for another input")
        if not self.device_agrees:
            found.append(f"{self.title}: the device's sampler gives other codes than the compiled one")
        if self.ways > 1:
            found.append(f"{self.title}: the work of a device depends on the value, in {self.ways} ways")
        return found


def attack(
    proof: Proof, *, draws: int = DRAWS, source: Source | None = None, progress: Progress | None = None
) -> list[Attack]:
    """Attack each law of a proof that has a sampler, with the operating system's randomness.

    Parameters
    ----------
    proof
        What the laws promise, exactly.
    draws
        How many codes to draw of each law, at least.
    source
        Where words come from; by default the one that devices use.
    progress
        Called with the number of laws that are done.
    """
    words = SystemSource() if source is None else source
    claim, found = proof.claim, []
    k = claim.k if claim.alike else 1
    pairs = {
        id(law): (each.title, law, proved)
        for each, shown in zip(claim.questions, proof.questions, strict=True)
        for law, proved in zip(each.laws, shown.laws, strict=True)
        if not isinstance(law, Table) and proved.witness is not None
    }
    for done, (title, law, proved) in enumerate(pairs.values()):
        found.append(attack_law(title, law, proved, k, draws=draws, source=words))
        if progress is not None:
            progress(done + 1, len(pairs))
    return found


def attack_law(title: str, law: AnyLaw, proved: LawProof, k: int, *, draws: int, source: Source) -> Attack:
    """Draw reports of k codes from one law for its two worst inputs."""
    rows, witness = rows_of(law), proved.witness
    assert witness is not None  # noqa: S101 (whoever calls has looked)
    inputs = _strongest(rows, witness)
    weights = [rows.weights(row) for row in inputs]
    evidence = _log_ratios(*weights)
    reports = max(_FEW, -(-min(draws, _CODES * draws // k) // 2))
    seen = [_drawn(rows, row, k, reports, evidence, source) for row in inputs]
    hits, measured = _event(seen[0].sums, seen[1].sums)
    realised = math.inf if proved.ratio is None else k * math.log(proved.ratio)
    fit = min(1.0, 2 * min(_fit(each.counts, row / rows.total) for each, row in zip(seen, weights, strict=True)))
    impossible = sum(int(seen[i].counts[weights[1 - i] == 0].sum()) for i in range(2))
    return Attack(
        title,
        rows.name,
        2 * reports * k,
        k,
        hits,
        measured,
        lower_bound(*hits, measured, ALPHA),
        realised,
        fit,
        impossible,
        _same_on_a_device(rows, inputs, source),
        _ways(law),
    )


def measured_loss(mine: Floats, other: Floats) -> float:
    """Bound epsilon from below by any statistic of what two inputs lead to, in as many draws of each.

    For samplers and whole transcripts from elsewhere: a first fifth of the draws chooses the event.
    """
    hits, trials = _event(mine, other)
    return lower_bound(*hits, trials, ALPHA)


def _strongest(rows: Rows, witness: Witness) -> tuple[int, int]:
    """Return an input of the worst ratio and the one that differs most from it, in total variation."""
    step = max(1, rows.count // _OTHERS)
    others = sorted({*range(0, rows.count, step), rows.count - 1, witness.unlikely} - {witness.likely})
    mine = rows.weights(witness.likely)
    if not others:
        return witness.likely, witness.unlikely
    return witness.likely, max(others, key=lambda row: int(np.maximum(mine - rows.weights(row), 0).sum()))


def lower_bound(more: int, less: int, trials: int, alpha: float) -> float:
    """Return the lower bound of epsilon from how often an event came about for two inputs, in so many trials each."""
    from scipy.special import betaincinv

    low = 0.0 if more == 0 else float(betaincinv(more, trials - more + 1, alpha / 2))
    high = 1.0 if less == trials else float(betaincinv(less + 1, trials - less, 1 - alpha / 2))
    return max(0.0, math.log(low / high)) if low > 0 else 0.0


@dataclass(frozen=True, slots=True)
class _Seen:
    """The evidence of each report, and how often each code was drawn."""

    sums: Floats
    counts: Counts


def _drawn(rows: Rows, row: int, k: int, reports: int, evidence: Floats, source: Source) -> _Seen:
    sums, counts = np.empty(reports), np.zeros(rows.outputs, dtype=np.int64)
    chunk = max(1, _CHUNK // k)
    for start in range(0, reports, chunk):
        size = min(chunk, reports - start)
        codes = rows.codes(row, source.words(size * k))
        counts += np.bincount(codes, minlength=rows.outputs)
        sums[start : start + size] = evidence[codes].reshape(size, k).sum(axis=1)
    return _Seen(sums, counts)


def _log_ratios(mine: Counts, other: Counts) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios: Floats = np.log(mine.astype(np.float64)) - np.log(other.astype(np.float64))
    return np.nan_to_num(ratios, nan=0.0, posinf=1e6, neginf=-1e6)  # a sum of infinities would be no number


def _event(mine: Floats, other: Floats) -> tuple[tuple[int, int], int]:
    """Choose a threshold on the first draws; count on the others how often each input reaches it."""
    pilot = len(mine) // _PILOT
    first, second = np.sort(mine[:pilot]), np.sort(other[:pilot])
    slack = 1e-9  # sums in another order must not fall on the other side of a threshold
    thresholds = np.unique(np.quantile(first, np.linspace(0.0, 0.999, 200))) - slack
    bounds = [
        lower_bound(pilot - int(np.searchsorted(first, t)), pilot - int(np.searchsorted(second, t)), pilot, ALPHA)
        for t in thresholds
    ]
    best = thresholds[int(np.argmax(bounds))]
    return (int((mine[pilot:] >= best).sum()), int((other[pilot:] >= best).sum())), len(mine) - pilot


def _fit(counts: Counts, chances: Floats) -> float:
    """Return the p-value of Pearson's test, with neighbouring codes in one class where few are expected."""
    from scipy.special import chdtrc

    expected = chances * counts.sum()
    if counts[expected == 0].any():
        return 0.0
    classes = np.floor(np.cumsum(expected) / _EXPECTED).astype(np.int64)
    hoped, found = (np.bincount(classes, weights=each) for each in (expected, counts))
    filled = hoped > 0
    hoped, found = hoped[filled], found[filled]
    if len(hoped) < 2:
        return 1.0
    return float(chdtrc(len(hoped) - 1, float(((found - hoped) ** 2 / hoped).sum())))


def _ways(law: AnyLaw) -> int:
    """Count the ways to draw; controls are drawn by no device."""
    if not isinstance(law, Law) or law.fixed_epsilon is not None:
        return 1
    return len(ways_to_draw(law))


def _same_on_a_device(rows: Rows, inputs: tuple[int, int], source: Source) -> bool:
    words = np.concatenate([source.words(_WORDS), [0, 1, rows.total // 2, rows.total - 2, rows.total - 1]])
    return all([rows.code(row, word) for word in words.tolist()] == rows.codes(row, words).tolist() for row in inputs)
