import json
from datetime import UTC, datetime, timedelta

from click.testing import CliRunner

from privge import Campaign
from privge.cli import main
from privge.collect.stores.rules import retired_on
from privge.graph import read_graph, read_ids
from privge.perturbation import read_features


def run(*arguments):
    return CliRunner().invoke(main, ["example", *map(str, arguments)])


def test_the_files_fit_together(tmp_path):
    result = run("--people", 50, "--epsilon", 2, "-o", tmp_path / "e")
    assert result.exit_code == 0, result.stderr
    folder = tmp_path / "e"
    campaign = Campaign.load(folder / "campaign.toml")
    nodes, others = read_ids(folder / "nodes.csv").tolist(), read_features(folder / "features.parquet")
    assert read_graph(folder / "edges.csv", nodes=folder / "nodes.csv").ids.tolist() == nodes
    assert nodes == ["person-0000", *others.ids.tolist()]
    assert "person-0000" in result.stdout
    mine = json.loads((folder / "me.json").read_text())
    assert tuple(mine) == others.names == campaign.names
    assert (campaign.epsilon, campaign.dimensions) == (2.0, len(mine))
    assert campaign.report(mine, node="person-0000").campaign_id == campaign.id


def test_the_campaign_can_be_published_and_its_retention_begins(tmp_path):
    run("--people", 50, "-o", tmp_path / "e")
    command = ["campaign", "new", "--from", str(tmp_path / "e" / "campaign.toml"), "-o", str(tmp_path / "c.json")]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output
    campaign = Campaign.load(tmp_path / "c.json")
    assert retired_on(campaign, None) > datetime.now(UTC).date() + timedelta(days=campaign.retention_days)


def test_a_folder_that_is_there_is_left_alone(tmp_path):
    (tmp_path / "e").mkdir()
    result = run("--people", 50, "-o", tmp_path / "e")
    assert result.exit_code == 2
    assert not list((tmp_path / "e").iterdir())
