"""`NodeClassifier`: the paper's head for nodes, a multi-layer perceptron with softmax."""

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from privge.embedding.embedding import Embedding
from privge.graph.labelled import Rows
from privge.graph.labels import Classes, Labels, LabelsById, LabelsByRow
from privge.propagation import Matrix
from privge.tasks.by_id import labels_in, matrix_of, rows_in
from privge.tasks.head import Head
from privge.tasks.predictions import NodePredictions
from privge.tasks.private_labels import LabelNoise
from privge.tasks.scaling import RowsToScale, ScaledRows, Scaling, check_matrix, rows_at_once

if TYPE_CHECKING:
    import torch

logger = logging.getLogger(__name__)
_VALIDATION = 0.2  # share kept for early stopping if no validation rows are given


@dataclass(kw_only=True, eq=False, repr=False)
class NodeClassifier(NodePredictions, Head):
    """Predict the class of a node from its vector.

    A perceptron with dropout on its hidden units and a softmax, trained on minibatches of the training rows. Its
    parameters are those of `Head`. Validation labels choose among epochs, by the mean loss, and never enter a
    gradient; other labels are never read. The network before training is never the answer: where no epoch is better
    than the shares of the classes, ``learnt_`` is False and a remark says so.
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
    earliest: ClassVar[int] = 1

    classes_: Classes = field(init=False)
    noise_: LabelNoise | None = field(init=False)
    learnt_: bool = field(init=False)

    def fit(
        self,
        vectors: Matrix | Embedding,
        labels: LabelsByRow | LabelsById,
        *,
        train: Iterable[object] | None = None,
        validation: Iterable[object] | None = None,
        noise: LabelNoise | None = None,
    ) -> Self:
        """Train on some nodes; the scale is taken from all of them, without labels.

        Parameters
        ----------
        vectors
            An embedding, or a matrix with one row for each node.
        labels
            Of an embedding by id: a mapping, a Series, or a pair of ids and classes. Of a matrix one for each row.
            Classes are whole numbers or text; a negative number, None and NaN say that the class is unknown. Labels
            outside ``train`` and ``validation`` are ignored.
        train, validation
            Nodes to learn from and to stop by: ids of an embedding, rows of a matrix. By default all labelled nodes, a
            fifth of them drawn for validation.
        noise
            What is known of labels that were given under randomised response: training and stopping then use the
            forward-corrected loss, and predictions are of the true class. Without it labels are taken as they are.
        """
        training = self._training()
        matrix = matrix_of(vectors)
        check_matrix(matrix)
        found = labels_in(vectors, labels)
        learnt, stopping = self._parts(found, *(rows_in(vectors, nodes) for nodes in (train, validation)))
        self.scaling_ = Scaling.fit(matrix, self.scaling)
        self.noise_ = noise
        if noise is None:
            places, targets = np.unique(found.places[learnt], return_inverse=True)
            self.classes_ = found.classes[places]
            expected = _columns(places, found.places[stopping])
        else:
            columns, self.classes_ = noise.places(found), np.array(noise.classes)
            targets, expected = columns[learnt], columns[stopping]
        if len(self.classes_) < 2:
            raise ValueError("the training rows must be of at least two classes")
        generator = np.random.default_rng([self.seed, 2])
        seen, unseen = (RowsToScale.of(self.scaling_, matrix, rows) for rows in (learnt, stopping))
        self._train(
            training,
            lambda: self._perceptron(len(self.classes_)),
            lambda: self._losses(seen, targets, generator),
            lambda: self._validation_score(unseen, expected),
        )
        self.learnt_ = max(self.validation_scores_[self.earliest :]) > _by_shares(targets, expected)
        if not self.learnt_:
            self._remark()
        return self

    def _remark(self) -> None:
        logger.warning("the head learnt nothing: for validation nodes it is no better than the shares of classes")

    def _probabilities(self, matrix: Matrix) -> NDArray[np.float64]:
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

    def _parts(self, labels: Labels, train: Rows | None, validation: Rows | None) -> tuple[Rows, Rows]:
        """Return the rows to learn from and those to stop by, or say what is wrong with them."""
        if train is None:
            labelled = np.setdiff1d(labels.known, [] if validation is None else validation)
            train = np.random.default_rng([self.seed, 3]).permutation(labelled)
            if validation is None:
                train, validation = np.split(train, [len(train) - int(_VALIDATION * len(train))])
        if validation is None:
            raise ValueError("validation rows must be given together with training rows")
        if len(train) == 0 or len(validation) == 0:
            raise ValueError(
                f"rows are needed, got {len(train)} for training and {len(validation)} for validation; by default a "
                f"fifth of the labelled nodes is for validation, so label at least {round(1 / _VALIDATION)}"
            )
        if len(np.intersect1d(train, validation)):
            raise ValueError("training and validation rows must be disjoint")
        unlabelled = int((labels.places[train] < 0).sum())
        if unlabelled:
            raise ValueError(f"{unlabelled} of {len(train)} training rows have no label")
        return train, validation

    def _losses(
        self, values: RowsToScale, targets: NDArray[np.int64], generator: np.random.Generator
    ) -> "Iterator[torch.Tensor]":
        import torch

        from privge.tasks.network import tensor

        order = generator.permutation(len(values))
        for part in np.array_split(order, -(-len(order) // self.batch)):
            outputs = self.network_(tensor(values[part], self.device))
            expected = torch.from_numpy(targets[part]).to(self.device)
            if self.noise_ is None:
                yield torch.nn.functional.cross_entropy(outputs, expected)
            else:
                own = torch.softmax(outputs, dim=1).gather(1, expected[:, None])[:, 0]
                yield -torch.log(self.noise_.other + (self.noise_.own - self.noise_.other) * own).mean()

    def _validation_score(self, values: RowsToScale, expected: NDArray[np.int64]) -> float:
        """Return minus the mean loss; a label that training never saw, -1, tells nothing."""
        known = np.flatnonzero(expected >= 0)
        logs = np.concatenate([self._log_probabilities(block) for block in values.blocks()])[known, expected[known]]
        if self.noise_ is not None:
            logs = np.log(self.noise_.other + (self.noise_.own - self.noise_.other) * np.exp(logs))
        return float(logs.mean()) if len(known) else 0.0

    def _log_probabilities(self, values: ScaledRows) -> NDArray[np.float64]:
        import torch

        from privge.tasks.network import tensor

        logs: ScaledRows = torch.log_softmax(self.network_(tensor(values, self.device)), dim=1).cpu().numpy()
        return logs.astype(np.float64)


def _by_shares(targets: NDArray[np.int64], expected: NDArray[np.int64]) -> float:
    """Return the validation score of whoever knows the shares of the classes among training nodes, and nothing else."""
    known = expected[expected >= 0]
    shares = np.bincount(targets, minlength=int(expected.max(initial=0)) + 1) / len(targets)
    return float(np.log(np.maximum(shares[known], 1e-12)).mean()) if len(known) else 0.0


def _columns(classes: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where each class stands among sorted ones, and -1 for one that is not there."""
    columns = np.minimum(np.searchsorted(classes, wanted), len(classes) - 1)
    return np.where(classes[columns] == wanted, columns, -1)
