"""Vectors are judged without the held-out edges: made again, also from a finished embedding; and they are searched."""

import numpy as np
import pytest
import scipy.sparse

import privge as pg
from privge.datasets import social_network
from privge.recommendation import NotJudged, Signals
from privge.recommendation.index import VectorIndex, by_look
from privge.recommendation.vectors import undone
from privge.tasks import split_edges

NETWORK = social_network(200, 4, 6, seed=5)
GRAPH = NETWORK.graph


def reports(people=slice(None), mechanism="multibit"):
    campaign = pg.Campaign(dimensions=6, low=0, high=1, mechanism=mechanism, epsilon=1.0, k=2)
    return campaign.simulate(NETWORK.features[people], ids=GRAPH.ids[people], seed=1)


@pytest.mark.parametrize("r", [0.0, 0.5, 1.0])
def test_a_walk_can_be_undone(r):
    rows = scipy.sparse.random_array((GRAPH.nodes, 70), density=0.05, rng=np.random.default_rng(0), format="csr")
    z, _ = pg.propagate(GRAPH, rows.astype(np.float32), alpha=0.1, r=r, tolerance=1e-6)
    back = undone(GRAPH, z, pg.propagation.Walk(0.1, r), 1e-6)
    assert np.abs((back - rows).toarray()).max() < 1e-3
    assert back.nnz <= rows.nnz


def test_an_embedding_is_the_same_as_its_reports_without_held_out_edges():
    some = reports()
    embedding = pg.embed(GRAPH, some, alpha=0.2, r=0.3, tolerance=1e-6)
    known = split_edges(GRAPH, seed=0).train_graph
    again = Signals.of_embedding(GRAPH, embedding).on(known)
    honest = pg.embed(known, some, alpha=0.2, r=0.3, tolerance=1e-6).matrix
    assert np.abs(again - honest).max() < 1e-3
    assert np.abs(again - embedding.matrix).max() > 0.05, "the held-out edges made no difference"


def test_an_embedding_of_another_graph_is_refused():
    other = split_edges(GRAPH, seed=0).train_graph
    with pytest.raises(NotJudged, match="another graph"):
        Signals.of_embedding(GRAPH, pg.embed(other, reports()))


def test_an_embedding_that_did_not_walk_is_refused():
    smoothed = pg.embed(GRAPH, reports(), smoother="clusters", decoding="unbiased")
    with pytest.raises(NotJudged, match="did not come from a walk"):
        Signals.of_embedding(GRAPH, smoothed)


def test_compact_vectors_are_refused_since_their_columns_know_the_held_out_edges():
    with pytest.raises(NotJudged, match="compact"):
        Signals.of_embedding(GRAPH, pg.embed(GRAPH, reports(), dimensions=3))


def test_shuffling_gives_those_who_reported_the_row_of_another_who_did():
    signals = Signals.of_reports(GRAPH, reports(slice(50)), pg.propagation.Walk())
    shuffled = signals.shuffled(0)
    assert shuffled.rows[50:].nnz == 0
    assert sorted(shuffled.rows.toarray().tolist()) == sorted(signals.rows.toarray().tolist())
    assert (shuffled.rows != signals.rows).nnz > 20


def test_wide_rows_are_projected_so_that_inner_products_are_nearly_kept():
    generator = np.random.default_rng(1)
    rows = scipy.sparse.csr_array(generator.standard_normal((30, 3000)).astype(np.float32))
    narrow = Signals(rows, pg.propagation.Walk()).compact(500, seed=0)
    assert narrow.rows.shape == (30, 500)
    before, after = ((each @ each.T).toarray() / 3000 for each in (rows, narrow.rows))
    assert np.abs(before - after).max() < 6 / np.sqrt(500), "six standard deviations of a random projection"


def test_narrow_rows_stay_as_they_are():
    signals = Signals.of_reports(GRAPH, reports(), pg.propagation.Walk())
    assert signals.compact(500, seed=0) is signals


def vectors(count=3000, width=16):
    generator = np.random.default_rng(0)
    centres = generator.standard_normal((20, width))
    rows = centres[generator.integers(0, 20, count)] + 0.3 * generator.standard_normal((count, width))
    return rows.astype(np.float32)


def test_a_look_at_all_finds_the_largest_inner_products():
    rows = vectors(20_000)
    found = by_look(rows, rows[:40], 10)
    best = np.argsort(-(rows[:40] @ rows.T), axis=1)[:, :10]
    assert all(set(one) == set(other) for one, other in zip(found.tolist(), best.tolist(), strict=True))


def test_an_index_finds_nearly_the_same_and_always_the_same():
    pytest.importorskip("faiss")
    rows = vectors()
    index = VectorIndex.of(rows, large=1)
    assert index.cells is not None
    found, exact = index.nearest(rows[:50], 10), by_look(rows, rows[:50], 10)
    shared = [len(set(one) & set(other)) for one, other in zip(found.tolist(), exact.tolist(), strict=True)]
    assert np.mean(shared) > 9
    assert np.array_equal(VectorIndex.of(rows, large=1).nearest(rows[:50], 10), found)


def test_few_vectors_are_all_looked_at():
    assert VectorIndex.of(vectors(500)).cells is None
