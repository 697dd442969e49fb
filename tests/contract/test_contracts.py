"""The shipped contracts take an honest member from outside, and refuse every broken one by the test it breaks."""

import subprocess
import sys

import pytest

from contract import broken_engines, broken_laws
from privge.collect.stores import Upload, open_store
from privge.testing import EngineContract, LawContract, StoreContract
from privge.testing.store_contract import DAY, STORED, campaign_of, codes


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


class Broken:
    """A store with one method that is another."""

    def __init__(self, store, **defects):
        self._store = store
        vars(self).update(defects)

    def __getattr__(self, name):
        return getattr(self._store, name)


@pytest.fixture
def honest(tmp_path):
    store = open_store(str(tmp_path / "store.db"), None)
    yield store
    store.close()


@pytest.mark.parametrize(
    ("defects", "test"),
    [
        (
            {"put": lambda _, uploads, **__: [STORED] * len(uploads)},
            "test_a_second_different_report_is_refused_and_the_first_stays",
        ),
        ({"erase": lambda *_, **__: None}, "test_an_erased_report_is_gone_and_no_other_is_taken"),
        ({"read": lambda *_, **__: iter(())}, "test_a_report_comes_back_as_it_was_stored"),
        ({"close_campaign": lambda *_, **__: True}, "test_a_closed_campaign_takes_no_new_report_and_keeps_the_old"),
    ],
)
def test_a_broken_store_is_refused(honest, defects, test):
    store, campaign = Broken(honest, **defects), campaign_of()
    store.add_campaign(campaign)

    def put(node, *numbers):
        return store.put(campaign.id, [Upload(node, codes(*numbers))], day=DAY)[0]

    with pytest.raises((AssertionError, AttributeError)):
        getattr(StoreContract(), test)(store, campaign, put)


def test_without_pytest_a_contract_says_what_to_install():
    code = "import sys; sys.modules['pytest'] = None; import privge.testing; privge.testing.LawContract"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr
    assert "a contract of privge.testing needs pytest, which is not installed: pip install 'privge[test]'" in said
