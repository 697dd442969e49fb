"""The shipped contracts take an honest member from outside, and refuse every broken one by the test it breaks."""

import subprocess
import sys

import pytest

from contract import broken_engines, broken_laws
from privge.testing import EngineContract, LawContract


class TestResponse(LawContract):
    kind = broken_laws.Response


@pytest.mark.parametrize(
    ("kind", "test"),
    [
        (broken_laws.Greedy, "test_every_ratio_is_at_most_e_to_the_epsilon"),
        (broken_laws.Greedy, "test_realised_epsilon_is_the_log_of_the_worst_ratio_and_never_above_epsilon"),
        (broken_laws.Modest, "test_worst_ratio_is_the_enumerated_one"),
        (broken_laws.Short, "test_every_row_sums_exactly_to_the_number_of_words"),
        (broken_laws.Certain, "test_every_ratio_is_at_most_e_to_the_epsilon"),
        (broken_laws.Skewed, "test_mean_and_variance_equal_the_enumeration"),
        (broken_laws.Skewed, "test_bias_is_mean_minus_input"),
        (broken_laws.Branching, "test_a_device_does_the_same_work_for_every_value"),
        (broken_laws.Sampling, "test_compiled_sampler_equals_the_plain_one"),
        (broken_laws.Forgetful, "test_parameters_rebuild_the_same_law"),
    ],
)
def test_a_broken_law_is_refused(kind, test):
    contract = LawContract()
    contract.kind = kind
    with pytest.raises(AssertionError):
        getattr(contract, test)(contract.built())


def test_a_law_that_can_be_changed_is_refused():
    contract = LawContract()
    contract.kind = broken_laws.Mutable
    with pytest.raises(pytest.fail.Exception):
        contract.test_law_is_immutable([(1.0, broken_laws.Mutable(2, 2**52))])


@pytest.mark.parametrize(
    ("engine", "test"),
    [
        (broken_engines.StopsEarly, "test_the_certificate_holds"),
        (broken_engines.Careless, "test_the_certificate_holds"),
        (broken_engines.Racing, "test_the_result_is_the_same_to_the_bit_for_any_number_of_threads_and_from_run_to_run"),
        (broken_engines.Forgetting, "test_isolated_nodes_keep_alpha_times_their_features"),
        (broken_engines.Silent, "test_progress_reaches_the_number_of_columns"),
        (broken_engines.Tidying, "test_nothing_that_it_is_given_is_changed"),
        (broken_engines.Boasting, "test_a_tolerance_beyond_floating_point_is_refused"),
    ],
)
def test_a_broken_engine_is_refused(engine, test):
    contract = EngineContract()
    contract.engine = engine()
    with pytest.raises(AssertionError):
        getattr(contract, test)()


def test_without_pytest_a_contract_says_what_to_install():
    code = "import sys; sys.modules['pytest'] = None; import privge.testing; privge.testing.LawContract"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr
    assert "a contract of privge.testing needs pytest, which is not installed: pip install 'privge[test]'" in said
