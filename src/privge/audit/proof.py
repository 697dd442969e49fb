"""The exact proof: every weight is read, and what a whole report can reveal is compared with epsilon in rationals.

*Steps.* 1. Each row of each law is made of integers of at least 0 that sum to the number of words. 2. In each column
the largest weight over the smallest is a fraction; the worst of them is the worst ratio of the law. 3. Draws are
independent, and which questions a report answers does not depend on the data, so the worst ratio of a report is the
product of the k worst ratios of its questions. 4. The logarithm of that product, rounded up by a proven bound, is
compared with epsilon.

Nothing that a law says of itself is believed: a ``worst_ratio`` that its weights do not have is a violation.
"""

import math
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privge.audit.belief import doubts
from privge.audit.claim import Claim
from privge.audit.rows import AnyLaw, Rows, rows_of
from privge.mechanisms import Law, Nearest
from privge.mechanisms.exponential import logs_above
from privge.mechanisms.verification import MAX_WEIGHTS

_LONGEST = 4000
"""Most digits of a fraction that is written out; beyond, its factors say the same."""


@dataclass(frozen=True, slots=True)
class Witness:
    """Where the worst ratio is: a code, the inputs that make it most and least likely, and their weights."""

    code: int
    likely: int
    unlikely: int
    highest: int
    lowest: int


@dataclass(frozen=True, slots=True)
class LawProof:
    """What was read of one law.

    The worst ratio is exact; it is None if a code is possible for one input and impossible for another.

    Parameters
    ----------
    inputs, outputs, total
        Rows and columns of its table, and what each row must sum to.
    witness
        Where the worst ratio is; None if the weights are not a law.
    problems
        What is wrong with the weights.
    """

    law: str
    inputs: int
    outputs: int
    total: int
    ratio: Fraction | None
    witness: Witness | None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionProof:
    """One question with its laws: one for each number of classes that people are asked about, or a single one."""

    title: str
    laws: tuple[LawProof, ...]

    @property
    def ratio(self) -> Fraction | None:
        """The worst ratio of any of its laws."""
        ratios = [law.ratio for law in self.laws]
        return None if not ratios or None in ratios else max(ratio for ratio in ratios if ratio is not None)


@dataclass(frozen=True)
class Proof:
    """What a whole report can reveal, exactly.

    Parameters
    ----------
    questions
        What was read of each question; features that are alike are one question.
    problems
        What is wrong, in words.
    """

    claim: Claim
    questions: tuple[QuestionProof, ...]
    problems: tuple[str, ...] = field(default=())

    @property
    def factors(self) -> dict[Fraction, int] | None:
        """The ratios whose product is the worst ratio of a report, and how often each counts; None if unbounded."""
        ratios = [question.ratio for question in self.questions]
        if not ratios or None in ratios:
            return None
        if self.claim.alike:
            return {ratio: self.claim.k for ratio in ratios if ratio is not None}
        worst = sorted((ratio for ratio in ratios if ratio is not None), reverse=True)
        return dict(Counter(worst[: self.claim.k]))

    @property
    def ratio(self) -> Fraction | None:
        """The worst ratio of a whole report; None if it is unbounded, or too long to be written out."""
        factors = self.factors
        if factors is None or sum(_digits(ratio) * uses for ratio, uses in factors.items()) > _LONGEST:
            return None
        return math.prod((ratio**uses for ratio, uses in factors.items()), start=Fraction(1))

    @property
    def realised_epsilon(self) -> float:
        """Upper bound of the privacy loss of a whole report, tight to one float."""
        return math.inf if self.factors is None else logs_above(self.factors)

    @property
    def violations(self) -> list[str]:
        """Everything that is wrong, in words."""
        found = [*self.claim.problems, *self.problems]
        found += [
            f"{each.title}: {problem}" for each in self.questions for law in each.laws for problem in law.problems
        ]
        if self.factors is None:
            found.append("the privacy loss is unbounded: a code is possible for one input and impossible for another")
        elif self.realised_epsilon > self.claim.epsilon:
            found.append(f"a report spends {self.realised_epsilon:.17g}, above epsilon = {self.claim.epsilon:.17g}")
        return found

    @property
    def holds(self) -> bool:
        """Whether the promise is kept."""
        return not self.violations


def prove(claim: Claim) -> Proof:
    """Read every weight of a claim."""
    known: dict[int, LawProof] = {}  # many questions share a law, and reading it again would say the same
    questions = []
    for question in claim.questions:
        laws = tuple(_once(known, law) for law in question.laws)
        questions.append(QuestionProof(question.title, laws))
    return Proof(claim, tuple(questions))


def _once(known: dict[int, LawProof], law: AnyLaw) -> LawProof:
    if id(law) not in known:
        known[id(law)] = prove_law(law)
    return known[id(law)]


def prove_law(law: AnyLaw) -> LawProof:
    """Read every weight of a law; what it says of itself must be what they say."""
    rows, problems = rows_of(law), list(doubts(law)) if isinstance(law, Law) else []
    if isinstance(law, Law) and law.levels * law.outputs > MAX_WEIGHTS:
        return LawProof(rows.name, rows.count, rows.outputs, rows.total, None, None, tuple(problems))
    read = _Read.of(rows)
    problems += read.problems
    if isinstance(law, Nearest) and not problems and law.worst_ratio != read.ratio:
        problems.append(f"the law says that its worst ratio is {law.worst_ratio}; its weights say {read.ratio}")
    return LawProof(rows.name, rows.count, rows.outputs, rows.total, read.ratio, read.witness, tuple(problems))


@dataclass(frozen=True, slots=True)
class _Read:
    """The extremes of every column."""

    ratio: Fraction | None
    witness: Witness | None
    problems: list[str]

    @classmethod
    def of(cls, rows: Rows) -> "_Read":
        highest = np.full(rows.outputs, -1, dtype=np.int64)
        lowest = np.full(rows.outputs, np.iinfo(np.int64).max, dtype=np.int64)
        likely, unlikely = (np.zeros(rows.outputs, dtype=np.int64) for _ in range(2))
        for row in range(rows.count):
            weights = rows.weights(row)
            if problem := _problem(weights, rows):
                return cls(None, None, [f"row {row}: {problem}"])
            likely[weights > highest] = row
            unlikely[weights < lowest] = row
            np.maximum(highest, weights, out=highest)
            np.minimum(lowest, weights, out=lowest)
        if not rows.count or not rows.outputs:
            return cls(None, None, ["it has no weights"])
        code, ratio = _worst(highest, lowest)
        witness = Witness(code, int(likely[code]), int(unlikely[code]), int(highest[code]), int(lowest[code]))
        return cls(ratio, witness, [])


def _problem(weights: NDArray[np.int64], rows: Rows) -> str | None:
    """Say what keeps a row from being one of a law."""
    if weights.shape != (rows.outputs,) or weights.dtype.kind not in "iu":
        return f"it is not {rows.outputs} integers"
    if weights.min() < 0:
        return "a weight is below 0"
    total = sum(weights.tolist())  # in integers without a limit
    return None if total == rows.total else f"its weights sum to {total}, not to {rows.total}"


def _worst(highest: NDArray[np.int64], lowest: NDArray[np.int64]) -> tuple[int, Fraction | None]:
    given_away = np.flatnonzero((highest > 0) & (lowest == 0))
    if given_away.size:
        return int(given_away[0]), None
    possible = np.flatnonzero(highest > 0).tolist()
    ratios = {code: Fraction(int(highest[code]), int(lowest[code])) for code in possible}
    code = max(ratios, key=ratios.__getitem__)
    return code, ratios[code]


def _digits(ratio: Fraction) -> int:
    return len(str(ratio.numerator)) + len(str(ratio.denominator))
