"""The public encoding of a profile: features in order, and the integer coordinates that they become."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from privge.errors import BadData
from privge.questions.features import (
    ChoiceFeature,
    CountFeature,
    Feature,
    NumberFeature,
    NumbersFeature,
    YesNoFeature,
)
from privge.questions.features.feature import Encoded, Misfits
from privge.questions.people import People, people_of
from privge.questions.stated import distinct, listed, made_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privge.questions.features.feature import Coordinates

FEATURES: Mapping[str, type[Feature]] = {
    kind.kind: kind for kind in (NumberFeature, YesNoFeature, ChoiceFeature, CountFeature, NumbersFeature)
}
"""Every kind of feature by the name that documents use."""

MOST_FEATURES = 65_536

MOST_COUNTED = 2**18
"""Most that the counts of an encoding count together: no document can ask a device for more work than that."""


@dataclass(frozen=True)
class Encoding:
    """Features in order; each owns some of the coordinates.

    Parameters
    ----------
    features
        The features, each name once. Many numbers without names stand alone, or with counts of them.
    """

    features: tuple[Feature, ...]

    def __post_init__(self) -> None:
        features = tuple(listed("features", list(self.features), 1, MOST_FEATURES))
        if not all(isinstance(feature, Feature) for feature in features):
            raise BadData("features must be features: NumberFeature, YesNoFeature, ChoiceFeature and others")
        object.__setattr__(self, "features", features)
        distinct("the names of features", [feature.name for feature in self.features])
        raw = [feature.raw for feature in self.features]
        if any(isinstance(each, int) for each in raw) and sum(each != () for each in raw) > 1:
            raise BadData("numbers without names must stand alone: give names to all raw columns or to none")
        distinct("the names of raw columns", self.raw_names or ())
        self._check_counts()

    @classmethod
    def numbers(cls, count: int, low: float, high: float, **stated: Any) -> Self:  # noqa: ANN401 (as `NumbersFeature`)
        """Return the short form for many numbers alike; ``stated`` are further fields of `NumbersFeature`."""
        return cls((NumbersFeature(count, low, high, **stated),))

    @property
    def raw_names(self) -> tuple[str, ...] | None:
        """The raw columns in order; None if they have no names."""
        raw = [feature.raw for feature in self.features]
        if any(isinstance(each, int) for each in raw):
            return None
        return tuple(name for each in raw for name in each)  # type: ignore[union-attr]

    @property
    def raw_width(self) -> int:
        """How many raw columns there are."""
        return sum(_width(feature) for feature in self.features)

    @property
    def columns(self) -> int:
        """How many coordinates there are."""
        return len(self.names)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What the coordinates are called."""
        return tuple(name for feature in self.features for name in feature.columns)

    @cached_property
    def largest(self) -> tuple[int, ...]:
        """The largest magnitude of each coordinate."""
        return tuple(most for feature in self.features for most in feature.largest)

    def coordinates(self, data: Any) -> "Coordinates":  # noqa: ANN401 (whatever holds a table)
        """Return the integer coordinates of everybody, a row for each; sparse if the features are and a 0 stays a 0.

        Parameters
        ----------
        data
            A matrix with the raw columns in order, dense or sparse, or a table with columns of their names.
        """
        return self.encoded(people_of(data, self.raw_names, self.raw_width))[0]

    def encoded(self, people: People, places: Sequence[int] | None = None) -> "tuple[Coordinates, list[Misfits]]":
        """Return the coordinates of people and what did not fit; ``places`` are their raw columns, in order."""
        columns, parts = list(range(self.raw_width) if places is None else places), []
        nonzero = self._nonzero(people, columns)
        for feature, start in zip(self.features, self._starts, strict=True):
            own = columns[start : start + _width(feature)]
            counts = isinstance(feature, CountFeature)
            parts.append(self._of_counts(feature, people, nonzero) if counts else feature.encoded(people, own))
        misfits = [Misfits(each, part.outside, part.absent) for each, part in zip(self.features, parts, strict=True)]
        return _beside([part.coordinates for part in parts]), misfits

    def _nonzero(self, people: People, columns: list[int]) -> "dict[str, NDArray[np.int64]]":
        """Return how many values of each feature that is counted are there and not 0, by its name."""
        names = {name for feature in self.features for name in self._counted(feature)}
        return {
            each.name: each.nonzero(people, columns[start : start + _width(each)])
            for each, start in zip(self.features, self._starts, strict=True)
            if each.name in names
        }

    def _of_counts(self, feature: Feature, people: People, nonzero: "dict[str, NDArray[np.int64]]") -> Encoded:
        assert isinstance(feature, CountFeature)  # noqa: S101 (for the type checker)
        counts = np.zeros(people.rows, dtype=np.int64)
        for name in self._counted(feature):
            counts += nonzero[name]
        levels, outside, absent = feature.of_counts(counts)
        scale, centre = feature._encoding  # noqa: SLF001 (of its own family)
        return Encoded((scale * levels - centre)[:, None], outside, absent)

    def _counted(self, feature: Feature) -> tuple[str, ...]:
        """Return the names of the features that a count is of; none if it is another feature."""
        if not isinstance(feature, CountFeature):
            return ()
        return tuple(self._countable) if feature.of is None else feature.of

    def _check_counts(self) -> None:
        counted = 0
        for feature in self.features:
            for name in self._counted(feature):
                if name not in self._countable:
                    raise BadData(
                        f"{feature.name!r} counts {name!r}, which is not a number or an answer of this encoding"
                    )
            counted += len(self._counted(feature))
            if counted > MOST_COUNTED:
                raise BadData(f"the counts must be of at most {MOST_COUNTED:,} features together")

    @cached_property
    def _countable(self) -> dict[str, None]:
        """The names of all numbers and answers, in order."""
        return {each.name: None for each in self.features if not isinstance(each, CountFeature | ChoiceFeature)}

    @cached_property
    def _starts(self) -> list[int]:
        return list(accumulate((_width(feature) for feature in self.features[:-1]), initial=0))

    def to_document(self) -> list[dict[str, Any]]:
        """Return the features as a document has them."""
        return [feature.to_document() for feature in self.features]

    @classmethod
    def from_document(cls, document: object) -> Self:
        """Read features from a document."""
        entries = listed("features", document, 1, MOST_FEATURES)
        return cls(tuple(feature_of(entry, place) for place, entry in enumerate(entries)))


def feature_of(document: object, place: int | None = None) -> Feature:
    """Read one feature from a document."""
    where = "" if place is None else f"features[{place}]: "
    if not isinstance(document, Mapping):
        raise BadData(f"{where}must be a table with a kind")
    stated = dict(document)
    kind = stated.pop("kind", None)
    if not isinstance(kind, str) or kind not in FEATURES:
        raise BadData(f"{where}kind must be one of {', '.join(FEATURES)}, got {kind!r}")
    try:
        return made_of(FEATURES[kind], stated)  # type: ignore[type-var]
    except (BadData, TypeError) as error:
        raise BadData(f"{where}{error}") from error


def _width(feature: Feature) -> int:
    return feature.raw if isinstance(feature.raw, int) else len(feature.raw)


def _beside(parts: "Iterable[Coordinates]") -> "Coordinates":
    each = list(parts)
    if len(each) == 1:
        return each[0]
    if all(isinstance(part, np.ndarray) for part in each):
        return np.hstack(each)
    import scipy.sparse

    return scipy.sparse.csr_array(scipy.sparse.hstack([scipy.sparse.csr_array(part) for part in each]))
