"""What is found without a question: by the graph for nothing, by the paper's vectors, by both, and without privacy."""

import hashlib
from typing import Final

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._typing import Floats
from privge.campaign import Campaign
from privge.datasets import platform_network
from privge.embedding import embed
from privge.experiments.beyond.situation import Situation
from privge.experiments.plan import task_plan
from privge.tasks.settings import Settings

_MADE_UP: Final = "synthetic"
"""Made-up networks have the parameters of the made-up dataset of the paper's experiments."""


def structure(situation: Situation, _epsilon: float) -> NDArray[np.int64]:
    """Find classes by the structural channel."""
    return _likeliest(situation.prior.probabilities)


def paper(situation: Situation, epsilon: float) -> NDArray[np.int64]:
    """Find classes by the paper's pipeline, from private reports alone."""
    return _likeliest(_evidence(situation, epsilon, shuffled=False))


def fused(situation: Situation, epsilon: float) -> NDArray[np.int64]:
    """Find classes by structure and the paper's vectors together."""
    return _likeliest(situation.fused(_evidence(situation, epsilon, shuffled=False)))


def fused_shuffled(situation: Situation, epsilon: float) -> NDArray[np.int64]:
    """Find classes as `fused` does, where everybody reports the features of somebody else."""
    return _likeliest(situation.fused(_evidence(situation, epsilon, shuffled=True)))


def no_privacy(situation: Situation, _epsilon: float) -> NDArray[np.int64]:
    """Find classes by structure and a logistic regression on everybody's true profile."""
    coordinates = situation.world.encoding.coordinates(situation.world.features)
    return _likeliest(situation.fused(_head(situation, coordinates.astype(np.float64))))


def _evidence(situation: Situation, epsilon: float, *, shuffled: bool) -> Floats:
    """Return log-probabilities by the paper's vectors, of each person's own or of shuffled features."""
    numbers, settings, data = _numbers(situation), _settings(situation), situation.world.dataset
    campaign = Campaign(
        dimensions=numbers.shape[1],
        low=0 if data is None else data.low,
        high=1 if data is None else data.high,
        mechanism="hds",
        epsilon=epsilon,
        k=settings.k,
        purpose=f"simulation on {situation.world.name}, seed {situation.seed}",
    )
    graph = situation.world.graph
    order = np.random.default_rng([situation.seed, 13]).permutation(graph.nodes)
    features = numbers[order] if shuffled else numbers
    reports = campaign.simulate(features, ids=graph.ids.tolist(), seed=seed_of("paper", situation, epsilon))
    vectors = embed(graph, reports, alpha=settings.alpha, r=settings.r, tolerance=1e-3)
    return _head(situation, vectors.matrix)


def _numbers(situation: Situation) -> NDArray[np.float64] | scipy.sparse.csr_array:
    """Return the features as the paper takes them: numbers between public bounds."""
    name, features = situation.world.name, situation.world.features
    if situation.world.dataset is not None:
        return situation.world.dataset.features
    if not name.startswith("platform"):
        return features
    return platform_network(classes=2, seed=situation.seed).numbers()  # which do not depend on the classes


def _settings(situation: Situation) -> Settings:
    if situation.settings is not None:
        return situation.settings
    settings = task_plan("nodes").datasets
    return settings.get(situation.world.name, settings[_MADE_UP])


def _head(situation: Situation, matrix: NDArray[np.floating] | scipy.sparse.csr_array) -> Floats:
    """Return log-probabilities of a logistic regression that has learnt from the training labels."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MaxAbsScaler, StandardScaler

    scaler = StandardScaler() if isinstance(matrix, np.ndarray) else MaxAbsScaler()  # which keeps what is sparse
    head = make_pipeline(scaler, LogisticRegression(max_iter=2000))
    head.fit(matrix[situation.train], situation.known[situation.train])
    logarithms: Floats = np.maximum(head.predict_log_proba(matrix), np.log(1e-5))
    return logarithms


def _likeliest(scores: Floats) -> NDArray[np.int64]:
    best: NDArray[np.int64] = scores.argmax(axis=1)
    return best


def seed_of(what: str, situation: Situation, epsilon: float) -> int:
    """Return a seed of its own for each kind of noise, dataset, seed and budget."""
    name = f"{what} {situation.world.name} {situation.seed} {epsilon:g}"
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")
