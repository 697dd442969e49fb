"""Is `privge classify` as good, and as sure, as it says?

A tenth of the nodes of a dataset are labelled, everybody sends one private report, and the classes of all others are
found: with the graph, as `privge classify --graph` does, and from vectors alone. What the labelled nodes promise
(accuracy by cross-validation, expected calibration error, accuracy of the answers that are sure) stands beside what is
true of the others. Controls on the same split: the largest class, label propagation, the structure channel, vectors
alone, and, because the true features are at hand, the same with noise in place of the reports and without privacy.
"""

import argparse
import json
import logging
from pathlib import Path

import numpy as np

from privge.campaign import Campaign
from privge.datasets import load
from privge.embedding import embed
from privge.experiments.plan import task_plan
from privge.tasks.classification import classify, expected_calibration_error
from privge.tasks.classification.classification import STRUCTURE, VECTORS, WALKS

ABSTAIN = (0.6, 0.7, 0.8, 0.9)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--dataset", default="pubmed")
    options.add_argument("--epsilon", type=float, default=1.0)
    options.add_argument("--labelled", type=float, default=0.1)
    options.add_argument("--first-split", type=int, default=100, help="Splits below 100 are for development.")
    options.add_argument("--splits", type=int, default=10)
    options.add_argument("--controls", action="store_true", help="Also noise in place of reports, and no privacy.")
    options.add_argument("-o", "--output", type=Path, help="Add a line of JSON for each split to this file.")
    given = options.parse_args()
    logging.getLogger("privge").setLevel(logging.ERROR)
    data, rows = load(given.dataset), []
    for split in range(given.first_split, given.first_split + given.splits):
        rows.append(measure(data, given, split))
        if given.output is not None:
            with given.output.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"dataset": given.dataset, "split": split, **rows[-1]}) + "\n")
    print(f"{given.dataset}, HDS at epsilon {given.epsilon:g}, {given.labelled:.0%} labelled, {given.splits} splits")
    print("| | mean ± standard deviation |\n|---|---:|")
    for name in rows[0]:
        values = np.array([row[name] for row in rows])
        print(f"| {name} | {values.mean():.2f} ± {values.std(ddof=1) if len(values) > 1 else 0:.2f} |")


def vectors_of(data, mechanism, epsilon, split):
    """Return the embedding of simulated reports of everybody; seeded, and not private."""
    settings = task_plan("nodes").datasets[data.name]
    campaign = Campaign(
        dimensions=data.features.shape[1],
        low=data.low,
        high=data.high,
        mechanism=mechanism,
        epsilon=epsilon if mechanism == "hds" else None,
        k=None if mechanism == "none" else settings.k,
        purpose=f"simulation on public data, split {split}",
    )
    reports = campaign.simulate(data.features, ids=data.graph.ids.tolist(), seed=split)
    return np.asarray(embed(data.graph, reports, alpha=settings.alpha, r=settings.r, tolerance=1e-3).matrix)


def measure(data, given, split):
    """Return what is promised and what is true, in percent."""
    labels = data.labels
    known = np.flatnonzero(labels >= 0)
    order = np.random.default_rng([split, 43]).permutation(known)
    train = order[: int(given.labelled * len(known))]
    found = classify(
        vectors_of(data, "hds", given.epsilon, split),
        labels,
        graph=data.graph,
        train=train,
        epsilon=given.epsilon,
        seed=split,
        threads=1,
    )
    test = np.setdiff1d(known, train)
    row = {"accuracy, found": right(found.probabilities, found, labels, test)}
    row |= {"accuracy, promised by labels held out": 100 * found.estimate().accuracy.value}
    row |= judged(found, labels, test)
    row["largest class"] = 100 * float((labels[test] == np.bincount(labels[train]).argmax()).mean())
    confidence, friends = found.probabilities[test].max(axis=1), data.graph.degrees[test]
    hit = found.classes[found.probabilities[test].argmax(axis=1)] == labels[test]
    for name, few, many in (("0 to 2", 0, 2), ("3 to 10", 3, 10), ("more", 11, np.inf)):
        mine = (friends >= few) & (friends <= many)
        row[f"{name} friends: sure minus right"] = 100 * float((confidence[mine] - hit[mine]).mean())
    for name in (WALKS, STRUCTURE):
        row[name] = right(found.said[name], found, labels, test)
    alone = found.model.probabilities(vectors_of(data, "hds", given.epsilon, split))
    row[VECTORS] = right(alone, found, labels, test)
    row["vectors alone, calibration error x 100"] = 100 * error(alone, found, labels, test)
    if given.controls:
        for name, mechanism in (("noise in place of reports", "structure"), ("no privacy", "none")):
            vectors = vectors_of(data, mechanism, None, split)
            other = classify(vectors, labels, graph=data.graph, train=train, seed=split, threads=1)
            row[name] = right(other.probabilities, other, labels, test)
    return row


def judged(found, labels, test):
    """Return calibration, and accuracy of sure answers, promised and true."""
    row = {
        "calibration error x 100, found": 100 * error(found.probabilities, found, labels, test),
        "calibration error x 100, promised": 100 * found.calibration_error,
    }
    for least in ABSTAIN:
        decided = found.decide(test, abstain=least)
        answers = found.classes[decided.places[decided.answered]]
        row[f"sure of {least:g}: answered"] = 100 * decided.share
        row[f"sure of {least:g}: accuracy, found"] = 100 * float((answers == labels[test[decided.answered]]).mean())
        row[f"sure of {least:g}: accuracy, promised by probabilities"] = 100 * decided.expected_accuracy
        row[f"sure of {least:g}: accuracy, by labels held out"] = 100 * found.estimate(abstain=least).accuracy.value
    return row


def right(scores, found, labels, rows):
    return 100 * float((found.classes[scores[rows].argmax(axis=1)] == labels[rows]).mean())


def error(probabilities, found, labels, rows):
    return expected_calibration_error(probabilities[rows], np.searchsorted(found.classes, labels[rows]))


if __name__ == "__main__":
    main()
