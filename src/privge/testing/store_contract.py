"""The contract of a store. Every store passes this one class."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256

import numpy as np
import pytest

import privge as pg
from privge.campaign.assignment import Assignment
from privge.collect.stores import Erased, Outcome, Upload
from privge.collect.stores.log import SERVICE
from privge.errors import InvalidCampaign, PrivacyViolation
from privge.wire.codes import encode

DAY = date(2027, 2, 3)
TODAY = datetime.now(UTC).date()
STORED, SAME, DIFFERENT = Outcome.STORED, Outcome.SAME, Outcome.DIFFERENT
CLOSED, ERASED, OVER_BUDGET, UNKNOWN = Outcome.CLOSED, Outcome.ERASED, Outcome.OVER_BUDGET, Outcome.UNKNOWN
OTHER_ROUND = Outcome.OTHER_ROUND
LONG_AGO = "2020-01-31T23:00:00Z"
STRANGE = [
    "alice",
    "007",
    "-0",
    "1_000",
    " 17",
    "\u0661\u0667",
    "a\x00b",
    "🙂",
    "x" * 512,
    str(2**80),
    "\x7f",
    "%s ? '; --",
]


def campaign_of(purpose="test", *, k=3, epsilon=1.0, **rest):
    return pg.Campaign(
        dimensions=k, low=0, high=1, mechanism="hds", epsilon=epsilon, k=k, levels=33, purpose=purpose, **rest
    )


def codes(*numbers):
    return encode(numbers)


def held(store, campaign, **where):
    """Everything that `read` gives, as a dictionary."""
    blocks = list(store.read(campaign.id, **where))
    return {
        node: tuple(row) for block in blocks for node, row in zip(block.ids.tolist(), block.codes.tolist(), strict=True)
    }


def put_at_once(stores, campaigns, node):
    """Put a report of one node into every campaign at the same moment, through stores in turn; return the outcomes."""
    start = threading.Barrier(len(campaigns))

    def race(number):
        start.wait()
        return stores[number % len(stores)].put(campaigns[number].id, [Upload(node, codes(1, 2, 3))], day=DAY)[0]

    with ThreadPoolExecutor(len(campaigns)) as pool:
        return list(pool.map(race, range(len(campaigns))))


class StoreContract:
    """Subclass with the fixture ``opened``; a store is compared with what people were promised."""

    @pytest.fixture
    def opened(self):
        """Return a function that opens one and the same store, which is empty at first, once more.

        It takes ``lifetime_epsilon``, by default None. Whatever it has opened is closed afterwards.
        """
        raise NotImplementedError

    @pytest.fixture
    def store(self, opened):
        return opened()

    @pytest.fixture
    def campaign(self, store):
        campaign = campaign_of()
        store.add_campaign(campaign)
        return campaign

    @pytest.fixture
    def put(self, store, campaign):
        """Put one report of the campaign and return what became of it."""
        return lambda node, *numbers: store.put(campaign.id, [Upload(node, codes(*numbers))], day=DAY)[0]

    # One draw for each node and campaign.

    def test_a_report_comes_back_as_it_was_stored(self, store, campaign, put):
        assert put("alice", 1, 2, 65535) is STORED
        assert held(store, campaign) == {"alice": (1, 2, 65535)}
        assert store.holdings("alice") == [(campaign.id, codes(1, 2, 65535), DAY, 1.0)]

    def test_the_same_bytes_again_change_nothing(self, store, campaign, put):
        put("alice", 1, 2, 3)
        before = store.campaign(campaign.id)
        assert put("alice", 1, 2, 3) is SAME
        assert store.campaign(campaign.id) == before

    def test_a_second_different_report_is_refused_and_the_first_stays(self, store, campaign, put):
        put("alice", 1, 2, 3)
        assert put("alice", 1, 2, 4) is DIFFERENT
        assert held(store, campaign) == {"alice": (1, 2, 3)}

    def test_a_number_and_its_digits_are_one_node(self, store, put):
        assert put(17, 1, 2, 3) is STORED
        assert put("17", 1, 2, 3) is SAME
        assert put("17", 3, 2, 1) is DIFFERENT
        assert len(store.holdings("17")) == len(store.holdings(17)) == 1

    def test_of_two_reports_in_one_batch_the_first_counts(self, store, campaign):
        batch = [Upload("a", codes(1, 1, 1)), Upload("a", codes(2, 2, 2)), Upload("a", codes(1, 1, 1))]
        assert store.put(campaign.id, batch, day=DAY) == [STORED, DIFFERENT, SAME]
        assert held(store, campaign) == {"a": (1, 1, 1)}

    def test_outcomes_of_a_mixed_batch_are_in_order(self, store, campaign, put):
        put("old", 1, 1, 1)
        put("gone", 2, 2, 2)
        store.erase("gone")
        batch = [("new", 5), ("old", 1), ("gone", 2), ("old", 9), ("newer", 5)]
        uploads = [Upload(node, codes(number, number, number)) for node, number in batch]
        assert store.put(campaign.id, uploads, day=DAY) == [STORED, SAME, ERASED, DIFFERENT, STORED]

    def test_a_node_answers_each_campaign_once(self, store, campaign, put):
        other = campaign_of("other")
        store.add_campaign(other)
        put("alice", 1, 2, 3)
        assert store.put(other.id, [Upload("alice", codes(3, 2, 1))], day=DAY) == [STORED]
        assert held(store, campaign) == {"alice": (1, 2, 3)}
        assert held(store, other) == {"alice": (3, 2, 1)}

    def test_of_a_hundred_different_reports_at_once_exactly_one_is_stored(self, store, opened, campaign):
        stores = [store, opened()]  # as two workers
        start = threading.Barrier(100)

        def race(number):
            start.wait()
            return stores[number % 2].put(campaign.id, [Upload("alice", codes(number, 0, 0))], day=DAY)[0]

        with ThreadPoolExecutor(100) as pool:
            outcomes = list(pool.map(race, range(100)))
        assert outcomes.count(STORED) == 1
        assert outcomes.count(DIFFERENT) == 99
        assert store.campaign(campaign.id).reports == len(held(store, campaign)) == 1

    def test_a_hundred_times_the_same_report_at_once_is_stored_once(self, put):
        with ThreadPoolExecutor(25) as pool:
            outcomes = list(pool.map(lambda _: put("alice", 1, 2, 3), range(100)))
        assert sorted(outcome.value for outcome in outcomes) == ["same"] * 99 + ["stored"]

    # One report in a round.

    @pytest.fixture
    def teach_and_ask(self, store):
        """Two campaigns of one round, and one of another."""
        campaigns = [campaign_of(purpose, round="spring") for purpose in ("teach", "ask")]
        campaigns.append(campaign_of("later", round="autumn"))
        for campaign in campaigns:
            store.add_campaign(campaign)
        return campaigns

    def test_whoever_reported_in_a_campaign_of_a_round_reports_in_no_other(self, store, teach_and_ask):
        teach, ask, later = teach_and_ask
        report = Upload("alice", codes(1, 2, 3))
        assert store.put(teach.id, [report], day=DAY) == [STORED]
        assert [each.outcome for each in store.ask(ask.id, ["alice", "bob"])] == [OTHER_ROUND, STORED]
        assert store.put(ask.id, [report, Upload("bob", codes(4, 5, 6))], day=DAY) == [OTHER_ROUND, STORED]
        assert store.put(teach.id, [report, Upload("bob", codes(4, 5, 6))], day=DAY) == [SAME, OTHER_ROUND]
        assert (held(store, teach), held(store, ask)) == ({"alice": (1, 2, 3)}, {"bob": (4, 5, 6)})
        assert store.put(later.id, [report], day=DAY) == [STORED]

    def test_campaigns_without_a_round_have_nothing_in_common(self, store, campaign, teach_and_ask):
        for each in (campaign_of("one"), campaign_of("two"), teach_and_ask[0], campaign):
            store.add_campaign(each)
            assert store.put(each.id, [Upload("alice", codes(1, 2, 3))], day=DAY) == [STORED]

    def test_erasure_gives_no_second_report_in_the_round(self, store, teach_and_ask):
        teach, ask, _ = teach_and_ask
        store.put(teach.id, [Upload("alice", codes(1, 2, 3))], day=DAY)
        store.erase("alice")
        assert store.ask(ask.id, ["alice"])[0].outcome is OTHER_ROUND
        assert store.put(ask.id, [Upload("alice", codes(1, 2, 3))], day=DAY) == [OTHER_ROUND]

    def test_retirement_gives_no_second_report_in_the_round(self, store):
        teach = campaign_of("teach", closes=LONG_AGO, retention_days=1, round="spring")
        ask = campaign_of("ask", round="spring")
        for campaign in (teach, ask):
            store.add_campaign(campaign)
        store.put(teach.id, [Upload("alice", codes(1, 2, 3))], day=DAY)
        assert store.retire(TODAY) == 1
        assert store.put(ask.id, [Upload("alice", codes(1, 2, 3))], day=DAY) == [OTHER_ROUND]

    def test_a_closed_campaign_is_closed_whatever_the_round(self, store, teach_and_ask):
        teach, ask, _ = teach_and_ask
        store.put(teach.id, [Upload("alice", codes(1, 2, 3))], day=DAY)
        store.close_campaign(ask.id)
        assert store.put(ask.id, [Upload("alice", codes(1, 2, 3))], day=DAY) == [CLOSED]

    def test_of_reports_in_many_campaigns_of_a_round_at_once_exactly_one_is_stored(self, store, opened):
        stores = [store, opened()]  # as two workers
        campaigns = [campaign_of(str(number), round="spring") for number in range(12)]
        for campaign in campaigns:
            store.add_campaign(campaign)
        outcomes = put_at_once(stores, campaigns, "alice")
        assert (outcomes.count(STORED), outcomes.count(OTHER_ROUND)) == (1, 11)
        assert len(store.holdings("alice")) == 1

    # Shards.

    def test_a_shard_comes_back_under_its_hash(self, store, opened):
        content = b"\x00\xff" * 5_000
        shard = store.add_shard(content, day=DAY)
        assert shard == sha256(content).hexdigest()
        assert store.add_shard(content, day=DAY) == shard
        assert opened().shard(shard) == content
        assert store.shard("0" * 64) is None
        assert store.add_shard(b"", day=DAY) == sha256(b"").hexdigest()  # nobody is in it
        assert store.shard(sha256(b"").hexdigest()) == b""

    def test_a_shard_that_is_too_large_is_refused(self, store):
        with pytest.raises(ValueError, match="4,194,304 bytes"):
            store.add_shard(bytes(2**22 + 1), day=DAY)

    def test_a_campaign_is_not_published_before_its_shards(self, store):
        campaign = campaign_of(assignment=Assignment.members(["alice", "bob", "carol"], bits=1))
        first, second = campaign.assignment.shards.values()
        store.add_shard(first, day=DAY)
        with pytest.raises(InvalidCampaign, match=r"'assignment'.*1 of its shards"):
            store.add_campaign(campaign)
        assert store.campaigns() == []
        store.add_shard(second, day=DAY)
        store.add_campaign(campaign)
        assert store.campaign(campaign.id).campaign == campaign
        assert store.verify() == []

    def test_shards_go_when_no_campaign_that_is_kept_names_them(self, store):
        members, others = (Assignment.members([name]) for name in ("alice", "bob"))
        campaigns = [
            campaign_of("old", closes=LONG_AGO, retention_days=1, assignment=members),
            campaign_of("new", assignment=others),
        ]
        kept, gone = (store.add_shard(each.shards[0], day=DAY) for each in (others, members))
        unused = store.add_shard(b"never named", day=DAY)
        for campaign in campaigns:
            store.add_campaign(campaign)
        store.retire(date(2020, 1, 31))
        assert store.shard(gone) is not None
        store.retire(DAY + timedelta(days=1))
        assert None not in (store.shard(unused), store.shard(gone))
        store.retire(DAY + timedelta(days=2))
        assert [store.shard(each) is None for each in (unused, gone, kept)] == [True, True, False]
        assert store.verify() == []

    # Campaigns.

    def test_asking_tells_what_a_report_would_get_and_changes_nothing(self, opened):
        store = opened(lifetime_epsilon=1.5)
        campaign, other = campaign_of(), campaign_of("another")
        for each in (campaign, other):
            store.add_campaign(each)
        store.put(campaign.id, [Upload("held", codes(1, 2, 3)), Upload("gone", codes(1, 2, 3))], day=DAY)
        store.put(other.id, [Upload("spent", codes(1, 2, 3))], day=DAY)
        store.erase("gone")
        before = [store.campaign(each.id) for each in (campaign, other)]
        asked = store.ask(campaign.id, ["new", "held", "gone", "spent", "new", 17])
        assert [standing.outcome for standing in asked] == [STORED, DIFFERENT, ERASED, OVER_BUDGET, STORED, STORED]
        assert [standing.codes for standing in asked] == [None, codes(1, 2, 3), None, None, None, None]
        assert [store.campaign(each.id) for each in (campaign, other)] == before
        assert store.ask("0" * 64, ["new"])[0].outcome is UNKNOWN
        assert store.ask(campaign.id, []) == []
        store.close_campaign(campaign.id)
        asked = store.ask(campaign.id, ["new", "held", "gone", "spent"])
        assert [standing.outcome for standing in asked] == [CLOSED, DIFFERENT, ERASED, CLOSED]

    def test_an_unknown_campaign_stores_nothing(self, store):
        assert store.put("0" * 64, [Upload("a", b"12")] * 2, day=DAY) == [UNKNOWN, UNKNOWN]
        assert store.campaign("0" * 64) is None
        assert list(store.read("0" * 64)) == []
        assert store.stale_since("0" * 64, 0) == 0

    def test_an_empty_batch_is_no_trouble(self, store, campaign):
        assert store.put(campaign.id, [], day=DAY) == []

    def test_a_closed_campaign_takes_no_new_report_and_keeps_the_old(self, store, campaign, put):
        put("alice", 1, 2, 3)
        store.close_campaign(campaign.id)
        assert put("bob", 1, 2, 3) is CLOSED
        assert not store.campaign(campaign.id).open
        assert held(store, campaign) == {"alice": (1, 2, 3)}

    def test_after_closing_a_device_still_learns_that_its_report_is_there(self, store, campaign, put):
        put("alice", 1, 2, 3)
        store.close_campaign(campaign.id)
        assert put("alice", 1, 2, 3) is SAME

    def test_adding_a_campaign_again_changes_nothing_and_does_not_open_it(self, store, campaign, put):
        put("alice", 1, 2, 3)
        store.close_campaign(campaign.id)
        before = store.campaign(campaign.id)
        store.add_campaign(campaign)
        assert store.campaign(campaign.id) == before

    def test_campaigns_are_listed_from_the_oldest_on(self, store):
        added = [campaign_of(str(number)) for number in range(5)]
        for campaign in added:
            store.add_campaign(campaign)
        assert [state.campaign for state in store.campaigns()] == added

    @pytest.mark.parametrize(
        "change",
        [{"mechanism": "none"}, {"mechanism": "structure"}, {"missing": "refuse"}, {"out_of_bounds": "refuse"}],
    )
    def test_a_campaign_that_no_device_answers_is_not_collected(self, store, change):
        epsilon = None if "mechanism" in change else 1.0
        fields = {"dimensions": 2, "low": 0, "high": 1, "mechanism": "hds", "epsilon": epsilon, "k": 1} | change
        with pytest.raises(PrivacyViolation, match="no device answers it"):
            store.add_campaign(pg.Campaign(**fields))

    # Nodes.

    def test_nodes_given_as_integers_come_back_as_integers(self, store, campaign):
        nodes = [0, -5, 2**63 - 1, -(2**63)]
        store.put(campaign.id, [Upload(node, codes(1, 2, 3)) for node in nodes], day=DAY)
        (block,) = store.read(campaign.id)
        assert block.ids.dtype == np.int64
        assert block.ids.tolist() == nodes

    def test_digits_given_as_text_come_back_as_text(self, store, campaign, put):
        put("17", 1, 2, 3)
        assert list(held(store, campaign)) == ["17"]

    def test_one_node_of_text_makes_all_ids_text(self, store, campaign, put):
        put(17, 1, 2, 3)
        put("bob", 1, 2, 3)
        assert list(held(store, campaign)) == ["17", "bob"]

    def test_integers_beyond_64_bits_come_back_as_text(self, store, campaign, put):
        put(2**64, 1, 2, 3)
        assert list(held(store, campaign)) == [str(2**64)]

    @pytest.mark.parametrize("node", STRANGE, ids=lambda node: ascii(node[:20]))
    def test_any_text_is_a_node(self, store, campaign, put, node):
        assert put(node, 1, 2, 3) is STORED
        assert put(node, 1, 2, 3) is SAME
        assert list(held(store, campaign)) == [node]

    def test_a_uuid_comes_back_letter_by_letter(self, store, campaign, put):
        small = "0f8fad5b-d9cb-469f-a165-70867728950e"
        for node in (small, small.upper(), small.replace("-", "")):
            assert put(node, 1, 2, 3) is STORED
        assert list(held(store, campaign)) == [small, small.upper(), small.replace("-", "")]

    @pytest.mark.parametrize("node", ["", "\ud800", "ß" * 300, True, 1.5, None, b"a"], ids=ascii)
    def test_what_is_no_node_is_refused_without_being_named_and_nothing_of_its_batch_is_stored(
        self, store, campaign, node
    ):
        batch = [Upload("fine", codes(1, 2, 3)), Upload(node, codes(1, 2, 3))]
        with pytest.raises((ValueError, TypeError), match="a node id must") as refused:
            store.put(campaign.id, batch, day=DAY)
        assert "ß" not in str(refused.value)
        assert store.campaign(campaign.id).reports == 0

    # The ledger.

    def test_a_report_above_the_cap_is_refused(self, opened):
        store = opened(2.5)
        campaigns = [campaign_of(str(number)) for number in range(3)]
        for campaign in campaigns:
            store.add_campaign(campaign)
        outcomes = [store.put(campaign.id, [Upload("a", codes(1, 2, 3))], day=DAY)[0] for campaign in campaigns]
        assert outcomes == [STORED, STORED, OVER_BUDGET]
        assert store.put(campaigns[2].id, [Upload("b", codes(1, 2, 3))], day=DAY) == [STORED]
        assert [holding.epsilon for holding in store.holdings("a")] == [1, 1]

    def test_three_tenths_fit_a_cap_of_three_tenths_and_a_fourth_does_not(self, opened):
        store = opened(0.3)
        outcomes = []
        for number in range(4):
            campaign = campaign_of(str(number), epsilon=0.1)
            store.add_campaign(campaign)
            outcomes += store.put(campaign.id, [Upload("a", codes(1, 2, 3))], day=DAY)
        assert outcomes == [STORED, STORED, STORED, OVER_BUDGET]

    def test_a_campaign_dearer_than_the_cap_is_not_published(self, opened):
        with pytest.raises(InvalidCampaign, match=r"'epsilon'.*0\.5"):
            opened(0.5).add_campaign(campaign_of())
        assert opened(0.5).campaigns() == []

    def test_after_the_cap_was_lowered_a_dearer_campaign_takes_nobody(self, opened, campaign):
        store = opened(0.5)
        store.add_campaign(campaign)  # it is there already
        assert store.put(campaign.id, [Upload("a", codes(1, 2, 3))], day=DAY) == [OVER_BUDGET]

    def test_erasure_gives_no_budget_back(self, opened):
        store, first, second = opened(1), campaign_of("1"), campaign_of("2")
        for campaign in (first, second):
            store.add_campaign(campaign)
        store.put(first.id, [Upload("a", codes(1, 2, 3))], day=DAY)
        store.erase("a")
        assert store.put(second.id, [Upload("a", codes(1, 2, 3))], day=DAY) == [OVER_BUDGET]

    def test_retirement_gives_no_budget_back(self, opened):
        store, first, second = opened(1), campaign_of("1", closes=LONG_AGO, retention_days=0), campaign_of("2")
        for campaign in (first, second):
            store.add_campaign(campaign)
        store.put(first.id, [Upload("a", codes(1, 2, 3))], day=DAY)
        assert store.retire(TODAY) == 1
        assert store.put(second.id, [Upload("a", codes(1, 2, 3))], day=DAY) == [OVER_BUDGET]

    def test_reports_in_many_campaigns_at_once_never_exceed_the_cap(self, opened):
        stores = [opened(3), opened(3)]
        campaigns = [campaign_of(str(number)) for number in range(12)]
        for campaign in campaigns:
            stores[0].add_campaign(campaign)
        outcomes = put_at_once(stores, campaigns, "a")
        assert outcomes.count(STORED) == 3
        assert outcomes.count(OVER_BUDGET) == 9
        assert sum(holding.epsilon for holding in stores[0].holdings("a")) == 3

    @pytest.mark.parametrize("cap", [0, -1, float("nan"), float("inf")])
    def test_a_cap_that_is_none_is_refused(self, opened, cap):
        with pytest.raises(ValueError, match="lifetime_epsilon"):
            opened(cap)

    # Erasure.

    def test_an_erased_report_is_gone_and_no_other_is_taken(self, store, campaign, put):
        put("alice", 1, 2, 3)
        put("bob", 4, 5, 6)
        assert store.erase("alice").campaigns == (campaign.id,)
        assert put("alice", 1, 2, 3) is ERASED
        assert put("alice", 4, 4, 4) is ERASED
        assert held(store, campaign) == {"bob": (4, 5, 6)}
        assert store.holdings("alice") == [(campaign.id, None, DAY, 1.0)]
        state = store.campaign(campaign.id)
        assert (state.reports, state.erased) == (1, 1)

    def test_a_report_of_zeros_is_no_tombstone(self, store, campaign, put):
        put("alice", 0, 0, 0)
        assert put("alice", 0, 0, 0) is SAME
        assert held(store, campaign) == {"alice": (0, 0, 0)}

    def test_erasure_can_be_of_one_campaign(self, store, campaign, put):
        other = campaign_of("other")
        store.add_campaign(other)
        put(5, 1, 2, 3)
        store.put(other.id, [Upload(5, codes(1, 2, 3))], day=DAY)
        assert store.erase("5", campaign=other.id).campaigns == (other.id,)
        assert held(store, campaign) == {5: (1, 2, 3)}
        assert held(store, other) == {}
        assert store.erase(5).campaigns == (campaign.id,)

    def test_erasing_nothing_or_twice_is_no_trouble_and_leaves_no_tombstone(self, store, campaign, put):
        assert store.erase("alice").campaigns == ()
        assert store.erase("alice", campaign="0" * 64).campaigns == ()
        assert put("alice", 1, 2, 3) is STORED
        store.erase("alice")
        assert store.erase("alice") == Erased((), before=1)
        assert store.campaign(campaign.id).erased == 1

    def test_an_erasure_knows_nobody_from_somebody_who_was_erased_before(self, store, campaign, put):
        other = campaign_of("other")
        store.add_campaign(other)
        put("alice", 1, 2, 3)
        store.put(other.id, [Upload("alice", codes(1, 2, 3))], day=DAY)
        assert store.erase("alice", campaign=other.id) == Erased((other.id,))
        assert store.erase("alice") == Erased((campaign.id,), before=1)
        assert store.erase("alice", campaign=other.id) == Erased((), before=1)
        assert store.erase("alcie") == Erased(())

    def test_embeddings_made_before_an_erasure_are_stale(self, store, campaign, put):
        put("alice", 1, 2, 3)
        put("bob", 1, 2, 3)
        made = store.campaign(campaign.id).last
        put("carol", 1, 2, 3)
        assert store.stale_since(campaign.id, made) == 0
        store.erase("alice")
        store.erase("bob")
        assert store.stale_since(campaign.id, made) == 2
        assert store.stale_since(campaign.id, store.campaign(campaign.id).last) == 0

    def test_erasure_in_another_campaign_makes_nothing_stale(self, store, campaign, put):
        other = campaign_of("other")
        store.add_campaign(other)
        put("alice", 1, 2, 3)
        store.put(other.id, [Upload("alice", codes(1, 2, 3))], day=DAY)
        store.erase("alice", campaign=other.id)
        assert store.stale_since(campaign.id, 0) == 0
        assert store.stale_since(other.id, 0) == 1

    # Reading.

    def test_reports_come_in_blocks_of_the_size_asked_for(self, store, campaign):
        uploads = [Upload(node, codes(node, 0, 1)) for node in range(10)]
        store.put(campaign.id, uploads, day=DAY)
        assert [len(block.ids) for block in store.read(campaign.id, size=4)] == [4, 4, 2]
        assert held(store, campaign, size=3) == {node: (node, 0, 1) for node in range(10)}
        with pytest.raises(ValueError, match="size"):
            next(store.read(campaign.id, size=0))

    def test_only_what_came_after_a_sequence_number_is_read(self, store, campaign, put):
        other = campaign_of("other")
        store.add_campaign(other)
        for node in range(3):
            put(node, 1, 2, 3)
            store.put(other.id, [Upload(node, codes(9, 9, 9))], day=DAY)
        after = store.campaign(campaign.id).last
        store.erase(1)
        put(7, 4, 5, 6)
        assert held(store, campaign, after=after) == {7: (4, 5, 6)}
        assert held(store, campaign, after=store.campaign(campaign.id).last) == {}
        assert held(store, other) == {0: (9, 9, 9), 2: (9, 9, 9)}

    def test_reports_that_arrive_while_reading_are_left_out(self, store, campaign):
        store.put(campaign.id, [Upload(node, codes(1, 2, 3)) for node in range(4)], day=DAY)
        reading = store.read(campaign.id, size=2)
        first = next(reading)
        store.put(campaign.id, [Upload(9, codes(1, 2, 3))], day=DAY)
        store.erase(3)
        assert [*first.ids.tolist(), *(node for block in reading for node in block.ids.tolist())] == [0, 1, 2]

    def test_blocks_make_reports(self, store):
        campaign = pg.Campaign(dimensions=9, low=0, high=1, mechanism="hds", epsilon=1, k=2)
        drawn = campaign.simulate(np.zeros((5, 9)), seed=0)
        store.add_campaign(campaign)
        uploads = [Upload(n, encode(row)) for n, row in zip(drawn.ids.tolist(), drawn.codes, strict=True)]
        store.put(campaign.id, uploads, day=DAY)
        (block,) = store.read(campaign.id)
        assert pg.Reports(campaign, block.ids, block.codes).digest == drawn.digest

    # Retention.

    @pytest.mark.parametrize(("passed", "retired"), [(9, 0), (10, 1), (11, 1)])
    def test_reports_are_deleted_when_the_days_after_closing_are_over(self, store, passed, retired):
        campaign = campaign_of(closes=LONG_AGO, retention_days=10)
        store.add_campaign(campaign)
        store.put(campaign.id, [Upload("a", codes(1, 2, 3))], day=DAY)
        assert store.retire(date(2020, 1, 31) + timedelta(days=passed)) == retired
        assert len(held(store, campaign)) == 1 - retired
        assert store.campaign(campaign.id).open == (retired == 0)

    def test_closing_by_hand_starts_the_days_of_retention(self, store):
        campaign = campaign_of(closes="2999-01-01T00:00:00Z", retention_days=10)
        store.add_campaign(campaign)
        store.put(campaign.id, [Upload("a", codes(1, 2, 3))], day=DAY)
        assert store.retire(TODAY + timedelta(days=20)) == 0
        store.close_campaign(campaign.id)
        assert store.retire(TODAY + timedelta(days=9)) == 0
        assert store.retire(TODAY + timedelta(days=12)) == 1

    def test_without_a_stated_retention_nothing_is_deleted(self, store):
        campaign = campaign_of(closes=LONG_AGO)
        store.add_campaign(campaign)
        store.put(campaign.id, [Upload("a", codes(1, 2, 3))], day=DAY)
        assert store.retire(date(9999, 12, 31)) == 0

    def test_a_campaign_whose_retention_would_never_begin_is_not_published(self, store):
        with pytest.raises(InvalidCampaign, match=r"'closes'.*retention_days"):
            store.add_campaign(campaign_of(retention_days=10))
        assert store.campaigns() == []

    def test_of_a_retired_campaign_only_the_ledger_is_left(self, store, campaign, put):
        old = campaign_of("old", closes=LONG_AGO, retention_days=1)
        store.add_campaign(old)
        put("a", 7, 8, 9)
        uploads = [Upload(node, codes(1, 2, 3)) for node in ("a", "b", "c")]
        store.put(old.id, uploads, day=DAY)
        store.erase("c", campaign=old.id)
        made = store.campaign(old.id).last
        assert store.retire(TODAY) == 2
        assert store.retire(TODAY) == 0
        assert held(store, old) == {}
        assert (old.id, None, DAY, 1.0) in store.holdings("a")
        assert store.put(old.id, [*uploads, Upload("d", codes(1, 2, 3))], day=DAY) == [CLOSED] * 4
        assert store.campaign(old.id).reports == 0
        assert store.stale_since(old.id, made) == 0
        assert store.erase("b").campaigns == ()
        assert held(store, campaign) == {"a": (7, 8, 9)}
        assert store.verify() == []

    # Opening.

    def test_everything_is_there_after_opening_again(self, store, opened, campaign, put):
        put("alice", 1, 2, 3)
        put("bob", 1, 2, 3)
        store.erase("bob")
        before = store.campaign(campaign.id)
        store.close()
        again = opened()
        assert again.campaign(campaign.id) == before
        assert held(again, campaign) == {"alice": (1, 2, 3)}
        assert again.put(campaign.id, [Upload("bob", codes(1, 2, 3))], day=DAY) == [ERASED]

    def test_another_worker_sees_what_is_stored_at_once(self, opened, campaign, put):
        other = opened()
        put("alice", 1, 2, 3)
        assert other.campaign(campaign.id).reports == 1
        assert other.put(campaign.id, [Upload("alice", codes(1, 2, 3))], day=DAY) == [SAME]

    def test_a_store_is_ready_until_it_is_closed(self, store):
        assert store.ready()
        store.close()
        assert not store.ready()

    def test_the_ledger_counts_what_nodes_have_spent_also_after_erasure(self, opened):
        store, first, second = opened(), campaign_of("first"), campaign_of("second")
        assert store.ledger() == []
        for campaign, nodes in ((first, ("alice", "bob", "carol")), (second, ("carol",))):
            store.add_campaign(campaign)
            store.put(campaign.id, [Upload(node, codes(1, 2, 3)) for node in nodes], day=DAY)
        store.erase("alice")
        assert store.ledger() == [(first.epsilon, 2), (first.epsilon + second.epsilon, 1)]

    # The log.

    def test_arrivals_are_counted_by_day_also_after_erasure(self, store, campaign):
        assert store.arrivals(campaign.id) == store.arrivals("0" * 64) == []
        other = campaign_of("other")
        store.add_campaign(other)
        for where, nodes, day in (
            (campaign, "ab", DAY + timedelta(days=3)),
            (campaign, "c", DAY),
            (other, "abc", DAY),
        ):
            store.put(where.id, [Upload(node, codes(1, 2, 3)) for node in nodes], day=day)
        store.erase("a", campaign=campaign.id)
        assert store.arrivals(campaign.id) == [(DAY, 1), (DAY + timedelta(days=3), 2)]

    def test_every_act_of_an_operator_is_in_the_log_with_who_and_when(self, opened):
        began = datetime.now(UTC).replace(microsecond=0)
        store = opened()
        campaign, old = campaign_of(), campaign_of("old", closes=LONG_AGO, retention_days=1)
        for each in (campaign, old):
            store.add_campaign(each, by="dave (operator)")
            store.put(each.id, [Upload(node, codes(1, 2, 3)) for node in ("alice", "bob")], day=DAY)
        store.erase("alice", by="erin")
        store.erase("bob", campaign=campaign.id, by="erin")
        store.close_campaign(campaign.id, by="dave (operator)")
        store.retire(TODAY, by="erin")
        lines = [act for act in opened().log() if act.kind != "made"]  # some stores must be made first
        assert [(act.kind, act.by, act.campaign, act.count) for act in lines] == [
            ("published", "dave (operator)", campaign.id, None),
            ("published", "dave (operator)", old.id, None),
            ("erased", "erin", None, 2),
            ("erased", "erin", campaign.id, 1),
            ("closed", "dave (operator)", campaign.id, None),
            ("retired", "erin", old.id, 1),
        ]
        assert [act.number - lines[0].number for act in lines] == list(range(6))
        for act in lines:
            if act.kind == "erased":
                assert act.when == TODAY.isoformat()
            else:
                assert began <= datetime.fromisoformat(act.when) <= datetime.now(UTC)
        assert not any(node in repr(lines) for node in ("alice", "bob"))

    def test_what_changes_nothing_leaves_no_line(self, store, campaign, put):
        put("alice", 1, 2, 3)
        store.erase("alice", by="erin")
        store.close_campaign(campaign.id)
        before = store.log()
        store.add_campaign(campaign)
        assert not store.close_campaign(campaign.id)
        store.erase("alice", by="erin")
        store.erase("nobody", by="erin")
        store.retire(TODAY)
        assert store.log() == before

    def test_a_persons_own_erasure_leaves_no_line(self, store, put):
        put("alice", 1, 2, 3)
        before = store.log()
        store.erase("alice")
        assert store.log() == before

    def test_of_what_the_service_does_by_itself_only_the_day_is_kept(self, store, campaign):
        assert store.close_campaign(campaign.id, by=SERVICE)
        assert (store.log()[-1].by, store.log()[-1].when) == (SERVICE, TODAY.isoformat())

    # Verification.

    def test_a_store_in_use_is_as_it_must_be(self, opened):
        store, campaign = opened(1), campaign_of()
        store.add_campaign(campaign)
        store.put(campaign.id, [Upload(node, codes(1, 2, 3)) for node in range(50)], day=DAY)
        store.erase(7)
        assert store.verify() == []
