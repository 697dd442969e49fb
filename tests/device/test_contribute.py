import hashlib
import json
import logging
import os
import re
import ssl
import stat
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
import rfc8785

from device.fake_service import cut_short, dripping, endless, redirect, token_for
from privge import Campaign
from privge.device import Patience, contribute
from privge.device.address import Address
from privge.device.contribute import _check_open
from privge.device.memory import Memory
from privge.device.pace import Pace
from privge.device.web import Client
from privge.errors import (
    BadData,
    BudgetExceeded,
    CampaignMismatch,
    InvalidCampaign,
    PrivacyViolation,
    RandomnessUnavailable,
    SecondDraw,
    ServiceRefused,
    ServiceUnavailable,
)
from privge.perturbation import draw as drawing

VALUES = [0.123456, 0.234567, 0.345678, 0.456789, 0.567891, 0.678912]


@pytest.fixture
def waits():
    return []


@pytest.fixture
def send(service, campaign, tmp_path, waits):
    """Contribute as alice; waiting takes no time."""
    url = service.add(campaign)

    def call(url=url, features=VALUES, node="alice", token=None, folder=tmp_path / "me", **options):
        patience = options.pop("patience", Patience(attempts=4, timeout=5, sleep=waits.append))
        pace = Pace(sleep=lambda _seconds: None)
        return contribute(
            url, features, token=token or token_for(node), folder=folder, patience=patience, pace=pace, **options
        )

    call.url = url
    return call


def draws(monkeypatch):
    """Count how often private values are perturbed."""
    counted = []
    draw = drawing.draw
    monkeypatch.setattr(
        sys.modules["privge.device.contribute"], "draw", lambda *given: counted.append(1) or draw(*given)
    )
    return counted


def files_of(folder):
    return {path.relative_to(folder) for path in folder.rglob("*") if path.is_file() and path.name != ".lock"}


def changed(campaign, **changes):
    """A document that says something else than its campaign, with the id that goes with it."""
    document = {**campaign.to_document(), **changes}
    text = rfc8785.dumps(document)
    return hashlib.sha256(text).hexdigest(), text


def test_a_report_is_drawn_kept_and_stored(send, service, campaign, tmp_path):
    done = send()
    [(_, node, body)] = service.received
    assert (done.campaign, done.drawn, done.new, done.epsilon, done.spent) == (campaign.id, True, True, 1.0, 1.0)
    assert (node, len(body), done.report) == ("alice", 2 * campaign.k, hashlib.sha256(body).hexdigest())
    assert (np.frombuffer(body, dtype="<u2") < campaign.law.outputs).all()
    kept = json.loads((tmp_path / "me" / "reports" / f"{campaign.id}.json").read_bytes())
    assert bytes.fromhex(kept["codes"]) == body


def test_a_second_run_sends_the_same_bytes_and_looks_at_no_value(send, service):
    send()
    done = send(features=pytest.fail)
    assert (done.drawn, done.new, done.spent) == (False, False, 1.0)
    assert len({body for *_, body in service.received}) == 1


def test_the_codes_are_those_that_the_law_gives(send, service, campaign, monkeypatch):
    monkeypatch.setattr(os, "urandom", lambda size: bytes(range(size)))
    send()
    expected = campaign.report(VALUES, node="alice")
    assert np.frombuffer(service.received[0][2], dtype="<u2").tolist() == list(expected.codes)


def test_values_may_be_given_by_name(send, service):
    named = Campaign(dimensions=2, names=["a", "b"], low=0, high=1, mechanism="hds", epsilon=1.0, k=1, levels=33)
    assert send(url=service.add(named), features={"a": 1.0}).new


@pytest.mark.parametrize("fault", ["drop", (503, 0), (429, 1), 500, 502])
def test_what_may_pass_is_tried_again_with_the_same_bytes(send, service, waits, fault):
    service.faults = [fault, fault]
    done = send()
    assert len(waits) == 2
    assert len(service.stored) == 1
    assert done.new == (fault != "drop")
    assert len({body for *_, body in service.received}) == 1


def test_every_device_succeeds_when_a_fifth_of_the_answers_are_lost(send, service, tmp_path):
    count = 20
    service.faults = ["drop" if i % 5 == 0 else None for i in range(count * 2)]
    for i in range(count):
        send(node=f"n{i}", folder=tmp_path / f"n{i}")
    assert len(service.stored) == count
    per_node = {}
    for _, node, body in service.received:
        per_node.setdefault(node, set()).add(body)
    assert all(len(bodies) == 1 for bodies in per_node.values())
    assert len(service.received) > count


def test_a_failing_service_is_left_alone_after_some_attempts_and_the_report_is_kept(send, service, waits, monkeypatch):
    counted = draws(monkeypatch)
    service.faults = [503] * 4
    with pytest.raises(ServiceUnavailable, match=r"did not take it in 4 attempts .it answers 503"):
        send()
    assert len(waits) == 3
    assert send().new
    assert len(counted) == 1


def test_waits_grow_are_jittered_and_bounded(send, service, waits):
    service.faults = [(503, 0)] * 7 + [(503, 99_999)]
    assert send(patience=Patience(attempts=9, pause=0.5, longest=3.0, timeout=5, sleep=waits.append)).new
    assert all(wait <= min(3.0, 0.5 * 2**i) for i, wait in enumerate(waits[:7]))
    assert waits[7] == 3.0
    assert len(set(waits[:7])) == 7


def test_a_wait_that_the_service_asks_for_is_kept(send, service, waits):
    service.faults = [(429, 7)]
    send()
    assert 7 <= waits[0] <= 7.5


@pytest.mark.parametrize(("status", "words"), [
    (400, "refuses with 400"), (401, "does not accept the token"), (403, "does not take this report"),
    (404, "does not know this campaign"), (409, "keeps the first"), (410, "closed, or this report was erased"),
    (413, "refuses with 413"), (422, "for a reason"),
])  # fmt: skip
def test_a_refusal_is_final(send, service, waits, status, words):
    service.faults = [status]
    with pytest.raises(ServiceRefused, match=words) as caught:
        send()
    assert caught.value.status == status
    assert waits == []
    assert len(service.requests) == 3


def test_redirects_are_not_followed(send, service):
    service.get_faults = [redirect("http://127.0.0.1:1/v1/campaigns/" + "0" * 64)]
    with pytest.raises(ServiceRefused, match="points to another address"):
        send()
    service.faults = [redirect("http://127.0.0.1:1/")]
    with pytest.raises(ServiceRefused, match="points to another address"):
        send()


def test_an_endless_answer_is_cut_off(send, service):
    service.get_faults = [endless]
    with pytest.raises(ServiceRefused, match="more than"):
        send()


@pytest.mark.parametrize("fault", [dripping, cut_short])
def test_an_answer_that_does_not_end_is_asked_for_again(send, service, waits, fault):
    service.get_faults = [fault]
    assert send(patience=Patience(attempts=2, timeout=0.3, sleep=waits.append)).new
    assert len(waits) == 1


def test_a_changed_campaign_is_refused(send, service, campaign, monkeypatch):
    counted = draws(monkeypatch)
    service.documents[campaign.id] = changed(campaign, purpose="something else")[1]
    with pytest.raises(CampaignMismatch, match="hash differs"):
        send()
    assert not counted
    assert not service.received


def test_a_text_that_is_not_canonical_is_refused(send, service, campaign):
    text = json.dumps(campaign.to_document(), indent=2).encode()
    name = hashlib.sha256(text).hexdigest()
    service.documents[name] = text
    with pytest.raises(CampaignMismatch, match="not canonical"):
        send(url=f"{service.base}/v1/campaigns/{name}")


def test_a_law_that_leaks_more_than_epsilon_is_refused(send, service, campaign, monkeypatch):
    counted = draws(monkeypatch)
    leaking = Campaign(dimensions=6, low=0, high=1, mechanism="hds", epsilon=1.2, k=3, levels=33)
    name, text = changed(campaign, law=leaking.law.parameters())
    service.documents[name] = text
    with pytest.raises(InvalidCampaign, match="law"):
        send(url=f"{service.base}/v1/campaigns/{name}")
    assert not counted
    honest, text = changed(campaign, law=campaign.law.parameters())
    service.documents[honest] = text
    assert send(url=f"{service.base}/v1/campaigns/{honest}").new


def test_a_campaign_without_privacy_is_refused(send, service, tmp_path):
    control = Campaign(dimensions=6, low=0, high=1, mechanism="none", k=3, levels=33)
    with pytest.raises(PrivacyViolation, match="control for simulations"):
        send(url=service.add(control))
    assert files_of(tmp_path / "me") == set()


@pytest.mark.parametrize("hours", [-23, 23])
def test_a_clock_that_is_a_day_wrong_refuses_no_open_campaign(hours):
    """The service opened it an hour ago, or closes it in an hour; only the device thinks otherwise."""
    now = datetime.now(UTC)
    campaign = Campaign(
        dimensions=2, low=0, high=1, mechanism="hds", epsilon=1.0, k=1,
        opens=now - timedelta(hours=1), closes=now + timedelta(hours=1),
    )  # fmt: skip
    _check_open(campaign, now + timedelta(hours=hours))
    with pytest.raises(ServiceRefused):
        _check_open(campaign, now + timedelta(hours=3 * hours))


def test_a_campaign_that_is_not_open_costs_nothing(send, service, tmp_path):
    for field, moment in (("closes", "2020-01-01T00:00:00Z"), ("opens", "2999-01-01T00:00:00Z")):
        dated = Campaign(dimensions=6, low=0, high=1, mechanism="hds", epsilon=1.0, k=3, levels=33, **{field: moment})
        with pytest.raises(ServiceRefused, match=f"{field.removesuffix('s')}.*nothing was sent"):
            send(url=service.add(dated))
    assert files_of(tmp_path / "me") == set()


def test_a_campaign_above_the_cap_is_refused_before_the_draw(send, service, monkeypatch):
    counted = draws(monkeypatch)
    dear = Campaign(dimensions=6, low=0, high=1, mechanism="hds", epsilon=3.5, k=3, levels=33)
    with pytest.raises(
        BudgetExceeded, match=r"asks for epsilon 3.5, and your cap for one campaign is 3; .*97.1 % sure"
    ):
        send(url=service.add(dear))
    assert not counted
    assert send(url=service.add(dear), max_epsilon=3.5).new


def test_campaigns_add_up_to_the_lifetime_cap(send, service):
    def asking(number, epsilon):
        return service.add(Campaign(dimensions=6, low=0, high=1, mechanism="hds", epsilon=epsilon, k=3, levels=33,
                                    purpose=f"question {number}"))  # fmt: skip

    for number in range(3):
        spent = send(url=asking(number, 0.1), lifetime_epsilon=0.3).spent
    assert spent == pytest.approx(0.3, rel=1e-15)
    with pytest.raises(BudgetExceeded, match=r"spent epsilon 0.3 in 3 campaigns .* lifetime cap is 0.3"):
        send(url=asking(3, 0.01))
    assert send(url=asking(2, 0.1)).drawn is False


def test_caps_are_remembered(send):
    with pytest.raises(BudgetExceeded, match=r"cap for one campaign is 0.5"):
        send(max_epsilon=0.5)
    with pytest.raises(BudgetExceeded, match=r"cap for one campaign is 0.5"):
        send()
    assert send(max_epsilon=1.0).new


@pytest.mark.parametrize("cap", [-1.0, float("nan"), float("inf")])
def test_a_cap_that_is_no_number_is_refused(send, cap):
    with pytest.raises(ValueError, match="must be a finite number"):
        send(lifetime_epsilon=cap)


def test_without_the_kept_report_the_ledger_forbids_a_second_draw(send, campaign, tmp_path, service):
    send()
    (tmp_path / "me" / "reports" / f"{campaign.id}.json").unlink()
    with pytest.raises(SecondDraw, match="no longer at"):
        send()
    assert len(service.received) == 1


def test_without_the_ledger_the_kept_report_is_entered_again(send, tmp_path):
    send()
    (tmp_path / "me" / "ledger.json").unlink()
    assert send().spent == 1.0
    assert Memory(tmp_path / "me").ledger().spent == 1.0
    assert (tmp_path / "me" / "ledger.json").exists()


def test_without_any_files_the_service_still_keeps_one_draw(send, service, monkeypatch, tmp_path):
    words = iter([bytes(24), bytes(24), bytes(24), bytes([255]) * 24])  # each draw is rehearsed
    monkeypatch.setattr(os, "urandom", lambda _size: next(words))
    service.forgetful = True  # it does not say that it has a report, so a second one is drawn
    send(folder=tmp_path / "first")
    with pytest.raises(ServiceRefused, match="keeps the first"):
        send(folder=tmp_path / "second")
    assert len(service.stored) == 1
    assert list(service.stored.values())[0] == service.received[0][2] != service.received[1][2]  # noqa: RUF015


def test_a_second_device_takes_over_the_report_of_the_first(send, service, campaign, tmp_path):
    send(folder=tmp_path / "phone")
    done = send(folder=tmp_path / "laptop")
    assert (done.drawn, done.new, done.spent, done.missing) == (False, False, 1.0, None)
    assert len({body for *_, body in service.received}) == 1  # what the second one prepared was seen by nobody
    assert Memory(tmp_path / "laptop").ledger() == Memory(tmp_path / "phone").ledger()
    assert files_of(tmp_path / "laptop") == {Path("ledger.json"), Path(f"reports/{campaign.id}.json")}


@pytest.mark.parametrize(
    ("status", "words"),
    [(410, "closed, or this report was erased"), (403, "does not take this report"), (401, "token"), (404, "know")],
)
def test_what_the_service_refuses_is_neither_charged_nor_sent_and_waits_for_later(
    send, service, campaign, tmp_path, status, words
):
    service.refusals["alice"] = (status, {"detail": "as a report would be"})
    with pytest.raises(ServiceRefused, match=f"{words}.*nothing was sent"):
        send()
    assert not service.received
    assert Memory(tmp_path / "me").ledger().spent == 0
    prepared = json.loads((tmp_path / "me" / "prepared" / f"{campaign.id}.json").read_bytes())
    service.refusals.clear()
    done = send(features=pytest.fail)
    assert (done.new, done.spent, done.report) == (True, 1.0, prepared["report"])
    assert not list((tmp_path / "me" / "prepared").iterdir())


def test_no_token_is_shown_to_a_service_whose_campaign_the_persons_own_caps_forbid(send, service):
    with pytest.raises(BudgetExceeded):
        send(lifetime_epsilon=0.5)
    assert [path.endswith("/me") for _, path in service.requests] == [False]


def test_a_prepared_report_costs_nothing_and_blocks_no_other_campaign(send, service, tmp_path):
    service.refusals["alice"] = (410, {})
    with pytest.raises(ServiceRefused):
        send(lifetime_epsilon=1.0)
    service.refusals.clear()
    other = Campaign(dimensions=6, low=0, high=1, mechanism="hds", epsilon=1.0, k=3, levels=33, purpose="another")
    assert send(url=service.add(other)).spent == 1.0
    with pytest.raises(BudgetExceeded):  # the caps are asked again before the prepared one is charged
        send()
    assert Memory(tmp_path / "me").ledger().spent == 1.0


@pytest.mark.parametrize(
    "answer",
    [
        {"reason": "held", "codes": [1]},
        {"reason": "held", "codes": [1, 2, 70_000]},
        {"reason": "held", "codes": ["1", "2", "3"]},
        {"reason": "held", "codes": 7},
        {"reason": "held", "codes": [1.5, 2, 3]},
        {"reason": "held"},
        {"reason": None, "codes": None},
        {"codes": [1, 2, 3]},
        [],
        "nonsense",
    ],
)
def test_an_answer_that_cannot_be_is_refused_and_costs_nothing(send, service, answer, tmp_path):
    service.get_faults = [None, lambda handler: handler.answer(200, json.dumps(answer).encode())]
    with pytest.raises(ServiceRefused, match="cannot be read; nothing was sent"):
        send()
    assert Memory(tmp_path / "me").ledger().spent == 0
    assert not service.received


def test_a_service_cannot_claim_more_than_the_caps_allow(send, service, tmp_path):
    """It says that it has a report, in a campaign without privacy or of any epsilon."""
    fields = {"dimensions": 6, "low": 0, "high": 1, "k": 3, "levels": 33}
    for claimed in (Campaign(**fields, mechanism="none"), Campaign(**fields, mechanism="hds", epsilon=1000.0)):
        service.stored[claimed.id, "alice"] = bytes(6)
        with pytest.raises(PrivacyViolation):
            send(url=service.add(claimed))
    assert Memory(tmp_path / "me").ledger().draws == ()
    assert send().spent == 1.0


def test_another_node_id_gets_no_second_draw(send, monkeypatch):
    send(node="alice")
    counted = draws(monkeypatch)
    with pytest.raises(SecondDraw, match="under another node id") as caught:
        send(node="alice-again")
    assert not counted
    assert "alice" not in str(caught.value)


def test_two_runs_at_once_draw_once(send, service, monkeypatch):
    counted = draws(monkeypatch)
    together = threading.Barrier(6)

    def run():
        together.wait()
        send()

    threads = [threading.Thread(target=run) for _ in range(6)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(counted) == 1
    assert len(service.received) == 6
    assert len({body for *_, body in service.received}) == 1


def test_nothing_is_drawn_without_the_operating_systems_randomness(send, service, tmp_path, monkeypatch):
    def missing(_size):
        raise NotImplementedError

    monkeypatch.setattr(os, "urandom", missing)
    with pytest.raises(RandomnessUnavailable):
        send()
    assert not service.received
    assert Memory(tmp_path / "me").ledger().draws == ()
    monkeypatch.undo()
    assert send().drawn


def test_private_values_are_written_nowhere(send, service, tmp_path, caplog):
    caplog.set_level(logging.DEBUG, logger="privge")
    service.faults = ["drop", 503]
    send()
    written = b"".join(path.read_bytes() for path in (tmp_path / "me").rglob("*") if path.is_file())
    said = caplog.text.encode() + repr(service.requests).encode()
    for value in VALUES:
        assert str(value).encode() not in written + said
        assert np.float64(value).tobytes() not in written + b"".join(body for *_, body in service.received)


def test_no_message_holds_a_token_or_node(send, service, caplog):
    caplog.set_level(logging.DEBUG, logger="privge")
    service.faults = [503, 409]
    with pytest.raises(ServiceRefused) as caught:
        send(node="carol-17")
    said = caplog.text + str(caught.value)
    assert "trying again" in said
    assert "carol-17" not in said
    assert token_for("carol-17") not in said


def test_the_folder_is_for_its_owner_alone(send, tmp_path):
    send()
    for path in (tmp_path / "me").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    assert stat.S_IMODE((tmp_path / "me").stat().st_mode) == 0o700


def test_a_folder_that_others_can_open_is_refused(send, tmp_path):
    (tmp_path / "open").mkdir(mode=0o755)
    with pytest.raises(BadData, match="chmod 700"):
        send(folder=tmp_path / "open")


@pytest.mark.parametrize("damage", [b"", b"{}", b'{"format": "privge-ledger-1", "caps": {}, "draws": [{}]}', b"[1]"])
def test_a_damaged_ledger_stops_everything(send, tmp_path, damage, service):
    send()
    (tmp_path / "me" / "ledger.json").write_bytes(damage)
    with pytest.raises(BadData, match="damaged"):
        send()
    assert len(service.received) == 1


@pytest.mark.parametrize(
    "damage", [lambda text: text[:20], lambda text: re.sub(rb'"codes": "..', b'"codes": "ff', text)]
)
def test_a_damaged_report_is_not_sent(send, tmp_path, damage, campaign, service):
    send()
    path = tmp_path / "me" / "reports" / f"{campaign.id}.json"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(BadData, match="another one will not be drawn"):
        send()
    assert len(service.received) == 1


def test_a_report_from_elsewhere_is_not_sent(send, tmp_path, campaign, service, monkeypatch):
    words = iter([bytes(24), bytes(24), bytes(24), bytes([255]) * 24])  # each draw is rehearsed
    monkeypatch.setattr(os, "urandom", lambda _size: next(words))
    send()
    send(node="bob", folder=tmp_path / "bob")
    name = f"reports/{campaign.id}.json"
    (tmp_path / "me" / name).write_bytes((tmp_path / "bob" / name).read_bytes())
    with pytest.raises(BadData, match="not the report that the ledger names"):
        send()
    assert len(service.received) == 2


@pytest.mark.parametrize("url", [
    "https://example.org", "ftp://example.org/v1/campaigns/" + "0" * 64, "https://example.org/v1/campaigns/0123",
    "https://example.org/v1/campaigns/" + "0" * 64 + "?x=1", "https://a:b@example.org/v1/campaigns/" + "0" * 64,
    "https://example.org/../v1/campaigns/" + "g" * 64, "https://example.org:99999/v1/campaigns/" + "0" * 64,
])  # fmt: skip
def test_what_is_no_address_of_a_campaign_is_refused(send, url):
    with pytest.raises(BadData, match="address"):
        send(url=url)


def test_plain_http_stays_on_this_machine(send):
    with pytest.raises(BadData, match="http, so anybody on the way"):
        send(url="http://example.org/v1/campaigns/" + "0" * 64)


def test_certificates_are_verified():
    context = Client(Address.parse("https://example.org/v1/campaigns/" + "0" * 64))._connect()._context
    assert context.check_hostname
    assert context.verify_mode is ssl.CERT_REQUIRED


@pytest.mark.parametrize(
    "token", ["x", "a.b.c", "!!.x", "e30.x", token_for("a", "0" * 64), token_for(True), token_for("")]
)
def test_what_is_no_token_for_this_is_refused(send, token, service):
    with pytest.raises(BadData, match="token"):
        send(token=token)
    assert not service.requests


def test_a_service_that_is_not_there_is_unavailable(send, campaign):
    with pytest.raises(ServiceUnavailable, match="Connection refused"):
        send(url=f"http://127.0.0.1:1/v1/campaigns/{campaign.id}")


def test_values_are_read_before_the_first_contact(send, service):
    def unreadable():
        assert not service.requests
        raise BadData("no such file")

    with pytest.raises(BadData):
        send(features=unreadable)
    assert not service.requests


def test_what_was_prepared_for_another_node_or_is_damaged_was_seen_by_nobody(send, service, campaign, tmp_path):
    service.refusals = {node: (410, {}) for node in ("typo", "alice")}
    for node in ("typo", "alice"):
        with pytest.raises(ServiceRefused):
            send(node=node)
    for damage in (b"", b"[" * 100_000):
        (tmp_path / "me" / "prepared" / f"{campaign.id}.json").write_bytes(damage)
        with pytest.raises(ServiceRefused):
            send()
    service.refusals.clear()
    assert send().spent == 1.0


def test_files_of_others_are_left_alone(send, tmp_path):
    private = tmp_path / "me"
    (private / "Downloads").mkdir(parents=True, mode=0o700)
    private.chmod(0o700)
    others = [private / ".thesis.partial", private / "Downloads" / ".film.partial"]
    (private / "reports").mkdir(mode=0o700)
    others += [private / "reports" / "copy of a report.json"]
    for path in others:
        path.write_text("mine")
    assert send().new
    assert all(path.exists() for path in others)


def test_a_claimed_holding_never_takes_the_place_of_what_was_prepared(send, service, campaign, tmp_path, monkeypatch):
    from privge.device.ledger import Ledger

    service.refusals["alice"] = (410, {})
    with pytest.raises(ServiceRefused):
        send()
    prepared = (tmp_path / "me" / "prepared" / f"{campaign.id}.json").read_bytes()
    service.refusals["alice"] = (200, {"reason": "held", "codes": [0, 0, 0]})
    with monkeypatch.context() as crash:
        crash.setattr(Ledger, "adding", lambda *_: pytest.fail("the power failed"))
        with pytest.raises(pytest.fail.Exception):
            send()
    place = tmp_path / "me" / "prepared" / f"{campaign.id}.json"
    assert not place.exists() or place.read_bytes() == prepared
    assert Memory(tmp_path / "me").ledger().spent == 1.0  # what may count as sent is paid for
