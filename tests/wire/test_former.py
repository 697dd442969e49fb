"""What was said and kept before the package was put in order is still said, read and kept: byte by byte.

``former/`` was made by commit d99d9b1: a device's folder, a proxy's outbox, an SQLite store as text, exchanges with a
service, its OpenAPI document and the names of its counters.
"""

import json
import re
import shutil
import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from collect.service.harness import InProcess
from device.fake_service import serving, token_for
from privge.campaign import Campaign
from privge.collect.service.openapi import document
from privge.collect.stores import open_store
from privge.device import Memory, contribute
from privge.device.outbox import Outbox
from privge.wire.tokens import Key, mint

FORMER = Path(__file__).parent / "former"
CAMPAIGN = Campaign.load(FORMER / "campaign.json")
REPORT = bytes.fromhex("010021000700")


@pytest.fixture(scope="module")
def replayed(tmp_path_factory):
    """What the service answers now to the requests of then, and its counters afterwards."""
    former = json.loads((FORMER / "exchanges.json").read_text())
    folder = tmp_path_factory.mktemp("former")
    with InProcess(folder, campaign=CAMPAIGN, now=former["now"], admin_token=former["admin"]) as service:
        replies = [
            service.call(
                each["method"],
                each["path"],
                body=bytes.fromhex(each["body"]),
                token=each["token"],
                content_type=each["content_type"],
            )
            for each in former["exchanges"]
        ]
        return former["exchanges"], replies, service.metrics()


def test_the_service_answers_the_same_bytes(replayed):
    exchanges, replies, _ = replayed
    for then, now in zip(exchanges, replies, strict=True):
        told = (now.status, now.headers["content-type"], now.body.hex())
        assert told == (then["status"], then["answer_type"], then["answer"]), (then["method"], then["path"])


def test_the_counters_have_the_same_names_and_counts(replayed):
    """But for the times, which differ each time; of those the former text has names alone."""

    def series(text):
        return {
            (family.type, sample.name, *sorted(sample.labels.items()), *times_apart(sample))
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }

    def times_apart(sample):
        return () if "_seconds_" in sample.name else (sample.value,)

    former = re.sub(r"^(privge_request_seconds\S+)$", r"\1 0", (FORMER / "metrics.txt").read_text(), flags=re.MULTILINE)
    assert len(series(former)) > 50
    assert series(former) <= series(replayed[2])


def test_the_openapi_document_is_the_same_but_for_named_additions():
    assert without_additions(json.loads(document())) == json.loads((FORMER / "openapi.json").read_text())


def without_additions(now):
    """Return a document without what was added since: each addition must be there."""
    del now["paths"]["/v1/shards/{shard}"]
    del now["components"]["schemas"]["ShardAdded"]
    report, me = "/v1/campaigns/{campaign}/reports/{report}", "/v1/campaigns/{campaign}/me"
    for refused in (now["paths"][report]["put"]["responses"]["403"], now["paths"][me]["get"]["responses"]["403"]):
        reasons = re.split(" (?=`)", refused["description"])  # one after the other
        assert [reason.partition(":")[0] for reason in reasons[1:]] == ["`other_round`", "`not_asked`"]
        refused["description"] = reasons[0]
    return now


def test_tokens_are_the_same():
    former = json.loads((FORMER / "exchanges.json").read_text())
    key = Key(former["key"]["id"], former["key"]["secret"].encode())
    tokens = {each["token"] for each in former["exchanges"]}
    assert {mint(key, node=node, expires=4_102_444_800) for node in ("alice", "bob", "zoe", "proxy")} <= tokens


def test_a_device_goes_on_with_the_report_that_it_drew_then(tmp_path):
    shutil.copytree(FORMER / "device", tmp_path / "me")
    for folder in (tmp_path / "me", tmp_path / "me" / "reports"):
        folder.chmod(0o700)
    assert Memory(tmp_path / "me").ledger().spent == 1.0
    with serving() as service:
        done = contribute(service.add(CAMPAIGN), [0.5] * 6, token=token_for("alice"), folder=tmp_path / "me")
        assert [body for *_, body in service.received] == [REPORT]
    assert not done.drawn


def test_an_outbox_of_then_is_read(tmp_path):
    shutil.copytree(FORMER / "outbox", tmp_path / "outbox")
    (tmp_path / "outbox").chmod(0o700)
    outbox = Outbox(tmp_path / "outbox", CAMPAIGN)
    assert outbox.reports().codes.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert outbox.acknowledged("https://example.org", 0, 2).tolist() == [False, True]


def test_a_store_of_then_is_read(tmp_path):
    with closing(sqlite3.connect(tmp_path / "reports.db")) as database:
        database.executescript((FORMER / "store.sql").read_text())
    store = open_store(str(tmp_path / "reports.db"), create=False)
    try:
        assert store.verify() == []
        held = {node: store.holdings(node)[0] for node in ("alice", 17, "6fa459ea-ee8a-3ca4-894e-db77e160355e", "bob")}
        assert [holding.codes for holding in held.values()] == [REPORT, bytes(6), b"\2\0" * 3, None]
        assert {holding.day for holding in held.values()} == {date(2026, 1, 2)}
        (block,) = store.read(CAMPAIGN.id)
        assert block.codes.tolist() == [[1, 33, 7], [0, 0, 0], [2, 2, 2]]
    finally:
        store.close()
