"""The store for several workers: its contract, and what only a server can do."""

import logging
import threading
import time

import psycopg
import pytest

from contract.sql_store_contract import SqlStoreContract
from privge.collect.stores import Upload, open_store, postgres
from privge.collect.stores.store import NoBackup
from privge.errors import StoreUnavailable
from privge.testing.store_contract import DAY, SAME, STORED, campaign_of, codes, held


class TestPostgresStore(SqlStoreContract):
    blob, dialect = "bytea", "postgresql"

    @pytest.fixture
    def address(self, postgres_url):
        return postgres_url

    def damage(self, address, statement):
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("SET search_path TO privge")
            connection.execute(statement)

    def downgrade(self, address):
        super().downgrade(address)
        self.damage(address, "DROP FUNCTION refuse_change")


@pytest.fixture
def store(postgres_url):
    store = open_store(postgres_url)
    yield store
    store.close()


@pytest.fixture
def campaign(store):
    campaign = campaign_of()
    store.add_campaign(campaign)
    return campaign


def test_a_commit_waits_for_the_disk(store):
    with store._writing() as session:
        assert session.rows("SELECT current_setting('synchronous_commit')") == [("on",)]


def test_a_restart_of_the_database_is_survived(store, campaign, postgres_server, monkeypatch):
    monkeypatch.setattr(store._pool, "timeout", 1.0)
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
    store.put(campaign.id, [Upload("alice", codes(1, 2, 3))], day=DAY)
    postgres_server.stop()
    try:
        with pytest.raises(StoreUnavailable) as error:
            store.put(campaign.id, [Upload("bob", codes(1, 2, 3))], day=DAY)
        assert "bob" not in repr(error.value)
        assert not store.ready()
    finally:
        postgres_server.start()
    monkeypatch.setattr(store._pool, "timeout", 10.0)
    uploads = [Upload("alice", codes(1, 2, 3)), Upload("bob", codes(1, 2, 3))]
    assert store.put(campaign.id, uploads, day=DAY) == [SAME, STORED]
    assert store.verify() == []


def test_a_connection_that_is_lost_in_the_middle_stores_nothing(store, campaign, postgres_url, monkeypatch):
    insert = postgres.PostgresSession.insert

    def lose(session, reports):
        insert(session, reports)
        with psycopg.connect(postgres_url, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s)", [session._connection.info.backend_pid])

    monkeypatch.setattr(postgres.PostgresSession, "insert", lose)
    with pytest.raises(StoreUnavailable):
        store.put(campaign.id, [Upload("alice", codes(1, 2, 3))], day=DAY)
    monkeypatch.setattr(postgres.PostgresSession, "insert", insert)
    assert held(store, campaign) == {}
    assert store.put(campaign.id, [Upload("alice", codes(1, 2, 3))], day=DAY) == [STORED]


def test_the_unique_key_stands_behind_the_lock_and_its_error_names_no_node(store, campaign):
    store.put(campaign.id, [Upload("alice", codes(1, 2, 3))], day=DAY)
    with pytest.raises(StoreUnavailable) as error, store._writing() as session:
        session.insert([(99, 1, b"alice", 1, codes(3, 2, 1))])
    assert "alice" not in f"{error.value!r}{error.value.__cause__!r}"
    assert held(store, campaign) == {"alice": (1, 2, 3)}


def test_sequence_numbers_become_visible_in_order(store, postgres_url, campaign):
    """A reader that has read up to a number misses nothing below it, however many workers write."""
    workers = [open_store(postgres_url) for _ in range(3)]
    seen, after, done = set(), 0, threading.Event()

    def write(worker):
        for turn in range(20):
            node = worker * 100 + turn
            workers[worker].put(campaign.id, [Upload(node, codes(1, 2, 3))], day=DAY)

    threads = [threading.Thread(target=write, args=[worker]) for worker in range(3)]
    for thread in threads:
        thread.start()
    while not done.is_set():
        if not any(thread.is_alive() for thread in threads):
            done.set()
        last = store.campaign(campaign.id).last
        seen |= set(held(store, campaign, after=after))
        after = last
    assert len(seen) == 60
    for worker in workers:
        worker.close()


def test_after_erasure_the_table_has_no_old_version_of_the_row(store, campaign, postgres_url):
    store.put(campaign.id, [Upload("alice", codes(1, 2, 3))], day=DAY)
    store.erase("alice")
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION pageinspect")
        found = connection.execute(
            "SELECT t_data FROM heap_page_items(get_raw_page('privge.reports', 0)) WHERE t_data IS NOT NULL"
        ).fetchall()
    assert len(found) == 1
    assert codes(1, 2, 3) not in found[0][0]


def test_nodes_are_looked_up_by_their_index_before_there_are_statistics(postgres_url, campaign):
    """Otherwise every batch of a new store reads all reports, until PostgreSQL has looked at the table."""
    worker = open_store(postgres_url)
    for start in range(0, 20_000, 2_000):
        uploads = [Upload(node, codes(1, 2, 3)) for node in range(start, start + 2_000)]
        assert set(worker.put(campaign.id, uploads, day=DAY)) == {STORED}
    worker.ask(campaign.id, list(range(2_000)))
    worker.close()  # its connections count what they did when they end
    found, deadline = 0, time.monotonic() + 10
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        while not found and time.monotonic() < deadline:
            (scans, found) = connection.execute(
                "SELECT seq_scan, idx_scan FROM pg_stat_user_tables WHERE schemaname = 'privge' AND relname = 'reports'"
            ).fetchone()
    assert found
    assert scans <= 2, "making the indices reads the empty table"


def test_tables_of_others_are_not_touched(postgres_url):
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("CREATE TABLE public.reports (mine text)")
        connection.execute("INSERT INTO public.reports VALUES ('kept')")
    store, campaign = open_store(postgres_url), campaign_of()
    store.add_campaign(campaign)
    store.put(campaign.id, [Upload("a", codes(1, 2, 3))], day=DAY)
    store.close()
    with psycopg.connect(postgres_url) as connection:
        assert connection.execute("SELECT * FROM public.reports").fetchall() == [("kept",)]


def test_a_backup_is_left_to_the_database(store, tmp_path):
    with pytest.raises(NoBackup, match="pg_dump"):
        store.backup(tmp_path / "copy.db")
    assert not list(tmp_path.iterdir())
