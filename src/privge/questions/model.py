"""A question that a public model answers on the device: which of some classes the profile resembles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privge._typing import Codes, Decoding, Floats, Levels, Words
from privge.errors import BadData
from privge.mechanisms import MAX_LEVELS
from privge.mechanisms import Choice as ChoiceLaw
from privge.questions.choice import check_choice, choice_likelihood, choice_noise, decoded_choice
from privge.questions.encoding import Encoding, Misfits
from privge.questions.people import People
from privge.questions.question import Answers, AnyLaw, Asked, Noise, Question, drawn
from privge.questions.scores import check_exact, fraction_digits, scores
from privge.questions.stated import distinct, integer, listed, made_of, text, truth

_NOBODY = -(2**62)  # below every score: of a class that somebody is not asked about


@dataclass(frozen=True)
class Model(Question):
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
        if not isinstance(self.encoding, Encoding):
            raise BadData("a model question is about an Encoding")
        classes = tuple(text("classes", str(each)) for each in listed("classes", self.classes, 2, MAX_LEVELS))
        distinct("classes", classes)
        object.__setattr__(self, "classes", classes)
        settle_weights(self, len(classes))

    @property
    def raw_names(self) -> tuple[str, ...] | None:
        return self.encoding.raw_names

    @property
    def raw_width(self) -> int:
        return self.encoding.raw_width

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
        coordinates, misfits = self.encoding.encoded(people, places)
        each = scores(coordinates, *self.integers, digits=self.digits)
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

    def misfits(self, people: People, places: Sequence[int]) -> list[Misfits]:
        """Return how many values do not fit."""
        return self.encoding.encoded(people, places)[1]

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

    @cached_property
    def integers(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Weights and bias as arrays."""
        return np.array(self.weights, dtype=np.int64), np.array(self.bias, dtype=np.int64)

    @property
    def digits(self) -> tuple[int, int] | None:
        """Shift and fraction of normalised scores."""
        return (self.shift, self.fraction or 0) if self.normalised else None

    def to_document(self) -> dict[str, Any]:
        """Return the question as a document has it."""
        return {**model_document(self), "classes": list(self.classes)}


def settle_weights(model: Any, rows: int) -> None:  # noqa: ANN401 (a frozen dataclass of a model)
    """Check the integers of a model against its encoding, and put them into it in one form."""
    columns = model.encoding.columns
    each = [listed("weights", row, columns, columns) for row in listed("weights", model.weights, rows, rows)]
    weights = tuple(tuple(integer("weights", w, -(2**52), 2**52) for w in row) for row in each)
    given = [0] * rows if model.bias is None else listed("bias", model.bias, rows, rows)
    bias = tuple(integer("bias", b, -(2**52), 2**52) for b in given)
    truth("normalised", model.normalised)
    integer("shift", model.shift, 0, 52 if model.normalised else 0)
    fraction = None
    if model.normalised:
        most = fraction_digits(model.encoding.largest)
        fraction = most if model.fraction is None else integer("fraction", model.fraction, 0, most)
    elif model.fraction is not None:
        raise BadData("fraction is stated for normalised scores only")
    object.__setattr__(model, "weights", weights)
    object.__setattr__(model, "bias", bias)
    if model.normalised and model.fraction is None:
        fraction = _fitting(model, fraction or 0)
    object.__setattr__(model, "fraction", fraction)
    check_exact(model.encoding.largest, weights, bias, model.shift + (fraction or 0))


def _fitting(model: Any, most: int) -> int:  # noqa: ANN401 (as above)
    """Return the largest number of digits of the length with which no score reaches 2**53."""
    for digits in range(most, 0, -1):
        try:
            check_exact(model.encoding.largest, model.weights, model.bias, model.shift + digits)
        except BadData:
            continue
        return digits
    return 0


def sizes_of(asked: Asked, rows: int) -> list[tuple[int | None, NDArray[np.int64]]]:
    """Return the rows of people who are asked about the same number of classes; None if all are asked about all."""
    if asked.classes is None:
        return [(None, np.arange(rows))]
    sizes = (asked.classes >= 0).sum(axis=1)
    return [(int(size), np.flatnonzero(sizes == size)) for size in np.unique(sizes)]


def model_document(model: Any) -> dict[str, Any]:  # noqa: ANN401 (a frozen dataclass of a model)
    """Return what every model has in a document."""
    document = {
        "kind": model.kind,
        "features": model.encoding.to_document(),
        "weights": [list(row) for row in model.weights],
        "bias": list(model.bias),
        "normalised": model.normalised,
    }
    return {**document, "shift": model.shift, "fraction": model.fraction} if model.normalised else document


def model_of(document: Mapping[str, object]) -> Model:
    """Read a model question."""
    stated = dict(document)
    encoding = Encoding.from_document(stated.pop("features", None))
    return made_of(Model, {"encoding": encoding, **stated})
