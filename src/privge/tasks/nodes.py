"""`NodeClassifier`: the paper's head for nodes, a multi-layer perceptron with softmax."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from privge.propagation import Matrix
from privge.tasks.head import Head
from privge.tasks.metrics import accuracy
from privge.tasks.scaling import Block, Scaling, check_matrix, rows_at_once
from privge.tasks.splits import Rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    import torch

_VALIDATION = 0.2  # share kept for early stopping if no validation rows are given


@dataclass(kw_only=True, eq=False, repr=False)
class NodeClassifier(Head):
    """Predict the class of a node from its vector.

    A perceptron with dropout on its hidden units and a softmax, trained on minibatches of the training rows. Its
    parameters are those of `Head`. Validation labels choose among epochs, by the mean loss, and never enter a
    gradient; other labels are never read.
    """

    hidden: int = 128
    layers: int = 2
    dropout: float = 0.5
    learning_rate: float = 0.003
    weight_decay: float = 5e-3
    batch: int = 1024
    epochs: int = 100
    patience: int = 5

    kind: ClassVar[str] = "classifier"

    classes_: NDArray[np.integer] = field(init=False)

    def fit(
        self,
        matrix: Matrix,
        labels: NDArray[np.integer],
        *,
        train: Rows | None = None,
        validation: Rows | None = None,
    ) -> Self:
        """Train on some rows; the scale is taken from all of them, without labels.

        Parameters
        ----------
        matrix
            One row for each node.
        labels
            One for each row; those outside ``train`` and ``validation`` are ignored.
        train, validation
            Rows to learn from and to stop by. By default all labelled (not negative) rows, a fifth of them drawn
            for validation.
        """
        training = self._training()
        labels = np.asarray(labels)
        train, validation = self._rows(matrix, labels, train, validation)
        self.scaling_ = Scaling.fit(matrix, self.scaling)
        self.classes_, targets = np.unique(labels[train], return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("the training rows must be of at least two classes")
        generator = np.random.default_rng([self.seed, 2])
        seen, unseen = (self.scaling_.rows(matrix, rows) for rows in (train, validation))
        self._train(
            training,
            lambda: self._perceptron(len(self.classes_)),
            lambda: self._losses(seen, targets, generator),
            lambda: self._validation_score(unseen, labels[validation]),
        )
        return self

    def predict(self, matrix: Matrix) -> NDArray[np.integer]:
        """Return the most likely class of each row."""
        best = self.predict_proba(matrix).argmax(axis=1)
        predicted: NDArray[np.integer] = self.classes_[best]
        return predicted

    def predict_proba(self, matrix: Matrix) -> NDArray[np.float64]:
        """Return the probability of each class of ``classes_``, for each row."""
        self._check_fitted()
        from privge.tasks.network import inference

        check_matrix(matrix, self.scaling_.width)
        parts = [np.empty((0, len(self.classes_)))]
        with inference(self.threads):
            for start in range(0, len(matrix), step := rows_at_once(matrix)):
                rows = np.arange(start, min(start + step, len(matrix)))
                parts.append(self._log_probabilities(self.scaling_.rows(matrix, rows)))
        probabilities = np.exp(np.concatenate(parts))
        normalised: NDArray[np.float64] = probabilities / probabilities.sum(axis=1, keepdims=True)
        return normalised

    def score(self, matrix: Matrix, labels: NDArray[np.integer]) -> float:
        """Return the accuracy on these rows."""
        return accuracy(labels, self.predict(matrix))

    def _rows(
        self, matrix: Matrix, labels: NDArray[np.integer], train: Rows | None, validation: Rows | None
    ) -> tuple[Rows, Rows]:
        check_matrix(matrix)
        if len(labels) != len(matrix):
            raise ValueError(f"{len(labels)} labels for {len(matrix)} rows")
        if train is None:
            labelled = np.setdiff1d(np.flatnonzero(labels >= 0), [] if validation is None else validation)
            train = np.random.default_rng([self.seed, 3]).permutation(labelled)
            if validation is None:
                train, validation = np.split(train, [len(train) - int(_VALIDATION * len(train))])
        if validation is None:
            raise ValueError("validation rows must be given together with training rows")
        if len(train) == 0 or len(validation) == 0:
            raise ValueError(f"rows are needed, got {len(train)} for training and {len(validation)} for validation")
        if len(np.intersect1d(train, validation)):
            raise ValueError("training and validation rows must be disjoint")
        return train, validation

    def _losses(
        self, values: Block, targets: NDArray[np.int64], generator: np.random.Generator
    ) -> "Iterator[torch.Tensor]":
        import torch

        from privge.tasks.network import tensor

        order = generator.permutation(len(values))
        for part in np.array_split(order, -(-len(order) // self.batch)):
            outputs = self.network_(tensor(values[part], self.device))
            yield torch.nn.functional.cross_entropy(outputs, torch.from_numpy(targets[part]).to(self.device))

    def _validation_score(self, values: Block, labels: NDArray[np.integer]) -> float:
        """Return minus the mean loss; a label that training never saw tells nothing."""
        places = np.minimum(np.searchsorted(self.classes_, labels), len(self.classes_) - 1)
        known = np.flatnonzero(self.classes_[places] == labels)
        logs = self._log_probabilities(values)
        return float(logs[known, places[known]].mean()) if len(known) else 0.0

    def _log_probabilities(self, values: Block) -> NDArray[np.float64]:
        import torch

        from privge.tasks.network import tensor

        logs: Block = torch.log_softmax(self.network_(tensor(values, self.device)), dim=1).cpu().numpy()
        return logs.astype(np.float64)
