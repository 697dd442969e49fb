"""What is found in each case of the demonstration, beside its controls, and what follows from it in plain words."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, TypeAlias

from privge.experiments.spread import Lift, Spread, plain

Group: TypeAlias = Literal["everybody", "few"]
GROUPS: Final[dict[Group, str]] = {"everybody": "everybody", "few": "people with at most two friends"}

Kind: TypeAlias = Literal["control", "private"]


@dataclass(frozen=True, slots=True)
class Case:
    """Percent of people whose community is found, over repeats with fresh noise and splits.

    Parameters
    ----------
    name
        What the table of the page, its pictures and the terminal call it.
    kind
        ``control`` or ``private``.
    explained
        What it is made from.
    everybody, few
        One value for each repeat, of all people and of those with few friends; the split of a repeat is the same for
        all cases.
    epsilon
        The budget, if it has one.
    """

    name: str
    kind: Kind
    explained: str
    everybody: tuple[float, ...]
    few: tuple[float, ...]
    epsilon: float | None = None

    def spread(self, group: Group = "everybody") -> Spread:
        """Return mean and standard deviation over the repeats."""
        return Spread.of(getattr(self, group))

    def over(self, other: "Case", group: Group = "everybody") -> Lift:
        """Return by how much this is better than another in the same repeats."""
        mine, theirs = getattr(self, group), getattr(other, group)
        return Lift.of(one - another for one, another in zip(mine, theirs, strict=True))


@dataclass(frozen=True, slots=True)
class Budget:
    """What is reached at one epsilon, private and, as controls, with others' profiles.

    Parameters
    ----------
    paper, paper_shuffled
        The paper's vectors, and the same mechanism on features shuffled over people.
    question, question_others
        The answered question, and the same with each answer computed from somebody else's profile.
    """

    paper: Case
    paper_shuffled: Case
    question: Case
    question_others: Case

    def __iter__(self) -> Iterator[Case]:
        yield from (self.paper, self.paper_shuffled, self.question, self.question_others)

    @property
    def epsilon(self) -> float:
        """The privacy budget of each person's only report."""
        assert self.question.epsilon is not None  # noqa: S101 (for the type checker)
        return self.question.epsilon


@dataclass(frozen=True, slots=True)
class Cases:
    """The whole story: the graph alone, noise in place of reports, each budget, and no privacy."""

    structure: Case
    noise: Case
    budgets: tuple[Budget, ...]
    no_privacy: Case

    def __iter__(self) -> Iterator[Case]:
        yield from (self.structure, self.noise)
        for budget in self.budgets:
            yield from budget
        yield self.no_privacy

    def lines(self) -> Iterator[str]:
        """Yield a table to read: a line for each case, a column for each budget, for both groups."""
        heading = "".join(f"{f'ε = {budget.epsilon:g}':>14}" for budget in self.budgets)
        yield f"{'People whose community is found, %':36}{heading}"
        for group, words in GROUPS.items():
            yield words
            rows = [[self.structure], [self.noise], *map(list, zip(*self.budgets, strict=True)), [self.no_privacy]]
            for row in rows:
                numbers = "".join(f"{case.spread(group)!s:>14}" for case in row)
                yield f"  {row[0].name:34}{numbers}"

    def conclusions(self) -> Iterator[str]:
        """Yield what follows, budget by budget; computed, not written in advance."""
        for budget in self.budgets:
            yield self._question(budget)
        yield self._others()
        yield self._paper(max(self.budgets, key=lambda budget: budget.paper.spread().mean))

    def _question(self, budget: Budget) -> str:
        verdicts = [
            f"{words} {budget.question.over(self.structure, group).concluded('better', 'worse', 'undecided')}"
            for group, words in GROUPS.items()
        ]
        return f"At ε = {budget.epsilon:g}, the answered question minus the graph alone: " + "; ".join(verdicts) + "."

    def _others(self) -> str:
        lifts = [budget.question_others.over(self.structure) for budget in self.budgets]
        shown = ", ".join(str(lift) for lift in lifts)
        helped = any(lift.low > 0 for lift in lifts)
        said = "somebody else's profile helps, which it must not" if helped else "nobody else's profile would do"
        return f"The control, answers computed from somebody else's profile, minus the graph alone: {shown}; {said}."

    def _paper(self, budget: Budget) -> str:
        nulls = [budget.paper.over(null) for null in (self.noise, budget.paper_shuffled)]
        worth = min(nulls, key=lambda lift: lift.mean)
        told = worth.concluded("so they say something", "worse than noise", "they cannot be told from noise")
        graph = budget.paper.over(self.structure)
        return (
            f"At ε = {budget.epsilon:g}, the paper's vectors minus the higher of noise and shuffled profiles: {told}; "
            f"minus the graph alone: {graph.concluded('better', 'the graph alone is better', 'undecided')}."
        )

    def to_list(self) -> list[dict[str, Any]]:
        """Return the cases for machines, in percent, with their differences to the graph alone."""
        return [self._flat(case) for case in self]

    def _flat(self, case: Case) -> dict[str, Any]:
        groups: dict[str, Any] = {
            group: {
                "mean": plain(case.spread(group).mean),
                "std": plain(case.spread(group).std),
                "values": [plain(value) for value in getattr(case, group)],
                "lift": {part: plain(value) for part, value in asdict(case.over(self.structure, group)).items()},
            }
            for group in GROUPS
        }
        return {"name": case.name, "kind": case.kind, "epsilon": case.epsilon, **groups}
