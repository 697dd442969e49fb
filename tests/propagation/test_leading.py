"""Leading directions: as good as a singular value decomposition of the whole result, which is never made."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse

import privge as pg
from privge.propagation import Local, Walk, propagate, propagate_leading
from privge.propagation.leading import _Search
from privge.propagation.product import ProductProblem

WALK = Walk(alpha=0.2, r=0.3, tolerance=1e-6)
SEED = "ab" * 32


def graph(nodes=200, edges=700, seed=0):
    pairs = np.random.default_rng(seed).integers(0, nodes, (edges, 2))
    return pg.as_graph(pairs, nodes=range(nodes))


def features(nodes=200, columns=90, seed=1, density=0.05):
    return scipy.sparse.random_array((nodes, columns), density=density, format="csr", rng=seed, dtype=np.float32)


def whole(network, rows, walk=WALK):
    return propagate(network, rows, alpha=walk.alpha, r=walk.r, tolerance=walk.tolerance)[0].astype(np.float64)


def leading(network, rows, dimensions, walk=WALK, **options):
    return propagate_leading(network, rows, walk, Local(threads=1, **options), dimensions=dimensions, seed=SEED)


@pytest.mark.parametrize("r", [0.0, 0.3, 1.0])
def test_the_transpose_of_a_propagation_has_one_minus_r(r):
    network, identity = graph(), scipy.sparse.eye_array(200, format="csr", dtype=np.float32)
    one, other = (whole(network, identity, replace(WALK, r=each)) for each in (r, 1 - r))
    assert np.allclose(one.T, other, atol=3e-6)


def test_the_search_goes_back_by_the_transpose(monkeypatch):
    monkeypatch.setattr("privge.propagation.leading._ROUGH", 1e-6)
    network, rows = graph(), features()
    left = np.random.default_rng(2).normal(size=(200, 5)).astype(np.float32)
    search = _Search(network, rows, replace(WALK, r=0.1), Local(threads=1), lambda _: None)
    expected = whole(network, rows, replace(WALK, r=0.1)).T @ left
    assert np.allclose(search.back(left, 0), expected, atol=1e-3)
    assert not np.allclose(whole(network, rows, replace(WALK, r=0.9)).T @ left, expected, atol=1e-3)


def test_it_keeps_nearly_as_much_as_any_projection_can():
    network, rows = graph(), features()
    values = np.linalg.svd(whole(network, rows), compute_uv=False)
    matrix, _, told = leading(network, rows, 16)
    best, mine = float((values[:16] ** 2).sum()), float(np.square(matrix, dtype=np.float64).sum())
    assert 0.97 * best <= mine <= best * (1 + 1e-5)
    assert told.kept == pytest.approx(mine / float((values**2).sum()), abs=0.15)  # random signs: some percent
    random = whole(network, rows) @ np.linalg.qr(np.random.default_rng(0).normal(size=(90, 16)))[0]
    assert (random**2).sum() < 0.5 * mine


def test_no_distance_grows():
    network, rows = graph(), features()
    full, (matrix, _, _) = whole(network, rows), leading(network, rows, 16)
    true, mine = (np.linalg.norm(each[:, None] - each[None], axis=2) for each in (full, matrix.astype(np.float64)))
    assert (mine <= true + 2 * 4 * WALK.tolerance + 1e-5 * true).all()  # 16 entries, each within the tolerance


def test_features_of_few_directions_keep_all_distances():
    network = graph()
    rows = scipy.sparse.csr_array(np.random.default_rng(3).random((200, 5)) @ np.random.default_rng(4).random((5, 90)))
    full, (matrix, _, told) = whole(network, rows), leading(network, rows, 8)
    assert np.allclose(matrix @ matrix.T, full @ full.T, rtol=1e-3, atol=1e-4 * np.abs(full @ full.T).max())
    assert told.dimensions <= 8


def test_the_same_seed_gives_the_same_directions_and_another_seed_others():
    network, rows = graph(), features()
    one, two = (leading(network, rows, 10)[2] for _ in range(2))
    other = propagate_leading(network, rows, WALK, Local(threads=1), dimensions=10, seed="cd" * 32)[2]
    assert one == two
    assert other.digest != one.digest


@pytest.mark.parametrize("engine", ["exact", "chebyshev", "push"])
def test_every_engine_solves_a_product(engine):
    network, rows, right = graph(), features(), np.random.default_rng(0).normal(size=(90, 5)).astype(np.float32)
    expected = whole(network, rows) @ right
    from privge.propagation.propagate import solved

    for name in (engine, "sor"):
        made, run = solved(ProductProblem.of(network, rows, WALK, right), Local(threads=1, engine=name), None)
        assert np.abs(made - expected).max() <= 1e-4
        assert run.certificate.error <= WALK.tolerance


def test_the_whole_result_is_never_in_memory():
    network, rows = graph(2000, 6000), features(2000, 4000, density=0.001)
    leading(network, rows, 16, replace(WALK, tolerance=1e-3))  # what is compiled or imported does not count
    tracemalloc.start()
    leading(network, rows, 16, replace(WALK, tolerance=1e-3))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2000 * 4000 * 4 / 10


def test_progress_ends_where_it_says():
    seen = []
    place = Local(threads=1)
    propagate_leading(
        graph(),
        features(),
        WALK,
        place,
        dimensions=20,
        seed=SEED,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen[-1][0] == seen[-1][1]
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_no_fewer_columns_are_refused():
    with pytest.raises(ValueError, match="below the number of columns"):
        leading(graph(), features(), 90)


def test_features_of_zeros_have_no_directions_and_do_no_harm():
    matrix, _, told = leading(graph(), scipy.sparse.csr_array((200, 90), dtype=np.float32), 4)
    assert not matrix.any()
    assert told.kept == 1.0
