"""Does a group differ from everybody else? A test for each cell, and control of how many are found by chance.

*The test* of a cell compares the mean of the group with that of all others who reported. Where there are two answers,
it is Fisher's exact test of how many gave which. Else it goes by the exactly known noise: at a common mean ``m`` the
difference has the variance ``V_group(m) / n_group + V_rest(m) / n_rest``. It is a score test, as the intervals are
score intervals, and on the safe side four times:

* ``f`` is 1, as if people were drawn from many. Groups that were dealt out at random have slightly different means by
  chance of who is in which, and that is not a difference worth showing.
* Where the spread of values is measured, the larger of that in the group and of that in all counts.
* The reference is Student's t with one degree of freedom less than there are answers: far out, where one of hundreds of
  cells is decided, means of some twenty answers are not normal yet.
* Nor do they lie evenly: toward its longer side a gamma law as skew as the answers of everybody counts, if larger.

*Many tests.* Somebody who looks at hundreds of cells finds differences by chance. The p-values of all cells that can be
told are adjusted together by the procedure of Benjamini and Hochberg: of the differences that are shown, the expected
share of false ones is at most the level. Holm's procedure would instead make a single false one unlikely; a table that
is looked through for what to ask next can bear one in twenty, and at small epsilon Holm leaves hardly anything in it.
"""

import numpy as np
import scipy.stats
from numpy.typing import NDArray

from privge._typing import Floats
from privge.profiles.columns import Columns
from privge.profiles.intervals import Variance, mean_answers, measured_inside
from privge.profiles.tails import exact_tail, skew_tail
from privge.profiles.tallies import Tallies


def p_values(columns: Columns, groups: Tallies, rest: Tallies) -> Floats:
    """Return the chance of a difference as large as the one seen, were the means the same; NaN where there is none."""
    p = _by_score(columns, groups, rest)
    two = [place for place, noise in enumerate(columns.noises) if noise.answers is not None]
    p[:, two] = _by_count(columns, groups, rest)[:, two]
    return np.where((groups.answers > 0) & (rest.answers > 0), p, np.nan)


def _by_count(columns: Columns, groups: Tallies, rest: Tallies) -> Floats:
    """Compare how many gave the second of two answers; columns of more answers mean nothing here."""
    first, second = np.array([noise.answers or (0.0, 1.0) for noise in columns.noises]).T
    seen, unseen = (
        np.clip(np.rint((each.sums - each.answers * first) / (second - first)), 0, each.answers)
        for each in (groups, rest)
    )
    answers = groups.answers.astype(np.float64)
    return exact_tail(seen, answers, seen + unseen, answers + rest.answers)


def _by_score(columns: Columns, groups: Tallies, rest: Tallies) -> Floats:
    """Compare means by the variance of their noise."""
    with np.errstate(invalid="ignore", divide="ignore"):
        everybody = groups.plus(rest)
        common = np.clip(mean_answers(everybody), 0, 1)
        spread = measured_inside(columns, everybody)
        variance = sum(_of_many(columns, each, spread).at(common) / each.answers for each in (groups, rest))
        difference = mean_answers(groups) - mean_answers(rest)
        apart = np.abs(difference) - 2 * columns.of_noises("bias")
        score = np.where(apart <= 0, 0.0, apart / np.sqrt(variance))
        freedom = np.maximum(np.minimum(groups.answers, rest.answers) - 1, 1)
        even = 2 * scipy.stats.t.sf(np.where(np.isfinite(apart), score, np.nan), freedom)
        return np.asarray(np.maximum(even, skew_tail(score, np.sign(difference) * _skewness(groups, everybody))))


def _skewness(groups: Tallies, everybody: Tallies) -> Floats:
    """Return the skewness of the mean of a group that was drawn from everybody, without replacement."""
    mean, square, cube = (each / everybody.answers for each in (everybody.sums, everybody.squares, everybody.cubes))
    of_one = (cube - 3 * mean * square + 2 * mean**3) / np.maximum(square - mean**2, 1e-12) ** 1.5
    part = groups.answers / everybody.answers
    return np.asarray(of_one * (1 - 2 * part) / np.sqrt(groups.answers * (1 - part)))


def _of_many(columns: Columns, tallies: Tallies, inside: Floats) -> Variance:
    """Return the variance of an answer of people who are a small part of those whom the mean is about.

    The smaller the mean of ``u (1 - u)``, ``inside`` or as measured, the more values spread.
    """
    less = np.minimum(inside, measured_inside(columns, tallies))
    return Variance.from_parts(columns, np.ones(tallies.answers.shape), less)


def adjusted(p: Floats, tested: NDArray[np.bool_]) -> Floats:
    """Adjust the p-values of the cells that are tested, all together; those of the others are NaN."""
    out = np.full(p.shape, np.nan)
    tested = tested & np.isfinite(p)
    if tested.any():
        out[tested] = scipy.stats.false_discovery_control(p[tested], method="bh")
    return out
