"""Questions at the service: who is asked, which codes they may send, and one report in a round."""

import hashlib
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from collect.round_of_two import CLASSES, PEOPLE, PROFILE, TEACHERS, ask, personal, rows_of, teach
from collect.service.harness import ADMIN, InProcess, campaign_of, report_of, token_of
from collect.service.test_standing import ask as ask_many
from collect.service.test_standing import standing
from privge import Campaign
from privge.campaign import Assignment
from privge.collect.snapshot import take_snapshot
from privge.questions import Choice, Number
from privge.wire.codes import encode

BYTES = "application/octet-stream"


def put_shard(service, content, *, token=ADMIN, name=None, kind=BYTES):
    path = f"/v1/shards/{name or hashlib.sha256(content).hexdigest()}"
    return service.call("PUT", path, body=content, token=token, content_type=kind)


def publish(service, campaign):
    for shard in campaign.assignment.shards.values():
        assert put_shard(service, shard).status == 201
    assert service.add(campaign).status == 201
    return campaign


@pytest.fixture
def teaching(service):
    return publish(service, teach())


@pytest.fixture
def asking(service):
    return publish(service, ask())


def outcome(service, campaign, node, *codes):
    reply = service.put(encode(codes), token_of(node), campaign=campaign.id)
    return reply.json["reason"] if reply.status < 300 else reply.reason


# Shards.


def test_anybody_reads_a_shard_and_it_never_changes(service):
    shard = ask().assignment.shards[0]
    added = put_shard(service, shard)
    assert (added.status, added.json) == (201, {"shard": hashlib.sha256(shard).hexdigest()})
    assert put_shard(service, shard).status == 201
    read = service.call("GET", added.headers["location"])
    assert (read.status, read.body, read.headers["content-type"]) == (200, shard, BYTES)
    assert "immutable" in read.headers["cache-control"]


@pytest.mark.parametrize("token", [None, token_of("alice"), "x" * 40])
def test_only_the_operator_adds_a_shard(service, token):
    assert put_shard(service, b"shard", token=token).status == 401
    assert service.call("GET", f"/v1/shards/{hashlib.sha256(b'shard').hexdigest()}").reason == "unknown_shard"


def test_a_shard_has_the_name_of_its_content_its_type_and_a_bounded_size(service):
    assert put_shard(service, b"shard", name="0" * 64).reason == "shard"
    assert put_shard(service, b"shard", kind="application/json").reason == "media_type"
    assert put_shard(service, bytes(2**22 + 1)).reason == "too_large"
    assert put_shard(service, bytes(2**22)).status == 201


@pytest.mark.parametrize("name", ["0" * 64, "x", "%00", "A" * 64])
def test_a_shard_that_is_not_there_is_unknown(service, name):
    assert service.call("GET", f"/v1/shards/{name}").reason == "unknown_shard"


def test_a_campaign_whose_shards_are_not_all_there_is_not_published(service):
    campaign = ask()
    for number in range(7):
        put_shard(service, campaign.assignment.shards[number])
    refused = service.add(campaign)
    assert refused.reason == "campaign"
    assert "1 of its shards" in refused.json["detail"]
    assert service.call("GET", f"/v1/campaigns/{campaign.id}").status == 404
    put_shard(service, campaign.assignment.shards[7])
    assert service.add(campaign).status == 201


def test_a_campaign_whose_shards_say_what_its_question_does_not_have_is_not_published(service):
    far = ask(assignment=Assignment.of(PEOPLE, np.tile([0, 7], (len(PEOPLE), 1)), bits=0))
    shard = far.assignment.shards[0]
    put_shard(service, shard)
    assert "class 7 of 3" in service.add(far).json["detail"]
    backwards = shard[:16] + b"\x01\x00\x00\x00" + shard[20:]
    put_shard(service, backwards)
    digests = (hashlib.sha256(backwards).hexdigest(),)
    lied = ask(assignment=replace(far.assignment, digests=digests, shards={}))
    assert "has not the form of an assignment" in service.add(lied).json["detail"]


# Who is asked.


def test_only_those_who_are_asked_may_report(service, teaching):
    assert outcome(service, teaching, TEACHERS[0], 15) == "stored"
    assert outcome(service, teaching, PEOPLE[0], 15) == "not_asked"
    assert standing(service, token_of(TEACHERS[1]), teaching.id).status == 200
    assert standing(service, token_of(PEOPLE[0]), teaching.id).reason == "not_asked"
    assert service.status(teaching.id)["reports"] == 1
    assert 'privge_reports_total{outcome="not_asked"} 1' in service.metrics()


def test_in_a_batch_everybody_has_their_own_answer(service, asking):
    nodes = [PEOPLE[0], "nobody", PEOPLE[1], PEOPLE[3], TEACHERS[0]]
    codes = [encode([2]), encode([0]), encode([2]), encode([3]), encode([0])]
    assert [each["reason"] for each in ask_many(service, [token_of(node) for node in nodes], asking.id).json] == [
        "open",
        "not_asked",
        "open",
        "open",
        "not_asked",
    ]
    items = [(token_of(node), code) for node, code in zip(nodes, codes, strict=True)]
    results = service.batch(items, campaign=asking.id).json
    assert [each["reason"] for each in results] == ["stored", "not_asked", "code_range", "code_range", "not_asked"]
    assert service.status(asking.id)["reports"] == 1
    assert service.store.verify() == []


def test_a_code_is_below_the_number_of_classes_that_its_own_node_is_asked_about(service, asking):
    assert outcome(service, asking, PEOPLE[1], 2) == "code_range"
    assert outcome(service, asking, PEOPLE[1], 1) == "stored"
    assert outcome(service, asking, PEOPLE[3], 3) == "code_range"
    assert outcome(service, asking, PEOPLE[3], 2) == "stored"


def test_a_code_is_below_the_outputs_of_its_own_question(service):
    place, age = Choice(PROFILE.features[2]), Number(PROFILE.features[0])
    campaign = Campaign(questions=[place, age], epsilon=1.0, k=1)
    assert service.add(campaign).status == 201
    asked = {number: next(node for node in PEOPLE if campaign.indices_of(node) == [number]) for number in (0, 1)}
    high = [question.outputs for question in campaign.questions]
    assert high[0] < high[1]
    assert outcome(service, campaign, asked[0], high[0]) == "code_range"
    assert outcome(service, campaign, asked[1], high[0]) == "stored"
    assert outcome(service, campaign, asked[0], high[0] - 1) == "stored"
    items = [(token_of(asked[1]), b""), (token_of(asked[0]), encode([high[0]]))]
    assert [each["reason"] for each in service.batch(items, campaign=campaign.id).json] == ["length", "code_range"]


def test_a_code_of_every_node_is_checked_against_its_own_questions_when_the_store_is_verified(service, asking):
    outcome(service, asking, PEOPLE[1], 1)
    with service.store._writing() as session:
        session.rows("UPDATE reports SET codes = ?", encode([2]))
    assert "1 reports have codes of a wrong length or range" in " ".join(service.store.verify())


def test_every_report_that_the_law_gives_is_taken_and_comes_back_with_what_was_asked(service, asking):
    drawn = asking.simulate(rows_of(PEOPLE), ids=PEOPLE, seed=0)
    items = [(token_of(node), encode(codes)) for node, codes in zip(drawn.ids.tolist(), drawn.codes, strict=True)]
    assert {each["reason"] for each in service.batch(items, campaign=asking.id).json} == {"stored"}
    snapshot = take_snapshot(service.store, asking.id).reports
    assert snapshot.campaign.assignment.complete
    assert snapshot.digest == drawn.digest
    likelihood = snapshot.log_likelihood()
    assert likelihood.shape == (len(PEOPLE), len(CLASSES))
    assert np.array_equal(likelihood, drawn.log_likelihood())


# One report in a round.


def everybody_of(people):
    return Assignment.of(people, personal(people))


def test_whoever_taught_is_not_asked_again_in_the_round(service, teaching):
    everybody = publish(service, ask(assignment=everybody_of(TEACHERS + PEOPLE)))
    assert outcome(service, teaching, TEACHERS[0], 3) == "stored"
    assert standing(service, token_of(TEACHERS[0]), everybody.id).reason == "other_round"
    assert outcome(service, everybody, TEACHERS[0], 1) == "other_round"
    assert outcome(service, everybody, TEACHERS[1], 1) == "stored"
    assert outcome(service, teaching, TEACHERS[1], 1) == "other_round"
    tokens = [token_of(node) for node in TEACHERS[:3]]
    assert [each["reason"] for each in ask_many(service, tokens, everybody.id).json] == ["other_round", "held", "open"]
    batch = service.batch([(tokens[0], encode([1])), (tokens[2], encode([1]))], campaign=everybody.id).json
    assert [each["reason"] for each in batch] == ["other_round", "stored"]


def test_erasure_opens_no_second_campaign_of_the_round(service, teaching):
    everybody = publish(service, ask(assignment=everybody_of(TEACHERS)))
    outcome(service, teaching, TEACHERS[0], 3)
    service.call("DELETE", "/v1/me", token=token_of(TEACHERS[0]))
    assert standing(service, token_of(TEACHERS[0]), everybody.id).reason == "other_round"
    assert outcome(service, everybody, TEACHERS[0], 1) == "other_round"


def test_campaigns_of_the_short_form_may_have_members_and_rounds(service):
    first = publish(service, campaign_of(assignment=Assignment.members(["alice"]), round="autumn"))
    second = campaign_of(purpose="second", round="autumn")
    assert service.add(second).status == 201
    assert service.put(report_of(first), token_of("bob"), campaign=first.id).reason == "not_asked"
    assert service.put(report_of(first), token_of("alice"), campaign=first.id).status == 201
    assert service.put(report_of(second), token_of("alice"), campaign=second.id).reason == "other_round"
    assert service.put(report_of(second), token_of("bob"), campaign=second.id).status == 201


def test_what_a_worker_keeps_of_shards_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr("privge.collect.service.service.KEPT_SHARDS", 3_000)
    with InProcess(tmp_path) as service:
        campaign = publish(service, ask())
        reads = []
        shard = service.store.shard
        monkeypatch.setattr(service.store, "shard", lambda name: reads.append(name) or shard(name))
        for _ in range(2):
            for person in PEOPLE[:20]:
                assert standing(service, token_of(person), campaign.id).status == 200
        assert len(reads) > len(set(reads)) == len({campaign.assignment.shard_of(person) for person in PEOPLE[:20]})


def test_a_campaign_whose_shards_went_with_its_reports_is_closed_and_not_out_of_order(service):
    campaign = publish(service, ask(closes="2030-01-01T00:00:00Z", retention_days=1))
    service.store.close_campaign(campaign.id)
    for day in (date(2040, 1, 1), date(2040, 1, 5)):
        service.store.retire(day)
    assert service.store.shard(campaign.assignment.digests[0]) is None
    assert outcome(service, campaign, PEOPLE[0], 0) == "closed"
    assert standing(service, token_of(PEOPLE[0]), campaign.id).reason == "closed"
    assert [each["reason"] for each in ask_many(service, [token_of(PEOPLE[1])], campaign.id).json] == ["closed"]
    sent = service.batch([(token_of(PEOPLE[2]), encode([0]))], campaign=campaign.id)
    assert [each["reason"] for each in sent.json] == ["closed"]


def test_an_open_campaign_that_lost_a_shard_takes_nothing(service):
    campaign = publish(service, ask())
    with service.store._writing() as session:
        session.rows("DELETE FROM shards")
    assert service.put(encode([0]), token_of(PEOPLE[0]), campaign=campaign.id).status == 503
