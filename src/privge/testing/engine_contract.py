"""The contract of an engine: the error is at most the certificate, and the certificate at most the tolerance."""

from typing import Any

import numpy as np
import scipy.sparse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privge._typing import Progress
from privge.errors import ToleranceNotReached
from privge.graph import Graph
from privge.propagation import Certificate, Engine, Matrix, Problem, Walk
from privge.propagation.problem import output_kind
from privge.testing.graphs import Example, examples, popular
from privge.testing.series import exact_embedding

ROUNDING = 1e-12
"""Of the dense float64 solution that everything is compared with, relative to the largest feature."""

alphas = st.sampled_from([0.01, 0.05, 0.1, 0.5, 0.9, 0.99])
exponents = st.sampled_from([0, 0.1, 0.5, 1])


class EngineContract:
    """Subclass with ``engine``; it is compared with the definition of the embedding, solved directly."""

    engine: Engine
    """The engine to test."""

    columns: int = 70
    """Features of the larger examples; a slow engine takes fewer."""

    tolerance: float = 1e-5
    """Of the larger examples; a slow engine takes a larger one."""

    @settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.differing_executors])
    @given(example=examples(), alpha=alphas, r=exponents, relative=st.sampled_from([1e-2, 1e-4, 1e-9]))
    def test_the_certificate_holds(self, example: Example, alpha: float, r: float, relative: float) -> None:
        graph, features, scale = example
        problem = Problem(graph, features, Walk(alpha, r, relative * scale))
        z, certificate = self.solved(problem)
        error = np.abs(z - exact_embedding(graph, features, alpha, r)).max(initial=0.0)
        assert error <= certificate.error + ROUNDING * scale / alpha, "the error is above the certificate"
        assert certificate.error <= relative * scale, "the certificate is above the tolerance"

    def test_the_result_is_the_same_to_the_bit_for_any_number_of_threads_and_from_run_to_run(self) -> None:
        problem = self.larger()
        results = [self.solved(problem, threads=threads)[0] for threads in (1, 2, 3, 1)]
        assert all((z == results[0]).all() for z in results[1:])

    def test_nothing_that_it_is_given_is_changed(self) -> None:
        problem = self.larger()
        graph, features = problem.graph, problem.features
        given_arrays = (graph.indptr, graph.indices, features.indptr, features.indices, features.data)
        before = [array.copy() for array in given_arrays]
        self.solved(problem)
        assert all((array == copy).all() for array, copy in zip(given_arrays, before, strict=True))

    def test_isolated_nodes_keep_alpha_times_their_features(self) -> None:
        graph = Graph.from_edges(np.empty((0, 2), dtype=np.int64), nodes=np.arange(3))
        features = scipy.sparse.csr_array(np.diag([1.0, -2.0, 3.0]))
        z, _ = self.solved(Problem(graph, features, Walk(0.25, 0.5, 1e-6)))
        assert np.abs(z - 0.25 * features.toarray()).max() <= 1e-6

    def test_a_neighbour_counts_by_the_weight_of_its_edge(self) -> None:
        plain, features = popular(nodes=200, columns=3)
        weights = np.random.default_rng(0).lognormal(size=plain.edges)
        graph = Graph.from_edges(plain.to_edges(), nodes=plain.ids, weights=weights)
        z, certificate = self.solved(Problem(graph, features, Walk(0.1, 0.5, 1e-5)))
        error = np.abs(z - exact_embedding(graph, features, 0.1, 0.5)).max()
        assert error <= certificate.error + ROUNDING / 0.1, "the error is above the certificate: are weights left out?"

    def test_repeated_entries_of_a_feature_add_up(self) -> None:
        graph, _ = popular(nodes=30, columns=1)
        twice, once = (
            scipy.sparse.csr_array(
                (np.array(entries), np.zeros(len(entries), dtype=np.int64), np.array([0, *[len(entries)] * 30])),
                shape=(30, 1),
            )
            for entries in ([0.5, 0.25], [0.75])
        )
        results = [self.solved(Problem(graph, features, Walk(0.1, 0.5, 1e-6)))[0] for features in (twice, once)]
        assert np.abs(results[0] - results[1]).max() <= 2e-6

    def test_features_beyond_float32_are_done_in_float64(self) -> None:
        graph, features = popular(nodes=200, columns=3)
        exact = exact_embedding(graph, features, 0.2, 0.5)
        z, certificate = self.solved(Problem(graph, 1e60 * features, Walk(0.2, 0.5, 1e56)))
        assert z.dtype == np.float64
        assert np.abs(z / 1e60 - exact).max() <= certificate.error / 1e60 + ROUNDING

    def test_a_tolerance_beyond_floating_point_is_refused(self) -> None:
        graph, features = popular(nodes=200, columns=3)
        problem = Problem(graph, features, Walk(0.1, 0.5, 1e-18))
        try:
            _, certificate = self.solved(problem)
        except ToleranceNotReached:
            return
        assert certificate.error > problem.tolerance, "it certifies what floating point cannot hold"

    def test_progress_reaches_the_number_of_columns(self) -> None:
        calls: list[tuple[int, int]] = []
        self.solved(self.larger(), progress=lambda done, total: calls.append((done, total)))
        assert calls[-1:] == [(self.columns, self.columns)]
        assert all(0 <= done <= total == self.columns for done, total in calls)

    def test_no_columns_are_no_work(self) -> None:
        graph, _ = popular(nodes=30, columns=1)
        z, certificate = self.solved(Problem(graph, scipy.sparse.csr_array((30, 0)), Walk(0.1, 0.5, 1e-4)))
        assert z.shape == (30, 0)
        assert certificate.error <= 1e-4

    def larger(self) -> Problem:
        """Return a problem that is large enough for several threads."""
        graph, features = popular(columns=self.columns)
        return Problem(graph, features, Walk(0.1, 0.3, self.tolerance))

    def solved(
        self, problem: Problem, *, threads: int = 1, progress: Progress | None = None
    ) -> tuple[Matrix, Certificate]:
        """Let the engine solve a problem as `privge.propagate` does; what it leaves out stays NaN."""
        kind: Any = output_kind(problem.tolerance, problem.largest)
        out = np.full((problem.graph.nodes, problem.columns), np.nan, dtype=kind)
        certificate = self.engine.solve(problem.for_output(out.dtype), out, threads=threads, progress=progress)
        return out, certificate
