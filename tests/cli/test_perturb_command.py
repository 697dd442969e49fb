import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from privge import Campaign
from privge.cli import main
from privge.reports.parts import ReportParts


@pytest.fixture
def features(tmp_path):
    folder = tmp_path / "features"
    folder.mkdir()
    for i in range(3):
        table = {"id": np.arange(5 * i, 5 * i + 5), "a": np.full(5, 0.25), "b": np.full(5, 0.75)}
        pq.write_table(pa.table(table), folder / f"{i}.parquet")
    return folder


def perturb(features, output, *more):
    return CliRunner().invoke(main, ["perturb", "--features", str(features), "-o", str(output), *map(str, more)])


def test_a_folder_becomes_a_folder(features, tmp_path):
    result = perturb(features, tmp_path / "r", "--epsilon", 1, "--json")
    assert result.exit_code == 0, result.stderr
    summary = json.loads(result.stdout)
    parts = ReportParts.open(tmp_path / "r")
    assert (summary["reports"], summary["parts"], summary["campaign"]) == (15, 3, parts.campaign.id)
    assert parts.campaign.dimensions == 2
    again = perturb(features, tmp_path / "r", "--epsilon", 1)
    assert "15 reports" in again.stdout
    assert "(3 parts)" in again.stdout
    assert perturb(features, tmp_path / "r", "--epsilon", 2).exit_code == 3


def test_an_address_becomes_an_address(features):
    import fsspec

    system = fsspec.filesystem("memory")
    for path in features.iterdir():
        system.pipe_file(f"/perturb-command/f/{path.name}", path.read_bytes())
    result = perturb("memory://perturb-command/f", "memory://perturb-command/r", "--epsilon", 1)
    assert result.exit_code == 0, result.stderr
    assert ReportParts.open("memory://perturb-command/r").reports == 15


def test_a_campaign_file_serves_for_a_folder_too(features, tmp_path):
    campaign = Campaign(dimensions=2, low=0, high=1, mechanism="hds", epsilon=1.0, k=1, names=["b", "a"])
    campaign.save(tmp_path / "c.json")
    assert perturb(features, tmp_path / "r", "--campaign", tmp_path / "c.json").exit_code == 0
    assert ReportParts.open(tmp_path / "r").campaign == campaign


def test_a_cluster_does_the_parts(features, tmp_path, cluster):
    result = perturb(features, tmp_path / "r", "--epsilon", 1, "--cluster", cluster.scheduler.address)
    assert result.exit_code == 0, result.stderr
    assert ReportParts.open(tmp_path / "r").reports == 15


def test_one_file_needs_no_cluster_and_a_folder_no_file(features, tmp_path):
    (tmp_path / "old.parquet").write_text("old")
    for arguments in (
        (features / "0.parquet", tmp_path / "r.parquet", "--cluster", "tcp://localhost:1"),
        (features, tmp_path / "old.parquet"),
        (features, tmp_path / "no" / "folder"),
    ):
        assert perturb(*arguments, "--epsilon", 1).exit_code == 2
    assert (tmp_path / "old.parquet").read_text() == "old"
    empty = tmp_path / "empty"
    empty.mkdir()
    assert perturb(empty, tmp_path / "r", "--epsilon", 1).exit_code == 3


def test_reports_are_not_drawn_again_over_others_unless_it_is_said(features, tmp_path):
    output = tmp_path / "r.parquet"
    assert perturb(features / "0.parquet", output, "--epsilon", 1).exit_code == 0
    first = output.read_bytes()
    refused = perturb(features / "0.parquet", output, "--epsilon", 1)
    assert refused.exit_code == 1
    assert "a second draw of the same people spends epsilon again" in refused.stderr
    assert "--overwrite" in refused.stderr
    assert output.read_bytes() == first
    assert perturb(features / "0.parquet", output, "--epsilon", 1, "--overwrite").exit_code == 0
    assert output.read_bytes() != first
    assert perturb(features, tmp_path / "r", "--epsilon", 1, "--overwrite").exit_code == 2


def test_another_column_of_ids_is_refused_for_a_folder(features, tmp_path):
    result = perturb(features, tmp_path / "r", "--epsilon", 1, "--id-column", "a")
    assert result.exit_code == 2
    assert "--id-column has no effect" in result.stderr
