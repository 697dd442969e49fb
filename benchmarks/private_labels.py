"""Does it help to know how private labels were perturbed?

Half of the people of the demo's network give their label once, by m-ary randomised response among 6 communities; nobody
else's label is known to anybody. Two heads of the same kind learn from the same reported labels and the same public
vectors (`privge.embedding.structure_channel`): one takes labels as they are, one knows the noise (forward-corrected
loss). Both stop by reported labels, too. They are judged by the true labels of the other half. The controls are the
same head with true labels, and the forward-corrected one with labels of somebody else (shuffled, then reported).
"""

import argparse

import numpy as np

from privge.datasets import social_network
from privge.embedding import structure_channel
from privge.mechanisms import Choice
from privge.random import NotPrivateSeededSource
from privge.tasks import LabelNoise, NodeClassifier

CLASSES = 6
WAYS = ("as they are", "forward-corrected", "true labels", "somebody else's")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--epsilon", type=float, nargs="+", default=[0.5, 1.0, 2.0])
    options.add_argument("--first-seed", type=int, default=300)
    options.add_argument("--repeats", type=int, default=8)
    given = options.parse_args()
    seeds = range(given.first_seed, given.first_seed + given.repeats)
    print(f"| ε of the label | {' | '.join(WAYS)} | gain of the correction |")
    print("|---:|" + "---:|" * (len(WAYS) + 1))
    for epsilon in given.epsilon:
        measured = np.array([measure(seed, epsilon) for seed in seeds])
        for column, (what, better) in enumerate((("accuracy", 1), ("log loss", -1))):
            values = measured[:, :, column]
            gain = better * (values[:, 1] - values[:, 0])
            cells = [spelled(values[:, way]) for way in range(len(WAYS))]
            print(f"| {epsilon:g}, {what} | {' | '.join(cells)} | {spelled(gain)} |", flush=True)


def measure(seed, epsilon):
    network = social_network(3_000, communities=CLASSES, seed=seed)
    vectors = structure_channel(network.graph).matrix
    order = np.random.default_rng([seed, 1]).permutation(len(vectors))
    train, validation, test = order[:1_200], order[1_200:1_500], order[1_500:]
    law = Choice.for_epsilon(epsilon, CLASSES)
    noise = LabelNoise.of_law(law, range(CLASSES))
    reported = law.sample(network.labels, NotPrivateSeededSource(seed)).astype(np.int64)
    strangers = law.sample(np.random.default_rng([seed, 2]).permutation(network.labels), NotPrivateSeededSource(seed))
    ways = [(reported, None), (reported, noise), (network.labels, None), (strangers.astype(np.int64), noise)]
    return [judged(vectors, labels, how, train, validation, test, network.labels, seed) for labels, how in ways]


def judged(vectors, labels, noise, train, validation, test, truth, seed):
    head = NodeClassifier(seed=seed, scaling="columns").fit(
        vectors, labels, train=train, validation=validation, noise=noise
    )
    probabilities = head.predict_proba(vectors[test])
    own = probabilities[np.arange(len(test)), truth[test]]
    return 100 * (probabilities.argmax(axis=1) == truth[test]).mean(), float(-np.log(np.maximum(own, 1e-9)).mean())


def spelled(values):
    return f"{values.mean():.2f} ± {values.std(ddof=1) / np.sqrt(len(values)):.2f}"


if __name__ == "__main__":
    main()
