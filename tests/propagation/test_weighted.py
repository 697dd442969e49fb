"""Weighted graphs: every engine and both regimes of a cluster keep the certificate that they keep without weights."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

from privge.errors import ToleranceNotReached
from privge.graph import Graph
from privge.propagation import ENGINES, Local, OnCluster, Sor, propagate
from privge.propagation._kernels.gather import AHEAD, LANES
from privge.propagation._kernels.relax import sweep
from privge.testing.series import exact_embedding

DIGITS = 60


def series(graph, features, alpha, r):
    """Solve ``(I - (1-alpha) D^(-1) A) y = alpha D^(-r) X``, ``Z = D^r y``, with 60 digits; isolated: ``alpha x``."""
    with localcontext(prec=DIGITS):
        alpha, r = Decimal(alpha), Decimal(r)
        adjacency = [[Decimal(weight) for weight in row] for row in graph.to_scipy().toarray().tolist()]
        strength = [sum(row, Decimal(0)) or Decimal(1) for row in adjacency]
        scale = [each**r for each in strength]
        rows = [
            [(1 if i == j else 0) - (1 - alpha) * weight / strength[i] for j, weight in enumerate(row)]
            + [alpha * Decimal(x) / scale[i] for x in features[i]]
            for i, row in enumerate(adjacency)
        ]
        _eliminate(rows)
        nodes = graph.nodes
        return np.array([[float(y * scale[i]) for y in rows[i][nodes:]] for i in range(nodes)]).reshape(nodes, -1)


def _eliminate(rows):
    """Turn the left square into the identity; rows are diagonally dominant, so no pivots are needed."""
    for i in range(len(rows)):
        rows[i] = [entry / rows[i][i] for entry in rows[i]]
        for k in range(len(rows)):
            if k != i and rows[k][i]:
                factor = rows[k][i]
                rows[k] = [one - factor * other for one, other in zip(rows[k], rows[i], strict=True)]


@st.composite
def weighted_problems(draw, decades=6):
    n = draw(st.integers(2, 9))
    node = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(node, node), min_size=1, max_size=3 * n))
    exponents = draw(st.lists(st.floats(-decades, decades), min_size=len(edges), max_size=len(edges)))
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    graph = Graph.from_edges(ends, nodes=np.arange(n + 1), weights=10.0 ** np.array(exponents))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return graph, scipy.sparse.random_array((n + 1, 3), density=0.6, rng=generator, format="csr")


alphas = st.sampled_from([0.05, 0.1, 0.5, 0.9])


@pytest.mark.parametrize("engine", sorted(ENGINES))
@settings(max_examples=60, deadline=None)
@given(
    problem=weighted_problems(), alpha=alphas, r=st.sampled_from([0, 0.1, 0.5]), tolerance=st.sampled_from([1e-2, 1e-5])
)
def test_the_certificate_holds_for_weights_of_many_magnitudes(engine, problem, alpha, r, tolerance):
    graph, features = problem
    z, run = propagate(graph, features, alpha=alpha, r=r, tolerance=tolerance, on=Local(engine=engine, threads=1))
    assert np.abs(z - series(graph, features.toarray(), alpha, r)).max() <= run.certificate.error <= tolerance


@pytest.mark.parametrize("engine", sorted(ENGINES))
@settings(max_examples=30, deadline=None)
@given(problem=weighted_problems(decades=2), alpha=alphas)
def test_the_certificate_holds_where_strengths_count_in_full(engine, problem, alpha):
    graph, features = problem
    z, run = propagate(graph, features, alpha=alpha, r=1, tolerance=1e-5, on=Local(engine=engine, threads=1))
    assert np.abs(z - series(graph, features.toarray(), alpha, 1)).max() <= run.certificate.error <= 1e-5


def test_what_float64_cannot_certify_is_refused_and_not_promised():
    graph = Graph.from_edges([(0, 1), (2, 3)], weights=[1e60, 1e-60])
    features = scipy.sparse.csr_array(np.ones((4, 1)))
    for engine in ENGINES:
        with pytest.raises(ToleranceNotReached):
            propagate(graph, features, r=1, tolerance=1e-4, on=Local(engine=engine))


def random_problem(nodes=2500, columns=70, seed=0):
    generator = np.random.default_rng(seed)
    popularity = generator.pareto(2, nodes) + 0.1
    edges = generator.choice(nodes, (6 * nodes, 2), p=popularity / popularity.sum())
    edges[:300, 0] = 3  # one node with far more than 16 neighbours
    weights = 10 ** generator.uniform(-3, 3, len(edges))
    graph = Graph.from_edges(edges, nodes=np.arange(nodes), weights=weights)
    features = scipy.sparse.random_array((nodes, columns), density=0.05, rng=generator, format="csr", dtype=np.float32)
    return graph, features


def direct(graph, features, alpha, r):
    """Scipy's own direct solver on the plain formula."""
    adjacency = graph.to_scipy()
    strengths = np.asarray(adjacency.sum(axis=1)).ravel()
    strengths[strengths == 0] = 1
    matrix = scipy.sparse.diags_array(strengths) - (1 - alpha) * adjacency
    scale = strengths[:, None] ** r
    right = alpha * strengths[:, None] / scale * features.toarray().astype(np.float64)
    return scale * scipy.sparse.linalg.splu(matrix.tocsc()).solve(right)


@pytest.mark.parametrize("r", [0, 0.1, 0.5, 1])
@pytest.mark.parametrize("engine", sorted(ENGINES))
def test_every_engine_agrees_with_scipy_on_a_larger_graph(engine, r):
    graph, features = random_problem(columns=20)
    expected = direct(graph, features, 0.2, r)
    z, run = propagate(graph, features, alpha=0.2, r=r, tolerance=1e-4, on=Local(engine=engine))
    assert np.abs(z - expected).max() <= run.certificate.error + 1e-9  # splu: 1e-16 of y, which is up to 1e6


@pytest.mark.parametrize("wrong", ["none", "shuffled"])
def test_other_weights_are_another_embedding(wrong):
    graph, features = random_problem(columns=20)
    expected = direct(graph, features, 0.2, 0.5)
    other = Graph.with_rows(graph.ids, graph.indptr, graph.indices)
    if wrong == "shuffled":
        table = graph.to_edges()
        weights = np.random.default_rng(1).permutation(table["weight"].to_numpy())
        other = Graph.from_edges(table.select(["source", "target"]), nodes=graph.ids, weights=weights)
    z, run = propagate(other, features, alpha=0.2, r=0.5, tolerance=1e-4)
    with pytest.raises(AssertionError):
        assert np.abs(z - expected).max() <= 100 * run.certificate.error


@pytest.mark.parametrize("engine", sorted(ENGINES))
@settings(max_examples=40, deadline=None)
@given(problem=weighted_problems(), r=st.sampled_from([0, 0.3, 1]))
def test_weights_of_1_are_no_weights(engine, problem, r):
    weighted, features = problem
    plain = Graph.with_rows(weighted.ids, weighted.indptr, weighted.indices)
    ones = Graph(weighted.ids, weighted.indptr, weighted.indices, np.ones(len(weighted.indices)))
    results = [
        propagate(graph, features, r=r, tolerance=1e-6, on=Local(engine=engine, threads=1)) for graph in (plain, ones)
    ]
    (z, run), (weighted_z, weighted_run) = results
    assert np.abs(z - weighted_z).max() <= run.certificate.error + weighted_run.certificate.error
    exact = exact_embedding(plain, features, 0.1, r)
    assert np.abs(weighted_z - exact).max() <= weighted_run.certificate.error + 1e-12


@pytest.mark.parametrize("engine", sorted(ENGINES))
@pytest.mark.parametrize("factor", [3.0, 1e-9, 1e40])
def test_the_unit_of_the_weights_does_not_matter(engine, factor):
    graph, features = random_problem(nodes=300, columns=5)
    scaled = Graph(graph.ids, graph.indptr, graph.indices, factor * graph.weights)
    results = [propagate(each, features, r=0.5, tolerance=1e-5, on=Local(engine=engine)) for each in (graph, scaled)]
    (z, run), (again, rerun) = results
    assert np.abs(z - again).max() <= run.certificate.error + rerun.certificate.error
    assert run.certificate.precision == rerun.certificate.precision


def test_a_power_of_two_as_unit_changes_no_bit():
    graph, features = random_problem(nodes=300, columns=5)
    scaled = Graph(graph.ids, graph.indptr, graph.indices, 2.0**70 * graph.weights)
    z, again = (propagate(each, features, r=0.5, tolerance=1e-5)[0] for each in (graph, scaled))
    assert z.tobytes() == again.tobytes()


@pytest.mark.parametrize("engine", sorted(ENGINES))
def test_results_are_bit_identical_for_any_number_of_threads(engine):
    graph, features = random_problem(columns=70 if engine != "push" else 6)
    on = [Local(engine=engine, threads=threads) for threads in (1, 2, 3, 1)]
    runs = [propagate(graph, features, r=0.3, tolerance=1e-4, on=place)[0] for place in on]
    assert all((z == runs[0]).all() for z in runs[1:])


def test_reordering_changes_nothing_but_rounding():
    graph, features = random_problem()
    results = [
        propagate(graph, features, r=0.3, tolerance=1e-6, on=Local(engine=Sor(reorder=reorder)))[0]
        for reorder in (False, True)
    ]
    assert np.abs(results[0] - results[1]).max() <= 2e-6


@pytest.mark.parametrize("engine", ["sor", "push"])
def test_the_certificate_counts_the_roundings_of_a_weighted_hub(engine):
    leaves, alpha = 20_000, 0.05
    edges = np.column_stack([np.zeros(leaves, dtype=int), np.arange(1, leaves + 1)])
    graph = Graph.from_edges(edges, weights=np.random.default_rng(0).uniform(0.1, 10, leaves))
    features = scipy.sparse.csr_array(np.where(np.arange(leaves + 1) > 0, 0.7, 0.0)[:, None])
    # Each leaf knows the hub only, and the shares of the hub add up to 1: h = (1-a) l and l = a x + (1-a) h.
    leaf = alpha * 0.7 / (1 - (1 - alpha) ** 2)
    exact = np.where(np.arange(leaves + 1) > 0, leaf, (1 - alpha) * leaf)
    for tolerance in (1e-9, 1e-10):
        z, run = propagate(graph, features, alpha=alpha, r=0, tolerance=tolerance, on=Local(engine=engine))
        assert np.abs(z[:, 0] - exact).max() <= run.certificate.error + 1e-15


@pytest.mark.parametrize("omega", [1.0, 1.4])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_weighted_sweep_equals_plain_numpy(kind, omega):
    graph, _ = random_problem(nodes=200)
    generator = np.random.default_rng(0)
    indices = np.concatenate([graph.indices, np.zeros(AHEAD, np.int32)])
    shares = (graph.weights / np.repeat(np.where(graph.degrees > 0, graph.strengths, 1), graph.degrees)).astype(kind)
    factors = np.where(graph.degrees > 0, 0.9, 0).astype(kind)
    start, y = (generator.normal(size=(200, LANES)).astype(kind) for _ in range(2))
    expected, largest = y.astype(np.float64), 0.0
    for v in range(200):
        row = slice(graph.indptr[v], graph.indptr[v + 1])
        total = shares[row].astype(float) @ expected[graph.indices[row]]
        change = omega * (start[v] + factors[v] * total - expected[v])
        expected[v] += change
        largest = max(largest, np.abs(change).max())
    found = sweep(graph.indptr, indices, shares, factors, start, y, kind(omega))
    # Errors feed into later rows with shares that add up to 0.9: 28 roundings a row, amplified by 1 / (1 - 0.9).
    tolerance = 28 * np.finfo(kind).eps * np.abs(expected).max() * 10
    assert np.abs(y - expected).max() <= tolerance
    assert found == pytest.approx((largest, np.abs(expected).max()), abs=2 * tolerance)


# ---------------------------------------------------------------- on a cluster

PARAMETERS = {"alpha": 0.1, "r": 0.3, "tolerance": 1e-4}


@pytest.mark.parametrize("columns", [20, 70])  # without and with renumbering of the nodes
def test_the_columns_regime_gives_the_bits_of_one_process(cluster, columns):
    graph, features = random_problem(columns=columns)
    here, run = propagate(graph, features, **PARAMETERS)
    there, clustered = propagate(graph, features, **PARAMETERS, on=OnCluster(cluster, regime="columns"))
    assert np.asarray(there).tobytes() == here.tobytes()
    assert clustered.certificate == run.certificate


@pytest.mark.parametrize("tolerance", [1e-3, 1e-9])  # in float32, and in float64
def test_the_edges_regime_keeps_its_certificate(cluster, engine, tolerance):
    graph, features = random_problem(nodes=600, columns=20)
    z, run = propagate(graph, features, alpha=0.1, r=0.3, tolerance=tolerance, on=OnCluster(cluster, regime="edges"))
    error = np.abs(np.asarray(z) - direct(graph, features, 0.1, 0.3)).max()
    assert run.engine == engine
    assert error <= run.certificate.error + 1e-12
    assert run.certificate.error <= tolerance


def test_weights_are_part_of_what_a_run_is(cluster, tmp_path):
    graph, features = random_problem(nodes=300, columns=20)
    plain = Graph.with_rows(graph.ids, graph.indptr, graph.indices)
    for each in (graph, plain):
        there, _ = propagate(each, features, **PARAMETERS, on=OnCluster(cluster, folder=tmp_path))
        assert np.asarray(there).tobytes() == propagate(each, features, **PARAMETERS)[0].tobytes()
    assert len(list(tmp_path.glob("run-*"))) == 2
