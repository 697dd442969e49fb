"""Do the 95 % intervals of `privge profile` hold the true mean in 93 to 97 % of cells, and are differences real?

People are made up: each group has its own mean of each feature, and people of a group spread about it. Everybody
reports once, by the exact laws. A *cell* is a group and a column of which something can be told, by the rule that
`privge profile` has without looking at answers; group sizes are such that cells lie on both sides of its limit. The
truth is the mean over all people of the group, also over those who were not asked this question.

Two intervals beside it are wrong on purpose and must fail: one forgets that only some people were asked (*sampling*),
one that answers are noisy (*noise*).

In the null world all groups are alike but for chance of who is in which: a test at 5 % should show a difference in at
most 5 % of the tables. In the other worlds a shown difference is false if the group's true mean lies on the other side.
"""

import argparse
from dataclasses import dataclass, replace

import numpy as np

from privge import Campaign
from privge.profiles import Groups, profile
from privge.profiles.intervals import Intervals, Variance, expected_half_width, measured_inside, unasked
from privge.profiles.profile import USUAL
from privge.profiles.tallies import Tallies
from privge.questions import Choice, Direction, Encoding, Number, YesNo
from privge.questions.features import ChoiceFeature, NumberFeature, YesNoFeature

GROUPS = 12


@dataclass(frozen=True)
class World:
    """What is asked: ``questions`` of one kind, of which each person answers ``k``."""

    kind: str
    law: str
    questions: int
    k: int = 1

    @property
    def name(self):
        return f"{self.kind}, {self.law}" if self.law else self.kind

    def campaign(self, epsilon, repeat):
        purpose, names = f"simulation {repeat}", [f"q{place}" for place in range(self.questions)]
        if self.kind == "short form":
            given = {"names": names, "dimensions": len(names), "low": 0, "high": 1, "mechanism": self.law}
            return Campaign(**given, epsilon=epsilon, k=self.k, purpose=purpose)
        questions = self._questions(names)
        return Campaign(questions=questions, epsilon=epsilon, k=self.k, purpose=purpose)

    def _questions(self, names):
        if self.kind == "yes-no":
            return [YesNo(YesNoFeature(name)) for name in names]
        if self.kind == "choice":
            return [Choice(ChoiceFeature(name, ("a", "b", "c", "d", "e"))) for name in names]
        if self.kind == "number":
            return [Number(NumberFeature(name, low=0, high=1), self.law) for name in names]
        return [Direction(Encoding(tuple(NumberFeature(f"c{place}", low=0, high=1) for place in range(12))))]

    def draw(self, campaign, groups, generator, *, null=False):
        """Return features for `Campaign.simulate`, and everybody's true place between the bounds in each column."""
        count = 1 if null else GROUPS
        member = np.zeros(len(groups), dtype=np.int64) if null else groups
        if self.kind == "choice":
            shares = generator.dirichlet(np.ones(5), (count, self.questions)).cumsum(axis=2)
            drawn = (generator.random((len(groups), self.questions))[:, :, None] > shares[member]).sum(axis=2)
            drawn = np.minimum(drawn, 4)
            truth = (drawn[:, :, None] == np.arange(5)).reshape(len(groups), -1).astype(float)
            return _raw(campaign, np.array(list("abcde"), dtype=object)[drawn]), truth
        if self.kind == "yes-no":
            truth = (
                generator.random((len(groups), self.questions)) < generator.random((count, self.questions))[member]
            ) * 1.0
            return _raw(campaign, truth), truth
        width = 12 if self.kind == "direction" else self.questions
        means, strength = generator.uniform(0.05, 0.95, (count, width))[member], generator.uniform(0.5, 8, width)
        truth = generator.beta(means * strength, (1 - means) * strength)
        truth = np.rint(truth * 1024) / 1024
        if self.kind == "short form":
            return truth, truth
        if self.kind == "direction":
            unit = 2 * truth - 1  # a coordinate goes from -1,024 to 1,024
            unit /= np.linalg.norm(unit, axis=1, keepdims=True)
            return _raw(campaign, truth), (unit + 1) / 2
        return _raw(campaign, truth), truth


def _raw(campaign, values):
    return {name: values[:, place] for place, name in enumerate(campaign.raw_names)}


WORLDS = (
    World("yes-no", "", 24),
    World("yes-no", "", 3, k=3),
    World("choice", "", 6),
    World("number", "hds", 6),
    World("number", "piecewise", 6),
    World("number", "multibit", 6),
    World("number", "hds", 2, k=2),
    World("number", "multibit", 2, k=2),
    World("short form", "hds", 30, k=2),
    World("short form", "laplace", 6),
    World("short form", "multibit", 30, k=2),
    World("direction", "", 1),
)


@dataclass
class Counts:
    """What was counted over all tables of a world."""

    cells: int = 0
    held: int = 0
    held_without_sampling: int = 0
    held_without_noise: int = 0
    clipped: int = 0
    shown: int = 0
    wrong_side: int = 0

    def __add__(self, other):
        return Counts(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))

    def share(self, name):
        return getattr(self, name) / max(1, self.cells)


def sizes(world, epsilon, generator, demands=USUAL):
    """Return how many people each group has: from half of what can be told about to three times as many."""
    columns = profile_columns(world.campaign(epsilon, 0))
    needed = float(expected_half_width(columns, np.ones(1), demands.z).max() / demands.widest) ** 2
    return (needed * world.questions / world.k * np.exp(generator.uniform(np.log(0.5), np.log(3), GROUPS))).astype(
        int
    ) + 2


def profile_columns(campaign):
    from privge.profiles.columns import Columns

    return Columns.of(campaign)


def table(world, epsilon, seed, *, null=False, demands=USUAL):
    """Return the counts of one table of a world."""
    generator = np.random.default_rng(seed)
    groups = np.repeat(np.arange(GROUPS), sizes(world, epsilon, generator, demands))
    generator.shuffle(groups)
    campaign = world.campaign(epsilon, seed)
    features, truth = world.draw(campaign, groups, generator, null=null)
    reports = campaign.simulate(features, ids=np.arange(len(groups)), seed=seed)
    made = profile(reports, Groups(reports.ids, groups, tuple(map(str, range(GROUPS)))), demands=demands)
    people = np.bincount(groups)[:, None]
    sums = np.array([np.bincount(groups, column, minlength=GROUPS) for column in truth.T]).T
    inside, outside = sums / people, (sums.sum(axis=0) - sums) / (len(groups) - people)
    told = made.told
    wrong = [
        intervals.low[told] <= inside[told] if side == "low" else inside[told] <= intervals.high[told]
        for intervals in forgetful(campaign, reports, groups, demands)
        for side in ("low", "high")
    ]
    return Counts(
        cells=int(told.sum()),
        held=int(((made.inside.low <= inside) & (inside <= made.inside.high))[told].sum()),
        held_without_sampling=int((wrong[0] & wrong[1]).sum()),
        held_without_noise=int((wrong[2] & wrong[3]).sum()),
        clipped=int(made.inside.clipped[told].sum()),
        shown=int((made.differs != 0).sum()),
        wrong_side=int(((made.differs != 0) & (made.differs != np.sign(inside - outside))).sum()),
    )


def forgetful(campaign, reports, groups, demands):
    """Return two intervals that are wrong on purpose: without the sampling, and without the noise."""
    columns, tallies = profile_columns(campaign), Tallies.of(reports, groups, GROUPS)
    mean, w = tallies.sums / tallies.answers, measured_inside(columns, tallies)
    everybody = Variance.from_parts(columns, np.zeros_like(w), w)
    silent = replace(columns, noises=tuple(replace(each, at_low=0.0, tilt=0.0, bend=0.0) for each in columns.noises))
    clean = Variance.from_parts(silent, unasked(tallies), w)
    return [Intervals.around(mean, each, tallies, demands.z) for each in (everybody, clean)]


def measured(world, epsilon, cells, first_seed, **options):
    """Return the counts of as many tables as it takes for so many cells, and how many tables showed a difference."""
    counts, tables, showing = Counts(), 0, 0
    while counts.cells < cells:
        one = table(world, epsilon, first_seed + tables, **options)
        counts, tables, showing = counts + one, tables + 1, showing + (one.shown > 0)
    return counts, tables, showing


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--epsilon", type=float, nargs="+", default=[0.5, 1.0, 4.0])
    options.add_argument("--cells", type=int, default=1000, help="At least so many in each line.")
    options.add_argument("--null-tables", type=int, default=60)
    options.add_argument("--first-seed", type=int, default=100_000)
    given = options.parse_args()
    heads = "coverage no sampling no noise  cut  shown wrong side"
    print(f"{'question':12} {'law':10} {'k of':>8} {'ε':>4} {'cells':>7} {heads}")
    totals = {epsilon: Counts() for epsilon in given.epsilon}
    for world in WORLDS:
        for epsilon in given.epsilon:
            counts, _, _ = measured(world, epsilon, given.cells, given.first_seed)
            totals[epsilon] += counts
            asked = f"{world.k} of {world.questions}"
            print(f"{world.kind:12} {world.law:10} {asked:>8} {epsilon:4g} {line(counts)}", flush=True)
    for epsilon, counts in totals.items():
        print(f"{'all of them':32} {epsilon:4g} {line(counts)}")
    print("\nnull: tables of groups that are alike, in which a difference is shown at 5 %")
    for world in (WORLDS[1], WORLDS[2], WORLDS[3]):
        for epsilon in [each for each in given.epsilon if each >= 1]:
            seeds = range(given.first_seed, given.first_seed + given.null_tables)
            shown = sum(table(world, epsilon, seed, null=True).shown > 0 for seed in seeds)
            print(f"{world.name:20} ε = {epsilon:g}: {shown} of {given.null_tables}", flush=True)


def line(counts):
    """Return the counts of one world as they are printed."""
    shares = [counts.share(name) for name in ("held", "held_without_sampling", "held_without_noise", "clipped")]
    wrong = counts.wrong_side / max(1, counts.shown)
    held = f"{shares[0]:8.1%} {shares[1]:11.1%} {shares[2]:8.1%} {shares[3]:4.0%}"
    return f"{counts.cells:7,} {held} {counts.shown:6,} {wrong:10.2%}"


if __name__ == "__main__":
    main()
