"""From probabilities to classes: the likeliest one, one that also finds rare classes, or none where it is unsure."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privge._typing import Floats
from privge.graph.labelled import Rows
from privge.graph.labels import Classes
from privge.ids import Ids


@dataclass(frozen=True, eq=False)
class Decisions:
    """A class for each of some nodes, or none.

    Parameters
    ----------
    places
        The place of each class among the classes; -1 where the answer is left open.
    confidence
        The probability of the class that was, or would have been, answered.
    """

    places: Rows
    confidence: Floats

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Who has an answer."""
        return self.places >= 0

    @property
    def share(self) -> float:
        """The share of those who have one."""
        return float(self.answered.mean()) if len(self.places) else 0.0

    @property
    def expected_accuracy(self) -> float:
        """The share of right answers that the confidence promises; NaN without any answer."""
        return float(self.confidence[self.answered].mean()) if self.answered.any() else float("nan")


def decide(probabilities: Floats, shares: Floats, *, abstain: float = 0.0, balanced: bool = False) -> Decisions:
    """Return a class for each row.

    Parameters
    ----------
    probabilities
        Of each class (columns) for each node (rows).
    shares
        Of each class among the labelled nodes.
    abstain
        Leave the answer open where its probability is below this.
    balanced
        Answer the class that is likeliest compared with its share, so that rare classes are found: more of them, at the
        price of accuracy. Probabilities stay what they are.
    """
    if not 0 <= abstain <= 1:
        raise ValueError(f"abstain must be a probability, got {abstain!r}")
    places = (probabilities / shares if balanced else probabilities).argmax(axis=1)
    confidence = probabilities[np.arange(len(places)), places]
    return Decisions(np.where(confidence >= abstain, places, -1), confidence)


def as_table(ids: Ids, classes: Classes, probabilities: Floats, decided: Decisions) -> pa.Table:
    """Return a row for each node: ``id``, ``class`` (null where it is open), ``confidence``, and ``p(...)`` a class."""
    kind = pa.int64() if classes.dtype.kind in "iu" else pa.string()
    named = pa.array([None if place < 0 else classes[place] for place in decided.places.tolist()], type=kind)
    columns = {f"p({name})": probabilities[:, place] for place, name in enumerate(classes.tolist())}
    return pa.table({"id": ids.tolist(), "class": named, "confidence": decided.confidence, **columns})
