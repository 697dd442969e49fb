"""`SteadyClassifier`: the default head for nodes. It chooses among several by labels that each of them did not see."""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np

from privge._typing import Floats, Progress
from privge.embedding.embedding import Embedding
from privge.embedding.parameters import NamedParameters
from privge.graph.labelled import Rows
from privge.graph.labels import Classes, LabelsById, LabelsByRow
from privge.propagation import Matrix
from privge.structure.calibration import at_temperature, best_temperature
from privge.structure.heads import log_loss
from privge.structure.steps import Steps, one_thread
from privge.tasks.by_id import matrix_of
from privge.tasks.classification.candidates import CANDIDATES, Candidate, fitted
from privge.tasks.classification.columns import columns_of
from privge.tasks.classification.fused import Fused, held_out_probabilities
from privge.tasks.classification.inputs import Inputs
from privge.tasks.classification.known import Known
from privge.tasks.classification.layers import Layers, on_some_columns
from privge.tasks.classification.vector_model import VectorModel, judged_at_levels
from privge.tasks.predictions import NodePredictions
from privge.tasks.scaling import ScaledRows, check_matrix

logger = logging.getLogger(__name__)


@dataclass(kw_only=True, eq=False, repr=False)
class SteadyClassifier(NodePredictions, NamedParameters):
    """Predict the class of a node from its vector, by whichever of several heads the labels support.

    Logistic regressions of several strengths and perceptrons of two learning rates are each fitted several times,
    every time without one part of the labelled nodes. What they say of the part that they did not see chooses one of
    each kind, and how much each kind counts beside the shares of the classes; if none is better than these, the answer
    is the largest class, ``learnt_`` is False and a remark says so. Predictions are means over the parts, so that they
    hardly depend on the seed.

    Parameters
    ----------
    candidates
        What is chosen among; by default `privge.tasks.classification.candidates.CANDIDATES`.
    folds
        Number of parts.
    seed
        The same seed gives the same head.
    """

    candidates: tuple[Candidate, ...] = CANDIDATES
    folds: int = 5
    seed: int = 0

    kind: ClassVar[str] = "classifier"

    classes_: Classes = field(init=False)
    model_: VectorModel = field(init=False)  # what ends in an underscore is set by fit
    chosen_: dict[str, Candidate] = field(init=False)
    known_: Known = field(init=False)
    held_out_: dict[str, Floats] = field(init=False)
    held_out_probabilities_: Floats = field(init=False)

    def fit(
        self,
        vectors: Matrix | Embedding,
        labels: LabelsByRow | LabelsById,
        *,
        train: Iterable[object] | None = None,
        remark: bool = True,
        progress: Progress | None = None,
    ) -> Self:
        """Learn from labelled nodes; the scale is taken from all nodes, without labels.

        Parameters
        ----------
        vectors, labels
            As for `privge.tasks.NodeClassifier`.
        train
            Nodes whose labels may be read: ids of an embedding, rows of a matrix. By default all that have one. No
            separate validation nodes are needed.
        remark
            Whether to log it if nothing was learnt.
        progress
            Called with the fits done and the fits in all.
        """
        matrix = matrix_of(vectors)
        check_matrix(matrix)
        known = Known.of(vectors, labels, train, self.folds, self.seed)
        inputs = Inputs.fit(matrix, tuple(dict.fromkeys(each.scaling for each in self.candidates)))
        made = inputs.rows(matrix, known.rows)
        steps = Steps(len(self.candidates) * known.parts, progress)
        with one_thread():
            tried = {
                each: self._tried(each, made[:, inputs.columns(each.scaling)], known, steps.step)
                for each in self.candidates
            }
        best = _best(tried)
        self.known_, self.chosen_, self.classes_ = known, best, known.classes
        self.held_out_ = {name: tried[each].logs for name, each in best.items()}
        prior = np.tile(np.log(known.shares), (len(known.rows), 1))
        fused = Fused.fit(prior, self.held_out_, known.targets, seed=self.seed)
        held_out = held_out_probabilities(prior, self.held_out_, known.targets, known.folds, seed=self.seed)
        temperature = best_temperature(held_out, known.targets)
        self.held_out_probabilities_ = at_temperature(held_out, temperature)
        heads = {
            name: tuple(
                on_some_columns(head, inputs.columns(each.scaling), inputs.outputs) for head in tried[each].heads
            )
            for name, each in best.items()
        }
        columns = columns_of(vectors) if isinstance(vectors, Embedding) else None
        judged = judged_at_levels(self.held_out_probabilities_, known.targets)
        self.model_ = VectorModel(known.classes, known.shares, inputs, heads, fused, temperature, columns, judged)
        if remark and not self.learnt_:
            logger.warning("nothing was learnt from the vectors: the shares of the classes say as much")
        return self

    @property
    def learnt_(self) -> bool:
        """Whether any head says more than the shares of the classes, judged by labels that it did not see."""
        return any(self.fitted_.fused.weights[name] > 0 for name in self.chosen_)

    @property
    def fitted_(self) -> VectorModel:
        """What was learnt; it can be saved, and is enough to predict."""
        if not self.__sklearn_is_fitted__():
            raise ValueError(f"this {type(self).__name__} is not fitted yet: call fit first")
        return self.model_

    def _probabilities(self, matrix: Matrix) -> Floats:
        return self.fitted_.probabilities(matrix)

    def _tried(self, candidate: Candidate, inputs: ScaledRows, known: Known, step: Callable[[], None]) -> "_Tried":
        """Fit a candidate without each part in turn, and let it judge that part."""
        heads = []
        logs = np.empty((len(known.rows), len(known.classes)))
        for fold in range(known.parts):
            mine = known.folds == fold
            head = fitted(candidate, inputs[~mine], known.targets[~mine], len(known.classes), self.seed + fold)
            logs[mine] = head.log_probabilities(inputs[mine])
            heads.append(head)
            step()
        return _Tried(tuple(heads), logs, _worth(logs, known.targets))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")


@dataclass(frozen=True, eq=False, slots=True)
class _Tried:
    """A candidate that was fitted without each part in turn: what it says of the parts, and how likely labels are."""

    heads: tuple[Layers, ...]
    logs: Floats
    score: float


def _worth(logs: Floats, targets: Rows) -> float:
    """Return how likely the labels are once the head is as sure as it is right, whatever it is by itself."""
    probabilities = np.exp(logs)
    return -log_loss(at_temperature(probabilities, best_temperature(probabilities, targets)), targets)


def _best(tried: Mapping[Candidate, _Tried]) -> dict[str, Candidate]:
    """Return the best candidate of each kind, by the likelihood of the labels that it did not see."""
    best: dict[str, Candidate] = {}
    for candidate, one in tried.items():
        if one.score > tried[best.setdefault(candidate.family, candidate)].score:
            best[candidate.family] = candidate
    return best
