"""``privge embed --channels``: public structure, private vectors and answers beside each other."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import privge as pg
from privge.cli import main
from privge.datasets import social_network
from privge.embedding.embedding import Embedding

NETWORK = social_network(150, 3, 4, seed=2)


def run(*arguments):
    return CliRunner().invoke(main, [str(a) for a in arguments])


def reports_of(epsilon, people, purpose=""):
    c = pg.Campaign(dimensions=4, low=0, high=1, mechanism="multibit", epsilon=epsilon, k=1, purpose=purpose)
    return c.simulate(NETWORK.features[people], ids=NETWORK.graph.ids[people], seed=1)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("channels")
    ids = NETWORK.graph.ids.tolist()
    pairs = np.column_stack(NETWORK.graph.to_scipy().nonzero())
    edges = "".join(f"{ids[a]},{ids[b]}\n" for a, b in pairs if a < b)
    (folder / "edges.csv").write_text("source,target\n" + edges)
    (folder / "nodes.csv").write_text("id\n" + "\n".join(ids) + "\n")
    known = zip(ids[:100], NETWORK.labels[:100], strict=True)
    (folder / "labels.csv").write_text("id,label\n" + "".join(f"{node},group {c}\n" for node, c in known))
    reports_of(1.0, np.arange(80)).to_parquet(folder / "reports.parquet")
    reports_of(2.0, np.arange(80, 150), "asked").to_parquet(folder / "answers.parquet")
    return folder


def embed(files, *options, output="z.parquet"):
    common = ("--graph", files / "edges.csv", "--nodes", files / "nodes.csv")
    return run("embed", *common, *options, "-o", files / output)


def test_channels_stand_beside_each_other_and_say_what_they_cost(files):
    options = ("--channels", "answers,structure,private", "--reports", files / "reports.parquet")
    options += ("--answers", files / "answers.parquet", "--labels", files / "labels.csv")
    result = embed(files, *options)
    assert result.exit_code == 0, result.stderr
    assert "channel structure: 3 columns, epsilon 0.0" in result.stdout
    assert "channel private: 4 columns, epsilon 1.0" in result.stdout
    assert "one person spent at most epsilon 3.0" in result.stdout
    told = json.loads(embed(files, *options, "--json").stdout)
    assert [channel["name"] for channel in told["channels"]] == ["structure", "private", "answers"]
    assert (told["epsilon"], told["dimensions"]) == (3.0, 11)
    z = Embedding.load(files / "z.parquet")
    assert z.channels["answers"].epsilon == 2.0


def test_structure_alone_needs_no_reports(files):
    result = embed(files, "--channels", "structure", output="s.npy")
    assert result.exit_code == 0, result.stderr
    z = Embedding.load(files / "s.npy")
    assert (list(z.channels), z.epsilon, z.shape[0]) == (["structure"], 0.0, 150)


def test_similar_nodes_can_be_asked_for_by_channel(files):
    embed(files, "--channels", "structure,private", "--reports", files / "reports.parquet")
    node = NETWORK.graph.ids[0]
    found = {}
    for channel in ("structure", "private"):
        result = run("similar", files / "z.parquet", "--node", node, "--channel", channel, "--json")
        found[channel] = [each["node"] for each in json.loads(result.stdout)["similar"]]
    assert found["structure"] != found["private"]
    assert run("similar", files / "z.parquet", "--node", node, "--channel", "x").exit_code == 3


def test_without_channels_an_embedding_is_what_it_was(files):
    result = embed(files, "--reports", files / "reports.parquet", "--json", output="p.parquet")
    assert "channels" not in json.loads(result.stdout)
    assert not Embedding.load(files / "p.parquet").provenance.channels


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--channels", "labels"), "channels are structure, private, answers, got labels"),
        (("--channels", "answers"), "needs --answers"),
        (("--channels", "private", "--labels", "labels.csv"), "--labels has no effect without the channel structure"),
        (("--channels", "structure", "--reports", "r.parquet"), "--reports has no effect without the channel private"),
        (("--channels", "structure,private"), "Give either --reports or --store"),
        (("--channels", "structure", "--update", "z.parquet"), "--update has no effect"),
    ],
)
def test_options_that_do_not_go_together_are_refused(files, options, said):
    result = embed(files, *options)
    assert (result.exit_code, said in result.stderr) == (2, True), result.stderr
