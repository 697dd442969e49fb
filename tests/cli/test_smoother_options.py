"""``privge embed --alpha auto`` and ``--smoother auto``: what was chosen is printed, or that nothing was found."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from privge.cli import main
from privge.datasets import social_network
from privge.embedding.embedding import Embedding


def run(*arguments):
    return CliRunner().invoke(main, [str(a) for a in arguments])


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("network")
    made = social_network(400, 4, 6, seed=1)
    pairs = np.column_stack(made.graph.to_scipy().nonzero())
    ids = made.graph.ids.tolist()
    edges = "".join(f"{ids[a]},{ids[b]}\n" for a, b in pairs if a < b)
    (folder / "edges.csv").write_text("source,target\n" + edges)
    lines = [",".join([node, *map(repr, row.tolist())]) for node, row in zip(ids, made.features, strict=True)]
    (folder / "features.csv").write_text("id,a,b,c,d,e,f\n" + "\n".join(lines) + "\n")
    return folder


def embed(files, *options, output="z.parquet"):
    common = ("--graph", files / "edges.csv", "--features", files / "features.csv", "--seed", 1, "--drop-unknown")
    return run("embed", *common, *options, "-o", files / output)


WELL_KNOWN = ("--mechanism", "piecewise", "--epsilon", "18", "--k", "6")
NOT_AT_ALL = ("--mechanism", "structure", "--k", "1")


@pytest.mark.parametrize(("option", "family"), [("--alpha", "pagerank"), ("--smoother", "clusters")])
def test_what_was_chosen_is_printed_and_in_the_summary(files, option, family):
    result = embed(files, *WELL_KNOWN, option, "auto")
    assert result.exit_code == 0, result.stderr
    assert "chosen by Stein's unbiased risk: " in result.stdout
    assert "predicted gain" in result.stdout
    assert "% of the variance of the features" in result.stdout
    told = json.loads(embed(files, *WELL_KNOWN, option, "auto", "--json").stdout)["smoothing"]
    assert told["smoother"] == family or option == "--smoother"
    assert told == json.loads(Embedding.load(files / "z.parquet").provenance.to_json())["run"]["smoothing"]


@pytest.mark.parametrize("option", ["--alpha", "--smoother"])
def test_reports_that_tell_nothing_are_called_so(files, option):
    result = embed(files, *NOT_AT_ALL, option, "auto")
    assert result.exit_code == 0, result.stderr
    assert "predicted gain 0: these reports tell nothing beyond the graph" in result.stdout
    told = json.loads(embed(files, *NOT_AT_ALL, option, "auto", "--json").stdout)["smoothing"]
    assert (told["smoother"], told["predicted_gain"]) == (None, 0.0)


def test_a_number_chooses_nothing(files):
    assert "smoothing" not in json.loads(embed(files, *WELL_KNOWN, "--alpha", "0.2", "--json").stdout)


def test_a_smoother_leaves_no_walk_to_describe(files):
    result = embed(files, *WELL_KNOWN, "--smoother", "auto", "--alpha", "0.2")
    assert (result.exit_code, "--alpha has no effect with --smoother" in result.stderr) == (2, True)


def test_alpha_is_a_number_or_auto(files):
    result = embed(files, *WELL_KNOWN, "--alpha", "automatic")
    assert result.exit_code == 2
