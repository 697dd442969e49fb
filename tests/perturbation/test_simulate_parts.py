import json
import uuid

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import privge.perturbation.simulate_parts
from privge import Campaign
from privge._files.folder import Folder
from privge.errors import BadData, CampaignMismatch
from privge.perturbation.simulate_parts import simulate_part, simulate_parts
from privge.reports.parts import ReportParts

NAMES = ["a", "b", "c"]
ROWS, PARTS = 8, 4


def campaign(**changes):
    fields = {"dimensions": 3, "low": 0, "high": 1, "mechanism": "hds", "epsilon": 1.0, "k": 2, "levels": 33}
    return Campaign(**{**fields, **changes})


def write_features(folder, name, first=0, values=None, columns=NAMES, rows=ROWS):
    values = np.random.default_rng(first).random((rows, len(columns))) if values is None else values
    table = {"id": np.arange(first, first + rows), **{column: values[:, j] for j, column in enumerate(columns)}}
    folder.make()
    with folder.writing(name) as file:
        pq.write_table(pa.table(table), file)


@pytest.fixture(params=["path", "memory"])
def root(request, tmp_path):
    return Folder(str(tmp_path)) if request.param == "path" else Folder(f"memory://{uuid.uuid4()}")


@pytest.fixture
def features(root):
    folder = root.sub("features")
    for i in range(PARTS):
        write_features(folder, f"part-{i}.parquet", ROWS * i)
    return folder


@pytest.fixture
def output(root):
    return root.sub("reports")


def contents(folder, names=None):
    found = {}
    for name in folder.names() if names is None else names:
        with folder.reading(name) as file:
            found[name] = file.read()
    return found


def failing_at(monkeypatch, fatal):
    """Let the draw of one part fail, as a full disk or a lost worker would."""
    real = privge.perturbation.simulate_parts.simulate_counted

    def simulate(campaign, matrix, *, ids, seed):
        if fatal in ids:
            raise OSError("lost")
        return real(campaign, matrix, ids=ids, seed=seed)

    monkeypatch.setattr(privge.perturbation.simulate_parts, "simulate_counted", simulate)


def test_each_file_of_features_becomes_a_part(features, output):
    steps = []
    parts = simulate_parts(campaign(), features, output, progress=lambda *step: steps.append(step))
    assert parts.names == tuple(features.names())
    assert (len(parts), parts.reports, parts.campaign) == (PARTS, ROWS * PARTS, campaign())
    assert not parts.seeded
    assert [parts.read(i).ids.tolist() for i in range(PARTS)] == np.arange(32).reshape(PARTS, ROWS).tolist()
    assert steps == [(i, PARTS) for i in range(1, PARTS + 1)]
    assert "32 of campaign" in repr(parts)


def test_a_finished_part_is_never_drawn_again(features, output, monkeypatch):
    with monkeypatch.context() as patch:
        failing_at(patch, 2 * ROWS)
        with pytest.raises(OSError, match="lost"):
            simulate_parts(campaign(), features, output)
    before = contents(output)
    assert list(before) == ["part-0.parquet", "part-1.parquet"]
    with pytest.raises(BadData, match=r"unfinished.*again"):
        ReportParts.open(output)
    simulate_parts(campaign(), features, output)
    after = contents(output)
    assert len(after) == PARTS
    assert {name: after[name] for name in before} == before
    simulate_parts(campaign(), features, output)
    assert contents(output) == after


def test_changed_values_do_not_make_anybody_report_again(features, output):
    simulate_parts(campaign(), features, output)
    before = contents(output)
    output.remove(["_SUCCESS"])
    write_features(features, "part-0.parquet", 0, np.ones((ROWS, 3)))
    simulate_parts(campaign(), features, output)
    assert contents(output) == before


def test_of_two_workers_at_one_part_the_first_counts(features, output, monkeypatch):
    real = privge.perturbation.simulate_parts.simulate_counted

    def overtaken(campaign, matrix, *, ids, seed):
        monkeypatch.setattr(privge.perturbation.simulate_parts, "simulate_counted", real)
        assert simulate_part(features.address, output.address, "part-0.parquet", "part-0.parquet").reports == ROWS
        overtaken.kept = contents(output, ["part-0.parquet"])
        return real(campaign, matrix, ids=ids, seed=seed)

    monkeypatch.setattr(privge.perturbation.simulate_parts, "simulate_counted", overtaken)
    simulate_parts(campaign(), features, output)
    assert contents(output, ["part-0.parquet"]) == overtaken.kept


def test_a_draw_that_was_left_half_written_is_removed(tmp_path):
    features, output = Folder(str(tmp_path / "f")), Folder(str(tmp_path / "r"))
    write_features(features, "a.parquet")
    output.make()
    leftover = tmp_path / "r" / ".a.parquet.0123abcd.partial"
    leftover.write_bytes(b"half a draw")
    simulate_parts(campaign(), features, output)
    assert not leftover.exists()
    assert sorted(path.name for path in (tmp_path / "r").iterdir()) == ["_SUCCESS", "_manifest.json", "a.parquet"]


def test_a_seed_gives_each_part_a_stream_of_its_own(root, output):
    features = root.sub("same")
    for i in range(PARTS):
        write_features(features, f"part-{i}.parquet", ROWS * i, np.full((ROWS, 3), 0.5))
    parts = simulate_parts(campaign(), features, output, seed=7)
    assert parts.seeded
    codes = [parts.read(i).codes for i in range(PARTS)]
    assert all((codes[0] != other).any() for other in codes[1:])
    again = root.sub("again")
    privge.perturbation.simulate_parts._claim(again, campaign(), features.names(), 7)
    for name in reversed(features.names()):
        simulate_part(features.address, again.address, name, "part-0.parquet")
    assert contents(again) == contents(output)
    assert contents(output) != contents(simulate_parts(campaign(), features, root.sub("other"), seed=8).folder)


@pytest.mark.parametrize(
    ("changes", "what"), [({"campaign": campaign(purpose="another")}, "campaign"), ({"seed": 3}, "seed")]
)
def test_a_folder_of_something_else_is_refused(features, output, changes, what):
    simulate_parts(campaign(), features, output)
    before = contents(output)
    with pytest.raises(BadData, match=f"begun with another {what}"):
        simulate_parts(**{"campaign": campaign(), "features": features, "output": output, **changes})
    assert contents(output) == before


def test_a_folder_of_other_features_is_refused(root, features, output):
    simulate_parts(campaign(), features, output)
    write_features(features, "part-9.parquet", 1_000)
    with pytest.raises(BadData, match="begun with another features"):
        simulate_parts(campaign(), features, output)
    others = root.sub("others")
    for i in range(PARTS):
        write_features(others, f"part-{i}.parquet", 500 + ROWS * i)
    output.remove(["_SUCCESS"])
    with pytest.raises(BadData, match=r"part-0\.parquet: these are reports of other people"):
        simulate_parts(campaign(), others, output)


def test_features_are_not_overwritten_with_reports(features):
    before = contents(features)
    with pytest.raises(BadData, match="other files in this folder"):
        simulate_parts(campaign(), features, features)
    assert contents(features) == before


def test_a_damaged_part_is_refused_and_not_drawn_again(features, output):
    simulate_parts(campaign(), features, output)
    output.remove(["_SUCCESS"])
    with output.writing("part-1.parquet") as file:
        file.write(b"damaged")
    with pytest.raises(BadData, match=r"part-1\.parquet"):
        simulate_parts(campaign(), features, output)
    assert contents(output, ["part-1.parquet"]) == {"part-1.parquet": b"damaged"}


def test_columns_are_joined_by_name(root):
    exact = {"mechanism": "none", "epsilon": None, "k": 3}
    values = np.arange(24).reshape(8, 3) / 32
    features = root.sub("f")
    write_features(features, "a.parquet", 0, values)
    write_features(features, "b.parquet", 8, values[:, [2, 0, 1]], ["c", "a", "b"])
    for number, names in enumerate((None, NAMES)):
        parts = simulate_parts(campaign(**exact, names=names), features, root.sub(f"r{number}"))
        assert (parts.read(0).codes == parts.read(1).codes).all()
    write_features(features, "c.parquet", 16, values, ["a", "b", "d"])
    with pytest.raises(BadData, match=r"c\.parquet: there is no column for 1 of 3 features: 'c'"):
        simulate_parts(campaign(**exact), features, root.sub("r2"))


def test_nothing_of_the_private_values_is_beside_the_reports(features, output):
    simulate_parts(campaign(), features, output)
    document = output.document("_manifest.json")
    assert json.loads(document.pop("campaign")) == campaign().to_document()
    assert document == {"features": features.names(), "seed": None}
    assert output.document("_SUCCESS") == {"campaign": campaign().id, "parts": PARTS, "reports": ROWS * PARTS}


def test_an_empty_folder_is_refused(root, output):
    for call in (lambda: simulate_parts(campaign(), root.sub("none"), output), lambda: ReportParts.open(output)):
        with pytest.raises(BadData, match=r"no Parquet files|not a folder of Parquet parts"):
            call()


def test_a_part_of_another_campaign_is_refused_by_name(features, output):
    simulate_parts(campaign(), features, output)
    other = campaign(purpose="another").simulate(np.zeros((2, 3)))
    other.to_parquet(output.file("part-2.parquet"))
    with pytest.raises(CampaignMismatch, match=r"part-2\.parquet"):
        ReportParts.open(output)


def test_a_part_that_is_lost_or_changed_is_noticed(features, output):
    parts = simulate_parts(campaign(), features, output)
    with output.reading("part-3.parquet") as file:
        table = pq.read_table(file)
    with output.writing("part-3.parquet") as file:
        pq.write_table(table.replace_schema_metadata({}), file)
    with pytest.raises(BadData, match=r"part-3\.parquet"):
        parts.read(3)
    with pytest.raises(BadData, match=r"part-3\.parquet"):
        ReportParts.open(output)
    output.remove(["part-3.parquet"])
    with pytest.raises(BadData, match="there are 3 parts"):
        ReportParts.open(output)


def test_a_cluster_draws_what_one_process_draws(tmp_path, cluster):
    features = Folder(str(tmp_path / "f"))
    for i in range(PARTS):
        write_features(features, f"part-{i}.parquet", ROWS * i)
    here = simulate_parts(campaign(), features, tmp_path / "here", seed=5)
    steps = []
    there = simulate_parts(
        campaign(), features, tmp_path / "there", seed=5, cluster=cluster, progress=lambda *step: steps.append(step)
    )
    assert contents(there.folder) == contents(here.folder)
    assert steps[-1] == (PARTS, PARTS)


def test_a_cluster_keeps_private_values_out_of_its_logs(tmp_path, cluster, capfd):
    """Values that no step expects: an integer beyond all floats' precision, a text, and one outside the bounds."""
    sentinels = [9_007_199_254_740_993, "sentinel-value", 1234.56789]
    for number, value in enumerate(sentinels):
        features = tmp_path / f"f{number}"
        features.mkdir()
        pq.write_table(pa.table({"id": ["sentinel-person"] * 1, "a": [value], "b": [value]}), features / "x.parquet")
        refusing = campaign(dimensions=2, k=2, out_of_bounds="refuse")
        with pytest.raises(BadData) as caught:
            simulate_parts(refusing, features, tmp_path / f"r{number}", cluster=cluster)
        assert "x.parquet" in str(caught.value)
        chain = [caught.value, caught.value.__cause__, caught.value.__context__]
        heard = [
            *map(str, chain),
            str(cluster.get_scheduler_logs()),
            str(cluster.get_worker_logs()),
            *capfd.readouterr(),
        ]
        assert any("simulate_part" in text for text in heard), "the logs were not read"
        for secret in ("sentinel-person", "sentinel-value", "9007199254740993", "1234.56789"):
            assert not any(secret in text for text in heard)


def test_an_error_of_another_library_does_not_leave_a_worker(tmp_path, monkeypatch):
    write_features(Folder(str(tmp_path / "f")), "x.parquet")

    def fail(*_, **__):
        raise ValueError("sentinel-value cannot be used")

    monkeypatch.setattr(privge.perturbation.simulate_parts, "simulate_counted", fail)
    with pytest.raises(privge.errors.PrivgeError, match=r"x\.parquet.*\(ValueError\)") as caught:
        simulate_parts(campaign(), tmp_path / "f", tmp_path / "r")
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
