"""A question that a public model answers on the device: which of some classes the profile resembles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privge._typing import Codes, Decoding, Floats, Levels, Words
from privge.errors import BadData
from privge.mechanisms import MAX_LEVELS
from privge.mechanisms import Choice as ChoiceLaw
from privge.questions.choice import check_choice, choice_likelihood, choice_noise, decoded_choice
from privge.questions.encoding import Encoding
from privge.questions.features.feature import Misfits
from privge.questions.people import People
from privge.questions.question import Answers, AnyLaw, Asked, Noise, drawn
from privge.questions.stated import distinct, listed, text
from privge.questions.subject import about_profile
from privge.questions.weighted import Weighted

_NOBODY = -(2**62)  # below every score: of a class that somebody is not asked about


@dataclass(frozen=True)
class Model(Weighted):
    """Which of these classes does your profile resemble? The class of the highest score, by a choice law.

    It decodes to a column for each class. With an assignment (`privge.campaign.Assignment`) a person is asked about
    some of the classes, with integers of their own added to the scores, and the other columns are 0.

    Parameters
    ----------
    encoding
        The profile.
    weights
        Integers, a row for each class and a column for each coordinate.
    bias
        An integer for each class, in units of the scores; 0 if left out.
    classes
        Their names, in order; a tie goes to the first.
    normalised
        Whether the profile is brought to length 1 before (`privge.questions.scores`).
    shift, fraction
        Binary digits of normalised scores; ``fraction`` is as large as 2**53 allows if left out.
    laws
        Given by a campaign.
    """

    kind = "model"

    encoding: Encoding
    weights: tuple[tuple[int, ...], ...]
    bias: tuple[int, ...] | None = None
    classes: tuple[str, ...] = ()
    normalised: bool = False
    shift: int = 0
    fraction: int | None = None
    laws: tuple[AnyLaw, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        classes = tuple(text("classes", str(each)) for each in listed("classes", self.classes, 2, MAX_LEVELS))
        distinct("classes", classes)
        object.__setattr__(self, "classes", classes)
        self._settle(len(classes))

    @property
    def names(self) -> tuple[str, ...]:
        return self.classes

    @property
    def options(self) -> tuple[str, ...]:
        return self.classes

    @property
    def title(self) -> str:
        return "model"

    def words(self) -> str:
        """Say in words what is asked."""
        shown = ", ".join(self.classes[:8]) + (f" and {len(self.classes) - 8} more" if len(self.classes) > 8 else "")
        return (
            f"which of {shown} a public model finds likest, computed on the device "
            f"from {len(self.encoding.features):,} features"
        )

    def law_for(self, epsilon: Fraction, size: int | None) -> AnyLaw:
        """Build the law for a share of epsilon and so many classes."""
        return ChoiceLaw.for_epsilon(epsilon, size or len(self.classes))

    def check_law(self, law: AnyLaw, size: int | None) -> None:
        """Refuse a law of another kind or number of classes."""
        check_choice(law, size or len(self.classes))

    def read_law(self, parameters: Mapping[str, object]) -> AnyLaw:
        """Read a law from a document."""
        return ChoiceLaw.from_parameters(parameters)

    def answers(self, people: People, places: Sequence[int], asked: Asked) -> tuple[Levels, list[Misfits]]:
        """Return the place of the class with the highest score among those that each person is asked about."""
        each, misfits = self.scored(people, places)
        if asked.classes is not None:
            own = np.take_along_axis(each, np.maximum(asked.classes, 0), axis=1)
            own += 0 if asked.offsets is None else asked.offsets
            each = np.where(asked.classes < 0, _NOBODY, own)
        return each.argmax(axis=1), misfits  # the first of equal ones

    def simulate(self, people: People, places: Sequence[int], asked: Asked, words: Words) -> Answers:
        """Return everybody's codes."""
        levels, misfits = self.answers(people, places, asked)
        codes = np.empty(people.rows, dtype=np.uint16)
        for size, rows in sizes_of(asked, people.rows):
            codes[rows] = check_choice(self.law_of(size)).codes(levels[rows], words[rows])
        return Answers(codes, misfits)

    def draw(self, person: People, places: Sequence[int], asked: Asked, word: int) -> tuple[int, list[Misfits]]:
        """Return one person's code."""
        levels, misfits = self.answers(person, places, asked)
        size = None if asked.classes is None else int((asked.classes >= 0).sum())
        return drawn(self.law_of(size), levels, word), misfits

    def decode(self, codes: Codes, asked: Asked, decoding: Decoding) -> NDArray[np.float32]:
        """Return a column for each class; 0 for those that a person is not asked about."""
        return self._by_class(codes, asked, lambda law, some: decoded_choice(law, some, decoding)).astype(np.float32)

    def log_likelihood(self, codes: Codes, asked: Asked) -> Floats:
        """Return ``log(m P(code | answer c))`` for the ``m`` classes that a person is asked about, 0 for the others."""
        return self._by_class(codes, asked, choice_likelihood)

    @property
    def noise(self) -> Noise:
        """Exact moments for somebody who could be of any class; none if people are asked about some of them."""
        law = check_choice(self.law)
        if len(self.laws) > 1 or law.levels != len(self.classes):
            raise BadData("the noise of a personal question follows from the number of classes that a person is asked")
        return choice_noise(law)

    def _by_class(self, codes: Codes, asked: Asked, columns: Any) -> Floats:  # noqa: ANN401 (a function)
        out = np.zeros((len(codes), len(self.classes)))
        for size, rows in sizes_of(asked, len(codes)):
            found = columns(check_choice(self.law_of(size)), codes[rows])
            if asked.classes is None:
                return np.asarray(found, dtype=np.float64)
            out[rows[:, None], asked.classes[rows, :size]] = found
        return out

    def to_document(self) -> dict[str, Any]:
        """Return the question as a document has it."""
        return {**super().to_document(), "classes": list(self.classes)}


def sizes_of(asked: Asked, rows: int) -> list[tuple[int | None, NDArray[np.int64]]]:
    """Return the rows of people who are asked about the same number of classes; None if all are asked about all."""
    if asked.classes is None:
        return [(None, np.arange(rows))]
    sizes = (asked.classes >= 0).sum(axis=1)
    return [(int(size), np.flatnonzero(sizes == size)) for size in np.unique(sizes)]


def model_of(document: Mapping[str, object]) -> Model:
    """Read a model question."""
    return about_profile(Model, document)
