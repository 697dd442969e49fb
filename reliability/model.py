"""A model of a few lines and the real thing agree, whatever happens in whatever order (hypothesis).

Twice: the store alone (its machine lives in ``tests/collect/stores``), and the whole service as processes that are
killed, restarted and get new keys between requests.
"""

import hashlib
import json
import os
import tempfile
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from collect.stores.test_model import StoreMachine
from privge.collect.stores import open_store
from privge.wire.tokens import Key, mint
from reliability.people import ADMIN, CAMPAIGN
from reliability.postgres import PostgresServer
from reliability.server import Server

CAP = 1.5  # so that a node can report in one of two campaigns of epsilon 1
CAMPAIGNS = (CAMPAIGN, replace(CAMPAIGN, purpose="another one"))
NODES = ("alice", "bob", "carol")
STATUS = {"stored": 201, "same": 200, "different": 409, "erased": 410, "closed": 410, "over_budget": 403}
CODES = [np.full(CAMPAIGN.k, number, dtype="<u2").tobytes() for number in range(3)]
OPTIONS = ("--rate", "1e9", "--burst", "1000000000", "--lifetime-epsilon", str(CAP))


class ServiceMachine(RuleBasedStateMachine):
    """The model: what each node has in each campaign, which campaigns are open, and which keys are good."""

    address = staticmethod(str)
    crashes = requests = 0

    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(prefix="privge-model-")
        self.keys = [Key("key0", b"0" * 32)]
        self.server = Server(Path(self.folder.name), *OPTIONS, store=self.address(), keys=self.keys)
        store = open_store(self.server.store)
        store.add_campaign(CAMPAIGNS[1])
        store.close()
        self.server.start()
        self.reports = {}  # (campaign, node) -> codes, or None after erasure
        self.open = {campaign.id: True for campaign in CAMPAIGNS}

    def teardown(self):
        try:
            self.server.stop()
            if problems := self.server.damage():
                raise AssertionError(problems)
        finally:
            self.folder.cleanup()

    def token(self, node, age=0):
        """Return a token for any campaign, signed with the newest key, or one of age 1, 2..."""
        return mint(self.keys[age], node=node, expires=2**40)

    def expected(self, campaign, node, codes, age):
        if age >= 2 and len(self.keys) > 2:
            return "unauthorized"
        if (campaign, node) in self.reports:
            held = self.reports[campaign, node]
            return "erased" if held is None else "same" if held == codes else "different"
        if not self.open[campaign]:
            return "closed"
        if any(other == node for _, other in self.reports):
            return "over_budget"
        self.reports[campaign, node] = codes
        return "stored"

    def ask(self, *args, **kwargs):
        type(self).requests += 1
        return self.server.call(*args, **kwargs)

    @rule(
        campaign=st.sampled_from(CAMPAIGNS),
        node=st.sampled_from(NODES),
        codes=st.sampled_from(CODES),
        age=st.integers(0, 2),
    )
    def upload(self, campaign, node, codes, age):
        age = min(age, len(self.keys) - 1)
        path = f"/v1/campaigns/{campaign.id}/reports/{hashlib.sha256(codes).hexdigest()}"
        token, kind = self.token(node, age), "application/octet-stream"
        status, _ = self.ask("PUT", path, token=token, body=codes, kind=kind)
        expected = self.expected(campaign.id, node, codes, age)
        if status != STATUS.get(expected, 401):
            raise AssertionError(f"{status} where the model says {expected}")

    @rule(
        campaign=st.sampled_from(CAMPAIGNS),
        items=st.lists(st.tuples(st.sampled_from(NODES), st.sampled_from(CODES)), min_size=1, max_size=5),
    )
    def upload_batch(self, campaign, items):
        body = msgspec.msgpack.encode([(self.token(node), codes) for node, codes in items])
        path = f"/v1/campaigns/{campaign.id}/reports"
        _, answer = self.ask("POST", path, token=self.token(items[0][0]), body=body, kind="application/msgpack")
        told = [result["reason"] for result in json.loads(answer)]
        expected = [self.expected(campaign.id, node, codes, 0) for node, codes in items]
        if told != expected:
            raise AssertionError(f"{told} where the model says {expected}")

    @rule(node=st.sampled_from(NODES))
    def erase(self, node):
        _, answer = self.ask("DELETE", "/v1/me", token=self.token(node))
        mine = [key for key, held in self.reports.items() if key[1] == node and held is not None]
        if sorted(json.loads(answer)["erased"]) != sorted(campaign for campaign, _ in mine):
            raise AssertionError("the service erased something else")
        self.reports.update(dict.fromkeys(mine))

    @rule(campaign=st.sampled_from(CAMPAIGNS))
    def close(self, campaign):
        self.ask("POST", f"/v1/campaigns/{campaign.id}/close", token=ADMIN)
        self.open[campaign.id] = False

    @rule(dice=st.integers(0, 9))
    def rotate(self, dice):
        if dice < 7:
            return  # a start takes a second
        self.keys = [Key(f"key{len(self.keys)}", bytes([65 + len(self.keys)]) * 32), *self.keys]
        self.server.stop()
        self.server.set_keys(self.keys[:2])
        self.server.start()

    @rule(dice=st.integers(0, 9))
    def crash(self, dice):
        if dice < 6:
            return
        type(self).crashes += 1
        self.server.kill()
        self.server.start()

    @invariant()
    def the_service_is_the_model(self):
        for campaign in CAMPAIGNS:
            status = json.loads(self.ask("GET", f"/v1/campaigns/{campaign.id}/status", token=ADMIN)[1])
            mine = [held for (name, _), held in self.reports.items() if name == campaign.id]
            there = sum(held is not None for held in mine)
            if (status["open"], status["reports"], status["erased"]) != (
                self.open[campaign.id],
                there,
                len(mine) - there,
            ):
                raise AssertionError("the counts differ from the model")
        for node in NODES:
            held = json.loads(self.ask("GET", "/v1/me", token=self.token(node))[1])["holdings"]
            told = {each["campaign"]: each["codes"] and np.array(each["codes"], "<u2").tobytes() for each in held}
            if told != {name: codes for (name, other), codes in self.reports.items() if other == node}:
                raise AssertionError("what a person is shown differs from the model")
            if sum(each["epsilon"] for each in held) > CAP:
                raise AssertionError("the ledger is above the cap")


def _settings(examples: int, steps: int) -> settings:
    return settings(
        max_examples=examples, stateful_step_count=steps, deadline=None, database=None, derandomize=True,
        suppress_health_check=list(HealthCheck), phases=[Phase.generate],
    )  # fmt: skip


def services_agree(postgres: PostgresServer | None, *, examples: int, steps: int) -> str:
    """Compare the whole service with the model, on one kind of store; an error says where they differ."""

    class Machine(ServiceMachine):
        address = staticmethod(str if postgres is None else postgres.empty)

    run_state_machine_as_test(Machine, settings=_settings(examples, steps))
    return f"{examples} lives of the service, {Machine.requests:,} requests, {Machine.crashes} kills"


def stores_agree(postgres: PostgresServer | None, *, examples: int, steps: int) -> str:
    """Compare a store alone with the model; in memory if possible, because this is about logic and not about disks."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108
    folder = tempfile.TemporaryDirectory(dir=memory)

    class Machine(StoreMachine):
        counter = 0

        @staticmethod
        def address():
            Machine.counter += 1
            return str(Path(folder.name) / f"{Machine.counter}.db") if postgres is None else postgres.empty()

    with folder:
        run_state_machine_as_test(Machine, settings=_settings(examples, steps))
    return f"{Machine.counter} lives of the store of up to {steps} steps"
