"""Run the demonstration: one made-up network, several budgets, every case with its controls.

Network and noise are seeded, so that everybody gets the same page; devices draw from the operating system instead.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from privge._typing import Progress
from privge.campaign import Campaign
from privge.datasets import SocialNetwork, social_network
from privge.embedding import embed
from privge.experiments.demo.cases import Budget, Case, Cases, Kind
from privge.experiments.demo.halves import Halves
from privge.experiments.demo.question import Asked
from privge.experiments.timer import Timer
from privge.structure import NodeChannel
from privge.teaching import public_prior

EPSILONS: Final = (1.0, 2.0, 4.0)
MAIN_EPSILON: Final = 2.0
REPEATS: Final = 5
K: Final = 3
ALPHA: Final = 0.1
R: Final = 0.5
"""Of the paper's vectors: interests that a person reports, and the parameters of personalized PageRank."""


@dataclass(frozen=True, eq=False)
class Demonstration:
    """Everything that the page shows.

    ``asked`` is the first repeat at the main budget, from which its example comes; ``seconds`` are those of each step.
    """

    network: SocialNetwork
    asked: Asked
    cases: Cases
    seconds: dict[str, float]

    @property
    def majority(self) -> float:
        """The percentage of people in the largest community: what guessing finds."""
        return float(100 * np.bincount(self.network.labels).max() / len(self.network.labels))

    def to_dict(self) -> dict[str, Any]:
        """Return the results for machines, in percent."""
        return {
            "people": self.network.graph.nodes,
            "friendships": self.network.graph.edges,
            "majority": round(self.majority, 4),
            "repeats": REPEATS,
            "results": self.cases.to_list(),
            "conclusions": list(self.cases.conclusions()),
        }


def run_demo(people: int = 3000, seed: int = 0, progress: Progress | None = None) -> Demonstration:
    """Make the network, and run every case on every repeat."""
    timer = Timer()
    network = timer("making the network", lambda: social_network(people, seed=seed))
    repeats = []
    for number in range(REPEATS):
        repeats.append(_Repeat.of(network, number, timer))
        if progress is not None:
            progress(number + 1, REPEATS)
    return Demonstration(network, repeats[0].asked[MAIN_EPSILON], _cases(repeats), timer.seconds)


@dataclass(frozen=True, eq=False)
class _Repeat:
    """One repeat: who was asked at each budget, and who is found in each case."""

    asked: dict[float, Asked]
    found: dict[str, tuple[float, float]]

    @classmethod
    def of(cls, network: SocialNetwork, number: int, timer: Timer) -> "_Repeat":
        halves = Halves.of(network, number)
        prior = timer("the graph alone", lambda: _prior(halves, number))
        learned = _Learned(halves, number)
        found = {
            "structure": halves.found(prior.probabilities),
            "noise": timer("the paper's vectors", lambda: learned.found("structure")),
            "no privacy": timer("no privacy", lambda: learned.found("none")),
        }
        asked: dict[float, Asked] = {}
        for epsilon in EPSILONS:
            asked[epsilon], found_here = _budget(halves, prior, learned, epsilon, timer)
            found |= {f"{name} {epsilon:g}": score for name, score in found_here.items()}
        return cls(asked, found)


def _budget(
    halves: Halves, prior: NodeChannel, learned: "_Learned", epsilon: float, timer: Timer
) -> tuple[Asked, dict[str, tuple[float, float]]]:
    """Return who was asked at a budget, and who is found, by everybody's own and by others' profiles."""
    seed, name = learned.number, "teaching and asking"
    asked = timer(name, lambda: Asked.of(halves, prior, epsilon, seed=seed))
    others = timer(name, lambda: Asked.of(halves, prior, epsilon, seed=seed, null="other profile"))
    return asked, {
        "paper": timer("the paper's vectors", lambda: learned.found("hds", epsilon)),
        "paper shuffled": timer("the paper's vectors", lambda: learned.found("hds", epsilon, shuffled=True)),
        "question": halves.found(asked.probabilities),
        "others": halves.found(others.probabilities),
    }


def _prior(halves: Halves, number: int) -> NodeChannel:
    """Return what the graph says, with all known labels."""
    labels = halves.known_labels
    return public_prior(
        halves.network.graph,
        labels,
        train=halves.train,
        validation=halves.validation,
        heads=("logistic",),
        seed=number,
    )


@dataclass(frozen=True, eq=False)
class _Learned:
    """The paper's pipeline: reports, vectors, and a logistic regression that has learnt from all known labels."""

    halves: Halves
    number: int

    def found(self, mechanism: str, epsilon: float | None = None, *, shuffled: bool = False) -> tuple[float, float]:
        """Return who is found, from everybody's own interests or, as a control, from those of somebody else."""
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        network = self.halves.network
        campaign = Campaign(
            dimensions=network.features.shape[1],
            names=network.feature_names,
            low=0,
            high=1,
            mechanism=mechanism,
            epsilon=epsilon,
            k=None if mechanism == "none" else K,
            purpose=f"Which communities are there? Repeat {self.number}",
        )
        order = np.random.default_rng([self.number, 13]).permutation(network.graph.nodes)
        features = network.features[order] if shuffled else network.features
        reports = campaign.simulate(features, ids=network.graph.ids.tolist(), seed=self.number)
        matrix = embed(network.graph, reports, alpha=ALPHA, r=R).matrix
        head = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
        known = self.halves.known
        head.fit(matrix[known], network.labels[known])
        return self.halves.found(head.predict_proba(matrix))


def _cases(repeats: list[_Repeat]) -> Cases:
    def case(key: str, name: str, kind: Kind, explained: str, epsilon: float | None = None) -> Case:
        everybody, few = zip(*(repeat.found[key] for repeat in repeats), strict=True)
        return Case(name, kind, explained, everybody, few, epsilon)

    def budget(epsilon: float) -> Budget:
        return Budget(
            case(f"paper {epsilon:g}", "the paper's vectors", "private", f"reports about {K} interests", epsilon),
            case(
                f"paper shuffled {epsilon:g}",
                "- of shuffled interests",
                "control",
                "the same, of shuffled profiles",
                epsilon,
            ),
            case(f"question {epsilon:g}", "one question", "private", "one answer, computed on the device", epsilon),
            case(
                f"others {epsilon:g}",
                "- from others' profiles",
                "control",
                "answers from somebody else's profile",
                epsilon,
            ),
        )

    return Cases(
        case("structure", "graph alone", "control", "friendships and known communities; nobody is asked"),
        case("noise", "noise as reports", "control", "the paper's vectors with noise instead of reports"),
        tuple(map(budget, EPSILONS)),
        case("no privacy", "no privacy", "control", "the paper's vectors with the true interests"),
    )
