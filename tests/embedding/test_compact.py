"""Compact vectors: what they are made of stays with them, and nothing is added to them or mixed with them."""

import json
from contextlib import closing
from datetime import date

import numpy as np
import pytest
from click.testing import CliRunner

import privge as pg
from privge.cli import main
from privge.collect.stores import Upload, open_store
from privge.curator import embed_reports, embed_store, update_from_reports, update_from_store
from privge.embedding.compact import MANY
from privge.embedding.embed_channels import structure_channel, together
from privge.embedding.smoothed import Automatic
from privge.errors import BadData, NotUpdatable
from privge.propagation import Walk

NODES, COLUMNS = 120, 40
CAMPAIGN = pg.Campaign(dimensions=COLUMNS, low=0, high=1, mechanism="piecewise", epsilon=4.0, k=4)
GRAPH = pg.as_graph(np.random.default_rng(0).integers(0, NODES, (400, 2)), nodes=range(NODES))
COMPACT = Automatic(dimensions=8)


def reports(people=NODES):
    return CAMPAIGN.simulate(np.random.default_rng(1).random((NODES, COLUMNS))[:people], ids=np.arange(people), seed=1)


@pytest.fixture(scope="module")
def made():
    return pg.embed(GRAPH, reports(), dimensions=8)


@pytest.mark.parametrize("name", ["z.parquet", "z.npy", "folder"])
def test_the_file_says_which_directions_it_has(made, tmp_path, name):
    made.save(tmp_path / name)
    read = pg.Embedding.load(tmp_path / name)
    assert read.shape == (NODES, 8)
    assert read.provenance.run.projection == made.provenance.run.projection
    assert read.provenance.run.projection.columns == COLUMNS


def test_vectors_with_all_columns_say_nothing_of_it_as_ever():
    assert "projection" not in json.loads(pg.embed(GRAPH, reports()).provenance.to_json())["run"]


def test_the_search_begins_where_the_campaign_says(made):
    again = pg.embed(GRAPH, reports(), dimensions=8)
    assert again.provenance.run.projection == made.provenance.run.projection
    assert np.array_equal(again.matrix, made.matrix)


def test_similar_nodes_of_all_columns_are_similar_in_compact_ones():
    rough, fine = pg.embed(GRAPH, reports(), dimensions=32), pg.embed(GRAPH, reports())
    same = [
        len({n for n, _ in rough.most_similar(i, 10)} & {n for n, _ in fine.most_similar(i, 10)}) for i in range(NODES)
    ]
    assert np.mean(same) > 7


def test_nothing_is_added_to_compact_vectors(made):
    with pytest.raises(NotUpdatable, match="directions follow from all reports"):
        pg.update(made, reports().take(np.arange(3)), graph=GRAPH, reports=reports())


def test_an_update_from_files_makes_them_anew(caplog):
    old, new = reports(100), reports()
    earlier = embed_reports(GRAPH, old, automatic=COMPACT).embedding
    caplog.set_level("INFO", "privge")
    updated = update_from_reports(GRAPH, earlier, old, new)
    assert not updated.updated
    assert "made from the beginning, with the same dimensions" in caplog.text
    expected = pg.embed(GRAPH, new, dimensions=8)
    assert np.array_equal(updated.embedding.matrix, expected.matrix)
    assert updated.embedding.provenance.run.projection.digest != earlier.provenance.run.projection.digest


def test_an_update_from_files_without_news_leaves_them_as_they_are():
    earlier = embed_reports(GRAPH, reports(), automatic=COMPACT).embedding
    updated = update_from_reports(GRAPH, earlier, reports(), reports())
    assert np.array_equal(updated.embedding.matrix, earlier.matrix)
    assert updated.updated


def test_an_update_from_a_store_makes_them_anew(tmp_path):
    everybody = reports()
    uploads = [
        Upload(str(node), codes.astype("<u2").tobytes())
        for node, codes in zip(everybody.ids.tolist(), everybody.codes, strict=True)
    ]
    with closing(open_store(str(tmp_path / "s.db"))) as store:
        store.add_campaign(CAMPAIGN)
        store.put(CAMPAIGN.id, uploads[:100], day=date(2027, 1, 1))
        earlier = embed_store(store, GRAPH, automatic=COMPACT).embedding
        same = update_from_store(store, GRAPH, earlier)
        store.put(CAMPAIGN.id, uploads[100:], day=date(2027, 1, 1))
        updated = update_from_store(store, GRAPH, earlier)
        again = update_from_store(store, GRAPH, updated.embedding)
    assert same.updated
    assert not updated.updated
    assert updated.embedding.shape == (NODES, 8)
    assert updated.embedding.provenance.source.participation == 1
    assert again.updated


def test_they_stand_beside_other_channels(made, tmp_path):
    both = together({"structure": structure_channel(GRAPH), "private": made})
    both.save(tmp_path / "z.npy")
    read = pg.Embedding.load(tmp_path / "z.npy")
    assert read.channels["private"].width == 8
    assert read.channel("private").provenance.run.projection == made.provenance.run.projection


def test_alpha_may_be_chosen_before():
    made = pg.embed(GRAPH, reports(), alpha="auto", dimensions=8)
    assert made.provenance.run.smoothing is not None
    assert made.shape == (NODES, 8)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"dimensions": COLUMNS}, "40 dimensions are not fewer"),
        ({"dimensions": 0}, "dimensions must be an integer of at least 1"),
        ({"dimensions": 8, "smoother": "auto"}, "a smoother estimates all columns"),
        ({"dimensions": 8, "on": pg.OnCluster("tcp://127.0.0.1:1")}, "not on a cluster"),
    ],
)
def test_what_does_not_go_together_is_refused(options, told):
    with pytest.raises((ValueError, BadData), match=told):
        pg.embed(GRAPH, reports(), **options)


def test_very_many_columns_are_told_with_what_they_cost(caplog):
    caplog.set_level("INFO", "privge")
    wide = pg.Campaign(dimensions=MANY + 1, low=0, high=1, mechanism="multibit", epsilon=1.0, k=1)
    pg.embed(GRAPH, wide.simulate(np.zeros((NODES, MANY + 1)), seed=1), tolerance=1.0)
    assert f"{MANY + 1:,} columns for 120 nodes take 2 MB; --dimensions 128" in caplog.text
    caplog.clear()
    pg.embed(GRAPH, wide.simulate(np.zeros((NODES, MANY + 1)), seed=1), tolerance=1.0, dimensions=8)
    pg.embed(GRAPH, reports())
    assert "columns for" not in caplog.text


def test_the_command_makes_them_and_says_so(tmp_path):
    reports().to_parquet(tmp_path / "r.parquet")
    rows = [f"{a},{b}\n" for a, b in np.random.default_rng(0).integers(0, NODES, (400, 2))]
    (tmp_path / "e.csv").write_text("source,target\n" + "".join(rows))
    command = [
        "embed",
        "--graph",
        tmp_path / "e.csv",
        "--reports",
        tmp_path / "r.parquet",
        "-o",
        tmp_path / "z.parquet",
    ]
    command = [*map(str, command), "--integer-ids", "--drop-unknown", "--dimensions", "8"]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    assert "compact: 8 leading directions, which keep" in done.stdout
    told = json.loads(CliRunner().invoke(main, [*command, "--json"]).stdout)
    assert told["projection"]["dimensions"] == told["dimensions"] == 8
    refused = CliRunner().invoke(main, [*command, "--update", str(tmp_path / "z.parquet")])
    assert refused.exit_code == 2
    refused = CliRunner().invoke(main, [*command[:-1], "40"])
    assert refused.exit_code == 3
    assert "40 dimensions are not fewer" in refused.stderr
    assert "or ask for fewer than 40" in refused.stderr


def test_compact_vectors_are_certified(made):
    full = pg.embed(GRAPH, reports(), tolerance=1e-7)
    fine = pg.embed(GRAPH, reports(), tolerance=1e-7, dimensions=8)
    walk = Walk(tolerance=made.provenance.run.tolerance)
    assert made.provenance.run.certificate <= walk.tolerance
    # Both are projections of the same vectors, whose directions may differ by rounding: lengths are compared.
    assert np.allclose(np.linalg.norm(made.matrix, axis=1), np.linalg.norm(fine.matrix, axis=1), atol=0.02)
    assert (np.linalg.norm(fine.matrix, axis=1) <= np.linalg.norm(full.matrix, axis=1) + 1e-5).all()
