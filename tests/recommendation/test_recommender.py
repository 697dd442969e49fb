"""`Recommender`: new friends only, the same everywhere, and vectors only if they help."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse

import privge as pg
from privge.datasets import social_network
from privge.errors import BadData
from privge.propagation import Walk
from privge.recommendation import Recommender, Settings, Signals, Watch, write_recommendations
from privge.recommendation.asked import blocked_rows, close_ids, erased_rows
from privge.recommendation.recommendations import POPULAR

NETWORK = social_network(people=400, communities=3, degree=8, homophily=0.8, seed=1)
GRAPH = NETWORK.graph
ONE = Settings(threads=1)


def friends_of(graph, node):
    row = graph.rows_of([node])[0]
    return set(graph.ids[graph.indices[graph.indptr[row] : graph.indptr[row + 1]]].tolist())


def noise():
    campaign = pg.Campaign(dimensions=8, low=0, high=1, mechanism="structure", k=8)
    return campaign.simulate(np.zeros((GRAPH.nodes, 8)), ids=GRAPH.ids, seed=3)


def knowing():
    """Rows that know every friend, held-out ones too: no honest vectors do, but a gate must open for them."""
    rows = scipy.sparse.csr_array(GRAPH.to_scipy() + scipy.sparse.eye_array(GRAPH.nodes)).astype(np.float32)
    return Signals(rows, Walk(alpha=0.9))


@pytest.fixture(scope="module")
def alone():
    return Recommender.fit(GRAPH, settings=ONE)


@pytest.fixture(scope="module")
def everybody(alone):
    return alone.recommend(count=10)


def test_everybody_gets_new_friends_and_nobody_an_old_one(everybody):
    assert set(everybody.nodes.tolist()) == set(GRAPH.ids.tolist())
    for node, other, _ in everybody:
        assert node != other
        assert other not in friends_of(GRAPH, node)


def test_ranks_follow_scores(everybody):
    for node in GRAPH.ids[:20].tolist():
        mine = everybody.nodes == node
        assert everybody.ranks[mine].tolist() == list(range(1, mine.sum() + 1))
        assert (np.diff(everybody.scores[mine]) <= 0).all()


def test_blocked_pairs_and_erased_people_are_left_out_and_others_are_not(everybody):
    node, other, third = everybody.nodes[0], everybody.recommended[0], everybody.recommended[1]
    made = Recommender.fit(GRAPH, blocked=[(other, node), ("stranger", node)], erased=[third, "stranger"], settings=ONE)
    found = made.recommend(count=10)
    both = set(zip(found.nodes.tolist(), found.recommended.tolist(), strict=True))
    assert not both & {(node, other), (other, node)}
    assert third not in found.recommended.tolist()
    assert third not in found.nodes.tolist()
    assert other in found.recommended.tolist(), "who is blocked for one is recommended to others"


def test_noise_as_vectors_leaves_the_structure_to_the_last_bit(alone):
    fused = Recommender.fit(GRAPH, noise(), settings=replace(ONE, controls=True))
    assert fused.gate is not None
    assert not fused.gate.open
    assert "the result is the structure alone" in str(fused.gate)
    one, other = alone.recommend(), fused.recommend()
    assert np.array_equal(one.recommended, other.recommended)
    assert np.array_equal(one.scores, other.scores)
    scores = fused.evaluation.scores
    assert scores["fused"] == scores["structure"] == alone.evaluation.scores["structure"]
    assert {"vectors", "fused, shuffled", "fused, structure-only", "personalized PageRank"} <= scores.keys()
    assert not {"vectors, no privacy", "fused, no privacy"} & scores.keys(), "nobody gave the true features"


def test_the_controls_noise_and_no_privacy_are_judged_and_never_used(alone):
    controlled = replace(ONE, controls=True)
    made = Recommender.fit(GRAPH, noise(), clean=knowing(), settings=controlled)
    scores = made.evaluation.scores
    assert scores["fused, no privacy"].hits > scores["structure"].hits + 0.2, "the true features know every friend"
    assert scores["vectors, no privacy"].hits > scores["vectors, structure-only"].hits + 0.2
    assert scores["fused"] == scores["fused, structure-only"] == scores["structure"]
    assert np.array_equal(made.recommend().recommended, alone.recommend().recommended)
    assert list(scores)[-1] == "fused"


def test_noise_in_place_of_vectors_knows_nothing_of_them_but_how_long_and_loud_they_are():
    signals = Signals.of_reports(GRAPH, noise(), Walk())
    one = signals.noise(5)
    assert (np.diff(one.rows.indptr) == np.diff(signals.rows.indptr)).all()
    assert np.sqrt((one.rows.data**2).mean()) == pytest.approx(np.sqrt((signals.rows.data**2).mean()), rel=0.05)
    turned = Signals(scipy.sparse.csr_array(-signals.rows), signals.walk)
    assert (turned.noise(5).rows != one.rows).nnz == 0, "other values, the same noise"
    assert abs(np.corrcoef(one.rows.toarray().ravel(), signals.rows.toarray().ravel())[0, 1]) < 0.08


def test_vectors_that_know_open_the_gate_and_are_used(alone):
    made = Recommender.fit(GRAPH, knowing(), settings=ONE)
    assert made.gate.open
    scores = made.evaluation.scores
    assert scores["fused"].hits > scores["structure"].hits + 0.2
    assert not np.array_equal(made.recommend().recommended, alone.recommend().recommended)
    for node, other, _ in made.recommend(count=5):
        assert other not in friends_of(GRAPH, node)


def test_the_evaluation_has_the_graph_alone_and_the_parts_beside_it(alone):
    told = alone.evaluation
    nobody = ["at random", "most friends"]
    assert list(told.scores) == [*nobody, "common friends", "personalized PageRank", "pair channel", "structure"]
    assert told.scores["structure"].hits <= told.ceiling
    assert 0 < told.spread.reached <= told.spread.served <= 1
    assert told.scores["pair channel"].area > 0.6
    assert told.scores["at random"].area == 0.5
    assert told.leads.keys() == set(nobody)
    for name, lead in told.leads.items():
        assert lead.points == pytest.approx(100 * (told.scores["structure"].hits - told.scores[name].hits))


def test_every_step_is_told_and_the_last_is_the_end():
    for evaluate, controls, clean in ((True, True, True), (True, False, False), (False, False, True)):
        told = []
        settings = replace(ONE, evaluate=evaluate, controls=controls)
        steps = {"settings": settings, "progress": lambda *step, told=told: told.append(step)}
        Recommender.fit(GRAPH, noise(), clean=knowing() if clean else None, **steps)
        assert told == [(done, len(told)) for done in range(1, len(told) + 1)]


def test_the_answer_is_the_same_in_any_order_of_rows_and_at_any_number_of_threads(everybody):
    order = np.random.default_rng(0).permutation(GRAPH.nodes)
    table = GRAPH.to_edges()
    ends = list(zip(table["target"].to_pylist(), table["source"].to_pylist(), strict=True))
    turned = pg.Graph.from_edges(ends[::-1], nodes=GRAPH.ids[order])
    again = Recommender.fit(turned, settings=Settings(threads=2)).recommend(GRAPH.ids)
    assert np.array_equal(again.recommended, everybody.recommended)
    assert np.array_equal(again.scores, everybody.scores)


def test_an_embedding_of_another_graph_is_not_used_and_that_is_said():
    other = pg.Graph.from_edges([("a", "b")], nodes=[*GRAPH.ids.tolist(), "a", "b"])
    campaign = pg.Campaign(dimensions=2, low=0, high=1, mechanism="structure", k=2)
    embedding = pg.embed(other, campaign.simulate(np.zeros((2, 2)), ids=["a", "b"], seed=0))
    made = Recommender.fit(GRAPH, embedding, settings=replace(ONE, evaluate=False))
    assert made.gate is None
    assert "another graph" in made.remarks[0]


def test_whoever_has_no_friends_is_recommended_popular_people():
    table = GRAPH.to_edges()
    ends = list(zip(table["source"].to_pylist(), table["target"].to_pylist(), strict=True))
    graph = pg.Graph.from_edges(ends, nodes=[*GRAPH.ids.tolist(), "newcomer"])
    found = Recommender.fit(graph, settings=replace(ONE, evaluate=False)).recommend("newcomer", 3)
    assert found.because.tolist() == [POPULAR] * 3
    assert sorted(graph.degrees[graph.rows_of(found.recommended)]) == sorted(graph.degrees)[-3:]


def test_a_tiny_graph_is_ranked_by_personalized_pagerank_and_that_is_said():
    made = Recommender.fit([("ann", "bob"), ("bob", "cem"), ("cem", "dee")], settings=ONE)
    assert "too few" in made.remarks[0]
    assert next(iter(made.recommend("ann", 1)))[1] == "cem"


def test_where_nearly_everybody_is_a_friend_of_everybody_nothing_is_learnt_and_that_is_said():
    pairs = [(a, b) for a in range(21) for b in range(a) if (a, b) != (20, 0)]
    made = Recommender.fit(pairs, settings=ONE)
    assert "more than half of all pairs" in made.remarks[0]
    assert [other for _, other, _ in made.recommend(20)] == [0]
    assert len(made.recommend(5)) == 0


def test_an_unknown_node_is_refused_with_ids_that_look_like_it(alone):
    first = str(GRAPH.ids[0])
    with pytest.raises(BadData, match=f"close to it: .*{first}"):
        alone.recommend([first.upper()])
    with pytest.raises(BadData, match="close to it"):
        alone.recommend(first[:-1] + "x")


def test_an_id_with_other_zeros_before_it_is_close():
    assert close_ids(pg.Graph.from_edges([("007", "070"), ("070", "700")]), "7") == ["007"]


def test_weights_of_edges_count():
    ends = [("hub", "left"), ("hub", "me"), ("other", "me"), ("other", "right")]
    for heavy, expected in ((0, "left"), (3, "right")):
        weights = [1.0] * 4
        weights[heavy] = 5.0
        graph = pg.Graph.from_edges(ends, weights=weights)
        assert next(iter(Recommender.fit(graph, settings=ONE).recommend("me", 1)))[1] == expected


def test_what_is_written_is_what_was_recommended_and_is_counted(alone, everybody, tmp_path):
    watch = Watch(GRAPH)
    write_recommendations(tmp_path / "r.parquet", watch.over(alone.batches()))
    import pyarrow.parquet as pq

    table = pq.read_table(tmp_path / "r.parquet")
    assert table["recommended"].to_pylist() == everybody.recommended.tolist()
    assert (watch.people, watch.lines, watch.spread.served) == (GRAPH.nodes, len(everybody), 1.0)
    assert watch.spread.degree == pytest.approx(GRAPH.degrees[GRAPH.rows_of(everybody.recommended)].mean())


def test_who_is_blocked_or_erased_but_written_otherwise_is_said(caplog):
    people = pg.Graph.from_edges([("u1", "u2"), ("u2", "u3")])
    assert blocked_rows(people, [("U1", "u3"), ("u1", "u3")]).tolist() == [people.rows_of(["u1", "u3"]).tolist()]
    assert erased_rows(people, ["u3", "gone"]).tolist() == people.rows_of(["u3"]).tolist()
    assert "1 of 4 blocked ids are not in the graph; are ids written alike?" in caplog.text
    assert "1 of 2 erased ids are not in the graph" in caplog.text
    assert not any(name in caplog.text for name in ("U1", "gone")), "who blocked somebody or left belongs in no log"
