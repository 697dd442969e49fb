import math
import re
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from privge import Campaign
from privge.errors import BadData, InvalidCampaign, PrivacyViolation, RandomnessUnavailable
from privge.perturbation import draw as drawing
from privge.perturbation.levels import levels_of
from privge.random import NotPrivateSeededSource, SystemSource

SECRET = 0.7312459


def campaign(**changes):
    fields = {"dimensions": 6, "low": 0, "high": 1, "mechanism": "hds", "epsilon": 2.0, "k": 3, "levels": 33}
    return Campaign(**{**fields, **changes})


def everything(**changes):
    """A campaign that asks for every feature."""
    return campaign(k=6, **changes)


def levels(campaign, x):
    """Return the input levels of one person's values: what the law is given."""
    control = Campaign.from_document(
        {**campaign.to_document(), "mechanism": "none", "epsilon": None, "law": {"levels": 33}}
    )
    indices = list(range(6))
    values = np.array(drawing.values_at(control, x, indices))
    return tuple(levels_of(control, values, np.array(indices)).tolist())


def test_a_report_carries_only_campaign_node_and_codes():
    c = campaign()
    report = c.report([0.5] * 6, node="alice")
    assert (report.campaign_id, report.node) == (c.id, "alice")
    assert len(report.codes) == 3
    assert all(0 <= code < c.law.outputs for code in report.codes)


def test_two_reports_of_the_same_person_differ():
    c = campaign(dimensions=60, k=30)
    assert c.report([0.5] * 60, node="alice") != c.report([0.5] * 60, node="alice")


def test_the_device_path_has_no_seed_and_fails_closed(monkeypatch):
    def fail(_self, _count):
        raise RandomnessUnavailable

    with pytest.raises(TypeError):
        campaign().report([0.5] * 6, node="alice", seed=1)
    monkeypatch.setattr(SystemSource, "words", fail)
    with pytest.raises(RandomnessUnavailable):
        campaign().report([0.5] * 6, node="alice")


def test_a_device_reads_only_the_sampled_values():
    class Spy(list):
        def __init__(self, *args):
            super().__init__(*args)
            self.read = set()

        def __getitem__(self, index):
            self.read.add(index)
            return super().__getitem__(index)

    c, x = campaign(), Spy([0.5] * 6)
    c.report(x, node="alice")
    assert x.read == set(c.indices_of("alice"))


@pytest.mark.parametrize("x", [None, 3.0, "abcdef", b"abcdef", np.zeros((6, 1)), "abc", [0.5] * 7])
def test_what_has_not_the_form_of_a_vector_is_refused(x):
    with pytest.raises(BadData, match="feature"):
        everything().report(x, node=1)


@pytest.mark.parametrize("x", [["0.5"] * 6, [[0.5]] * 6, [1j] * 6, [None] * 6, [math.inf] * 6, [object()] * 6])
def test_whatever_the_values_are_a_report_comes_out(x):
    assert len(everything().report(x, node=1).codes) == 6


class Stubborn:
    def __float__(self):
        raise RuntimeError


def test_no_setting_of_the_application_and_no_strange_value_makes_a_device_refuse():
    c = everything(low=0, high=1.7e308)
    with np.errstate(all="raise"), warnings.catch_warnings():
        warnings.simplefilter("error")
        for value in (1.0, 1e-300, 5e-324, np.complex128(1), np.ma.masked, Stubborn()):
            assert len(c.report([value] * 6, node=1).codes) == 6


def test_the_person_is_told_how_many_values_did_not_fit():
    drawn = drawing.draw(everything(), [0.5, None, "n/a", 7.0, -math.inf, math.nan], node=1)
    assert (drawn.missing, drawn.outside) == (3, 2)


def test_device_and_simulation_draw_the_same_codes_from_the_same_words(monkeypatch):
    c = campaign(mechanism="laplace")
    x = np.linspace(0, 1, 6)
    simulated = c.simulate(x[None, :], ids=["alice"], seed=5)
    monkeypatch.setattr(drawing, "SystemSource", lambda: NotPrivateSeededSource(5))
    assert c.report(x, node="alice").codes == tuple(simulated.codes[0].tolist())
    assert c.indices_of("alice") == simulated.indices[0].tolist()


def test_simulation_follows_the_law():
    # 20,000 people at one end: the mean of one decoded value lies within six standard errors.
    c = campaign(dimensions=3, k=2, epsilon=4.0)
    reports = c.simulate(np.ones((20_000, 3)))
    decoded = reports.decode("unbiased").toarray()
    error = math.sqrt(float(c.sampled.variance(1.0, "unbiased")) / 20_000)
    assert np.abs(decoded.mean(axis=0) - 1).max() < 6 * error


def test_a_seed_repeats_and_no_seed_does_not():
    c, x = campaign(), np.full((200, 6), 0.5)
    assert (c.simulate(x, seed=1).codes == c.simulate(x, seed=1).codes).all()
    assert (c.simulate(x, seed=1).codes != c.simulate(x, seed=2).codes).any()
    assert (c.simulate(x).codes != c.simulate(x).codes).any()


@pytest.mark.parametrize("form", [scipy.sparse.csr_array, scipy.sparse.csc_array, scipy.sparse.coo_matrix])
def test_sparse_and_dense_features_give_the_same_reports(form):
    x = scipy.sparse.random_array((300, 6), density=0.3, rng=np.random.default_rng(0))
    c = campaign()
    assert (c.simulate(form(x), seed=3).codes == c.simulate(x.toarray(), seed=3).codes).all()


def test_sparse_features_are_never_made_dense():
    # Dense, these features would take 800 GB.
    x = scipy.sparse.random_array((1000, 100_000_000), density=1e-8, rng=np.random.default_rng(0), format="csr")
    reports = campaign(dimensions=100_000_000).simulate(x, seed=1)
    assert reports.decode().shape == (1000, 100_000_000)
    assert reports.decode().nnz == 3000


def test_a_report_does_not_depend_on_other_people():
    c, generator = campaign(), np.random.default_rng(0)
    mine, others = generator.random((1, 6)), generator.random((50, 6)) * 1000 - 500
    alone = c.simulate(mine, ids=["me"], seed=1)
    crowd = c.simulate(np.vstack([mine, others]), ids=["me", *map(str, range(50))], seed=1)
    assert (alone.codes[0] == crowd.codes[0]).all()


@pytest.mark.parametrize(
    ("policies", "value", "level"),
    [
        ({"out_of_bounds": "clip"}, 7.0, 32),
        ({"out_of_bounds": "clip"}, -7.0, 0),
        ({"out_of_bounds": "clip"}, math.inf, 32),
        ({"out_of_bounds": "clip"}, -(10**400), 0),
        ({}, 0.51, 16),
        ({}, 0.52, 17),
        ({}, 0.484, 15),
        ({}, 0.485, 16),
        ({"out_of_bounds": "midpoint"}, 7.0, 16),
        ({"out_of_bounds": "midpoint"}, -math.inf, 16),
        ({"missing": "midpoint"}, math.nan, 16),
        ({"missing": "midpoint"}, None, 16),
        ({"missing": "low"}, None, 0),
        ({"missing": "high"}, math.nan, 32),
        ({"missing": "low"}, "n/a", 0),
        ({"missing": "high"}, "0.25", 32),
        ({"missing": "low"}, [0.25], 0),
        ({"missing": "low"}, 10**400, 32),
        ({"missing": "low", "out_of_bounds": "midpoint"}, -(10**400), 16),
        ({"missing": "low"}, Decimal("0.5"), 16),
        ({"missing": "low"}, True, 32),
        ({}, 1.0, 32),
        ({}, 0.25, 8),
    ],
)
def test_policies_give_the_documented_level(policies, value, level):
    assert levels(everything(**policies), [value] * 6) == (level,) * 6


@pytest.mark.parametrize(("policy", "value"), [("out_of_bounds", 7.31245), ("missing", math.nan)])
def test_refusal_names_the_feature_and_never_the_value(policy, value):
    c = everything(**{policy: "refuse"}, names=[f"feature {i}" for i in range(6)])
    x = np.full((2, 6), 0.5)
    x[1, 4] = value
    with pytest.raises(BadData, match=r"feature 4 .+ is") as refusal:
        c.simulate(x, seed=1)
    assert "7.3" not in str(refusal.value)


class Untouchable(dict):
    """Values that must not be looked at."""

    def __getattribute__(self, name):
        pytest.fail(f"the values were asked for {name}")


@pytest.mark.parametrize(
    "change",
    [
        {"missing": "refuse"},
        {"out_of_bounds": "refuse"},
        {"mechanism": "structure", "epsilon": None},
        {"mechanism": "none", "epsilon": None},
    ],
)
def test_what_no_device_answers_is_refused_before_a_value_is_looked_at(change):
    with pytest.raises(PrivacyViolation, match="no device answers it"):
        everything(names=list("abcdef"), **change).report(Untouchable(), node="alice")


def test_on_an_even_grid_a_missing_value_takes_a_public_bound():
    with pytest.raises(InvalidCampaign, match=r"even grid \(2\); take low or high"):
        everything(levels=2)
    for bound, level in (("low", 0), ("high", 1)):
        c = Campaign(dimensions=6, low=0, high=1, mechanism="none", k=6, levels=2, missing=bound)
        assert c.simulate(np.full((1, 6), np.nan)).codes.tolist() == [[level] * 6]
    assert everything(levels=2, missing="low", mechanism="multibit").report([None] * 6, node=1)


def test_each_feature_has_its_own_bounds():
    c = everything(low=[0, 10, 0, 0, 0, -1], high=[1, 20, 2, 4, 8, 1])
    assert levels(c, [0.5, 15, 1, 2, 4, 0]) == (16,) * 6


def test_a_sampled_feature_uses_its_own_bounds():
    c = campaign(low=[0, 10, 20, 30, 40, 50], high=[1, 11, 21, 31, 41, 51], k=2)
    indices = np.array([c.indices_of(node) for node in range(40)], dtype=np.int32)
    values = np.array([0, 10, 20, 30, 40, 50])[indices] + 0.25
    assert (levels_of(c, values, indices) == 8).all()


def test_masked_values_are_missing():
    x = np.ma.masked_array([[1, 1, 1, 1, 1, 1]], mask=[[1, 0, 0, 0, 0, 0]])
    assert campaign(mechanism="none", epsilon=None, k=6).simulate(x).codes.tolist() == [[16, 32, 32, 32, 32, 32]]
    with pytest.raises(BadData, match="feature 0 is missing"):
        everything(missing="refuse").simulate(x)


def test_bounds_as_large_as_floats_do_not_overflow():
    c = everything(low=-1.7e308, high=1.7e308)
    assert levels(c, [0.0, 1.7e308, -1.7e308, 0.85e308, 0, 0]) == (16, 32, 0, 24, 16, 16)


def test_features_by_name():
    c = everything(names=list("abcdef"))
    assert levels(c, {"a": 0.0, "c": 1.0}) == (0, 16, 32, 16, 16, 16)
    assert levels(c, {"a": 0.0, "private name": 1.0, 3: 0.5, None: 2}) == (0, 16, 16, 16, 16, 16)
    with pytest.raises(BadData, match="names no features"):
        everything().report({"a": 0.0}, node=1)


def test_a_row_of_a_table_goes_by_its_column_names():
    row = pd.DataFrame({"c": [1.0], "zz": [9.0], "a": [0.0]}, index=["alice"]).loc["alice"]
    assert levels(everything(names=list("abcdef")), row) == (0, 16, 32, 16, 16, 16)
    assert levels(everything(), pd.Series([0.0, 1.0, 0, 0, 0, 0])) == (0, 32, 0, 0, 0, 0)  # no names: in order


@pytest.mark.parametrize("features", [np.zeros((3, 5)), np.zeros(6), np.zeros((1, 2, 6))])
def test_wrong_shapes_are_refused(features):
    with pytest.raises(BadData, match="must be a matrix"):
        campaign().simulate(features)
    with pytest.raises(BadData, match="has 6 features"):
        campaign().report([0.0] * 5, node=1)


def test_ids_must_fit_the_rows():
    with pytest.raises(BadData, match="2 entries for 3 rows"):
        campaign().simulate(np.zeros((3, 6)), ids=[1, 2])


def test_no_message_contains_a_private_value(caplog):
    caplog.set_level("DEBUG", logger="privge")
    attempts = [
        lambda c: c.report([SECRET] * 5, node=1),
        lambda c: c.simulate(np.full((2, 6), SECRET * 10)),
        lambda c: c.simulate(np.full((2, 6), SECRET * 10), ids=["a", "a"]),
        lambda c: c.simulate(np.full((2, 5), SECRET)),
        lambda c: c.simulate(np.array([[f"x{SECRET}"] * 6], dtype=object)),
        lambda c: c.simulate(np.array([[f"x{SECRET}"] * 6])),
    ]
    refusing = everything(out_of_bounds="refuse", names=list("abcdef"))
    for position, attempt in enumerate(attempts):
        with pytest.raises((BadData, ValueError)) as refusal:
            attempt(refusing if position else everything())
        chain, error = [], refusal.value
        while error is not None:
            chain.append(str(error))
            error = error.__cause__ or error.__context__
        assert not re.search("0?731245|7.312459", " ".join(chain)), chain
    assert "73124" not in caplog.text


def test_progress_is_told():
    calls = []
    campaign().simulate(np.zeros((10, 6)), progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (10, 10)
