"""`NodeClassifier`: the paper's head for nodes, a multi-layer perceptron with softmax."""

from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from privge.propagation import Matrix
from privge.tasks.estimator import Estimator
from privge.tasks.metrics import accuracy
from privge.tasks.scaling import Block, Rule, Scaling, check_matrix, rows_at_once
from privge.tasks.splits import Rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    import torch

    from privge.tasks.network import Training

_VALIDATION = 0.2  # share kept for early stopping if no validation rows are given


class NodeClassifier(Estimator):
    """Predict the class of a node from its vector.

    A perceptron with dropout on its hidden units, trained by Adam on minibatches of the training rows. It stops
    early: validation labels choose among epochs and never enter a gradient; other labels are never read.

    Parameters
    ----------
    hidden
        Width of hidden layers.
    layers
        Number of linear layers; 1 is logistic regression.
    dropout
        Share of hidden units dropped.
    learning_rate
        Of Adam.
    weight_decay
        Of Adam.
    batch
        Rows in a minibatch.
    epochs
        At most so many.
    patience
        Stop after so many epochs without a better validation loss.
    scaling
        See `privge.tasks.scaling`; ``none`` is the paper's.
    seed
        The same seed, on the same number of threads, gives the same classifier.
    threads
        Of torch; None leaves its setting.
    device
        ``cpu``, ``cuda``, ``cuda:1``, ...
    """

    kind: ClassVar[str] = "classifier"

    def __init__(
        self,
        *,
        hidden: int = 128,
        layers: int = 2,
        dropout: float = 0.5,
        learning_rate: float = 0.003,
        weight_decay: float = 5e-3,
        batch: int = 1024,
        epochs: int = 100,
        patience: int = 5,
        scaling: Rule = "rows",
        seed: int = 0,
        threads: int | None = None,
        device: str = "cpu",
    ) -> None:
        self.hidden = hidden
        self.layers = layers
        self.dropout = dropout
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.batch = batch
        self.epochs = epochs
        self.patience = patience
        self.scaling = scaling
        self.seed = seed
        self.threads = threads
        self.device = device

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
        from privge.tasks.network import Perceptron

        training = self._training()
        labels = np.asarray(labels)
        train, validation = self._rows(matrix, labels, train, validation)
        self.scaling_ = Scaling.fit(matrix, self.scaling)
        self.classes_, targets = np.unique(labels[train], return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("the training rows must be of at least two classes")
        with training.scope():
            self.network_: Perceptron = Perceptron(
                inputs=self.scaling_.outputs,
                outputs=len(self.classes_),
                hidden=self.hidden,
                layers=self.layers,
                dropout=self.dropout,
            ).to(self.device)
            generator = np.random.default_rng([self.seed, 2])
            seen, unseen = (self.scaling_.rows(matrix, rows) for rows in (train, validation))
            self.validation_scores_ = training.run(
                self.network_,
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
        import torch

        from privge.tasks.network import threads

        check_matrix(matrix, self.scaling_.width)
        parts = [np.empty((0, len(self.classes_)))]
        with threads(self.threads), torch.no_grad():
            for start in range(0, len(matrix), step := rows_at_once(matrix)):
                rows = np.arange(start, min(start + step, len(matrix)))
                parts.append(self._log_probabilities(self.scaling_.rows(matrix, rows)))
        probabilities = np.exp(np.concatenate(parts))
        normalised: NDArray[np.float64] = probabilities / probabilities.sum(axis=1, keepdims=True)
        return normalised

    def score(self, matrix: Matrix, labels: NDArray[np.integer]) -> float:
        """Return the accuracy on these rows."""
        return accuracy(labels, self.predict(matrix))

    def _training(self) -> "Training":
        from privge.tasks.network import Training

        if self.batch < 1:
            raise ValueError(f"batch must be at least 1, got {self.batch!r}")
        return Training(
            learning_rate=self.learning_rate,
            weight_decay=self.weight_decay,
            epochs=self.epochs,
            patience=self.patience,
            seed=self.seed,
            threads=self.threads,
            device=self.device,
        )

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
