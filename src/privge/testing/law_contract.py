"""The contract of a one-dimensional law. Every member of the family passes this one class."""

import math
from fractions import Fraction

import numpy as np
import pytest

from privge.audit.same_work import remembered, ways_to_draw
from privge.mechanisms import Law, verify
from privge.testing.table import (
    Table,
    assert_private,
    assert_rows_are_distributions,
    moments,
    worst_ratio,
)

Laws = list[tuple[float, Law]]


class LawContract:
    """Subclass with ``kind``, the class of the law; whatever it is built from is enumerated in rationals."""

    kind: type[Law]
    """The law to test."""

    budgets: tuple[float, ...] = (1e-6, 2e-4, 0.01, 0.1, 1, 3, 5, 20)
    """For which epsilon it is built."""

    grids: tuple[int, ...] = (2, 3, 16, 33, 60)
    """For how many levels it is built; a law of two levels alone says ``(2,)``."""

    def built(self) -> Laws:
        """Return the law for every budget on every grid."""
        return [(each, self.kind.for_epsilon(Fraction(each), n)) for n in self.grids for each in self.budgets]

    @pytest.fixture
    def laws(self) -> Laws:
        """Every law with its budget."""
        return self.built()

    def test_every_row_sums_exactly_to_the_number_of_words(self, laws: Laws) -> None:
        for _, law in laws:
            assert_rows_are_distributions(Table.of(law))

    def test_every_ratio_is_at_most_e_to_the_epsilon(self, laws: Laws) -> None:
        for epsilon, law in laws:
            assert_private(Table.of(law), epsilon)

    def test_worst_ratio_is_the_enumerated_one(self, laws: Laws) -> None:
        for _, law in laws:
            assert law.worst_ratio == worst_ratio(Table.of(law))

    def test_a_campaign_believes_it(self, laws: Laws) -> None:
        for _, law in laws:
            assert verify(law) == law.worst_ratio

    def test_realised_epsilon_is_the_log_of_the_worst_ratio_and_never_above_epsilon(self, laws: Laws) -> None:
        for epsilon, law in laws:
            assert law.realised_epsilon <= epsilon
            assert law.realised_epsilon == pytest.approx(_log(law.worst_ratio), rel=1e-12, abs=1e-300)

    def test_mean_and_variance_equal_the_enumeration(self, laws: Laws) -> None:
        for _, law in laws:
            table = Table.of(law)
            exact = [moments(table, level) for level in range(law.levels)]
            assert law.mean(law.inputs).tolist() == pytest.approx([float(m) for m, _ in exact], rel=1e-12, abs=0)
            assert law.variance(law.inputs).tolist() == pytest.approx([float(v) for _, v in exact], rel=1e-12, abs=0)

    def test_bias_is_mean_minus_input(self, laws: Laws) -> None:
        for _, law in laws:
            table, steps = Table.of(law), law.levels - 1
            exact = [float(moments(table, i)[0] - (Fraction(2 * i, steps) - 1)) for i in range(law.levels)]
            assert law.bias(law.inputs).tolist() == pytest.approx(exact, rel=1e-12, abs=0)

    def test_unbiased_decoding_has_no_bias_at_the_ends(self, laws: Laws) -> None:
        for _, law in laws:
            if law.gain:
                assert law.mean([-1.0, 1.0], "unbiased") == pytest.approx([-1, 1], rel=1e-12)

    def test_decode_and_output_range_follow_the_values(self, laws: Laws) -> None:
        for _, law in laws:
            codes = np.arange(law.outputs, dtype=np.uint16)
            assert law.decode(codes).tolist() == [float(value) for value in law.exact_values()]
            assert law.output_range == (min(law.decode(codes)), max(law.decode(codes)))

    def test_parameters_rebuild_the_same_law(self, laws: Laws) -> None:
        for _, law in laws:
            assert self.kind.from_parameters(law.parameters()) == law

    def test_compiled_sampler_equals_the_plain_one(self, laws: Laws) -> None:
        generator = np.random.default_rng(7)
        for _, law in laws:
            levels = generator.integers(0, law.levels, 300)
            words = generator.integers(0, 2**53, 300)
            plain = [law.code(i, w) for i, w in zip(levels.tolist(), words.tolist(), strict=True)]
            assert law.codes(levels, words).tolist() == plain

    def test_a_device_does_the_same_work_for_every_value(self, laws: Laws) -> None:
        if self.kind.fixed_epsilon is None:  # no device draws a control
            for _, law in laws[len(self.budgets) // 2 :: len(self.budgets)]:
                assert len(ways_to_draw(law)) == 1, "the instructions that draw depend on the value"
                assert not remembered(law), "drawing leaves something behind that depends on the value"

    def test_law_is_immutable(self, laws: Laws) -> None:
        with pytest.raises(AttributeError):
            laws[0][1].levels = 5


def _log(ratio: Fraction | None) -> float:
    """Log of a fraction that may be 1 + 1e-12: the part above 1 is exact before it is rounded."""
    if ratio is None:
        return math.inf
    return math.log1p(float(ratio - 1)) if ratio < 2 else math.log(ratio)
