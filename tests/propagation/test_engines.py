"""What holds for some engines, or for the call of any; what holds for every engine is in its contract."""

import numpy as np
import pytest
import scipy.sparse

from privge.errors import BadData, ToleranceNotReached
from privge.graph import Graph
from privge.propagation import ENGINES, Local, Push, Sor, propagate
from privge.testing.graphs import chain, popular, star
from privge.testing.series import algorithm_3


@pytest.mark.parametrize("r", [0, 0.1, 0.5, 1])
def test_engines_agree_on_a_larger_graph(r):
    graph, features = popular(columns=20)
    reference, _ = propagate(graph, features, alpha=0.2, r=r, tolerance=1e-8, on=Local(engine="exact"))
    for engine in ("sor", "push", "chebyshev"):
        z, run = propagate(graph, features, alpha=0.2, r=r, tolerance=1e-4, on=Local(engine=engine))
        assert np.abs(z - reference).max() <= run.certificate.error + 1e-8


def test_reordering_changes_nothing_but_rounding():
    graph, features = popular()
    results = [
        propagate(graph, features, alpha=0.1, r=0.3, tolerance=1e-6, on=Local(engine=Sor(reorder=reorder)))[0]
        for reorder in (False, True)
    ]
    assert np.abs(results[0] - results[1]).max() <= 2e-6


@pytest.mark.parametrize("rmax", [1e-2, 1e-4, 1e-6])
def test_push_is_algorithm_3_as_printed(rmax):
    generator = np.random.default_rng(5)
    graph = Graph.from_edges(generator.integers(0, 30, (60, 2)), nodes=np.arange(32))
    features = scipy.sparse.csr_array(generator.normal(size=(32, 4)) * (generator.random((32, 4)) < 0.4))
    expected, residue = algorithm_3(graph, features, 0.15, 0.5, rmax)
    z, _ = propagate(graph, features, alpha=0.15, r=0.5, tolerance=1.0, on=Local(engine=Push(rmax=rmax)))
    assert np.abs(residue).max() <= rmax
    assert z == pytest.approx(expected, abs=1e-6 * np.abs(expected).max())  # stored as float32


def test_push_keeps_its_bound_on_a_larger_graph():
    graph, features = popular(columns=5)
    rmax = 1e-4
    z, run = propagate(graph, features, alpha=0.1, r=0.5, tolerance=1.0, on=Local(engine=Push(rmax=rmax)))
    exact, _ = propagate(graph, features, alpha=0.1, r=0.5, tolerance=1e-8, on=Local(engine="exact"))
    largest = graph.degrees.max() ** 0.5
    assert np.abs(z - exact).max() <= run.certificate.error + 1e-8
    assert run.certificate.error == pytest.approx(rmax * largest, rel=1e-2)


def test_float64_is_taken_where_float32_cannot_certify():
    graph, features = popular(columns=3)
    loose = propagate(graph, features, alpha=0.1, r=0.1, tolerance=1e-3)
    fine = propagate(graph, features, alpha=0.1, r=0.1, tolerance=1e-9)
    assert loose[1].certificate.precision == loose[0].dtype == np.float32
    assert fine[1].certificate.precision == fine[0].dtype == np.float64


def test_a_tolerance_beyond_floating_point_is_refused():
    graph, features = popular(columns=3)
    with pytest.raises(ToleranceNotReached, match="ask for a larger one"):
        propagate(graph, features, tolerance=1e-18)


def test_a_result_above_the_memory_budget_is_mapped_and_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    graph, features = popular(columns=20)
    inside, _ = propagate(graph, features)
    outside, _ = propagate(graph, features, on=Local(memory=1000))
    assert isinstance(outside, np.memmap)
    assert (inside == outside).all()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("engine", ["sor", "push"])
@pytest.mark.parametrize("alpha", [0.02, 0.1, 0.5])
def test_the_certificate_counts_the_roundings_of_a_hub(engine, alpha):
    leaves = 20_000
    graph = Graph.from_edges(np.array(star(leaves + 1)))
    features = scipy.sparse.csr_array(np.where(np.arange(leaves + 1) > 0, 0.7, 0.0)[:, None])
    # By symmetry there are two unknowns, hub h and leaf l: h = (1-a) l and l = a x + (1-a) h.
    leaf = alpha * 0.7 / (1 - (1 - alpha) ** 2)
    exact = np.where(np.arange(leaves + 1) > 0, leaf, (1 - alpha) * leaf)
    for tolerance in (1e-10, 2e-11, 4e-12):
        try:
            z, run = propagate(graph, features, alpha=alpha, r=0, tolerance=tolerance, on=Local(engine=engine))
        except ToleranceNotReached:
            continue
        assert np.abs(z[:, 0] - exact).max() <= run.certificate.error + 1e-15


def test_push_refuses_what_float64_cannot_reach():
    graph, features = popular(nodes=30)
    with pytest.raises(ToleranceNotReached):
        propagate(graph, features, tolerance=1e-15, on=Local(engine="push"))
    with pytest.raises(ValueError, match="rmax"):
        Push(rmax=0.0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"alpha": 0}, "alpha"),
        ({"alpha": 1}, "alpha"),
        ({"alpha": float("nan")}, "alpha"),
        ({"r": -0.1}, "r must"),
        ({"r": 1.1}, "r must"),
        ({"tolerance": 0}, "tolerance"),
        ({"tolerance": float("inf")}, "tolerance"),
        ({"on": Local(engine="magic")}, "engine must be one of"),
    ],
)
def test_parameters_are_checked(changes, message):
    graph, features = popular(nodes=30, columns=2)
    with pytest.raises(ValueError, match=message):
        propagate(graph, features, **changes)


def test_features_are_checked():
    graph, features = popular(nodes=30, columns=2)
    with pytest.raises(ValueError, match="30 nodes"):
        propagate(graph, features[:20])
    features.data[0] = np.nan
    with pytest.raises(ValueError, match="not finite"):
        propagate(graph, features)


@pytest.mark.parametrize("engine", sorted(ENGINES))
@pytest.mark.parametrize(
    ("name", "position", "value"), [("indices", 0, 10**9), ("indptr", 1, 10**9), ("indptr", 1, -1)]
)
def test_features_whose_indices_are_out_of_range_are_refused(engine, name, position, value):
    graph = Graph.from_edges(np.array(chain(4)))
    features = scipy.sparse.csr_array(np.eye(4))
    getattr(features, name)[position] = value
    with pytest.raises(BadData, match="damaged"):
        propagate(graph, features, on=Local(engine=engine))
