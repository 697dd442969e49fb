"""What a simulation changed is counted, by feature, and said to whoever asked for it."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse

from privge import Campaign
from privge.perturbation.simulate_parts import simulate_parts

NAMES = [f"f{j}" for j in range(8)]


def campaign(**changes):
    fields = {"dimensions": 8, "low": 0, "high": 1, "mechanism": "hds", "epsilon": 1.0, "k": 3, "names": NAMES}
    return Campaign(**{**fields, **changes})


def counted(*arguments, **options):
    from privge.perturbation.simulate import simulate_counted

    return simulate_counted(*arguments, **{"ids": None, "seed": None, **options})


def people(rows=2_000, seed=1):
    """Values from -1 to 2 with gaps; more trouble in later columns."""
    generator = np.random.default_rng(seed)
    values = generator.random((rows, 8))
    troubled = generator.random((rows, 8)) < np.arange(8) / 10
    values[troubled] = generator.choice([-1.0, 2.0, np.nan], troubled.sum())
    return values


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array])
def test_counts_are_those_of_the_reported_values(form):
    values = people()
    reports, tally = counted(campaign(), form(values))
    for feature in range(8):
        seen = values[(reports.indices == feature).any(axis=1), feature]
        assert tally.features[feature] == feature
        assert tally.reported[feature] == len(seen)
        assert tally.absent[feature] == np.isnan(seen).sum()
        assert tally.outside[feature] == ((seen < 0) | (seen > 1)).sum()


def test_counts_do_not_need_room_for_every_dimension():
    wide = campaign(dimensions=100_000_000, names=None)
    _, tally = counted(wide, scipy.sparse.csr_array((10, 100_000_000)))
    assert len(tally.features) == tally.reported.sum() == 30


def test_parts_add_up():
    from privge.perturbation.tally import Tally

    values, c = people(), campaign()
    parts = [counted(c, values[rows], ids=np.arange(2_000)[rows])[1] for rows in (slice(70), slice(70, 2_000))]
    whole, joined = counted(c, values)[1], Tally.joined(parts)
    for field in ("features", "reported", "outside", "absent"):
        assert (getattr(joined, field) == getattr(whole, field)).all()
    assert list(Tally.joined([]).sentences(c)) == []


def test_what_is_clipped_is_said_by_feature(caplog):
    ages = np.column_stack([np.full(3_000, 41.0), np.full(3_000, 0.5)])
    campaign(dimensions=2, names=["age", "likes"], k=2).simulate(ages)
    assert caplog.messages == ["age: 3,000 of 3,000 values clipped to 0..1"]
    assert "41" not in caplog.text


def staircase(features):
    """Of feature j, 10 j values of 100 are too large."""
    values = np.full((100, features), 0.5)
    for j in range(features):
        values[: 10 * j, j] = 7.0
    return values


def all_sent(features):
    names = [f"f{j}" for j in range(features)]
    return campaign(dimensions=features, names=names, k=features, mechanism="none", epsilon=None)


def test_few_features_are_all_named(caplog):
    values = staircase(9)
    values[:4, 0] = np.nan
    all_sent(9).simulate(values)
    assert caplog.messages == [
        *(f"f{j}: {10 * j} of 100 values clipped to 0..1" for j in range(8, 0, -1)),
        "f0: 4 of 100 values missing, taken as the midpoint of 0..1",
    ]


def test_of_many_the_worst_are_named_and_the_rest_is_summed(caplog):
    all_sent(10).simulate(staircase(10))
    assert caplog.messages == [
        *(f"f{j}: {10 * j} of 100 values clipped to 0..1" for j in range(9, 4, -1)),
        "4 more features: 100 of 400 values clipped to their bounds",
    ]


def test_values_within_their_bounds_are_no_remark(caplog):
    campaign(low=-1, high=2).simulate(np.random.default_rng(0).random((500, 8)))
    assert not caplog.messages


def test_bounds_are_those_of_the_feature(caplog):
    values = np.full((10, 2), 50.0)
    bounded = campaign(dimensions=2, names=None, k=2, low=[0, -5], high=[100, 5], out_of_bounds="midpoint")
    bounded.simulate(values)
    assert caplog.messages == ["feature 1: 10 of 10 values taken as the midpoint of -5..5"]


@pytest.mark.parametrize(("missing", "words"), [("midpoint", "the midpoint"), ("low", "the low end")])
def test_missing_values_are_said_to_be_what_the_campaign_makes_of_them(caplog, missing, words):
    campaign(dimensions=1, names=["age"], k=1, missing=missing).simulate(np.array([[np.nan], [0.5]]))
    assert caplog.messages == [f"age: 1 of 2 values missing, taken as {words} of 0..1"]


@pytest.mark.parametrize("on_cluster", [False, True])
def test_parts_say_it_once_and_keep_it_nowhere(tmp_path, cluster, caplog, on_cluster):
    (tmp_path / "f").mkdir()
    for i in range(3):
        table = {"id": np.arange(10 * i, 10 * i + 10), "town": ["x"] * 10, "b": [5.0] * 10, "a": [0.5] * 10}
        pq.write_table(pa.table(table), tmp_path / "f" / f"{i}.parquet")
    asked = campaign(dimensions=2, names=["a", "b"], k=2)
    expected = [
        "left out 1 column that is not a feature of the campaign: 'town'",
        "b: 30 of 30 values clipped to 0..1",
    ]
    simulate_parts(asked, tmp_path / "f", tmp_path / "r", cluster=cluster if on_cluster else None)
    assert [record.getMessage() for record in caplog.records if record.name.startswith("privge")] == expected
    assert not any(b"clipped" in path.read_bytes() for path in (tmp_path / "r").iterdir())


def test_a_device_logs_nothing(caplog):
    caplog.set_level("DEBUG", logger="privge")
    campaign().report([99.0] * 4 + [None] * 4, node="alice")
    assert not caplog.messages
