import json
from datetime import date

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from collect.stores.postgres_server import server_or_skip
from privge import Campaign, Embedding, Reports, embed
from privge.cli import main
from privge.collect.snapshot import take_snapshot
from privge.collect.stores import Upload, open_store
from privge.graph import read_graph

NODES, DIMENSIONS, K = 40, 6, 3
TODAY = date(2027, 1, 1)


@pytest.fixture
def campaign():
    return Campaign(dimensions=DIMENSIONS, low=0, high=1, mechanism="hds", epsilon=2.0, k=K, levels=33)


@pytest.fixture
def reports(campaign):
    values = np.random.default_rng(1).random((NODES, DIMENSIONS))
    return campaign.simulate(values, ids=[f"n{i}" for i in range(NODES)], seed=1)


@pytest.fixture
def store(tmp_path, campaign):
    store = open_store(str(tmp_path / "app.db"))
    store.add_campaign(campaign)
    yield store
    store.close()


@pytest.fixture
def graph(tmp_path):
    pairs = [(i, (i + step) % NODES) for i in range(NODES) for step in (1, 2)]
    (tmp_path / "edges.csv").write_text("source,target\n" + "".join(f"n{a},n{b}\n" for a, b in pairs))
    return tmp_path / "edges.csv"


@pytest.fixture
def run(tmp_path, graph):
    def call(*arguments, store=f"sqlite:///{tmp_path}/app.db", output=tmp_path / "z.parquet"):
        command = ["embed", "--graph", graph, "--store", store, "-o", output, "--json", *arguments]
        result = CliRunner().invoke(main, [str(a) for a in command])
        result.summary = json.loads(result.stdout) if result.exit_code == 0 else None
        return result

    return call


def put(store, reports, rows):
    uploads = [Upload(reports.ids[i], reports.codes[i].astype("<u2").tobytes()) for i in rows]
    store.put(reports.campaign.id, uploads, day=TODAY)


def part(reports, rows):
    rows = list(rows)
    return Reports(reports.campaign, reports.ids[rows], reports.codes[rows])


def apart(one, other):
    """How far two embeddings differ, beyond what both certify."""
    far = np.abs(one.matrix.astype(float) - other.matrix).max()
    return far - one.provenance.run.certificate - other.provenance.run.certificate


def test_a_store_gives_the_same_vectors_as_a_file_of_its_reports(run, store, reports, graph, tmp_path):
    put(store, reports, range(30))
    result = run("--campaign", reports.campaign.id)
    assert result.exit_code == 0, result.stderr
    made = Embedding.from_parquet(tmp_path / "z.parquet")
    assert (made.matrix == embed(read_graph(graph), part(reports, range(30))).matrix).all()
    assert result.summary["participation"] == 0.75
    assert (result.summary["new_reports"], result.summary["updated"]) == (30, False)
    assert made.provenance.source.store_sequence == store.campaign(reports.campaign.id).last


def test_an_update_adds_what_arrived_since(run, store, reports, graph, tmp_path):
    put(store, reports, range(25))
    assert run().exit_code == 0
    put(store, reports, range(25, NODES))
    result = run("--update", tmp_path / "z.parquet")
    assert result.exit_code == 0, result.stderr
    assert "15 reports arrived since" in result.stderr
    assert (result.summary["new_reports"], result.summary["updated"]) == (15, True)
    assert result.summary["participation"] == pytest.approx(1.0, rel=1e-12)
    updated, whole = Embedding.from_parquet(tmp_path / "z.parquet"), embed(read_graph(graph), reports)
    assert apart(updated, whole) <= 0
    assert updated.provenance.source.store_sequence == store.campaign(reports.campaign.id).last
    again = run("--update", tmp_path / "z.parquet")
    assert again.summary["new_reports"] == 0
    assert (Embedding.from_parquet(tmp_path / "z.parquet").matrix == updated.matrix).all()


def test_after_an_erasure_an_update_begins_from_the_beginning(run, store, reports, graph, tmp_path):
    put(store, reports, range(30))
    run("--alpha", 0.3, "--tolerance", 1e-5)
    store.erase("n3")
    put(store, reports, range(30, NODES))
    result = run("--update", tmp_path / "z.parquet")
    assert result.exit_code == 0
    assert "reports were erased" in result.stderr
    assert (result.summary["updated"], result.summary["new_reports"]) == (False, NODES - 1)
    assert result.summary["tolerance"] == 1e-5
    made = Embedding.from_parquet(tmp_path / "z.parquet")
    left = [i for i in range(NODES) if i != 3]
    expected = embed(read_graph(graph), part(reports, left), alpha=0.3, tolerance=1e-5)
    assert apart(made, expected) <= 0
    assert apart(made, embed(read_graph(graph), reports, alpha=0.3, tolerance=1e-5)) > 0  # she was in it before
    assert run("--update", tmp_path / "z.parquet").summary["updated"]


def test_clipping_is_written_down_and_stays_in_updates_even_from_the_beginning(run, store, reports, tmp_path):
    put(store, reports, range(10))
    assert run("--clip", "1.25").summary["clip"] == 1.25
    put(store, reports, range(10, 20))
    assert run("--update", tmp_path / "z.parquet").summary["clip"] == 1.25
    store.erase("n3")
    assert run("--update", tmp_path / "z.parquet").summary["clip"] == 1.25
    assert run("--update", tmp_path / "z.parquet", "--clip", "2").exit_code == 2
    assert [run("--clip", wrong).exit_code for wrong in ("0.5", "nan", "inf")] == [2, 2, 2]


def test_reports_that_arrive_while_reading_are_counted_once(store, reports):
    put(store, reports, range(20))
    arriving = iter([range(20, 30), []])

    class Busy:
        """Somebody reports after the sequence number was taken, before the reports are read."""

        def __getattr__(self, name):
            return getattr(store, name)

        def campaign(self, name):
            state = store.campaign(name)
            put(store, reports, next(arriving))
            return state

    first = take_snapshot(Busy(), reports.campaign.id)
    second = take_snapshot(Busy(), reports.campaign.id, after=first.sequence)
    assert sorted(first.reports.ids) == sorted(reports.ids[:20])
    assert sorted(second.reports.ids) == sorted(reports.ids[20:30])
    assert second.sequence > first.sequence


def test_somebody_erased_while_reading_is_left_out(store, reports):
    put(store, reports, range(20))
    leaving = iter(["n4"])

    class Busy:
        def __getattr__(self, name):
            return getattr(store, name)

        def read(self, *given, **options):
            blocks = list(store.read(*given, **options))
            for node in leaving:
                store.erase(node)
            return iter(blocks)

    snapshot = take_snapshot(Busy(), reports.campaign.id)
    assert "n4" not in snapshot.reports.ids
    assert len(snapshot.reports) == 19


def test_a_store_that_was_restored_is_noticed(run, store, reports, tmp_path):
    put(store, reports, range(20))
    run()
    older = open_store(str(tmp_path / "older.db"))
    older.add_campaign(reports.campaign)
    put(older, reports, range(5))
    older.close()
    result = run("--update", tmp_path / "z.parquet", store=str(tmp_path / "older.db"))
    assert result.exit_code == 3
    assert "newer than the store" in result.stderr


def test_when_retention_is_over_nothing_is_embedded(run, tmp_path, reports):
    dated = Campaign(dimensions=DIMENSIONS, low=0, high=1, mechanism="hds", epsilon=2.0, k=K, levels=33,
                     closes="2027-02-01T00:00:00Z", retention_days=10)  # fmt: skip
    store = open_store(str(tmp_path / "app.db"))
    store.add_campaign(dated)
    put(store, Reports(dated, reports.ids, reports.codes), range(NODES))
    assert run().exit_code == 0
    before = (tmp_path / "z.parquet").read_bytes()
    assert store.retire(date(2027, 3, 1)) == NODES
    store.close()
    for options in ((), ("--update", tmp_path / "z.parquet")):
        result = run(*options)
        assert result.exit_code == 3
        assert "has no reports" in result.stderr
    assert (tmp_path / "z.parquet").read_bytes() == before


def test_reports_of_unknown_nodes_are_dropped_when_asked(run, store, campaign, reports, tmp_path):
    put(store, reports, range(20))
    run()
    put(store, reports, range(20, 25))
    stranger = campaign.simulate(np.full((1, DIMENSIONS), 0.5), ids=["stranger"])
    put(store, stranger, [0])
    result = run("--update", tmp_path / "z.parquet")
    assert result.exit_code == 3
    assert "1 of 6 reports are of nodes that are not in the graph" in result.stderr
    result = run("--update", tmp_path / "z.parquet", "--drop-unknown")
    assert result.summary["new_reports"] == 5
    assert "dropped 1 of 6 new reports (16.7%)" in result.stderr
    assert result.summary["participation"] == pytest.approx(25 / NODES, rel=1e-12)


def test_a_campaign_is_named_by_how_its_id_begins(run, store, campaign, reports):
    put(store, reports, range(3))
    other = Campaign(dimensions=2, low=0, high=1, mechanism="hds", epsilon=1.0, k=1, levels=33)
    store.add_campaign(other)
    assert run("--campaign", campaign.id[:6]).exit_code == 0
    missing = run()
    assert missing.exit_code == 2
    assert "2 campaigns" in missing.stderr
    assert "no campaigns whose id begins" in run("--campaign", "zzz").stderr
    assert "has no reports yet" in run("--campaign", other.id).stderr


def test_an_older_file_without_a_sequence_number_is_readable_but_not_updated(run, store, reports, tmp_path):
    put(store, reports, range(20))
    run()
    table = pq.read_table(tmp_path / "z.parquet")
    provenance = json.loads(table.schema.metadata[b"privge.provenance"])
    del provenance["sources"][0]["store_sequence"]
    old = tmp_path / "old.parquet"
    pq.write_table(table.replace_schema_metadata({b"privge.provenance": json.dumps(provenance)}), old)
    assert Embedding.from_parquet(old).provenance.source.store_sequence is None
    result = run("--update", old)
    assert result.exit_code == 3
    assert "old.parquet: the embedding was not made from a store" in result.stderr


def test_another_graph_or_campaign_cannot_be_updated(run, store, reports, graph, tmp_path):
    put(store, reports, range(20))
    run()
    other = Campaign(dimensions=2, low=0, high=1, mechanism="hds", epsilon=1.0, k=1, levels=33)
    store.add_campaign(other)
    assert (
        "z.parquet: the embedding was made from campaign"
        in run("--update", tmp_path / "z.parquet", "--campaign", other.id).stderr
    )
    graph.write_text(graph.read_text() + "n0,n20\n")
    result = run("--update", tmp_path / "z.parquet", "--campaign", reports.campaign.id)
    assert result.exit_code == 3
    assert "another graph; if it only gained" in result.stderr


@pytest.mark.parametrize("options", [("--alpha", 0.2), ("--epsilon", 1), ("--decoding", "unbiased")])
def test_options_without_effect_are_refused(run, store, reports, tmp_path, options):
    put(store, reports, range(20))
    run()
    result = run("--update", tmp_path / "z.parquet", *options)
    assert result.exit_code == 2
    assert "no effect" in result.stderr


def test_sources_do_not_mix(run, tmp_path, graph):
    assert run("--reports", tmp_path / "r.parquet").exit_code == 2
    arguments = ["embed", "--graph", str(graph), "-o", str(tmp_path / "z.parquet"), "--features", "f.csv"]
    result = CliRunner().invoke(main, [*arguments, "--epsilon", "1", "--update", "z.parquet"])
    assert result.exit_code == 2
    assert "goes with --store" in result.stderr


def test_a_store_that_is_not_there_is_not_made(run, tmp_path):
    result = run(store=f"sqlite:///{tmp_path}/none.db")
    assert result.exit_code != 0
    assert "none.db" in result.stderr
    assert not (tmp_path / "none.db").exists()


def test_integer_nodes_join_an_integer_graph(run, store, campaign, tmp_path):
    values = np.full((NODES, DIMENSIONS), 0.5)
    numbers = campaign.simulate(values, ids=range(NODES))
    put(store, numbers, range(NODES))
    (tmp_path / "g.csv").write_text("source,target\n" + "".join(f"{i},{(i + 1) % NODES}\n" for i in range(NODES)))
    result = run("--graph", tmp_path / "g.csv")
    assert result.exit_code == 0, result.stderr
    assert result.summary["participation"] == 1


def test_postgresql_is_a_store_like_any_other(run, reports, graph, tmp_path, monkeypatch):
    server = server_or_skip()
    server.start()
    try:
        store = open_store(server.url)
        store.add_campaign(reports.campaign)
        put(store, reports, range(20))
        assert run(store=server.url).exit_code == 0
        put(store, reports, range(20, NODES))
        monkeypatch.setenv("PRIVGE_STORE", server.url)  # no password on the command line
        command = ["embed", "--graph", graph, "--update", tmp_path / "z.parquet", "-o", tmp_path / "z.parquet"]
        assert CliRunner().invoke(main, [str(a) for a in command]).exit_code == 0
        updated = Embedding.from_parquet(tmp_path / "z.parquet")
        assert apart(updated, embed(read_graph(graph), reports)) <= 0
        store.erase("n7")
        result = run("--update", tmp_path / "z.parquet", store=server.url)
        assert (result.summary["updated"], result.summary["new_reports"]) == (False, NODES - 1)
        store.close()
    finally:
        server.remove()
