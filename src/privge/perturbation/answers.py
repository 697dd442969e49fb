"""Raw values to answers: the questions of a campaign, for one person on a device and for everybody in a simulation."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from privge._typing import Progress
from privge.campaign import Campaign
from privge.campaign.asking import asked, places_of, questions_of
from privge.campaign.indices import indices_matrix
from privge.errors import BadData
from privge.perturbation.raw import AnyFeatures, raw_features_of
from privge.perturbation.tally import shown_of
from privge.questions import ChoiceFeature, NumbersFeature, YesNoFeature
from privge.questions.features import Feature
from privge.questions.features.feature import Misfits
from privge.random import source_for
from privge.reports import Reports

_CHUNK = 65_536  # rows perturbed at once


@dataclass(frozen=True, eq=False)
class AnswerTally:
    """What did not fit, by feature; who may see it is said in `privge.perturbation.tally`.

    Parameters
    ----------
    features
        The features that were read, by name.
    reported
        How many values of each were read.
    outside
        Of how many the value lay outside its bounds or list.
    absent
        Of how many it was missing.
    """

    features: dict[str, Feature]
    reported: Counter[str]
    outside: Counter[str]
    absent: Counter[str]

    @classmethod
    def empty(cls) -> Self:
        """Return a tally of nobody."""
        return cls({}, Counter(), Counter(), Counter())

    def add(self, misfits: Iterable[Misfits], people: int) -> None:
        """Count what did not fit among some people."""
        for feature, outside, absent in misfits:
            self.features[feature.name] = feature
            self.reported[feature.name] += people * (feature.count if isinstance(feature, NumbersFeature) else 1)
            self.outside[feature.name] += outside
            self.absent[feature.name] += absent

    @classmethod
    def joined(cls, tallies: Iterable[Self]) -> Self:
        """Add up the tallies of parts."""
        whole = cls.empty()
        for part in tallies:
            whole.features.update(part.features)
            for mine, theirs in ((whole.reported, part.reported), (whole.outside, part.outside)):
                mine.update(theirs)
            whole.absent.update(part.absent)
        return whole

    def sentences(self, _: Campaign | None = None) -> Iterator[str]:
        """Say what was changed: a line for each feature, the worst first, and one for all others together."""
        for counts, words in ((self.outside, _outside_words), (self.absent, _absent_words)):
            worst = [(name, count) for name, count in counts.most_common() if count]
            shown = shown_of(len(worst))
            for name, count in worst[:shown]:
                called = name if name.isprintable() else repr(name)
                yield f"{called}: {count:,} of {self.reported[name]:,} {words(self.features[name])}"
            if rest := worst[shown:]:
                yield f"{len(rest):,} more features: {sum(count for _, count in rest):,} values that did not fit"


def simulate_answers(
    campaign: Campaign,
    features: AnyFeatures,
    *,
    ids: Sequence[str] | Sequence[int] | None,
    seed: int | None,
    progress: Progress | None,
) -> tuple[Reports, AnswerTally]:
    """Answer for everybody at once; return the reports and what did not fit."""
    people = raw_features_of(campaign, features, ids)
    rows, k = people.matrix.rows, campaign.k
    if len(people.ids) != rows:
        raise BadData(f"ids has {len(people.ids)} entries for {rows} rows of features")
    source, tally = source_for(seed), AnswerTally.empty()
    codes, indices = np.empty((rows, k), dtype=np.uint16), np.empty((rows, k), dtype=np.int32)
    for start in range(0, rows, _CHUNK):
        part = slice(start, min(start + _CHUNK, rows))
        nodes, own = people.ids[part], people.matrix.take(part)
        indices[part] = indices_matrix(campaign.id, nodes.tolist(), campaign.dimensions, k)
        words = source.words(len(nodes) * k).reshape(len(nodes), k)
        for place, question in enumerate(questions_of(campaign)):
            who, slots = np.nonzero(indices[part] == place)
            if who.size:
                target = asked(campaign, place, nodes[who].tolist())
                answers = question.simulate(own.take(who), places_of(campaign, question), target, words[who, slots])
                codes[start + who, slots] = answers.codes
                tally.add(answers.misfits, who.size)
        if progress is not None:
            progress(part.stop, rows)
    return Reports.with_indices(campaign, people.ids, codes, indices, seeded=seed is not None), tally


def _outside_words(feature: Feature) -> str:
    if isinstance(feature, ChoiceFeature):
        return f"values not in the list, taken as {feature.otherwise}"
    if isinstance(feature, YesNoFeature):
        return f"values neither yes nor no, taken as {feature.missing}"
    return f"values clipped to {getattr(feature, 'low', 0):g}..{getattr(feature, 'high', 0):g}"


def _absent_words(feature: Feature) -> str:
    if isinstance(feature, ChoiceFeature):
        return f"values missing, taken as {feature.otherwise}"
    if isinstance(feature, YesNoFeature):
        return f"values missing, taken as {feature.missing}"
    words = {"midpoint": "the middle", "low": "the low end", "high": "the high end"}
    return f"values missing, taken as {words[getattr(feature, 'missing', 'midpoint')]}"
