"""The contract of a store in a database: tables that are made, brought up to date, and damaged behind its back."""

from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta

import pytest

from privge.campaign.assignment import Assignment
from privge.collect.stores import Upload, open_store, sql
from privge.collect.stores import migrating as steps
from privge.device.ledger import DEFAULT_CAPS
from privge.errors import StoreMismatch, StoreUnavailable
from privge.testing.store_contract import (
    DAY,
    DIFFERENT,
    OTHER_ROUND,
    OVER_BUDGET,
    STORED,
    TODAY,
    StoreContract,
    campaign_of,
    codes,
    held,
)


class SqlStoreContract(StoreContract):
    """Subclass with the fixture ``address``: the URL of a store that is not there yet."""

    dialect: str
    blob: str

    @property
    def steps(self):
        return steps.migrations(self.dialect)

    @pytest.fixture
    def address(self):
        raise NotImplementedError

    def damage(self, address, statement):
        """Run a statement behind the store's back."""
        raise NotImplementedError

    def slip_in(self, address, campaign):
        """Put a campaign into the store as an earlier version of the package did."""
        values = f"1, '{campaign.id}', '{campaign.to_json()}', {campaign.epsilon}"
        self.damage(address, f"INSERT INTO campaigns (number, id, document, epsilon) VALUES ({values})")  # noqa: S608

    def downgrade(self, address):
        """Take the tables back to version 1."""
        self.damage(address, "DROP TABLE acts")
        self.damage(address, "DELETE FROM migrations WHERE number > 1")

    @pytest.fixture
    def opened(self, address):
        stores = []

        def opened(lifetime_epsilon=None, **options):
            stores.append(open_store(address, lifetime_epsilon, **options))
            return stores[-1]

        yield opened
        for store in stores:
            store.close()

    def test_making_it_is_in_the_log_with_who(self, opened):
        made = opened(by="carol").log()
        assert [(act.kind, act.by, act.campaign, act.count, act.number) for act in made] == [
            ("made", "carol", None, steps.LEAST, 1)
        ]

    def test_a_store_that_nothing_is_said_about_has_the_cap_of_devices(self, address):
        store = open_store(address)
        assert store.lifetime_epsilon == DEFAULT_CAPS.lifetime
        outcomes = []
        for number in range(7):
            campaign = campaign_of(str(number))
            store.add_campaign(campaign)
            outcomes += store.put(campaign.id, [Upload("a", codes(1, 2, 3))], day=DAY)
        store.close()
        assert outcomes == [STORED] * 6 + [OVER_BUDGET]

    def test_one_that_is_there_already_stays_and_closing_it_begins_its_retention(self, store, address):
        campaign = campaign_of(retention_days=10)
        self.slip_in(address, campaign)
        store.add_campaign(campaign)
        assert store.put(campaign.id, [Upload("a", codes(1, 2, 3))], day=DAY) == [STORED]
        assert store.verify() == []
        assert store.retire(date(9999, 12, 31)) == 0
        store.close_campaign(campaign.id)
        assert store.retire(TODAY + timedelta(days=12)) == 1

    def test_many_workers_may_make_the_tables_at_once(self, opened):
        with ThreadPoolExecutor(6) as pool:
            stores = list(pool.map(lambda _: opened(), range(6)))
        assert sorted(store.migrated for store in stores) == [0] * 5 + [steps.LEAST]
        assert [act.kind for act in stores[0].log()] == ["made"]

    def test_a_store_that_is_not_there_is_made_only_if_asked(self, opened):
        with pytest.raises(StoreMismatch, match="no"):
            opened(create=False)
        opened()
        assert opened(create=False).campaigns() == []

    def test_migrating_again_changes_nothing(self, opened, campaign, put):
        put("alice", 1, 2, 3)
        assert opened(upgrade=True).migrated == len(self.steps) - steps.LEAST
        again = opened(upgrade=True)
        assert again.migrated == 0
        assert held(again, campaign) == {"alice": (1, 2, 3)}

    def test_tables_of_a_newer_version_are_refused(self, opened, address):
        opened()
        self.damage(address, "INSERT INTO migrations VALUES (99)")
        for options in ({}, {"upgrade": True}):
            with pytest.raises(StoreMismatch, match="version 99"):
                opened(**options)

    def test_tables_of_an_older_version_are_brought_up_to_date_only_if_asked(
        self, store, opened, put, address, campaign
    ):
        put("alice", 1, 2, 3)
        store.close()
        self.downgrade(address)
        with pytest.raises(StoreMismatch, match=r"version 1 .* needs 2.*privge store migrate"):
            opened()
        upgraded = opened(upgrade=True, by="carol")
        assert upgraded.migrated == 2
        assert held(upgraded, campaign) == {"alice": (1, 2, 3)}
        assert [(act.kind, act.by, act.count) for act in upgraded.log()] == [("migrated", "carol", 3)]
        assert upgraded.verify() == []
        assert opened().migrated == 0

    def test_tables_of_rounds_are_made_when_the_first_campaign_needs_them(self, store, opened, campaign, put):
        put("alice", 1, 2, 3)
        assert [store.retire(TODAY), store.shard("0" * 64), store.verify()] == [0, None, []]
        assert store.size() > 0
        other = opened()  # a worker that knows of nothing yet
        teach, ask = (campaign_of(purpose, round="spring") for purpose in ("teach", "ask"))
        store.add_campaign(teach, by="dave")
        store.add_campaign(ask, by="dave")
        assert [(act.kind, act.by, act.count) for act in store.log()][-3:] == [
            ("migrated", "dave", 3),
            ("published", "dave", None),
            ("published", "dave", None),
        ]
        report = [Upload("alice", codes(1, 2, 3))]
        assert [other.put(each.id, report, day=DAY) for each in (teach, ask)] == [[STORED], [OTHER_ROUND]]
        assert held(other, campaign) == {"alice": (1, 2, 3)}
        assert opened().migrated == 0

    def test_a_migration_that_fails_leaves_everything_as_it_was(self, store, opened, campaign, monkeypatch):
        store.close()
        module = __import__(type(store).__module__, fromlist=["_STEPS"])
        newer = [*module._STEPS, steps.Migration(4, ("CREATE TABLE extra (n integer)", "this is no SQL"))]
        monkeypatch.setattr(module, "_STEPS", newer)
        with pytest.raises(StoreUnavailable):
            opened(upgrade=True)
        monkeypatch.undo()
        assert opened(create=False).campaign(campaign.id).open

    def test_an_act_that_cannot_be_written_down_is_not_done(self, store, campaign, put, monkeypatch):
        put("alice", 1, 2, 3)
        before, state = store.log(), store.campaign(campaign.id)

        def full(*_, **__):
            raise OSError

        monkeypatch.setattr(sql, "note", full)
        for act in (
            lambda: store.add_campaign(campaign_of("new")),
            lambda: store.close_campaign(campaign.id),
            lambda: store.erase("alice", by="erin"),
        ):
            with pytest.raises(OSError):  # noqa: PT011
                act()
        assert [each.campaign for each in store.campaigns()] == [campaign]
        assert store.campaign(campaign.id) == state
        assert held(store, campaign) == {"alice": (1, 2, 3)}
        assert store.log() == before

    @pytest.mark.parametrize("statement", ["DELETE FROM acts", "UPDATE acts SET actor = 'nobody'"])
    def test_the_log_is_only_added_to(self, store, address, statement):
        before = store.log()
        assert before
        with pytest.raises(Exception, match="only added to"):
            self.damage(address, statement)
        assert store.log() == before

    def test_a_line_that_is_missing_all_the_same_is_found(self, store, address):
        self.damage(address, "INSERT INTO acts VALUES (9, '2027-01-01', 'closed', 'erin', NULL, NULL)")
        assert store.verify() == ["7 lines are missing in the log of what operators did"]

    @pytest.mark.parametrize(
        ("statement", "found"),
        [
            ("UPDATE reports SET codes = node WHERE erased = 0", "2 reports have codes of a wrong length"),
            ("UPDATE reports SET codes = CAST('zzzzzz' AS {blob}) WHERE erased = 0", "2 reports have codes of a wrong"),
            ("UPDATE reports SET codes = CAST('zzzzzz' AS {blob}) WHERE erased = 1", "still have their codes"),
            ("UPDATE campaigns SET reports = 7", "counts 7 reports"),
            ("UPDATE campaigns SET erased = 0", "0 erased"),
            ("UPDATE campaigns SET last = 2", "counts"),
            ("DELETE FROM reports WHERE erased = 0", "has 0"),
            ("UPDATE campaigns SET epsilon = 0.5", "epsilon is not that"),
            ("UPDATE campaigns SET epsilon = 9", "3 nodes have spent more than 1"),
            ("UPDATE campaigns SET document = document || ' '", "document is not the one"),
            ("UPDATE campaigns SET document = 'x'", "document cannot be read"),
            ("UPDATE campaigns SET texts = 0", "2 nodes cannot be read"),
            ("DELETE FROM rounds", "round is not that"),
            ("UPDATE rounds SET name = 'autumn'", "round is not that"),
            ("UPDATE shards SET content = CAST('zz' AS {blob})", "1 shards are not what their hash says"),
            ("DELETE FROM shards", "1 of its shards are missing"),
        ],
    )
    def test_what_is_wrong_is_found_and_no_node_is_named(self, opened, address, statement, found):
        members = Assignment.members(["alice", "bob", "17"])
        store, campaign = opened(1), campaign_of(round="spring", assignment=members)
        store.add_shard(members.shards[0], day=DAY)
        store.add_campaign(campaign)
        store.put(campaign.id, [Upload(node, codes(1, 2, 3)) for node in ("alice", "bob", "17")], day=DAY)
        store.erase("17")
        self.damage(address, statement.format(blob=self.blob))
        problems = " ".join(opened(1).verify())
        assert found in problems
        assert "alice" not in problems

    def test_somebody_who_is_twice_in_a_round_is_found(self, opened, address):
        store = opened(upgrade=True)
        for purpose in ("one", "two"):
            campaign = campaign_of(purpose)
            store.add_campaign(campaign)
            store.put(campaign.id, [Upload("alice", codes(1, 2, 3))], day=DAY)
        assert store.verify() == []
        self.damage(address, "INSERT INTO rounds SELECT number, 'spring' FROM campaigns")
        assert "1 nodes have reports in several campaigns of one round" in store.verify()

    def test_a_document_is_read_once_and_by_nobody_who_does_not_need_it(self, opened, monkeypatch):
        large = [campaign_of(f"{number} " + 100_000 * "x") for number in range(3)]
        first = opened()
        for campaign in large:
            first.add_campaign(campaign)
            first.put(campaign.id, [Upload("alice", codes(1, 2, 3))], day=DAY)
        store = opened()
        with store._reading() as session:
            kind = type(session)
        rows, read = kind.rows, []

        def counted(session, sql, *values):
            found = rows(session, sql, *values)
            read.extend(value for row in found for value in row if isinstance(value, str) and len(value) > 1_000)
            return found

        monkeypatch.setattr(kind, "rows", counted)
        assert [held.epsilon for held in store.holdings("alice")] == [1.0] * 3
        store.put(large[0].id, [Upload("bob", codes(1, 2, 3))], day=DAY)
        assert store.ask(large[0].id, ["alice"])[0].outcome is DIFFERENT
        store.erase("alice", campaign=large[1].id)
        assert read == []
        for _ in range(3):
            assert [state.reports for state in store.campaigns()] == [2, 0, 1]
            assert store.campaign(large[0].id).reports == 2
            assert store.retire(DAY) == 0
        assert len(read) == 3
