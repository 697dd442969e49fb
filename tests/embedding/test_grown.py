"""An embedding that follows its graph: new nodes and edges by `update` are the embedding from scratch."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import privge as pg
from privge.errors import BadData
from privge.graph import Graph
from privge.propagation import ENGINES, ChangeTooLarge, Growth, Walk, growth, propagate, propagate_growth, ripple

DIMENSIONS = 20  # more than one block of 16


def campaign():
    return pg.Campaign(dimensions=DIMENSIONS, low=0, high=1, mechanism="hds", epsilon=2.0, k=3)


def simulated(nodes, seed=0):
    features = np.random.default_rng(seed).random((len(nodes), DIMENSIONS))
    return campaign().simulate(features, ids=nodes, seed=seed + 1)


def part(reports, rows):
    return pg.Reports(reports.campaign, reports.ids[rows], reports.codes[rows])


def apart(one, other):
    """How far two embeddings are from each other, by id, beyond what their certificates allow."""
    rows = {node: row for row, node in enumerate(map(str, other.ids.tolist()))}
    order = [rows[str(node)] for node in one.ids.tolist()]
    allowed = one.provenance.run.certificate + other.provenance.run.certificate
    return np.abs(np.asarray(one.matrix) - np.asarray(other.matrix)[order]).max() - allowed


@st.composite
def histories(draw, weighted):
    """A graph that grows, loses edges and is renumbered, step by step: (ids, edges, weights) of each step."""
    nodes = draw(st.integers(3, 25))
    names = [f"n{i}" for i in range(nodes)]
    edges = {}
    history = []
    for _ in range(draw(st.integers(2, 4))):
        node = st.integers(0, nodes - 1)
        for pair in draw(st.lists(st.tuples(node, node), max_size=2 * nodes)):
            if pair[0] != pair[1]:
                edges[frozenset(pair)] = draw(st.floats(0.01, 100)) if weighted else 1.0
        for pair in draw(st.lists(st.sampled_from(sorted(map(sorted, edges))), max_size=3)) if edges else []:
            edges.pop(frozenset(pair), None)
        order = draw(st.permutations(names))
        history.append((order, [[names[i] for i in pair] for pair in edges], list(edges.values())))
        gained = draw(st.integers(0, 4))
        names += [f"n{i}" for i in range(nodes, nodes + gained)]
        nodes += gained
    return history


def graph_of(step, weighted):
    order, edges, weights = step
    return Graph.from_edges(list(map(tuple, edges)), nodes=order, weights=weights if weighted else None)


@pytest.mark.parametrize("weighted", [False, True])
@settings(max_examples=60, deadline=None)
@given(data=st.data(), alpha=st.sampled_from([0.05, 0.2, 0.7]), r=st.sampled_from([0, 0.5, 1]))
def test_updates_in_a_row_are_the_embedding_from_scratch(weighted, data, alpha, r):
    history = data.draw(histories(weighted))
    graphs = [graph_of(step, weighted) for step in history]
    everybody = simulated([f"n{i}" for i in range(graphs[-1].nodes)])
    known = part(everybody, slice(0, graphs[0].nodes - 1))
    embedding = pg.embed(graphs[0], known, alpha=alpha, r=r, tolerance=1e-4)
    for before, graph in pairwise(graphs):
        new = part(everybody, slice(len(known), graph.nodes - 1))
        embedding = pg.update(embedding, new, graph=graph, reports=known, before=before)
        known = part(everybody, slice(0, len(known) + len(new)))
        scratch = pg.embed(graph, known, alpha=alpha, r=r, tolerance=1e-6, decoding="raw")
        assert apart(embedding, scratch) <= 0
        assert embedding.provenance.graph == scratch.provenance.graph
        assert embedding.provenance.source.participation == pytest.approx(scratch.provenance.source.participation)
        assert embedding.ids.tolist() == graph.ids.tolist()


def grown(nodes=400, gained=10, seed=0):
    """A graph and what became of it: new nodes, some new edges among old ones, some lost, another order of rows."""
    generator = np.random.default_rng(seed)
    edges = generator.integers(0, nodes, (4 * nodes, 2))
    old = Graph.from_edges(edges, nodes=np.arange(nodes))
    fresh = np.column_stack([np.repeat(np.arange(nodes, nodes + gained), 5), generator.integers(0, nodes, 5 * gained)])
    after = np.vstack([edges[5:], fresh, generator.integers(0, nodes, (5, 2))])
    return old, Graph.from_edges(after, nodes=generator.permutation(nodes + gained))


@pytest.mark.parametrize("decoding", ["raw", "unbiased"])
def test_an_update_corrects_and_does_not_compute_anew(decoding):
    old, new = grown()
    everybody = simulated(np.arange(410))
    before, late = part(everybody, slice(20, 400)), part(everybody, np.r_[0:20, 400:410])
    embedding = pg.embed(old, before, decoding=decoding)
    updated = pg.update(embedding, late, graph=new, reports=before, before=old)
    scratch = pg.embed(new, everybody, decoding=decoding)
    assert apart(updated, scratch) <= 0
    assert updated.provenance.run.engine == "sor+push"
    assert updated.provenance.source.participation == 1.0
    assert len(embedding) == 400  # the old one is left alone


@pytest.mark.parametrize("tolerance", [1e-2, 1e-4, 1e-8])
def test_the_certificate_of_an_update_holds_and_is_not_far_from_what_was_asked(tolerance):
    old, new = grown()
    everybody = simulated(np.arange(410))
    before, late = part(everybody, slice(0, 400)), part(everybody, slice(400, 410))
    embedding = pg.embed(old, before, tolerance=tolerance)
    updated = pg.update(embedding, late, graph=new, reports=before, before=old)
    exact = pg.embed(new, everybody, tolerance=1e-10)
    error = np.abs(np.asarray(updated.matrix) - np.asarray(exact.matrix)).max()
    assert error <= updated.provenance.run.certificate + 1e-10
    # Twice the tolerance, the former certificate by the larger strength, and what storing in float32 costs.
    assert updated.provenance.run.certificate <= 3 * tolerance + (1e-3 if tolerance > 1e-6 else 0)


def test_an_embedding_that_ignored_the_change_would_be_caught():
    old, new = grown()
    everybody = simulated(np.arange(410))
    embedding, scratch = pg.embed(old, part(everybody, slice(0, 400))), pg.embed(new, everybody)
    padded = np.zeros((410, DIMENSIONS), dtype=np.float32)
    padded[new.rows_of(embedding.ids)] = embedding.matrix
    assert apart(pg.Embedding(new.ids, padded, embedding.provenance), scratch) > 0.01


def test_edges_alone_may_change_and_reports_alone_too():
    old, new = grown(gained=0)
    everybody = simulated(np.arange(400))
    embedding = pg.embed(old, everybody)
    nobody = part(everybody, slice(0, 0))
    updated = pg.update(embedding, nobody, graph=new, reports=everybody, before=old)
    assert apart(updated, pg.embed(new, everybody)) <= 0
    again = simulated(np.arange(400), seed=7)
    mixed = pg.Reports(again.campaign, again.ids, np.vstack([again.codes[:30], everybody.codes[30:]]))
    after = pg.update(updated, part(again, slice(0, 30)), graph=new, reports=everybody)
    assert apart(after, pg.embed(new, mixed)) <= 0


def test_a_renumbered_graph_is_the_same_graph():
    old, _ = grown()
    everybody = simulated(np.arange(400))
    embedding = pg.embed(old, everybody)
    table = old.to_edges()
    renumbered = Graph.from_edges(table, nodes=np.random.default_rng(3).permutation(400))
    updated = pg.update(embedding, part(everybody, slice(0, 0)), graph=renumbered, reports=everybody, before=old)
    for node in (0, 17, 399):
        assert (updated[node] == embedding[node]).all()


def test_an_embedding_in_another_order_is_joined_by_id():
    old, new = grown()
    everybody = simulated(np.arange(410))
    before, late = part(everybody, slice(0, 400)), part(everybody, slice(400, 410))
    embedding = pg.embed(old, before)
    turned = pg.Embedding(embedding.ids[::-1], np.asarray(embedding.matrix)[::-1], embedding.provenance)
    results = [pg.update(each, late, graph=new, reports=before, before=old) for each in (embedding, turned)]
    assert (results[0].matrix == results[1].matrix).all()
    short = pg.Embedding(embedding.ids[1:], np.asarray(embedding.matrix)[1:], embedding.provenance)
    with pytest.raises(BadData, match="one vector for each node"):
        pg.update(short, late, graph=new, reports=before, before=old)


def test_a_graph_may_gain_weights():
    old, new = grown(gained=0)
    table = new.to_edges()
    weights = np.ones(new.edges)
    weights[:20] = np.random.default_rng(0).uniform(0.1, 10, 20)
    heavy = Graph.from_edges(table, nodes=new.ids, weights=weights)
    everybody = simulated(np.arange(400))
    updated = pg.update(
        pg.embed(old, everybody), part(everybody, slice(0, 0)), graph=heavy, reports=everybody, before=old
    )
    assert apart(updated, pg.embed(heavy, everybody)) <= 0


def test_what_stays_the_same_is_not_changed_by_the_graph_around_it():
    everybody = simulated(np.arange(7))
    old = Graph.from_edges([(0, 1), (2, 3), (3, 4)], nodes=np.arange(6))
    new = Graph.from_edges([(0, 1), (2, 3), (3, 4), (4, 6)], nodes=np.arange(7))
    embedding = pg.embed(old, part(everybody, slice(0, 6)))
    updated = pg.update(
        embedding, part(everybody, slice(6, 7)), graph=new, reports=part(everybody, slice(0, 6)), before=old
    )
    for node in (0, 1, 5):
        assert (updated[node] == embedding[node]).all()
    assert (updated[4] != embedding[4]).any()


def test_threads_do_not_change_the_result():
    old, new = grown()
    everybody = simulated(np.arange(410))
    before, late = part(everybody, slice(0, 400)), part(everybody, slice(400, 410))
    embedding = pg.embed(old, before)
    results = [
        pg.update(embedding, late, graph=new, reports=before, before=old, threads=threads).matrix
        for threads in (1, 2, 3)
    ]
    assert (results[0] == results[1]).all()
    assert (results[0] == results[2]).all()


def test_a_change_that_is_too_large_is_computed_anew(monkeypatch, caplog):
    monkeypatch.setattr(growth, "FEW_VISITS", 0)
    caplog.set_level("INFO", "privge")
    old, new = grown()
    everybody = simulated(np.arange(410))
    before, late = part(everybody, slice(0, 400)), part(everybody, slice(400, 410))
    updated = pg.update(pg.embed(old, before), late, graph=new, reports=before, before=old)
    assert "everything is computed anew" in caplog.text
    assert updated.provenance.run.engine == "sor"
    assert apart(updated, pg.embed(new, everybody)) <= 0


def test_pushing_that_takes_too_long_ends(monkeypatch):
    monkeypatch.setattr(ripple, "_SWEEPS", 0)
    monkeypatch.setattr(ripple, "FEW_VISITS", 20)
    old, new = grown()
    features = scipy.sparse.random_array((410, 3), density=0.5, rng=np.random.default_rng(0), format="csr")
    change = Growth(old, new, new.rows_of(old.ids))
    with pytest.raises(ChangeTooLarge):
        propagate_growth(change, np.ones((400, 3), np.float32), features, change.changed, Walk(), 1)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), weighted=st.booleans())
def test_changed_rows_are_those_whose_neighbours_or_weights_differ(data, weighted):
    history = data.draw(histories(weighted))
    old, new = (graph_of(step, weighted) for step in history[:2])

    def around(graph):
        matrix, ids = graph.to_scipy().tocsr(), graph.ids.tolist()
        rows = [slice(matrix.indptr[i], matrix.indptr[i + 1]) for i in range(graph.nodes)]
        return {
            ids[i]: {(ids[j], w) for j, w in zip(matrix.indices[row], matrix.data[row], strict=True)}
            for i, row in enumerate(rows)
        }

    before, after = around(old), around(new)
    expected = {node for node in after if after[node] != before.get(node)}
    assert set(new.ids[Growth(old, new, new.rows_of(old.ids)).changed].tolist()) == expected


def test_a_certificate_grows_with_the_largest_strength():
    star = [(0, i) for i in range(1, 5)]
    old = Graph.from_edges(star, nodes=np.arange(20))
    new = Graph.from_edges(star + [(0, i) for i in range(5, 17)], nodes=np.arange(20))
    assert Growth(old, new, np.arange(20)).carried(1e-4, 0.5) == pytest.approx(2e-4)
    assert Growth(new, old, np.arange(20)).carried(1e-4, 0.5) == pytest.approx(1e-4)  # never less


def test_a_former_result_with_a_residual_stays_within_its_certificate():
    """The worst that a certificate allows: the same residual in every row, as large as it may be."""
    old, new = grown()
    features = scipy.sparse.random_array((410, 3), density=0.5, rng=np.random.default_rng(0), format="csr")
    place = new.rows_of(old.ids)
    allowed = 1e-2
    alpha, r = 0.1, 0.5
    exact, _ = propagate(old, scipy.sparse.csr_array(features[place]), alpha=alpha, r=r, tolerance=1e-10)
    # y + e has the residual alpha e in every row, as rows of P sum to 1; in Z that is e D^r, at most the certificate.
    scale = np.maximum(old.degrees, 1) ** 0.5
    former = exact + (allowed / scale.max()) * scale[:, None]
    change = Growth(old, new, place)
    z, run = propagate_growth(change, former, features, change.changed, Walk(alpha, r, 1e-6), 1)
    expected, _ = propagate(new, features, alpha=alpha, r=r, tolerance=1e-10)
    error = np.abs(z - expected).max()
    assert error <= change.carried(allowed, r) + run.error + 2e-10
    assert error >= 0.5 * allowed  # so the bound is not idle


def test_a_graph_that_lost_a_node_is_refused():
    old, _ = grown()
    everybody = simulated(np.arange(400))
    smaller = Graph.from_edges([(1, 2)], nodes=np.arange(1, 400))
    with pytest.raises(BadData, match="1 of 400 nodes of the former graph are not in the new one"):
        pg.update(pg.embed(old, everybody), part(everybody, slice(0, 0)), graph=smaller, reports=everybody, before=old)


def test_the_former_graph_must_be_given_and_be_the_right_one():
    old, new = grown()
    everybody = simulated(np.arange(400))
    embedding, nobody = pg.embed(old, everybody), part(everybody, slice(0, 0))
    for before in (None, new):
        with pytest.raises(
            BadData, match="another graph; if this is that graph grown, give the former one as 'before'"
        ):
            pg.update(embedding, nobody, graph=new, reports=everybody, before=before)


def test_new_reports_of_nobody_in_the_new_graph_are_refused():
    old, new = grown()
    everybody = simulated(np.arange(420))
    before = part(everybody, slice(0, 400))
    with pytest.raises(BadData, match="10 of 20 reports are of nodes that are not in the graph"):
        pg.update(pg.embed(old, before), part(everybody, slice(400, 420)), graph=new, reports=before, before=old)


def test_a_report_that_came_before_its_node_counts_when_the_node_is_there():
    old, new = grown()
    everybody = simulated(np.arange(410))
    embedding = pg.embed(old, everybody, unknown="drop")
    updated = pg.update(embedding, part(everybody, slice(0, 0)), graph=new, reports=everybody, before=old)
    assert apart(updated, pg.embed(new, everybody)) <= 0
    assert updated.provenance.source.participation == 1.0


@dataclass(frozen=True)
class Crooked:
    """An engine from outside: its errors are within its certificate, but lean one way here and the other way there."""

    name = "crooked"

    def solve(self, problem, out, *, threads, progress):
        certificate = ENGINES["exact"].solve(problem, out, threads=threads, progress=progress)
        lean = 0.9 * problem.tolerance * np.where(np.arange(len(out)) < len(out) / 2, 1, -1)
        out += lean[:, None].astype(out.dtype)
        return certificate.plus(0.95 * problem.tolerance)


def test_what_an_engine_from_outside_certifies_is_not_carried_to_another_graph():
    generator, half = np.random.default_rng(0), 200
    edges = [(left, half + int(right)) for left in range(half) for right in generator.choice(half, 12, replace=False)]
    old = Graph.from_edges(edges, nodes=np.arange(2 * half))
    gained = [(half + right, 2 * half + right % 3) for right in range(half)]
    new = Graph.from_edges(edges + gained, nodes=np.arange(2 * half + 3))
    reports = simulated(np.arange(2 * half))
    walk = {"alpha": 0.02, "r": 0.0}
    embedding = pg.embed(old, reports, **walk, tolerance=1e-3, on=pg.Local(engine=Crooked()))
    assert apart(embedding, pg.embed(old, reports, **walk, tolerance=1e-7)) <= 0
    updated = pg.update(embedding, part(reports, slice(0, 0)), graph=new, reports=reports, before=old)
    assert apart(updated, pg.embed(new, reports, **walk, tolerance=1e-7)) <= 0


def test_a_report_that_is_left_out_does_not_stay_in_the_vectors_unseen():
    old, new = grown()
    everybody = simulated(np.arange(410))
    first, late = part(everybody, slice(0, 400)), part(everybody, slice(400, 410))
    embedding = pg.embed(old, first)
    with pytest.raises(BadData, match="reports of 400 nodes, and 399 of its nodes are among the former reports"):
        pg.update(embedding, late, graph=new, reports=part(everybody, slice(1, 400)), before=old)
    again = part(everybody, slice(395, 410))  # some of whom reported before
    assert pg.update(embedding, again, graph=new, reports=first, before=old).provenance.source.participation == 1


@pytest.mark.parametrize("stale", [False, True])
def test_a_former_report_that_was_replaced_is_refused_where_the_graph_changed(stale):
    nodes = np.arange(300)
    edges = np.random.default_rng(0).integers(0, 300, (900, 2))
    graph = Graph.from_edges(edges, nodes=nodes)
    grown = Graph.from_edges(np.concatenate([edges, [[7, 200]]]), nodes=nodes)
    reports, again = simulated(nodes), part(simulated(nodes, seed=9), slice(0, 20))
    updated = pg.update(pg.embed(graph, reports), again, graph=graph, reports=reports)
    together = pg.Reports.concatenate([part(reports, slice(20, 300)), again])
    given = reports if stale else together
    nobody = part(again, slice(0, 0))
    if stale:
        with pytest.raises(BadData, match="not made from the former reports"):
            pg.update(updated, nobody, graph=grown, reports=given, before=graph)
    else:
        found = pg.update(updated, nobody, graph=grown, reports=given, before=graph)
        assert apart(found, pg.embed(grown, together)) <= 0
