"""What both heads are: parameters, a network and its training, and scikit-learn's shape."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, ClassVar

from privge._imports import needed
from privge.embedding.parameters import NamedParameters
from privge.tasks.scaling import Rule, Scaling

if TYPE_CHECKING:
    import torch
    from sklearn.utils import Tags

    from privge.tasks.network import Perceptron, Training


@dataclass(kw_only=True, eq=False, repr=False)
class Head(NamedParameters):
    """A perceptron on scaled vectors, trained by Adam on minibatches and stopped early by validation data.

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
        Rows, or positive pairs, in a minibatch; of pairs it has as many negatives.
    epochs
        At most so many.
    patience
        Stop after so many epochs without a better validation score.
    scaling
        See `privge.tasks.scaling`; ``none`` is the paper's.
    seed
        The same seed, on the same number of threads, gives the same head.
    threads
        Of torch; None leaves its setting.
    device
        ``cpu``, ``cuda``, ``cuda:1``, ...
    """

    hidden: int
    layers: int
    dropout: float
    learning_rate: float
    weight_decay: float
    batch: int
    epochs: int
    patience: int
    scaling: Rule = "rows"
    seed: int = 0
    threads: int | None = None
    device: str = "cpu"

    kind: ClassVar[str | None] = None
    """What scikit-learn calls it."""

    earliest: ClassVar[int] = 0
    """The first epoch that validation may choose; 0 is the network before training."""

    counts: ClassVar[tuple[str, ...]] = ("batch",)
    """Parameters of this head that must be at least 1, beside those of the training."""

    scaling_: Scaling = field(init=False)  # what ends in an underscore is set by fit
    network_: "torch.nn.Module" = field(init=False)
    validation_scores_: list[float] = field(init=False)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "network_")

    def __sklearn_tags__(self) -> "Tags":
        with needed("scikit-learn's tags of a head"):
            from sklearn.utils import ClassifierTags, Tags, TargetTags

        return Tags(
            estimator_type=self.kind,
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags() if self.kind == "classifier" else None,
        )

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise ValueError(f"this {type(self).__name__} is not fitted yet: call fit first")

    def _training(self) -> "Training":
        """Return the training that the parameters ask for, or say which of them is wrong."""
        from privge.tasks.network import Training

        for name in self.counts:
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)!r}")
        return Training(**{one.name: getattr(self, one.name) for one in fields(Training)})

    def _train(
        self,
        training: "Training",
        network: "Callable[[], torch.nn.Module]",
        losses: "Callable[[], Iterator[torch.Tensor]]",
        validate: Callable[[], float],
    ) -> None:
        """Make the network and train it; both draw from the seed. See `Training.run`."""
        with training.scope():
            self.network_ = network().to(self.device)
            self.validation_scores_ = training.run(self.network_, losses, validate)

    def _perceptron(self, outputs: int) -> "Perceptron":
        from privge.tasks.network import Perceptron

        return Perceptron(
            inputs=self.scaling_.outputs,
            outputs=outputs,
            hidden=self.hidden,
            layers=self.layers,
            dropout=self.dropout,
        )
