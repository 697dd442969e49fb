"""A question: what a device computes from its own values, and the exact law by which it answers.

Everything before the law is a public function of the person's values; everything after it costs no privacy. A question
alone has no law yet: a campaign gives it one for its share of epsilon, and a document carries it.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privge._typing import Codes, Decoding, Floats, Levels, Words
from privge.errors import BadData
from privge.mechanisms import Law, Nearest
from privge.mechanisms.verification import trusted
from privge.questions.features.feature import Misfits
from privge.questions.people import People

AnyLaw: TypeAlias = Law | Nearest


@dataclass(frozen=True, eq=False)
class Asked:
    """Who is asked a question.

    Parameters
    ----------
    campaign
        Id of the campaign; public directions follow from it, from the question and from the node.
    question
        Place of the question in it.
    nodes
        Node ids of the people.
    classes
        Which classes each of them is asked about, in increasing order, filled up with -1; None if it is all of them.
    offsets
        The integers that are added to the scores of these classes.
    """

    campaign: str
    question: int
    nodes: Sequence[object]
    classes: NDArray[np.int64] | None = None
    offsets: NDArray[np.int64] | None = None


class Answers(NamedTuple):
    """Codes of people, and of how many values did not fit."""

    codes: Codes
    misfits: list[Misfits]


class Noise(NamedTuple):
    """Moments of an unbiased answer in each column, at the middle of what can be said."""

    second: Floats
    square_of_mean: Floats


class Question(ABC):
    """One question. Members are frozen dataclasses; ``laws`` is empty until a campaign gives them."""

    kind: ClassVar[str]
    """What documents call it."""

    laws: tuple[AnyLaw, ...]

    @property
    @abstractmethod
    def raw_names(self) -> tuple[str, ...] | None:
        """The raw columns that it reads, in order; None if they have no names."""

    @property
    @abstractmethod
    def raw_width(self) -> int:
        """How many raw columns it reads."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The names of the columns that its answer decodes to."""

    @property
    @abstractmethod
    def title(self) -> str:
        """What the question is called in a list of questions."""

    @abstractmethod
    def words(self) -> str:
        """Say in words what is asked, for the person who approves it."""

    @abstractmethod
    def law_for(self, epsilon: Fraction, size: int | None) -> AnyLaw:
        """Build the law for a share of epsilon; ``size`` is the number of classes asked, if it is personal."""

    @abstractmethod
    def check_law(self, law: AnyLaw, size: int | None) -> None:
        """Refuse a law that is not of this question."""

    @abstractmethod
    def read_law(self, parameters: Mapping[str, object]) -> AnyLaw:
        """Read a law from a document."""

    @abstractmethod
    def simulate(self, people: People, places: Sequence[int], asked: Asked, words: Words) -> Answers:
        """Return everybody's codes, with one word each; vectorised and compiled."""

    @abstractmethod
    def draw(self, person: People, places: Sequence[int], asked: Asked, word: int) -> tuple[int, list[Misfits]]:
        """Return one person's code; plain Python, the same work for every value. Runs on the device."""

    @abstractmethod
    def misfits(self, people: People, places: Sequence[int]) -> list[Misfits]:
        """Return how many values do not fit; nothing is drawn."""

    @abstractmethod
    def decode(self, codes: Codes, asked: Asked, decoding: Decoding) -> NDArray[np.float32]:
        """Return the decoded columns of people who answered, a row for each."""

    @property
    @abstractmethod
    def noise(self) -> Noise:
        """Exact moments of the unbiased answer, by column."""

    @abstractmethod
    def to_document(self) -> dict[str, Any]:
        """Return the question as a document has it, without its laws."""

    def log_likelihood(self, codes: Codes, asked: Asked) -> Floats:
        """Return the log-likelihood of every possible answer given the code; only of a question with few answers."""
        raise BadData(f"the answers to {self.title!r} are not a few classes, so they have no log-likelihood by class")

    @property
    def options(self) -> tuple[str, ...]:
        """The answers that `log_likelihood` tells apart; none if they are not a few."""
        return ()

    @property
    def outputs(self) -> int:
        """Every code is below this, whoever answers."""
        return max(law.outputs for law in self.laws)

    def outputs_of(self, size: int | None) -> int:
        """Every code of somebody who is asked about so many classes is below this."""
        return self.law_of(size).outputs

    @property
    def law(self) -> AnyLaw:
        """The law of a question that has only one."""
        return self.law_of(None)

    def law_of(self, size: int | None) -> AnyLaw:
        """Return the law for so many classes."""
        if not self.laws:
            raise BadData(f"the question {self.title!r} has no law yet: put it into a campaign")
        if size is None:
            return self.laws[0]
        return next(law for law in self.laws if law.outputs == size)

    @property
    def worst_ratio(self) -> Fraction:
        """Exact largest quotient of two weights in one column, over all of its laws."""
        ratios = [law.worst_ratio for law in self.laws]
        if any(ratio is None for ratio in ratios):
            raise BadData(f"the question {self.title!r} has a law that gives answers away")
        return max(ratio for ratio in ratios if ratio is not None)

    def with_laws(self, epsilon: Fraction, sizes: Sequence[int | None] = (None,)) -> Self:
        """Return the question with a law for each number of classes; those it has are checked instead."""
        laws = self.laws or tuple(self.law_for(epsilon, size) for size in sizes)
        if len(laws) != len(sizes):
            raise BadData(
                f"there must be {len(sizes)} laws, one for each number of classes that is asked, got {len(laws)}"
            )
        for law, size in zip(laws, sizes, strict=True):
            self.check_law(law, size)
            if isinstance(law, Law):
                trusted(law)
                if law.fixed_epsilon is not None:
                    raise BadData(f"the law {law.name!r} is a control, which no question has")
            if law.gain == 0:
                raise BadData(
                    f"epsilon {float(epsilon):.3g} is too small for {self.title!r}: its answer would say nothing"
                )
        return replace(self, laws=laws)  # type: ignore[type-var]


def levels_of(law: AnyLaw) -> int:
    """Return the input levels of a law; 0 for one that has none."""
    return law.levels if isinstance(law, Law) else 0


def drawn(law: AnyLaw, level: Levels, word: int) -> int:
    """Return the code of one person by a law of levels.

    *Whatever was computed.* A law promises nothing for what is not one of its levels, so none other gets there: the
    nearest one is taken instead. No feature or model computes such a level; this keeps epsilon if one ever did.
    """
    assert isinstance(law, Law)  # noqa: S101 (checked with the campaign)
    return law.code(min(max(int(level[0]), 0), law.levels - 1), word)
