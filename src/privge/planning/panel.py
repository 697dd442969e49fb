"""`Panel`: profiles of people who agreed to show them, from which a plan rehearses what would be asked of the others.

A panel has spent its privacy: its profiles are read in the clear. In return a plan knows how far profiles tell classes
apart. A rehearsal puts people of the panel in the place of everybody: whoever would teach has the profile of a panel
member of the same class of whom the graph says much the same, plus the exactly known noise of a report; the question
that this teaches is put to the panel. How its scores differ between classes says how much an answer knows.

Class means of a small panel differ by chance, too. That would make every rehearsal too good or, with one part of the
panel teaching the other, too bad. So profiles are moved towards the mean of all, until their class means differ by as
much as an unbiased estimate says that those of everybody do.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.campaign import Campaign
from privge.errors import BadData
from privge.graph.labelled import Rows
from privge.planning.gain import Skill
from privge.planning.outlook import Outlook
from privge.questions import Direction, Encoding
from privge.questions.features.feature import Misfits
from privge.questions.people import People, people_of
from privge.structure import NodeChannel
from privge.teaching import teach_by_panel
from privge.teaching.effects import Teachers, class_effects
from privge.teaching.shrinkage import shrinkage
from privge.teaching.teach import SHARPNESS, unit_profiles

FEWEST = 40
"""Fewer people say nothing about classes."""

MOST_TEACHERS = 50_000
"""More are not rehearsed: the forecast is then on the careful side."""

_CHUNK = 4096
_FAR = 10.0  # log-odds of which more makes no difference
_FOLDS = 4
_ALIKE, _FEWEST_ALIKE = 0.2, 8  # which part of a class of the panel stands for people with some prior


@dataclass(frozen=True, eq=False, slots=True)
class Panel:
    """Profiles in the clear, with classes.

    ``people`` holds raw values in the public encoding, and ``rows`` the nodes that they belong to.

    Parameters
    ----------
    labels
        Their classes, as columns of the prior.
    profiles
        Their profiles at length 1, in the coordinates that a profile can have at all.
    misfits
        How many values of each feature were missing, not to be read, or outside of its bounds.
    """

    encoding: Encoding
    people: People
    rows: Rows
    labels: NDArray[np.int64]
    profiles: Floats
    misfits: tuple[Misfits, ...] = ()

    @classmethod
    def of(cls, encoding: Encoding, people: People, rows: Rows, labels: NDArray[np.int64]) -> Self:
        """Encode the profiles of a panel; everybody on it must have a label."""
        if len(rows) != len(np.unique(rows)):
            raise BadData("somebody is on the panel twice")
        if len(rows) < FEWEST:
            raise BadData(f"a panel must have at least {FEWEST} people, got {len(rows)}")
        own = labels[rows]
        if own.min() < 0:
            raise BadData(f"{int((own < 0).sum()):,} of {len(rows):,} people on the panel have no known label")
        if len(np.unique(own)) < 2:
            raise BadData("a panel must have people of at least two classes")
        live = np.array(encoding.largest) > 0
        coordinates, misfits = encoding.encoded(people_of(people, encoding.raw_names, encoding.raw_width))
        profiles = unit_profiles(coordinates[:, live])
        if not np.ptp(profiles, axis=0).any():
            raise BadData("everybody on the panel shows the same, or nothing: that tells nothing about classes")
        return cls(encoding, people, rows, own, profiles, tuple(misfits))

    @property
    def live(self) -> NDArray[np.bool_]:
        """Which coordinates a profile can have at all."""
        return np.array(self.encoding.largest) > 0

    def unread(self) -> list[str]:
        """Return the features of which most of the panel shows nothing that counts, with how many do not."""
        return [
            f"{each.feature.name} ({each.outside + each.absent:,})"
            for each in self.misfits
            if 2 * (each.outside + each.absent) > len(self.rows) * max(1, len(_raw(each)))
        ]

    def take(self, members: NDArray[np.integer]) -> Self:
        """Return some of the panel."""
        return replace(
            self,
            people=self.people.take(members),
            rows=self.rows[members],
            labels=self.labels[members],
            profiles=self.profiles[members],
        )

    def levelled(self) -> Self:
        """Return the panel with class means that differ by no more than everybody's do, by an unbiased estimate.

        Which coordinates tell classes apart is not known for sure, either: effects are shrunk as those of teachers'
        reports are, and then brought to the length that the unbiased estimate has.
        """
        mean, moved = self.profiles.mean(axis=0), self.profiles.copy()
        groups = [np.flatnonzero(self.labels == place) for place in np.unique(self.labels)]
        shares = np.array([len(group) for group in groups]) / len(self.labels)
        effects = np.stack([self.profiles[group].mean(axis=0) - mean for group in groups])
        within = np.array(
            [self.profiles[group].var(axis=0, ddof=1).mean() if len(group) > 1 else 0 for group in groups]
        )
        variances = np.maximum((1 - shares) * within / (shares * len(self.labels)), 1e-12)
        found = shares @ np.square(effects).sum(axis=1)
        true = max(0.0, float(found - self.profiles.shape[1] * shares @ variances))
        frequencies = np.maximum(mean, 0.0) if (self.profiles >= 0).all() else None
        shrunk = effects * shrinkage(effects, variances, frequencies)
        shrunk *= (true / max(float(shares @ np.square(shrunk).sum(axis=1)), 1e-300)) ** 0.5
        for group, effect, instead in zip(groups, effects, shrunk, strict=True):
            moved[group] += instead - effect
        return replace(self, profiles=moved)


def _raw(misfits: Misfits) -> Sequence[object]:
    raw = misfits.feature.raw
    return range(raw) if isinstance(raw, int) else raw


def taught_scores(panel: Panel, outlook: Outlook, teachers: Rows, epsilon: float, seed: int) -> Floats:
    """Rehearse teaching by reports, and return what the question says of each panel member: a score for each class.

    Parameters
    ----------
    panel
        Levelled.
    outlook
        What is public of the teachers.
    teachers
        Their rows.
    epsilon
        Of a teacher's report.
    seed
        Of whom each teacher resembles, and of the noise.
    """
    generator = np.random.default_rng([seed, 41])
    if len(teachers) > MOST_TEACHERS:
        teachers = np.sort(generator.choice(teachers, MOST_TEACHERS, replace=False))
    public = Teachers(outlook.prior.probabilities[teachers], outlook.labels[teachers])
    if not public.labelled.any():
        return np.zeros((len(panel.labels), public.prior.shape[1]))
    own = outlook.prior.probabilities[panel.rows]
    like = _alike(panel, own, public.prior, _drawn_classes(public, generator), generator)
    noise = Campaign(questions=[Direction(panel.encoding)], epsilon=epsilon).noise[panel.live]
    deviation, width = np.sqrt(noise), len(noise)

    def blocks() -> Iterator[tuple[slice, Floats]]:
        for first in range(0, len(teachers), _CHUNK):
            rows = slice(first, min(first + _CHUNK, len(teachers)))
            drawn = generator.standard_normal((rows.stop - first, width))
            yield rows, panel.profiles[like[rows]] + drawn * deviation

    effects = class_effects(blocks(), public, noise, np.ones(width, dtype=np.bool_))
    weights = SHARPNESS * width * effects.values
    scores: Floats = panel.profiles @ weights.T - weights @ effects.mean
    return scores


def panel_scores(panel: Panel, prior: NodeChannel, labels: NDArray[np.int64], seed: int) -> Floats:
    """Return what questions that the rest of the panel teaches say of each member: a score for each class."""
    folds = np.random.default_rng([seed, 42]).permutation(len(panel.labels)) % _FOLDS
    scores = np.zeros((len(panel.labels), len(prior.classes)))
    for fold in range(_FOLDS):
        rest, mine = panel.take(np.flatnonzero(folds != fold)), np.flatnonzero(folds == fold)
        question = teach_by_panel(panel.encoding, rest.people, prior, labels, rest.rows)
        scores[mine] = panel.profiles[mine] @ question.weights[:, panel.live].T + question.bias
    return scores


def skill_of(scores: Floats, labels: NDArray[np.int64], own: Floats) -> Skill:
    """Return what a question knows, by regressing its scores on the truth and on what the graph says.

    For a person of class y and each other class b, ``score_y - score_b = gap / 2 + echo L + o_y - o_b + rest``, L the
    log-odds of y against b by the prior. Offsets o of classes are not noise: fusion takes them off. People of whom the
    graph is unsure count most, as they are the ones to be asked.

    Parameters
    ----------
    scores, labels, own
        Of the panel: what the question says, the truth, and what the graph says of them.
    """
    classes = np.arange(scores.shape[1])
    whose, other = np.nonzero(classes != labels[:, None])
    logs = np.log(np.maximum(own, 1e-12))
    scored = scores[whose, labels[whose]] - scores[whose, other]
    odds = np.clip(logs[whose, labels[whose]] - logs[whose, other], -_FAR, _FAR)
    offsets = (classes == labels[whose][:, None]).astype(np.float64) - (classes == other[:, None])
    known = np.column_stack([np.ones(len(odds)), odds, offsets])
    weights = np.sqrt(1 / (1 + np.exp(odds)) / (1 + np.exp(-odds)))
    found = np.linalg.lstsq(known * weights[:, None], scored * weights, rcond=None)[0]
    rest = (scored - known @ found) * weights
    spread = float(np.square(rest).sum() / max(float(np.square(weights).sum()), 1e-300)) ** 0.5
    return Skill(2 * max(float(found[0]), 0.0), spread, max(float(found[1]), -1.0))


def _drawn_classes(public: Teachers, generator: np.random.Generator) -> NDArray[np.int64]:
    """Return the class of each teacher: the known one, or one drawn by the prior."""
    below = public.prior.cumsum(axis=1) < generator.random((len(public.labels), 1))
    drawn = np.minimum(below.sum(axis=1), public.prior.shape[1] - 1)
    return np.where(public.labelled, public.labels, drawn)


def _alike(
    panel: Panel, own: Floats, prior: Floats, classes: NDArray[np.int64], generator: np.random.Generator
) -> NDArray[np.int64]:
    """Return for each teacher a panel member of the same class, of whom the graph says much the same.

    If the panel has none of that class, it is any member with such a prior.
    """
    chosen = np.empty(len(classes), dtype=np.int64)
    for place in np.unique(classes):
        pool, wanted = np.flatnonzero(panel.labels == place), np.flatnonzero(classes == place)
        pool = pool if len(pool) else np.arange(len(panel.labels))
        for first in range(0, len(wanted), _CHUNK):
            some = wanted[first : first + _CHUNK]
            near = _nearest(own[pool], prior[some])
            chosen[some] = pool[near[np.arange(len(some)), generator.integers(near.shape[1], size=len(some))]]
    return chosen


def _nearest(pool: Floats, prior: Floats) -> NDArray[np.int64]:
    """Return the places of the members of a pool whose prior is most like each of these: a part of the pool."""
    count = min(len(pool), max(_FEWEST_ALIKE, int(_ALIKE * len(pool))))
    apart = np.square(pool).sum(axis=1) - 2 * prior @ pool.T  # and a term that is the same for all of the pool
    return np.argpartition(apart, count - 1, axis=1)[:, :count]
