"""Features of several kinds as the paper's pipeline takes them: columns of numbers from 0 to 1, by public encoding."""

import numpy as np
from numpy.typing import NDArray

from privge.errors import BadData
from privge.questions import ChoiceFeature, Encoding
from privge.questions.features.feature import Feature, Misfits, Read, SingleFeature
from privge.questions.people import People

KINDS = ("number", "yes-no", "choice")
"""The kinds of features that a table can have here."""


def check_kinds(encoding: Encoding) -> None:
    """Refuse kinds that are not one column of a table."""
    for feature in encoding.features:
        if feature.kind not in KINDS:
            raise BadData(f"the feature {feature.name!r} must be of the kind {', '.join(KINDS)}, got {feature.kind!r}")


def unit_features(encoding: Encoding, people: People) -> tuple[NDArray[np.float64], list[Misfits]]:
    """Return a matrix of numbers from 0 to 1, in the order of `unit_names`, and what did not fit.

    A number is its level over the largest one, a yes is 1, a choice has one column for each value of its public list.

    Parameters
    ----------
    encoding
        Of features of the `KINDS`.
    people
        Their raw values, in the order of the encoding.
    """
    check_kinds(encoding)
    found = [_read(feature, people, place) for place, feature in enumerate(encoding.features)]
    columns = [_columns(feature, read) for feature, read in zip(encoding.features, found, strict=True)]
    misfits = [
        Misfits(feature, read.outside, read.absent) for feature, read in zip(encoding.features, found, strict=True)
    ]
    return np.hstack(columns), misfits


def unit_names(encoding: Encoding) -> tuple[str, ...]:
    """Return what the columns are called: the feature, and of a choice the value as well."""
    return encoding.names


def _read(feature: Feature, people: People, place: int) -> Read:
    assert isinstance(feature, SingleFeature | ChoiceFeature)  # noqa: S101 (the kinds are checked)
    return feature.read(people, [place])


def _columns(feature: Feature, read: Read) -> NDArray[np.float64]:
    if isinstance(feature, ChoiceFeature):
        own: NDArray[np.float64] = (read.levels[:, None] == np.arange(feature.levels)).astype(np.float64)
        return own
    share: NDArray[np.float64] = (read.levels / (feature.levels - 1))[:, None]
    return share
