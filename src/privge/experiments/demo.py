"""The demonstration: one made-up network, one campaign, the whole way, with the controls."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats, Progress
from privge.campaign import Campaign
from privge.datasets import SocialNetwork, social_network
from privge.embedding import embed
from privge.reports import Report, Reports
from privge.vectors import Embedding

_T = TypeVar("_T")

EPSILONS = (1.0, 3.0, 6.0)
MAIN_EPSILON = 3.0
K = 3
REPEATS = 5
ALPHA, R = 0.1, 0.5


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Share of people whose community a plain classifier finds, over repeats with fresh noise and splits."""

    name: str
    kind: str  # "control" or "private"
    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Mean over the repeats."""
        return float(np.mean(self.values))

    @property
    def deviation(self) -> float:
        """Standard deviation over the repeats."""
        return float(np.std(self.values, ddof=1))


@dataclass(frozen=True, eq=False)
class Demonstration:
    """Everything that the page shows."""

    network: SocialNetwork
    campaign: Campaign
    person: Report
    colours: dict[str, Embedding]
    accuracies: list[Accuracy]
    seconds: dict[str, float]

    @property
    def decoded(self) -> Floats:
        """What the person's codes decode to, on the scale of the features."""
        codes = np.array(self.person.codes, dtype=np.uint16)
        return (self.campaign.law.decode(codes) + 1) / 2


def run_demo(people: int = 3000, seed: int = 0, progress: Progress | None = None) -> Demonstration:
    """Build the network, collect device by device, embed, classify with controls. The noise has no seed."""
    seconds: dict[str, float] = {}
    network = _timed(seconds, "making the network", lambda: social_network(people, seed=seed))
    campaign = _campaign(network, "hds", MAIN_EPSILON)
    nodes = network.graph.ids.tolist()

    def collect() -> Reports:
        features = network.features
        return Reports.collect(campaign, [campaign.report(features[i], node=node) for i, node in enumerate(nodes)])

    reports = _timed(seconds, f"{people:,} devices, one report each", collect)
    private = _timed(seconds, "embedding", lambda: embed(network.graph, reports, alpha=ALPHA, r=R))
    colours = {
        "no privacy (control)": _embedding(network, _campaign(network, "none", None)),
        f"private, epsilon {MAIN_EPSILON:g}": private,
        "structure only (control)": _embedding(network, _campaign(network, "structure", None)),
    }
    start = time.perf_counter()
    accuracies = _accuracies(network, progress)
    seconds["classifying, with controls and repeats"] = time.perf_counter() - start
    return Demonstration(network, campaign, next(iter(reports)), colours, accuracies, seconds)


def _accuracies(network: SocialNetwork, progress: Progress | None) -> list[Accuracy]:
    cases: list[tuple[str, str, Campaign]] = [
        ("structure only", "control", _campaign(network, "structure", None)),
        *((f"epsilon {epsilon:g}", "private", _campaign(network, "hds", epsilon)) for epsilon in EPSILONS),
        ("no privacy", "control", _campaign(network, "none", None)),
    ]
    results = []
    for done, (name, kind, campaign) in enumerate(cases):
        values = tuple(_accuracy(network, _embedding(network, campaign), repeat) for repeat in range(REPEATS))
        results.append(Accuracy(name, kind, values))
        if progress is not None:
            progress(done + 1, len(cases))
    return results


def _accuracy(network: SocialNetwork, embedding: Embedding, split: int) -> float:
    """Train a logistic regression on half of the people, test it on the other half."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    train, test = train_test_split(
        np.arange(len(embedding)), test_size=0.5, random_state=split, stratify=network.labels
    )
    classifier = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
    classifier.fit(embedding.matrix[train], network.labels[train])
    return float(classifier.score(embedding.matrix[test], network.labels[test]))


def _embedding(network: SocialNetwork, campaign: Campaign) -> Embedding:
    reports = campaign.simulate(network.features, ids=network.graph.ids)  # type: ignore[arg-type]
    return embed(network.graph, reports, alpha=ALPHA, r=R)


def _campaign(network: SocialNetwork, mechanism: str, epsilon: float | None) -> Campaign:
    return Campaign(
        dimensions=network.features.shape[1],
        names=network.feature_names,
        low=0,
        high=1,
        mechanism=mechanism,
        epsilon=epsilon,
        k=None if mechanism == "none" else K,
        purpose="Which communities are there?",
    )


def _timed(seconds: dict[str, float], name: str, work: Callable[[], _T]) -> _T:
    start = time.perf_counter()
    result = work()
    seconds[name] = time.perf_counter() - start
    return result


def colour(embedding: Embedding) -> NDArray[np.float64]:
    """Return a colour for each node: the first three principal directions of its vector, as red, green, blue."""
    centred = embedding.matrix - embedding.matrix.mean(axis=0)
    centred /= np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-12)
    directions = np.linalg.svd(centred, full_matrices=False)[2][:3]
    ranks = np.argsort(np.argsort(centred @ directions.T, axis=0), axis=0) / max(1, len(embedding) - 1)
    return 0.1 + 0.8 * ranks
