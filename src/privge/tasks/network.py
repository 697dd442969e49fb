"""A multi-layer perceptron and its training. The only module that imports torch; import it inside functions."""

import copy
import itertools
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from privge._imports import needed
from privge.tasks.scaling import ScaledRows

with needed("a head"):
    import torch


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """How a network is trained.

    Parameters
    ----------
    learning_rate, weight_decay
        Of Adam.
    epochs
        At most so many.
    patience
        Stop when the validation score has not risen for so many epochs.
    seed
        Initial weights and dropout; no global random state is read or changed.
    threads
        Of torch on the processor; None leaves torch's setting. The setting is restored afterwards.
    device
        Where the network lives, as torch names it.
    earliest
        The first epoch that may be the answer: 0 if the network before training may.
    """

    learning_rate: float
    weight_decay: float
    epochs: int
    patience: int
    seed: int
    threads: int | None
    device: str
    earliest: int = 0

    def __post_init__(self) -> None:
        for name in ("epochs", "patience"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)!r}")
        if not (math.isfinite(self.learning_rate) and self.learning_rate > 0):
            raise ValueError(f"learning_rate must be a finite number above 0, got {self.learning_rate!r}")
        if not (math.isfinite(self.weight_decay) and self.weight_decay >= 0):
            raise ValueError(f"weight_decay must be a finite number of at least 0, got {self.weight_decay!r}")

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Seed torch and set its threads; put both back at the end."""
        with threads(self.threads), torch.random.fork_rng(devices=_cuda(self.device)):
            torch.manual_seed(self.seed)
            yield

    def run(
        self,
        network: torch.nn.Module,
        losses: Callable[[], Iterator[torch.Tensor]],
        validate: Callable[[], float],
    ) -> list[float]:
        """Train, and leave the network with the weights of the best epoch.

        Parameters
        ----------
        network
            Changed in place.
        losses
            One pass over the training data: the loss of each batch.
        validate
            The score on validation data; the higher, the better.

        Returns
        -------
        list[float]
            The validation score before training and after each epoch.
        """
        adam = torch.optim.Adam(network.parameters(), lr=self.learning_rate, weight_decay=self.weight_decay, fused=True)
        scores = [_evaluate(network, validate)]
        best = copy.deepcopy(network.state_dict())
        while len(scores) <= self.epochs and len(scores) - 1 - self.best(scores) < self.patience:
            network.train()
            for loss in losses():
                adam.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                adam.step()
            scores.append(_evaluate(network, validate))
            if self.best(scores) == len(scores) - 1:
                best = copy.deepcopy(network.state_dict())
        network.load_state_dict(best)
        return scores

    def best(self, scores: list[float]) -> int:
        """Return the epoch with the highest score, the first of equals, among those that may be the answer."""
        allowed = scores[self.earliest :]
        return self.earliest + int(np.argmax(allowed)) if allowed else 0


class Perceptron(torch.nn.Module):
    """Linear layers with rectifiers and dropout between them; one layer is plain (logistic) regression.

    Dropout is on hidden units only: on thousands of inputs it would cost more than the layer itself.

    Parameters
    ----------
    inputs, outputs
        Width of the first and of the last layer.
    hidden
        Width of the layers between.
    layers
        Number of linear layers.
    dropout
        Share of hidden units left out in each training step.
    """

    def __init__(self, *, inputs: int, outputs: int, hidden: int, layers: int, dropout: float) -> None:
        super().__init__()
        if layers < 1 or hidden < 1:
            raise ValueError(f"layers and hidden must be at least 1, got {layers} and {hidden}")
        if not 0 <= dropout < 1:
            raise ValueError(f"dropout must be in [0, 1), got {dropout!r}")
        widths = [inputs, *[hidden] * (layers - 1), outputs]
        self.linear = torch.nn.ModuleList(
            torch.nn.Linear(before, after) for before, after in itertools.pairwise(widths)
        )
        self.dropout = torch.nn.Dropout(dropout)

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        """Return the outputs before any softmax."""
        for layer in self.linear[:-1]:
            values = self.dropout(torch.relu(layer(values)))
        result: torch.Tensor = self.linear[-1](values)
        return result


class PairScorer(torch.nn.Module):
    """A weighted inner product of two vectors, given their Hadamard product; with a perceptron on top if asked.

    Parameters
    ----------
    weights
        Where training starts from.
    gain
        One number that all weights are multiplied by, so that a step of training is relative to the start.
    perceptron
        Added to the inner product; it starts as zero.
    """

    gain: torch.Tensor

    def __init__(self, weights: ScaledRows, gain: float, perceptron: Perceptron | None) -> None:
        super().__init__()
        self.weights = torch.nn.Parameter(torch.from_numpy(weights))
        self.register_buffer("gain", torch.tensor(gain, dtype=torch.float32))
        self.perceptron = perceptron
        if perceptron is not None:
            torch.nn.init.zeros_(list(perceptron.parameters())[-2])  # the weights of the last layer

    def forward(self, products: torch.Tensor) -> torch.Tensor:
        """Return one score for each row."""
        scores: torch.Tensor = self.gain * (products @ self.weights).unsqueeze(1)
        return scores if self.perceptron is None else scores + self.perceptron(products)


@contextmanager
def threads(count: int | None) -> Iterator[None]:
    """Let torch use so many threads for a while."""
    before = torch.get_num_threads()
    torch.set_num_threads(count or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def inference(count: int | None) -> Iterator[None]:
    """Compute outputs alone, on so many threads."""
    with threads(count), torch.no_grad():
        yield


def tensor(block: ScaledRows, device: str) -> torch.Tensor:
    """Hand a block to torch, without a copy on the processor."""
    return torch.from_numpy(block).to(device)


def _evaluate(network: torch.nn.Module, validate: Callable[[], float]) -> float:
    network.eval()
    with torch.no_grad():
        return validate()


def _cuda(device: str) -> list[int]:
    if torch.device(device).type != "cuda":
        return []
    return [torch.device(device).index or 0]
