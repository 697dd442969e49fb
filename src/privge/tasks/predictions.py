"""What a head for nodes answers: by row of a matrix, or by id of an embedding."""

from collections.abc import Iterable
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from privge.embedding.embedding import Embedding
from privge.graph.labels import Classes, LabelsById, LabelsByRow
from privge.propagation import Matrix
from privge.tasks.by_id import Node, chosen, labels_in, matrix_of
from privge.tasks.metrics import accuracy


class NodePredictions:
    """Predictions in scikit-learn's form; whoever extends it has ``classes_`` and says how likely each of them is."""

    classes_: Classes

    @overload
    def predict(self, vectors: Embedding, ids: Iterable[object] | None = None) -> dict[Node, Any]: ...
    @overload
    def predict(self, vectors: Matrix) -> Classes: ...
    def predict(self, vectors: Matrix | Embedding, ids: Iterable[object] | None = None) -> Classes | dict[Node, Any]:
        """Return the most likely class of each row of a matrix; of an embedding the class of each node, by id.

        Parameters
        ----------
        vectors
            An embedding, or a matrix of the same columns as the one fitted.
        ids
            Nodes of the embedding to answer for, in this order; by default all.
        """
        asked, matrix = chosen(vectors, ids)
        predicted = self._predicted(matrix)
        return predicted if asked is None else dict(zip(asked, predicted.tolist(), strict=True))

    @overload
    def predict_proba(
        self, vectors: Embedding, ids: Iterable[object] | None = None
    ) -> dict[Node, NDArray[np.float64]]: ...
    @overload
    def predict_proba(self, vectors: Matrix) -> NDArray[np.float64]: ...
    def predict_proba(
        self, vectors: Matrix | Embedding, ids: Iterable[object] | None = None
    ) -> NDArray[np.float64] | dict[Node, NDArray[np.float64]]:
        """Return the probability of each class of ``classes_``; parameters as for `predict`."""
        asked, matrix = chosen(vectors, ids)
        probabilities = self._probabilities(matrix)
        return probabilities if asked is None else dict(zip(asked, probabilities, strict=True))

    def score(self, vectors: Matrix | Embedding, labels: LabelsByRow | LabelsById) -> float:
        """Return the accuracy on the nodes that are labelled, of an embedding, or on all rows of a matrix."""
        if not isinstance(vectors, Embedding):
            return accuracy(np.asarray(labels), self.predict(vectors))
        found = labels_in(vectors, labels)
        return accuracy(found.classes[found.places[found.known]], self._predicted(matrix_of(vectors)[found.known]))

    def _predicted(self, matrix: Matrix) -> Classes:
        best = self._probabilities(matrix).argmax(axis=1)
        predicted: Classes = self.classes_[best]
        return predicted

    def _probabilities(self, matrix: Matrix) -> NDArray[np.float64]:
        """Return the probability of each class for each row."""
        raise NotImplementedError
