import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privge import Campaign, Report, Reports
from privge.errors import BadData, CampaignMismatch


def campaign(**changes):
    fields = {"dimensions": 9, "low": 0, "high": 1, "mechanism": "hds", "epsilon": 2.0, "k": 3, "levels": 33}
    return Campaign(**{**fields, **changes})


def simulate(n=20, ids=None, **changes):
    return campaign(**changes).simulate(np.full((n, 9), 0.25), ids=ids, seed=1)


@pytest.mark.parametrize("ids", [None, [f"user-{i}" for i in range(20)], list(range(100, 120))])
def test_parquet_gives_back_the_same_reports(tmp_path, ids):
    reports = simulate(ids=ids)
    reports.to_parquet(tmp_path / "r.parquet")
    again = Reports.from_parquet(tmp_path / "r.parquet")
    assert again.campaign == reports.campaign
    assert again.ids.tolist() == reports.ids.tolist()
    assert (again.codes == reports.codes).all()
    assert (again.indices == reports.indices).all()
    assert [p.name for p in tmp_path.iterdir()] == ["r.parquet"]


def test_no_reports_are_reports_too(tmp_path):
    reports = Reports.collect(campaign(), [])
    reports.to_parquet(tmp_path / "r.parquet")
    assert len(Reports.from_parquet(tmp_path / "r.parquet")) == 0
    assert reports.decode().shape == (0, 9)


def test_decoding_puts_each_value_at_its_index_and_the_midpoint_elsewhere():
    reports = simulate()
    dense = reports.decode().toarray()
    for row in range(20):
        sampled = reports.indices[row]
        assert dense[row, sampled] == pytest.approx(reports.campaign.sampled.decode(reports.codes[row]), rel=1e-6)
        assert (np.delete(dense[row], sampled) == 0).all()


def test_unbiased_decoding_is_one_public_scale():
    reports = simulate()
    scaled = reports.decode("raw").data / float(reports.campaign.sampled.gain)
    assert reports.decode("unbiased").data == pytest.approx(scaled, rel=1e-5)


def test_single_reports_are_collected():
    c = campaign()
    answers = [c.report([0.5] * 9, node=f"n{i}") for i in range(5)]
    reports = Reports.collect(c, answers)
    assert list(reports) == answers
    assert len(reports) == 5
    assert "5 of campaign" in repr(reports)


def test_mixing_campaigns_is_refused():
    a, b = simulate(), simulate(purpose="another")
    with pytest.raises(CampaignMismatch, match=b.campaign.id[:12]):
        Reports.concatenate([a, b])
    with pytest.raises(CampaignMismatch):
        Reports.collect(a.campaign, list(b))


def test_parts_are_joined_and_a_node_twice_is_refused():
    a, b = simulate(ids=range(20)), simulate(ids=range(20, 40))
    joined = Reports.concatenate([a, b])
    assert joined.ids.tolist() == list(range(40))
    assert (joined.indices[20:] == b.indices).all()
    with pytest.raises(BadData, match="position 20 appears twice"):
        Reports.concatenate([a, a])


def test_parts_with_integers_and_with_text_are_joined_by_node():
    a, b = simulate(3, ids=[1, 2, 3]), simulate(2, ids=["04", "5"])
    assert Reports.concatenate([a, b]).ids.tolist() == ["1", "2", "3", "04", "5"]
    with pytest.raises(BadData, match="position 3 appears twice"):
        Reports.concatenate([a, simulate(1, ids=["2"])])


@pytest.mark.parametrize("seed", [None, 0, 7])
def test_reports_say_whether_a_seed_was_used_wherever_they_go(tmp_path, seed):
    reports = campaign().simulate(np.full((4, 9), 0.25), seed=seed)
    private = campaign().simulate(np.full((2, 9), 0.25), ids=[8, 9])
    reports.to_parquet(tmp_path / "r.parquet")
    ways = [
        reports,
        reports.take(np.array([2, 0])),
        Reports.from_parquet(tmp_path / "r.parquet"),
        Reports.concatenate([private, reports]),
        Reports.collect(reports.campaign, [*private, *reports]),
    ]
    assert [each.seeded for each in ways] == [seed is not None] * len(ways)
    assert ("not private" in repr(reports)) == reports.seeded
    assert reports.take(np.array([2, 0])).ids.tolist() == [2, 0]


@pytest.mark.parametrize("mark", [None, b"false", b"no"])
def test_the_mark_of_a_seed_does_not_get_lost(tmp_path, mark):
    path = tmp_path / "r.parquet"
    simulate().to_parquet(path)
    kept = {key: value for key, value in pq.read_schema(path).metadata.items() if key != b"privge.seeded"}
    more = {} if mark is None else {b"privge.seeded": mark}
    rewrite(path, lambda table: table.replace_schema_metadata({**kept, **more}))
    with pytest.raises(BadData, match=r"r\.parquet: the (reports were changed|file does not say)"):
        Reports.from_parquet(path)


def test_a_file_from_before_reports_said_whether_a_seed_was_used_counts_as_seeded(tmp_path):
    path = tmp_path / "r.parquet"
    reports = campaign().simulate(np.full((4, 9), 0.25))
    reports.to_parquet(path)
    before = {"privge.campaign": reports.campaign.to_json(), "privge.digest": reports.digest}
    rewrite(path, lambda table: table.replace_schema_metadata(before))
    again = Reports.from_parquet(path)
    assert again.seeded
    assert again.digest == reports.digest


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([1, 1], "position 1 appears twice"),
        ([1, "a"], "all strings or all integers"),
        ([1, None], "position 1: a node id"),
    ],
)
def test_ids_are_checked(ids, message):
    with pytest.raises(BadData, match=message):
        Reports(campaign(), ids, np.zeros((2, 3), dtype=np.uint16))


@pytest.mark.parametrize(
    "codes",
    [
        np.zeros((2, 4), int),
        np.zeros((2, 3)),
        np.full((2, 3), -1),
        np.full((2, 3), 70_000),
        np.full((2, 3), 999),
    ],
)
def test_codes_are_checked(codes):
    with pytest.raises(BadData, match="code"):
        Reports(campaign(), [1, 2], codes)


def test_a_report_of_the_wrong_length_is_refused():
    c = campaign()
    with pytest.raises(BadData, match="has 3 codes"):
        Reports.collect(c, [Report(c.id, "a", (1, 2))])


def test_codes_that_are_no_integers_are_refused():
    c = campaign()
    with pytest.raises(BadData, match="integers"):
        Reports.collect(c, [Report(c.id, "a", (1.7, 2.9, 3.0))])


@pytest.mark.parametrize("ids", [[2**70, 1], np.array([2**63 + 5, 1], dtype=np.uint64)])
def test_ids_beyond_64_bits_are_refused(ids):
    with pytest.raises(BadData, match="64 bits"):
        Reports(campaign(), ids, np.zeros((2, 3), dtype=np.uint16))


def test_arrays_cannot_be_changed():
    reports = simulate()
    for array in (reports.ids, reports.codes, reports.indices):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def rewrite(path, change):
    table = pq.read_table(path)
    pq.write_table(change(table), path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.drop_columns(["codes"]), "codes"),
        (lambda t: t.drop_columns(["indices"]), "indices"),
        (lambda t: t.replace_schema_metadata({}), "privge.campaign"),
        (
            lambda t: t.replace_schema_metadata({"privge.campaign": "{}", "privge.digest": ""}),
            "'dimensions': is missing",
        ),
        (lambda t: t.set_column(0, "id", pa.array(["x"] * 20)), "appears twice"),
        (lambda t: t.set_column(0, "id", pa.array(range(1, 21))), "row 0 has indices"),
        (lambda t: t.set_column(2, "codes", t["indices"].cast(pa.list_(pa.int32()))), "not ids, indices and codes"),
        (lambda t: t.set_column(0, "id", t["id"].cast(pa.timestamp("s"))), "not ids, indices and codes"),
        (lambda t: t.take(list(range(19, -1, -1))), "digest differs"),
    ],
)
def test_a_damaged_file_is_refused_by_name(tmp_path, change, message):
    path = tmp_path / "r.parquet"
    simulate(ids=range(20)).to_parquet(path)
    rewrite(path, change)
    with pytest.raises(BadData, match=message) as refusal:
        Reports.from_parquet(path)
    assert str(path) in str(refusal.value)


def test_no_flipped_bit_goes_unnoticed(tmp_path):
    path = tmp_path / "r.parquet"
    original = simulate()
    original.to_parquet(path)
    content = path.read_bytes()
    for place in np.random.default_rng(0).integers(0, len(content), 300):
        damaged = bytearray(content)
        damaged[place] ^= 1 << int(place % 8)
        path.write_bytes(bytes(damaged))
        try:
            again = Reports.from_parquet(path)
        except BadData:
            continue
        assert again.digest == original.digest
        assert again.campaign == original.campaign


def test_reports_do_not_follow_later_changes_of_the_arrays_they_were_made_from():
    codes = np.zeros((1, 3), dtype=np.uint16)
    reports = Reports(campaign(), [1], codes)
    codes[0] = 7
    assert (reports.codes == 0).all()


@pytest.mark.parametrize("codes", [(1, 2, 2**70), ("1", "2", "3"), (True, False, True), (1, 2, None), (1, 2, -1)])
def test_hostile_codes_are_refused(codes):
    c = campaign()
    with pytest.raises(BadData, match="row 0: codes must be integers"):
        Reports.collect(c, [Report(c.id, "a", codes)])


def test_a_truncated_file_is_refused_by_name(tmp_path):
    path = tmp_path / "r.parquet"
    simulate().to_parquet(path)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(BadData, match=r"r\.parquet"):
        Reports.from_parquet(path)


def test_a_failed_write_leaves_nothing_and_spares_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "r.parquet"
    path.write_text("old")

    def fail(_table, where, **_):
        where.write(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(pq, "write_table", fail)
    with pytest.raises(OSError, match="disk full"):
        simulate().to_parquet(path)
    assert [p.name for p in tmp_path.iterdir()] == ["r.parquet"]
    assert path.read_text() == "old"
