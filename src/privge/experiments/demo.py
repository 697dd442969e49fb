"""The demonstration: one made-up network, one campaign, the whole way, with all three controls."""

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats, Progress
from privge.campaign import Campaign
from privge.datasets import SocialNetwork, social_network
from privge.embedding import embed
from privge.embedding.embedding import Embedding
from privge.experiments.spread import Lift, Spread, plain
from privge.propagation import Matrix
from privge.reports import Report, Reports
from privge.tasks import Rows, accuracy, label_mass, propagate_labels

_T = TypeVar("_T")

EPSILONS = (1.0, 3.0, 6.0)
MAIN_EPSILON = 3.0
K = 3
REPEATS = 5
ALPHA, R = 0.1, 0.5
"""Parameters of personalized PageRank, for the embeddings and for the control *graph alone*."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Percent of people whose community is found, over repeats with fresh noise and splits.

    Parameters
    ----------
    name
        What it is called, in the table and on the page.
    kind
        ``control`` or ``private``.
    explained
        What it is made from.
    values
        One for each repeat; the split of a repeat is the same for all.
    """

    name: str
    kind: str
    explained: str
    values: tuple[float, ...]

    @property
    def spread(self) -> Spread:
        """Mean and standard deviation over the repeats."""
        return Spread.of(self.values)

    def over(self, other: "Accuracy") -> Lift:
        """Return by how much this is better than another in the same repeats."""
        return Lift.of(mine - theirs for mine, theirs in zip(self.values, other.values, strict=True))


@dataclass(frozen=True, slots=True)
class Accuracies:
    """What is reached with private reports, beside all three controls."""

    structure_only: Accuracy
    graph_alone: Accuracy
    private: tuple[Accuracy, ...]
    no_privacy: Accuracy

    def __iter__(self) -> Iterator[Accuracy]:
        yield from (self.structure_only, self.graph_alone, *self.private, self.no_privacy)

    def conclusions(self) -> Iterator[str]:
        """Yield what follows for the budget that reaches most, in plain words; computed, not written in advance."""
        best = max(self.private, key=lambda accuracy: accuracy.spread.mean)
        over_structure, over_graph = best.over(self.structure_only), best.over(self.graph_alone)
        reports = f"At {best.name}, private reports minus"
        worth = over_structure.concluded(
            "they do say something about people",
            "they are worse than noise",
            "they cannot be told from noise",
        )
        yield f"{reports} noise in their place: {worth}."
        against = over_graph.concluded(
            "they beat the graph alone" if over_structure.low > 0 else "better, but so is noise in their place",
            "the graph alone is better",
            "they cannot be told from the graph alone",
        )
        yield f"{reports} the graph alone: {against}."
        if over_graph.high < 0:
            found = f"{self.graph_alone.spread.mean:.0f} % of the rest"
            yield f"Who knows these friendships and half of the communities finds {found} and need not ask anybody."


@dataclass(frozen=True, eq=False)
class Demonstration:
    """Everything that the page shows."""

    network: SocialNetwork
    campaign: Campaign
    person: Report
    vectors: dict[str, Matrix]
    certificate: float
    accuracies: Accuracies
    seconds: dict[str, float]

    @property
    def decoded(self) -> Floats:
        """What the person's codes decode to, on the scale of the features."""
        codes = np.array(self.person.codes, dtype=np.uint16)
        return (self.campaign.law.decode(codes) + 1) / 2

    def to_dict(self) -> dict[str, Any]:
        """Return the results for machines, in percent."""
        found = self.accuracies
        results = [
            {
                "name": one.name,
                "kind": one.kind,
                "mean": plain(one.spread.mean),
                "std": plain(one.spread.std),
                "values": [plain(value) for value in one.values],
            }
            | (_lifts(one, found) if one.kind == "private" else {})
            for one in found
        ]
        return {
            "people": self.network.graph.nodes,
            "friendships": self.network.graph.edges,
            "k": K,
            "repeats": REPEATS,
            "results": results,
            "conclusions": list(found.conclusions()),
        }


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
    none, structure = (_embedding(network, _campaign(network, name, None)) for name in ("none", "structure"))
    known, _ = _halves(network, 0)
    vectors = {
        "no privacy (control)": none.matrix,
        f"private, epsilon {MAIN_EPSILON:g}": private.matrix,
        "structure only (control)": structure.matrix,
        "graph alone (control)": label_mass(network.graph, network.labels, known, alpha=ALPHA, r=R)[1],
    }
    certificate = max(embedding.provenance.run.certificate for embedding in (private, none, structure))
    start = time.perf_counter()
    accuracies = _accuracies(network, progress)
    seconds["classifying, with controls and repeats"] = time.perf_counter() - start
    return Demonstration(network, campaign, next(iter(reports)), vectors, certificate, accuracies, seconds)


def _accuracies(network: SocialNetwork, progress: Progress | None) -> Accuracies:
    total, done = len(EPSILONS) + 3, 0

    def measured(name: str, kind: str, explained: str, accuracy: Callable[[int], float]) -> Accuracy:
        nonlocal done
        values = tuple(100 * accuracy(repeat) for repeat in range(REPEATS))
        done += 1
        if progress is not None:
            progress(done, total)
        return Accuracy(name, kind, explained, values)

    def learned(mechanism: str, epsilon: float | None = None) -> Callable[[int], float]:
        campaign = _campaign(network, mechanism, epsilon)
        return lambda repeat: _accuracy(network, _embedding(network, campaign), repeat)

    return Accuracies(
        measured("structure only", "control", "noise instead of reports", learned("structure")),
        measured(
            "graph alone",
            "control",
            "no reports: known communities, passed on along friendships",
            lambda repeat: _graph_alone(network, repeat),
        ),
        tuple(
            measured(f"epsilon {epsilon:g}", "private", f"reports about {K} interests", learned("hds", epsilon))
            for epsilon in EPSILONS
        ),
        measured("no privacy", "control", "true interests instead of reports", learned("none")),
    )


def _halves(network: SocialNetwork, split: int) -> tuple[Rows, Rows]:
    """Return half of the people, whose communities are known, and the others; the same halves for every case."""
    from sklearn.model_selection import train_test_split

    everybody = np.arange(len(network.labels))
    train, test = train_test_split(everybody, test_size=0.5, random_state=split, stratify=network.labels)
    return train, test


def _accuracy(network: SocialNetwork, embedding: Embedding, split: int) -> float:
    """Train a logistic regression on half of the people, test it on the other half."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    train, test = _halves(network, split)
    classifier = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
    classifier.fit(embedding.matrix[train], network.labels[train])
    return float(classifier.score(embedding.matrix[test], network.labels[test]))


def _graph_alone(network: SocialNetwork, split: int) -> float:
    """Pass the known communities of half of the people on along the friendships, test it on the other half.

    alpha and r are those of the embeddings; they were chosen for neither.
    """
    train, test = _halves(network, split)
    predicted = propagate_labels(network.graph, network.labels, train, alpha=ALPHA, r=R)
    return accuracy(network.labels[test], predicted[test])


def _lifts(one: Accuracy, found: Accuracies) -> dict[str, Any]:
    lifts = {"structure_only": one.over(found.structure_only), "graph_alone": one.over(found.graph_alone)}
    return {
        f"lift_over_{name}": {part: plain(value) for part, value in asdict(lift).items()}
        for name, lift in lifts.items()
    }


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


def colour(vectors: Matrix) -> NDArray[np.float64]:
    """Return a colour for each row: its first three principal directions, as red, green, blue."""
    centred = vectors - vectors.mean(axis=0)
    centred /= np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-12)
    directions = np.linalg.svd(centred, full_matrices=False)[2][:3]
    ranks = np.argsort(np.argsort(centred @ directions.T, axis=0), axis=0) / max(1, len(vectors) - 1)
    return 0.1 + 0.8 * ranks
