"""Stein's risk: unbiased, honest where there is nothing to find, and better than a fixed choice where there is."""

import inspect

import numpy as np
import pytest
import scipy.sparse

from privge.datasets import social_network
from privge.smoothing import Clusters, Noise, PageRank, Shrinkage, candidates_for, choose
from privge.smoothing.risk import Observations


def network(seed=0, people=600):
    made = social_network(people, 4, 12, seed=seed)
    return made, made.features - made.features.mean(axis=0)


def noisy(clean, variance, seed):
    return clean + np.random.default_rng(seed).normal(0, np.sqrt(variance), clean.shape)


def true_gain(chosen, clean):
    """By how much the estimate is better than the mean row, as a share of the variance of the clean rows."""
    mean = chosen.observations.mean
    before, after = np.square(clean - mean).sum(), np.square(clean - chosen.matrix).sum()
    return (before - after) / before


def test_the_predicted_gain_of_each_smoother_is_unbiased():
    """At a fixed factor the estimate is linear in what was observed: its mean over draws is the true gain.

    100 draws; a difference of four standard errors would be chance once in 15,000 times.
    """
    made, clean = network(people=200)
    smoothers = [*candidates_for(made.graph, 12, families=["clusters"])[:2], Shrinkage()]
    smoothers += PageRank.family(made.graph, [0.1], [0.0, 1.0])
    for smoother in smoothers:
        differences = [_difference(smoother, clean, noisy(clean, 0.3, seed), 0.3) for seed in range(100)]
        error = np.std(differences, ddof=1) / np.sqrt(len(differences))
        assert abs(np.mean(differences)) < 4 * error, (smoother.name, smoother.parameters)


def test_a_wrong_variance_makes_the_prediction_wrong():
    made, clean = network(people=200)
    smoother = PageRank.family(made.graph, [0.1], [0.0])[0]
    differences = [_difference(smoother, clean, noisy(clean, 0.3, seed), 0.36) for seed in range(100)]
    assert abs(np.mean(differences)) > 10 * np.std(differences, ddof=1) / 10


def _difference(smoother, clean, rows, variance):
    """Estimate minus truth of ``<W, X - m>``, the only part of the risk that is not known."""
    observations = _observations(rows, variance)
    agreement = truth = 0.0
    for columns, centred, smooth, reached in observations.smoothed(smoother):
        agreement += float((smooth * centred).sum())
        truth += float((smooth * (clean[:, columns] - observations.mean[columns])).sum())
        overlap = observations.overlap(smoother, reached).value
    return agreement - overlap - truth


def _observations(rows, variance):
    return Observations(
        scipy.sparse.csr_array(rows), np.ones(len(rows), dtype=np.bool_), Noise.of(variance, rows.shape)
    )


@pytest.mark.parametrize("seed", range(3))
def test_the_choice_is_nearly_the_best_of_the_grid(seed):
    made, clean = network(seed, people=1500)
    chosen = choose(noisy(clean, 0.2, seed), 0.2, made.graph)
    gains = [_with_the_best_factor(chosen, risk.smoother, clean) for risk in chosen.risks]
    assert true_gain(chosen, clean) > max(gains) - 0.01
    assert max(gains) - np.median(gains) > 0.02  # another choice would have been worse


def _with_the_best_factor(chosen, smoother, clean):
    """The gain of a smoother for whoever knows the clean rows."""
    centred = clean - chosen.observations.mean
    smooth = np.concatenate([part.smooth for part in chosen.observations.smoothed(smoother)], axis=1)
    agreement, size = float((smooth * centred).sum()), float(np.square(smooth).sum())
    return max(0.0, agreement) ** 2 / max(size, 1e-12) / np.square(centred).sum()


def test_the_predicted_gain_is_the_true_one():
    made, clean = network(people=1500)
    chosen = choose(noisy(clean, 0.1, 5), 0.1, made.graph)
    assert chosen.predicted_gain == pytest.approx(true_gain(chosen, clean), abs=0.03)
    assert chosen.predicted_gain > 0.2


def test_rows_of_pure_noise_have_no_gain():
    made, _ = network(people=1500)
    tried = candidates_for(made.graph, 8)
    draws = [noisy(np.zeros((1500, 8)), 1.0, seed) for seed in range(5)]
    found = [choose(rows, 1.0, made.graph, candidates=tried) for rows in draws]
    assert [each.predicted_gain for each in found] == [0.0] * 5
    assert all(each.smoother is None and np.ptp(each.matrix, axis=0).max() == 0 for each in found)


def test_rows_shuffled_over_people_gain_nothing_from_the_graph():
    made, clean = network(people=1500)
    shuffled = noisy(clean, 0.2, 1)[np.random.default_rng(2).permutation(1500)]
    chosen = choose(shuffled, 0.2, made.graph)
    assert chosen.smoother is None or chosen.smoother.name == "shrinkage"
    assert choose(noisy(clean, 0.2, 1), 0.2, made.graph).smoother.name != "shrinkage"


def test_rows_without_noise_are_left_as_they_are():
    made, clean = network()
    chosen = choose(clean, 0.0, made.graph)
    assert (chosen.smoother.name, chosen.best.factor) == ("shrinkage", pytest.approx(1))
    assert np.abs(chosen.matrix - clean).max() < 1e-5


def test_nodes_that_were_not_observed_are_estimated_and_teach_nothing():
    made, clean = network(people=1500)
    observed = np.random.default_rng(0).random(1500) < 0.7
    rows = noisy(clean, 0.1, 1)
    chosen = choose(rows, 0.1, made.graph, observed=observed)
    other = choose(np.where(observed[:, None], rows, 99.0), 0.1, made.graph, observed=observed)
    assert (chosen.matrix == other.matrix).all()
    centred = clean - chosen.observations.mean
    error = np.square(clean - chosen.matrix)[~observed].sum()
    assert error < 0.9 * np.square(centred)[~observed].sum()


def test_sparse_and_dense_rows_give_the_same_answer():
    made, clean = network()
    rows = np.where(np.random.default_rng(0).random(clean.shape) < 0.3, clean, 0.0)
    dense, sparse = choose(rows, 0.05, made.graph), choose(scipy.sparse.csr_array(rows), 0.05, made.graph)
    assert [risk.gain for risk in dense.risks] == [risk.gain for risk in sparse.risks]


def test_noise_of_columns_and_of_entries_is_one_noise():
    made, clean = network()
    rows = noisy(clean, 0.2, 1)
    one, columns, entries = (
        choose(rows, each, made.graph) for each in (0.2, np.full(12, 0.2), np.full((600, 12), 0.2))
    )
    assert one.predicted_gain == pytest.approx(columns.predicted_gain) == pytest.approx(entries.predicted_gain)


@pytest.mark.parametrize(
    ("variance", "said"),
    [(-1.0, "at least 0"), (np.nan, "finite"), (np.ones(5), "does not fit a matrix of shape")],
)
def test_a_variance_that_is_none_is_refused(variance, said):
    made, clean = network()
    with pytest.raises(ValueError, match=said):
        choose(clean, variance, made.graph)


def test_a_matrix_of_another_graph_is_refused():
    made, clean = network()
    with pytest.raises(ValueError, match="599 rows for 600 nodes"):
        choose(clean[:-1], 0.1, made.graph)


def test_no_labels_can_be_given():
    """What chooses has no place for labels: whatever is tried, it sees rows, their noise and the graph."""
    asked = {
        name
        for each in (choose, candidates_for, Clusters, PageRank, Noise)
        for name in inspect.signature(each).parameters
    }
    assert not {name for name in asked if "label" in name or "target" in name or name == "y"}
