import numpy as np
import pytest
import scipy.sparse

import privge as pg
from privge.embedding.join import feature_rows
from privge.errors import BadData, CampaignMismatch
from privge.propagation import Walk, propagate_change
from privge.testing.series import exact_embedding


def network(people=300, seed=0):
    generator = np.random.default_rng(seed)
    edges = generator.integers(0, people, (4 * people, 2))
    return pg.Graph.from_edges(edges, nodes=np.arange(people)), generator.random((people, 12))


def campaign(**changes):
    fields = {"dimensions": 12, "low": 0, "high": 1, "mechanism": "hds", "epsilon": 2.0, "k": 3}
    return pg.Campaign(**{**fields, **changes})


@pytest.mark.parametrize("decoding", ["raw", "unbiased"])
def test_an_embedding_is_the_series_of_the_decoded_reports(decoding):
    graph, features = network()
    reports = campaign().simulate(features, seed=1)
    z = pg.embed(graph, reports, alpha=0.2, r=0.3, decoding=decoding, tolerance=1e-3)
    expected = exact_embedding(graph, reports.decode(decoding), 0.2, 0.3)
    assert np.abs(z.matrix - expected).max() <= z.provenance.run.certificate <= 1e-3


def test_reports_are_joined_by_id_and_not_by_position():
    graph, features = network()
    c = campaign()
    reports = c.simulate(features, seed=1)
    shuffled = pg.Reports(c, reports.ids[::-1], reports.codes[::-1])
    assert (pg.embed(graph, shuffled).matrix == pg.embed(graph, reports).matrix).all()


def test_string_and_integer_ids_of_the_same_digits_are_one_node():
    graph, features = network()
    c = campaign()
    reports = c.simulate(features, seed=1)
    texts = pg.Reports(c, [str(node) for node in reports.ids], reports.codes)
    assert (pg.embed(graph, texts).matrix == pg.embed(graph, reports).matrix).all()


def test_nodes_without_a_report_get_the_midpoint():
    graph, features = network()
    reports = campaign().simulate(features[:100], ids=range(100), seed=1)
    rows = feature_rows(graph, reports)
    assert np.diff(rows.indptr).tolist() == [3] * 100 + [0] * 200
    assert pg.embed(graph, reports).provenance.source.participation == pytest.approx(1 / 3)


def test_reports_of_unknown_nodes_are_refused_or_dropped(caplog):
    graph, features = network()
    reports = campaign().simulate(features, ids=range(10, 310), seed=1)
    with pytest.raises(BadData, match="10 of 300 reports"):
        pg.embed(graph, reports)
    z = pg.embed(graph, reports, unknown="drop")
    assert z.provenance.source.participation == pytest.approx(290 / 300)
    assert "dropped 10 of 300 reports (3.3%)" in caplog.text


@pytest.mark.parametrize("unknown", ["refuse", "drop"])
def test_reports_that_are_all_of_unknown_nodes_are_no_embedding(unknown):
    graph, features = network()
    reports = campaign().simulate(features, ids=[f"{i:03d} " for i in range(300)], seed=1)
    with pytest.raises(BadData, match=r"none of the 300 reports is of a node in the graph; are ids written alike"):
        pg.embed(graph, reports, unknown=unknown)


def test_provenance_says_what_it_was_made_from():
    graph, features = network()
    c = campaign()
    made = pg.embed(graph, c.simulate(features, seed=1), alpha=0.3, r=0.1).provenance
    source, run = made.source, made.run
    assert (source.campaign, made.graph.fingerprint, run.alpha, run.r) == (c.id, graph.fingerprint, 0.3, 0.1)
    assert (source.mechanism, source.epsilon, source.k, made.version) == ("hds", 2.0, 3, pg.__version__)
    assert made.epsilon == 2.0


@pytest.mark.parametrize("engine", ["push", "sor", None])
def test_a_change_is_propagated_within_the_tolerance(engine):
    graph, _ = network()
    change = scipy.sparse.random_array((300, 12), density=0.01, rng=np.random.default_rng(1), format="csr")
    correction, run = propagate_change(graph, change, Walk(0.1, 0.5, 1e-4), engine=engine)
    matrix = np.zeros((300, 12), dtype=np.float64)
    correction.add_to(matrix)
    assert np.abs(matrix - exact_embedding(graph, change, 0.1, 0.5)).max() <= run.certificate.error <= 1e-4


@pytest.mark.parametrize("engine", ["push", "sor"])
@pytest.mark.parametrize("shape", [(299, 12), (300, 11), (300, 13)])
def test_a_correction_of_another_shape_is_refused(engine, shape):
    graph, _ = network()
    change = scipy.sparse.random_array((300, 12), density=0.01, rng=np.random.default_rng(1), format="csr")
    correction, _ = propagate_change(graph, change, Walk(0.1, 0.5, 1e-4), engine=engine)
    with pytest.raises(ValueError, match=r"is for a matrix of shape \(300, 12\), not"):
        correction.add_to(np.zeros(shape, dtype=np.float32))


@pytest.mark.parametrize("engine", ["push", "sor"])
def test_a_correction_is_the_same_with_any_number_of_threads(engine):
    graph, _ = network()
    change = scipy.sparse.random_array((300, 12), density=0.01, rng=np.random.default_rng(1), format="csr")
    correction, _ = propagate_change(graph, change, Walk(0.1, 0.5, 1e-4), engine=engine)
    found = [np.ones((300, 12), dtype=np.float32) for _ in range(3)]
    rounded = {correction.add_to(matrix, threads=threads) for matrix, threads in zip(found, (1, 2, 400), strict=True)}
    assert len(rounded) == 1
    assert all(np.array_equal(found[0], other) for other in found)


def split(reports, rows):
    return pg.Reports(reports.campaign, reports.ids[rows], reports.codes[rows])


def test_an_update_equals_a_full_recomputation_within_the_certificates():
    graph, features = network()
    everybody = campaign().simulate(features, seed=1)
    before, late = split(everybody, slice(20, None)), split(everybody, slice(0, 20))
    old = pg.embed(graph, before)
    updated = pg.update(old, late, graph=graph, reports=before)
    full = pg.embed(graph, everybody)
    assert (
        np.abs(updated.matrix - full.matrix).max()
        <= updated.provenance.run.certificate + full.provenance.run.certificate
    )
    assert updated.provenance.source.participation == pytest.approx(1.0)
    assert np.abs(old.matrix - full.matrix).max() > 1e-3  # the update did something, and left the old one alone


def test_an_update_refuses_former_reports_that_are_not_those_of_the_embedding():
    graph, features = network()
    first, second = (campaign().simulate(features, seed=seed) for seed in (1, 2))
    old, again = pg.embed(graph, first), split(second, slice(0, 20))
    updated = pg.update(old, again, graph=graph, reports=first)
    refused = [(old, split(first, slice(0, 10))), (old, split(first, slice(20, None))), (old, second), (updated, first)]
    for embedding, former in refused:
        with pytest.raises(BadData, match=r"was not made from the former reports .* of the 20 nodes"):
            pg.update(embedding, again, graph=graph, reports=former)
    today = pg.Reports.concatenate([split(first, slice(20, None)), again])
    assert pg.update(updated, split(second, slice(20, 40)), graph=graph, reports=today)


def test_one_wrong_report_of_many_is_found():
    graph, features = network()
    first, second = (campaign().simulate(features, seed=seed) for seed in (1, 2))
    wrong = np.array(first.codes)
    wrong[7] = second.codes[7]
    old, former = pg.embed(graph, first), pg.Reports(first.campaign, first.ids, wrong)
    with pytest.raises(BadData, match=r"of 1 of the 300 nodes"):
        pg.update(old, second, graph=graph, reports=former)


def test_reports_that_change_nothing_leave_the_certificate():
    graph, features = network()
    reports = campaign().simulate(features, seed=1)
    old = pg.embed(graph, reports)
    same = pg.update(old, split(reports, slice(0, 20)), graph=graph, reports=reports)
    assert np.array_equal(same.matrix, old.matrix)
    assert same.provenance.run.certificate == old.provenance.run.certificate


def test_an_update_takes_no_path():
    graph, features = network()
    reports = campaign().simulate(features, seed=1)
    with pytest.raises(TypeError, match=r"takes reports, got str; Reports.from_parquet reads a file"):
        pg.update(pg.embed(graph, reports), "new.parquet", graph=graph, reports=reports)


def test_an_update_replaces_a_report():
    graph, features = network()
    c = campaign()
    first, second = c.simulate(features, seed=1), c.simulate(features, seed=2)
    changed = split(second, slice(0, 5))
    mixed = pg.Reports(c, first.ids, np.vstack([second.codes[:5], first.codes[5:]]))
    updated = pg.update(pg.embed(graph, first), changed, graph=graph, reports=first)
    full = pg.embed(graph, mixed)
    assert (
        np.abs(updated.matrix - full.matrix).max()
        <= updated.provenance.run.certificate + full.provenance.run.certificate
    )


@pytest.mark.parametrize("engine", ["sor", "exact"])
def test_an_update_keeps_a_fine_tolerance(engine):
    graph, features = network()
    c = campaign()
    first, second = c.simulate(features, seed=1), c.simulate(features, seed=2)
    mixed = pg.Reports(c, first.ids, np.vstack([second.codes[:50], first.codes[50:]]))
    old = pg.embed(graph, first, tolerance=1e-9, on=pg.Local(engine=engine), decoding="unbiased")
    updated = pg.update(old, split(second, slice(0, 50)), graph=graph, reports=first)
    exact = exact_embedding(graph, mixed.decode("unbiased"), 0.1, 0.5)
    assert np.abs(updated.matrix - exact).max() <= updated.provenance.run.certificate <= 3e-9


def test_clipping_bounds_what_one_report_can_do_and_is_kept_by_an_update(tmp_path):
    graph, features = network()
    c = campaign(mechanism="laplace")
    first, second = c.simulate(features, seed=1), c.simulate(features, seed=2)
    mixed = pg.Reports(c, first.ids, np.vstack([second.codes[:5], first.codes[5:]]))
    old = pg.embed(graph, first, clip=2)
    bounded, most = first.decode(), 2 * c.dimensions / c.k
    bounded.data = np.clip(bounded.data, -most, most)
    expected = exact_embedding(graph, bounded, 0.1, 0.5)
    assert np.abs(old.matrix - expected).max() <= old.provenance.run.certificate + 1e-6
    assert np.abs(old.matrix - pg.embed(graph, first).matrix).max() > 0.1
    updated = pg.update(old, split(second, slice(0, 5)), graph=graph, reports=first)
    full = pg.embed(graph, mixed, clip=2)
    assert (
        np.abs(updated.matrix - full.matrix).max()
        <= updated.provenance.run.certificate + full.provenance.run.certificate
    )
    updated.to_parquet(tmp_path / "z.parquet")
    assert (
        pg.Embedding.from_parquet(tmp_path / "z.parquet").provenance.source.clip == updated.provenance.source.clip == 2
    )


def test_an_update_knows_a_node_by_its_digits_too():
    graph, features = network()
    c = campaign()
    first, second = c.simulate(features, seed=1), c.simulate(features, seed=2)
    texts = pg.Reports(c, [str(node) for node in second.ids[:50]], second.codes[:50])
    updated = pg.update(pg.embed(graph, first), texts, graph=graph, reports=first)
    numbers = pg.update(pg.embed(graph, first), split(second, slice(0, 50)), graph=graph, reports=first)
    assert (updated.matrix == numbers.matrix).all()
    assert updated.provenance.source.participation == pytest.approx(1.0)


def test_an_update_refuses_another_graph_or_campaign():
    graph, features = network()
    reports = campaign().simulate(features, seed=1)
    z = pg.embed(graph, reports)
    with pytest.raises(BadData, match="another graph"):
        pg.update(z, reports, graph=network(seed=9)[0], reports=reports)
    with pytest.raises(CampaignMismatch):
        pg.update(z, campaign(purpose="x").simulate(features), graph=graph, reports=reports)


def test_the_estimator_follows_scikit_learn():
    from sklearn.base import clone

    graph, features = network()
    estimator = pg.PrivGE(graph=graph, epsilon=3.0, k=2, alpha=0.2, seed=4)
    copy = clone(estimator)
    assert copy.get_params() == estimator.get_params()
    assert "epsilon=3.0" in repr(copy)
    z = copy.fit_transform(features)
    assert (z == estimator.set_params(seed=4).fit_transform(features)).all()
    assert copy.embedding_.provenance.source.k == 2
    with pytest.raises(ValueError, match="not a parameter"):
        estimator.set_params(colour=1)


def test_controls_go_the_same_way():
    graph, features = network()
    none = pg.PrivGE(graph=graph, mechanism="none", epsilon=None, seed=1).fit_transform(features)
    exact = exact_embedding(graph, scipy.sparse.csr_array(2 * features - 1), 0.1, 0.5)
    # Rounding to 1,025 levels moves a feature by up to 1/1024; propagation sums it with weights of at most this.
    weights = exact_embedding(graph, scipy.sparse.csr_array(np.ones((300, 1))), 0.1, 0.5).max()
    assert np.abs(none - exact).max() <= weights / 1024 + 1e-4
    structure = pg.PrivGE(graph=graph, mechanism="structure", epsilon=None, k=3, seed=1)
    assert (structure.fit_transform(features) == structure.fit_transform(1 - features)).all()
