"""A store and a model of a few lines agree, whatever happens in whatever order."""

import os
import tempfile
from datetime import timedelta
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from privge.collect.stores import Outcome, Upload, open_store
from privge.testing.store_contract import DAY, TODAY, campaign_of, codes

CAP = 0.7
NODES = st.sampled_from(["alice", "bob", 17, "17", 3])
CODES = st.integers(0, 2).map(lambda number: codes(number, 0, 1))
EPSILONS = (0.3, 0.2, 0.5, 0.1)
CAMPAIGNS = [
    campaign_of(
        str(number),
        epsilon=EPSILONS[number % 4],
        retention_days=number if number % 2 else None,
        closes="2999-01-01T00:00:00Z",
        round="spring" if 1 <= number <= 3 else None,
    )
    for number in range(6)
]


class StoreMachine(RuleBasedStateMachine):
    """The model: three dictionaries."""

    address = staticmethod(str)

    def __init__(self):
        super().__init__()
        self.url = self.address()
        self.store = open_store(self.url, CAP)
        self.reports = {}  # (campaign, node) -> codes, or None when they are gone
        self.open = {}
        self.retired = set()
        self.gone = {}  # campaign -> erasures

    def teardown(self):
        self.store.close()

    @initialize()
    def first_campaign(self):
        self.new_campaign()

    @rule()
    def new_campaign(self):
        if len(self.open) < len(CAMPAIGNS):
            campaign = CAMPAIGNS[len(self.open)]
            self.store.add_campaign(campaign)
            self.open[campaign.id] = True
            self.gone[campaign.id] = 0

    def expected(self, campaign, node, sent):
        node = str(node)
        if campaign.id not in self.open:
            return Outcome.UNKNOWN
        if (campaign.id, node) in self.reports and campaign.id not in self.retired:
            held = self.reports[campaign.id, node]
            if held is None:
                return Outcome.ERASED
            return Outcome.SAME if held == sent else Outcome.DIFFERENT
        if not self.open[campaign.id]:
            return Outcome.CLOSED
        if (refused := self.refused(campaign, node)) is not None:
            return refused
        self.reports[campaign.id, node] = sent
        return Outcome.STORED

    def refused(self, campaign, node):
        others = [each.id for each in CAMPAIGNS if each.round == campaign.round is not None and each != campaign]
        if any((other, node) in self.reports for other in others):
            return Outcome.OTHER_ROUND
        over = self.spent(node) + Fraction(str(campaign.epsilon)) > Fraction(str(CAP))
        return Outcome.OVER_BUDGET if over else None

    def spent(self, node):
        prices = {campaign.id: Fraction(str(campaign.epsilon)) for campaign in CAMPAIGNS}
        return sum((prices[campaign] for campaign, other in self.reports if other == node), Fraction(0))

    @rule(campaign=st.sampled_from(CAMPAIGNS), batch=st.lists(st.tuples(NODES, CODES), min_size=1, max_size=4))
    def upload(self, campaign, batch):
        outcomes = self.store.put(campaign.id, [Upload(*each) for each in batch], day=DAY)
        assert outcomes == [self.expected(campaign, node, sent) for node, sent in batch]

    @rule(campaign=st.sampled_from([None, *CAMPAIGNS]), node=NODES)
    def erase(self, campaign, node):
        names = tuple(
            each.id
            for each in CAMPAIGNS
            if campaign in (None, each)
            and each.id not in self.retired
            and self.reports.get((each.id, str(node))) is not None
        )
        erased = self.store.erase(node, campaign=None if campaign is None else campaign.id)
        assert erased.campaigns == names
        for name in names:
            self.reports[name, str(node)] = None
            self.gone[name] += 1

    @rule(campaign=st.sampled_from(CAMPAIGNS))
    def close_campaign(self, campaign):
        self.store.close_campaign(campaign.id)
        if campaign.id in self.open:
            self.open[campaign.id] = False

    @rule(days=st.integers(0, 6))
    def retire(self, days):
        due = [
            campaign.id
            for campaign in CAMPAIGNS
            if self.open.get(campaign.id) is False
            and campaign.id not in self.retired
            and campaign.retention_days is not None
            and campaign.retention_days <= days
        ]
        expected = sum(held is not None for (campaign, _), held in self.reports.items() if campaign in due)
        assert self.store.retire(TODAY + timedelta(days=days)) == expected
        self.retired |= set(due)
        self.reports.update({key: None for key in self.reports if key[0] in due})

    @rule(politely=st.booleans())
    def reopen(self, politely):
        abandoned = self.store
        if politely:
            abandoned.close()
        self.store = open_store(self.url, CAP)
        abandoned.close()

    @invariant()
    def the_store_is_the_model(self):
        for state in self.store.campaigns():
            name = state.campaign.id
            read = {
                str(node): row.astype("<u2").tobytes()
                for block in self.store.read(name, size=2)
                for node, row in zip(block.ids.tolist(), block.codes, strict=True)
            }
            model = {node: held for (campaign, node), held in self.reports.items() if campaign == name and held}
            assert read == model
            assert (state.open, state.reports, state.erased) == (self.open[name], len(model), self.gone[name])
            assert self.store.stale_since(name, 0) == self.gone[name]
        for node in ("alice", "bob", 17, 3):
            holdings = self.store.holdings(node)
            mine = {key[0]: held for key, held in self.reports.items() if key[1] == str(node)}
            assert {holding.campaign: holding.codes for holding in holdings} == mine
            assert sum(Fraction(str(holding.epsilon)) for holding in holdings) <= Fraction(str(CAP))


QUICK = settings(
    stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck), database=None, derandomize=True
)


def test_sqlite_agrees_with_the_model():
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:  # noqa: S108

        class Machine(StoreMachine):
            counter = 0

            @staticmethod
            def address():
                Machine.counter += 1
                return str(Path(folder) / f"{Machine.counter}.db")

        run_state_machine_as_test(Machine, settings=settings(QUICK, max_examples=40))


@pytest.mark.usefixtures("postgres_url")
def test_postgres_agrees_with_the_model(postgres_server):
    class Machine(StoreMachine):
        address = staticmethod(postgres_server.empty)

    run_state_machine_as_test(Machine, settings=settings(QUICK, max_examples=12))
