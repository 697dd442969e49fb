"""Questions on a device: one report in a round, and only what the shard of its own node says."""

import hashlib
import json
import re
import threading

import numpy as np
import pytest

from collect.round_of_two import PEOPLE, PROFILES, TEACHERS, ask, personal, teach
from device.fake_service import dripping, endless, token_for
from device.test_contribute import draws
from privge import Campaign
from privge.campaign import Assignment
from privge.device import Patience, contribute
from privge.device.ledger import Ledger
from privge.device.memory import Memory
from privge.device.pace import Pace
from privge.errors import (
    BadData,
    BudgetExceeded,
    CampaignMismatch,
    NotAsked,
    SecondDraw,
    ServiceRefused,
    ServiceUnavailable,
)

YOUNG = PROFILES["young"]


@pytest.fixture
def send(service, tmp_path):
    """Contribute to a campaign; waiting takes no time."""

    def call(campaign, node, values=YOUNG, folder=tmp_path / "me", **options):
        patience = options.pop("patience", Patience(attempts=2, timeout=5, sleep=lambda _seconds: None))
        url = options.pop("url", None) or service.add(campaign)
        pace = Pace(sleep=lambda _seconds: None)
        return contribute(url, values, token=token_for(node), folder=folder, patience=patience, pace=pace, **options)

    return call


def both(node):
    """Two campaigns of one round that both ask a node, as no honest curator would have it."""
    assigned = Assignment.of([node, "another"], personal(["a", "b"]))
    return teach(assignment=Assignment.members([node])), ask(assignment=assigned)


def shown_tokens(service):
    return [path for method, path in service.requests if method != "GET" or path.endswith("/me")]


# One report in a round.


def test_a_person_who_taught_is_never_asked_whatever_the_service_says(send, service, monkeypatch, tmp_path):
    teaching, asking = both("alice")
    service.forgetful = True  # it says that a report would be welcome
    send(teaching, "alice")
    drawn = draws(monkeypatch)
    service.requests.clear()
    with pytest.raises(SecondDraw, match="once in a round; nothing was drawn"):
        send(asking, "alice")
    assert service.requests == [("GET", f"/v1/campaigns/{asking.id}")]
    assert (drawn, Memory(tmp_path / "me").ledger().spent) == ([], 1.0)


def test_a_service_that_claims_a_holding_gets_nobody_into_a_second_campaign_of_the_round(send, service, tmp_path):
    teaching, asking = both("alice")
    send(teaching, "alice")
    service.stored[asking.id, "alice"] = b"\x01\x00"
    with pytest.raises(SecondDraw, match="once in a round"):
        send(asking, "alice")
    assert shown_tokens(service)[2:] == []
    assert len(Memory(tmp_path / "me").ledger().draws) == 1


def test_of_two_campaigns_of_a_round_at_once_one_gets_a_report(send, service, tmp_path):
    campaigns = both("alice")
    urls = [service.add(campaign) for campaign in campaigns]
    start, refusals = threading.Barrier(2), []

    def run(number):
        start.wait()
        try:
            send(campaigns[number], "alice", url=urls[number])
        except SecondDraw as error:
            refusals.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refusals) == 1
    assert len(service.received) == len(Memory(tmp_path / "me").ledger().draws) == 1


def test_other_rounds_and_campaigns_without_one_are_free(send, campaign):
    send(teach(assignment=None), "alice")
    send(teach(assignment=None, round="autumn"), "alice")
    send(teach(assignment=None, round=None), "alice")
    assert send(campaign, "alice", [0.5] * 6).spent == 4.0


def test_a_second_run_in_the_same_campaign_of_a_round_sends_the_same_bytes(send, service):
    first = send(teach(), TEACHERS[0])
    again = send(teach(), TEACHERS[0])
    assert (first.drawn, again.drawn, first.report) == (True, False, again.report)
    assert len({body for _, _, body in service.received}) == 1


@pytest.mark.parametrize("lost", ["ledger.json", "reports"])
def test_the_round_is_remembered_by_the_ledger_and_by_the_report(send, service, tmp_path, lost):
    teaching, asking = both("alice")
    send(teaching, "alice")
    if lost == "reports":
        (tmp_path / "me" / "reports" / f"{teaching.id}.json").unlink()
    else:
        (tmp_path / "me" / lost).unlink()
    service.requests.clear()
    with pytest.raises(SecondDraw, match="once in a round"):
        send(asking, "alice")
    assert shown_tokens(service) == []


def test_a_prepared_report_that_nobody_saw_does_not_take_the_round(send, service):
    teaching, asking = both("alice")
    service.refusals["alice"] = (410, {"detail": "closed"})
    with pytest.raises(ServiceRefused):
        send(teaching, "alice")
    service.refusals.clear()
    assert send(asking, "alice").new
    with pytest.raises(SecondDraw, match="once in a round"):
        send(teaching, "alice")
    assert [campaign for campaign, _, _ in service.received] == [asking.id]


def test_a_ledger_without_rounds_is_written_as_before_and_one_with_rounds_is_for_newer_programs(
    send, tmp_path, campaign
):
    send(campaign, "alice", [0.5] * 6)
    path = tmp_path / "me" / "ledger.json"
    document = json.loads(path.read_bytes())
    assert (document["format"], set(document)) == ("privge-ledger-1", {"format", "caps", "draws"})
    send(teach(), TEACHERS[0])
    document = json.loads(path.read_bytes())
    assert document["format"] == "privge-ledger-2"
    assert document["rounds"] == [{"round": "spring", "campaign": teach().id}]
    assert Ledger.load(tmp_path / "me") == Memory(tmp_path / "me").ledger()


@pytest.mark.parametrize(
    "damage",
    [
        {"format": "privge-ledger-1"},
        {"rounds": [{"round": "spring", "campaign": "0" * 64}]},
        {"rounds": [{"round": "spring"}]},
        {"rounds": 3},
    ],
)
def test_a_ledger_whose_rounds_are_damaged_stops_everything(send, tmp_path, service, damage):
    send(teach(), TEACHERS[0])
    path = tmp_path / "me" / "ledger.json"
    path.write_text(json.dumps({**json.loads(path.read_bytes()), **damage}))
    service.requests.clear()
    with pytest.raises(BadData, match=r"ledger\.json.*damaged"):
        send(teach(round="autumn"), TEACHERS[0])
    assert service.requests == []


# Its own shard, and no other.


@pytest.mark.parametrize("person", PEOPLE[:3])
@pytest.mark.parametrize("values", PROFILES.values(), ids=PROFILES)
def test_a_device_fetches_the_one_shard_that_its_node_id_names_and_shows_no_token_for_it(send, service, person, values):
    asking = ask()
    seen = []
    service.get_faults = [lambda handler: _look(handler, seen)] * 2
    done = send(asking, person, values)
    number = int.from_bytes(hashlib.sha256(person.encode()).digest()[:2], "big") >> 13
    base = f"/v1/campaigns/{asking.id}"
    assert [path for _, path in service.requests] == [
        base,
        f"/v1/shards/{asking.assignment.digests[number]}",
        f"{base}/me",
        f"{base}/reports/{done.report}",
    ]
    assert seen == [None, None]


def _look(handler, seen):
    """Answer a GET as usual, and remember whether a token came with it."""
    seen.append(handler.headers["Authorization"])
    held = {**handler.service.documents, **handler.service.shards}
    handler.answer(200, held[handler.path.rsplit("/", 1)[-1]])


def test_whoever_is_not_asked_refuses_without_a_token_a_draw_or_a_look_at_a_value(send, service, tmp_path):
    class Private(dict):
        def get(self, *_):
            raise AssertionError("a value was looked at")

    with pytest.raises(NotAsked, match="not asked"):
        send(ask(), TEACHERS[0], Private())
    assert len(service.requests) == 2
    assert shown_tokens(service) == []
    assert not list((tmp_path / "me" / "prepared").iterdir())
    assert Memory(tmp_path / "me").ledger().draws == ()


def test_a_campaign_above_the_caps_is_refused_before_any_shard_is_fetched(send, service):
    with pytest.raises(BudgetExceeded, match="your cap"):
        send(ask(epsilon=5.0), PEOPLE[0])
    assert len(service.requests) == 1


def test_the_shard_of_a_short_form_campaign_with_members_is_fetched_too(send, tmp_path):
    campaign = Campaign(
        dimensions=3, low=0, high=1, mechanism="hds", epsilon=1.0, k=1, assignment=Assignment.members(["alice"])
    )
    assert send(campaign, "alice", [0.5] * 3).new
    with pytest.raises(NotAsked):
        send(campaign, "bob", [0.5] * 3, folder=tmp_path / "bob")


def test_a_shard_that_is_not_the_one_that_the_campaign_names_is_refused(send, service):
    asking = ask()
    url = service.add(asking)
    digest = asking.assignment.digests[asking.assignment.shard_of(PEOPLE[0])]
    service.shards[digest] = asking.assignment.shards[asking.assignment.shard_of(PEOPLE[0]) ^ 1]
    with pytest.raises(CampaignMismatch, match="another shard"):
        send(asking, PEOPLE[0], url=url)
    del service.shards[digest]
    with pytest.raises(ServiceRefused, match="404"):
        send(asking, PEOPLE[0], url=url)
    assert shown_tokens(service) == []


def test_a_shard_has_a_largest_size_and_a_deadline(send, service):
    for fault, error, words in (
        (endless, ServiceRefused, "4,194,304 bytes"),
        (dripping, ServiceUnavailable, "did not take it"),
    ):
        service.get_faults = [None, fault]
        with pytest.raises(error, match=words):
            send(ask(), PEOPLE[0], patience=Patience(attempts=1, timeout=1))
    assert shown_tokens(service) == []


@pytest.mark.parametrize(
    ("classes", "sizes"),
    [([[0, 7]], (2,)), ([[0, 65534]], (2,)), ([[0, 1, 2]], (2,)), ([[0, 1]], (3,))],
    ids=["a class that is not there", "a class far away", "more than it says", "fewer than it says"],
)
def test_a_shard_that_names_what_the_question_does_not_have_is_refused_from_public_data(
    send, service, monkeypatch, classes, sizes
):
    made = Assignment.of(["alice"], np.array(classes), bits=0)
    shard = _of_width(made.shards[0], made.width, max(sizes))
    drawn = draws(monkeypatch)
    with pytest.raises(BadData):
        send_with(send, service, shard, sizes)
    assert shown_tokens(service) == []
    assert drawn == []


@pytest.mark.parametrize(
    "classes",
    [(65535, 1, 2), (1, 65535, 2), (2, 1, 65535), (1, 1, 65535), (1, 65535, 65535), (65535,) * 3],
    ids=["a gap first", "a gap between", "in another order", "one twice", "one alone", "none"],
)
def test_a_shard_in_which_a_class_has_a_place_that_the_law_does_not_have_is_refused(
    send, service, monkeypatch, classes
):
    key = hashlib.sha256(b"alice").digest()[16:]
    drawn = draws(monkeypatch)
    with pytest.raises(BadData, match="has not the form of an assignment"):
        send_with(send, service, key + np.array(classes, dtype="<u2").tobytes(), (2, 3))
    assert shown_tokens(service) == []
    assert drawn == []


def send_with(send, service, shard, sizes):
    """Ask alice by a shard that nobody checked before it was published under its own hash."""
    digest = hashlib.sha256(shard).hexdigest()
    asking = ask(assignment=Assignment(0, max(sizes), False, sizes, 1, (digest,)))
    url = service.add(asking)
    service.shards[digest] = shard
    return send(asking, "alice", url=url)


def _of_width(shard, width, stated):
    """The shard of one node, of the width that a campaign states."""
    if stated < width:
        return shard[:16] + b"\x00\x00" + b"\xff\xff"  # one class where there must be two
    return shard + b"\xff\xff" * (stated - width)


def test_the_answer_is_one_of_the_persons_own_classes(send, service, tmp_path):
    asking = ask()
    for person in PEOPLE[:12]:
        send(asking, person, folder=tmp_path / person)
    sizes = [3 if number % 3 == 0 else 2 for number in range(12)]
    codes = [int.from_bytes(service.stored[asking.id, person], "little") for person in PEOPLE[:12]]
    assert all(code < size for code, size in zip(codes, sizes, strict=True))


def test_a_claimed_holding_must_be_an_answer_to_the_persons_own_question(send, service, tmp_path):
    asking = ask()
    for person, code, fits in ((PEOPLE[1], 2, False), (PEOPLE[3], 2, True), (PEOPLE[6], 3, False)):
        service.stored[asking.id, person] = bytes([code, 0])
        if fits:
            assert not send(asking, person, folder=tmp_path / person).drawn
        else:
            with pytest.raises(ServiceRefused, match="cannot be read; nothing was sent"):
                send(asking, person, folder=tmp_path / person)


def test_a_second_run_fetches_nothing(send, service):
    send(ask(), PEOPLE[0])
    service.requests.clear()
    assert not send(ask(), PEOPLE[0]).drawn
    assert [method for method, _ in service.requests] == ["PUT"]


def test_no_profile_changes_what_is_asked_for(send, service, tmp_path):
    seen = set()
    for name, values in PROFILES.items():
        service.requests.clear()
        send(ask(), PEOPLE[0], values, folder=tmp_path / name)
        service.stored.clear()
        seen.add(tuple(re.sub("reports/[0-9a-f]{64}", "reports/*", path) for _, path in service.requests))
    assert len(seen) == 1
