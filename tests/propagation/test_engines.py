"""Every engine, on every graph: the error is at most the certificate, and the certificate at most the tolerance."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from contract.series import algorithm_3, exact_embedding
from privge.errors import BadData, ToleranceNotReached
from privge.graph import Graph
from privge.propagation import ENGINES, Certificate, Local, Push, Sor, propagate

ROUNDING = 1e-12  # of the dense float64 solution that everything is compared with, relative to the largest feature


def star(n):
    return [(0, i) for i in range(1, n)]


def chain(n):
    return [(i, i + 1) for i in range(n - 1)]


def clique(n):
    return [(i, j) for i in range(n) for j in range(i)]


def two_parts(n):
    return [(i, j) for i in range(n) for j in range(i) if (i < n // 2) == (j < n // 2)]


SHAPES = {"star": star, "chain": chain, "clique": clique, "disconnected": two_parts, "isolated": lambda _: []}


@st.composite
def problems(draw):
    n = draw(st.integers(1, 40))
    if draw(st.booleans()):
        edges = SHAPES[draw(st.sampled_from(sorted(SHAPES)))](n)
    else:
        node = st.integers(0, n - 1)
        edges = draw(st.lists(st.tuples(node, node), max_size=4 * n))
    graph = Graph.from_edges(
        np.array(edges, dtype=np.int64).reshape(-1, 2), nodes=np.arange(n + draw(st.integers(0, 3)))
    )
    columns = draw(st.integers(1, 35))
    seed = draw(st.integers(0, 2**32 - 1))
    scale = draw(st.sampled_from([1e-3, 1.0, 1e4]))
    features = scipy.sparse.random_array(
        (graph.nodes, columns), density=0.3, rng=np.random.default_rng(seed), format="csr"
    )
    features.data = scale * (2 * features.data - 1)
    return graph, features, scale


alphas = st.sampled_from([0.01, 0.05, 0.1, 0.5, 0.9, 0.99])
exponents = st.sampled_from([0, 0.1, 0.5, 1])


@pytest.mark.parametrize("engine", sorted(ENGINES))
@settings(max_examples=120, deadline=None)
@given(problem=problems(), alpha=alphas, r=exponents, relative=st.sampled_from([1e-2, 1e-4, 1e-9]))
def test_the_certificate_holds(engine, problem, alpha, r, relative):
    graph, features, scale = problem
    z, run = propagate(
        graph, features, alpha=alpha, r=r, tolerance=relative * scale, on=Local(engine=engine, threads=1)
    )
    error = np.abs(z - exact_embedding(graph, features, alpha, r)).max(initial=0.0)
    assert error <= run.certificate.error + ROUNDING * scale / alpha
    assert run.certificate.error <= relative * scale


class StopsEarly(Sor):
    """A negative control: claims the tolerance after a single sweep."""

    def solve(self, problem, out, *, threads=1, progress=None):
        from dataclasses import replace

        certificate = Sor.solve(
            self, replace(problem, walk=replace(problem.walk, tolerance=1e9)), out, threads=threads, progress=progress
        )
        return Certificate(problem.tolerance, certificate.sweeps, certificate.precision)


def test_an_engine_that_stops_early_is_caught():
    graph = Graph.from_edges(np.array(chain(40)))
    features = scipy.sparse.csr_array(np.ones((40, 3)))
    z, run = propagate(graph, features, alpha=0.05, r=0.5, tolerance=1e-4, on=Local(engine=StopsEarly(), threads=1))
    with pytest.raises(AssertionError):
        assert np.abs(z - exact_embedding(graph, features, 0.05, 0.5)).max() <= run.certificate.error


def random_problem(nodes=3000, columns=70, seed=0):
    generator = np.random.default_rng(seed)
    popularity = generator.pareto(2, nodes) + 0.1
    edges = generator.choice(nodes, (6 * nodes, 2), p=popularity / popularity.sum())
    graph = Graph.from_edges(edges, nodes=np.arange(nodes))
    return graph, scipy.sparse.random_array((nodes, columns), density=0.05, rng=generator, format="csr")


@pytest.mark.parametrize("engine", sorted(ENGINES))
def test_results_are_bit_identical_for_any_number_of_threads_and_from_run_to_run(engine):
    graph, features = random_problem(columns=70 if engine != "push" else 6)
    tolerance = 1e-5 if engine != "push" else 1e-3
    runs = [
        propagate(graph, features, alpha=0.1, r=0.3, tolerance=tolerance, on=Local(engine=engine, threads=threads))[0]
        for threads in (1, 2, 3, 1)
    ]
    assert all((z == runs[0]).all() for z in runs[1:])


@pytest.mark.parametrize("r", [0, 0.1, 0.5, 1])
def test_engines_agree_on_a_larger_graph(r):
    graph, features = random_problem(columns=20)
    reference, _ = propagate(graph, features, alpha=0.2, r=r, tolerance=1e-8, on=Local(engine="exact"))
    for engine in ("sor", "push", "chebyshev"):
        z, run = propagate(graph, features, alpha=0.2, r=r, tolerance=1e-4, on=Local(engine=engine))
        assert np.abs(z - reference).max() <= run.certificate.error + 1e-8


def test_reordering_changes_nothing_but_rounding():
    graph, features = random_problem()
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
    graph, features = random_problem(columns=5)
    rmax = 1e-4
    z, run = propagate(graph, features, alpha=0.1, r=0.5, tolerance=1.0, on=Local(engine=Push(rmax=rmax)))
    exact, _ = propagate(graph, features, alpha=0.1, r=0.5, tolerance=1e-8, on=Local(engine="exact"))
    largest = graph.degrees.max() ** 0.5
    assert np.abs(z - exact).max() <= run.certificate.error + 1e-8
    assert run.certificate.error == pytest.approx(rmax * largest, rel=1e-2)


def test_isolated_nodes_keep_alpha_times_their_features():
    graph = Graph.from_edges(np.empty((0, 2), dtype=np.int64), nodes=np.arange(3))
    features = scipy.sparse.csr_array(np.diag([1.0, -2.0, 3.0]))
    for engine in ENGINES:
        z, _ = propagate(graph, features, alpha=0.25, r=0.5, tolerance=1e-6, on=Local(engine=engine))
        assert z == pytest.approx(0.25 * features.toarray(), abs=1e-6)


def test_float64_is_taken_where_float32_cannot_certify():
    graph, features = random_problem(columns=3)
    loose = propagate(graph, features, alpha=0.1, r=0.1, tolerance=1e-3)
    fine = propagate(graph, features, alpha=0.1, r=0.1, tolerance=1e-9)
    assert loose[1].certificate.precision == loose[0].dtype == np.float32
    assert fine[1].certificate.precision == fine[0].dtype == np.float64


@pytest.mark.parametrize("engine", sorted(ENGINES))
def test_features_beyond_float32_are_done_in_float64(engine):
    graph, features = random_problem(nodes=200, columns=3)
    reference, _ = propagate(graph, features, alpha=0.2, r=0.5, tolerance=1e-4, on=Local(engine="exact"))
    huge, run = propagate(graph, 1e60 * features, alpha=0.2, r=0.5, tolerance=1e56, on=Local(engine=engine))
    assert huge.dtype == np.float64
    assert np.abs(huge / 1e60 - reference).max() <= run.certificate.error / 1e60 + 1e-6


def test_a_tolerance_beyond_floating_point_is_refused():
    graph, features = random_problem(columns=3)
    with pytest.raises(ToleranceNotReached, match="ask for a larger one"):
        propagate(graph, features, tolerance=1e-18)


def test_a_result_above_the_memory_budget_is_mapped_and_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    graph, features = random_problem(columns=20)
    inside, _ = propagate(graph, features)
    outside, _ = propagate(graph, features, on=Local(memory=1000))
    assert isinstance(outside, np.memmap)
    assert (inside == outside).all()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("engine", sorted(ENGINES))
def test_repeated_entries_of_a_feature_add_up(engine):
    graph, _ = random_problem(nodes=30)
    twice = scipy.sparse.csr_array((np.array([0.5, 0.25]), np.array([0, 0]), np.array([0, *[2] * 30])), shape=(30, 1))
    once = scipy.sparse.csr_array((np.array([0.75]), np.array([0]), np.array([0, *[1] * 30])), shape=(30, 1))
    results = [propagate(graph, x, tolerance=1e-6, on=Local(engine=engine))[0] for x in (twice, once)]
    assert results[0] == pytest.approx(results[1], abs=2e-6)


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
    graph, features = random_problem(nodes=30)
    with pytest.raises(ToleranceNotReached):
        propagate(graph, features, tolerance=1e-15, on=Local(engine="push"))
    with pytest.raises(ValueError, match="rmax"):
        Push(rmax=0.0)


def test_progress_reaches_the_number_of_columns():
    graph, features = random_problem(columns=40)
    for engine in ENGINES:
        calls = []
        propagate(graph, features, tolerance=1e-2, on=Local(engine=engine), progress=lambda *call: calls.append(call))  # noqa: B023
        assert calls[-1] == (40, 40)


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
    graph, features = random_problem(nodes=30, columns=2)
    with pytest.raises(ValueError, match=message):
        propagate(graph, features, **changes)


def test_features_are_checked():
    graph, features = random_problem(nodes=30, columns=2)
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
