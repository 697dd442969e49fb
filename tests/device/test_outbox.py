import sys

import numpy as np
import pytest

from device.fake_service import token_for
from privge import Campaign, Reports
from privge.device.address import Address
from privge.device.batches import send_batches
from privge.device.index import NodeIndex
from privge.device.outbox import Outbox
from privge.device.patience import Patience
from privge.device.web import Client
from privge.errors import BadData, PrivacyViolation, ServiceRefused, ServiceUnavailable

ORIGIN = "https://example.org"


@pytest.fixture
def outbox(tmp_path, campaign):
    return Outbox(tmp_path / "outbox", campaign)


@pytest.fixture
def waits():
    return []


@pytest.fixture
def send(service, campaign, waits):
    url = service.add(campaign)

    def call(reports, rows=None, acknowledged=None, **options):
        where = Client(Address.parse(url), Patience(attempts=3, timeout=5, sleep=waits.append))
        rows = range(len(reports)) if rows is None else rows
        acknowledged = [] if acknowledged is None else acknowledged
        try:
            return send_batches(
                where, reports, list(rows), token_of=token_for, acknowledge=acknowledged.extend, **options
            )
        finally:
            where.close()

    return call


def people(count, first=0):
    return np.array([f"p{i}" for i in range(first, first + count)], dtype=np.object_), np.full((count, 6), 0.5)


def drawn(outbox, count, first=0):
    ids, values = people(count, first)
    return outbox.draw(values, ids)


def test_a_node_is_drawn_once_whatever_file_it_comes_in(outbox):
    assert drawn(outbox, 5) == 5
    before = outbox.reports()
    assert drawn(outbox, 8) == 3
    after = outbox.reports()
    assert after.ids.tolist() == [f"p{i}" for i in range(8)]
    assert (after.codes[:5] == before.codes).all()


def test_what_is_drawn_is_on_the_disk_before_it_can_be_sent(outbox, tmp_path):
    drawn(outbox, 3)
    kept = Reports.from_parquet(tmp_path / "outbox" / "part-000000.parquet")
    assert (kept.codes == outbox.reports().codes).all()


def test_a_campaign_without_privacy_gets_no_outbox(tmp_path):
    with pytest.raises(PrivacyViolation):
        Outbox(tmp_path / "o", Campaign(dimensions=6, low=0, high=1, mechanism="none", k=3, levels=33))


def test_finished_reports_are_taken_once(outbox, campaign):
    ids, values = people(4)
    reports = campaign.simulate(values, ids=ids)
    assert outbox.take(reports) == 4
    assert outbox.take(reports) == 0
    assert (outbox.reports().codes == reports.codes).all()


def test_another_report_of_a_node_is_refused(outbox, campaign):
    ids, _ = people(2)
    outbox.take(Reports(campaign, ids, np.zeros((2, 3), dtype=np.uint16)))
    with pytest.raises(BadData, match="another report for 1 of these nodes"):
        outbox.take(Reports(campaign, ids, np.array([[0, 0, 0], [0, 0, 1]])))
    other = Campaign(dimensions=6, low=0, high=1, mechanism="hds", epsilon=1.0, k=3, levels=33, purpose="other")
    with pytest.raises(BadData, match="the reports answer campaign"):
        outbox.take(Reports(other, ids, np.zeros((2, 3), dtype=np.uint16)))


@pytest.mark.parametrize("seed", [0, 5])
def test_reports_that_were_drawn_with_a_seed_are_refused(outbox, campaign, tmp_path, seed):
    ids, values = people(4)
    private = campaign.simulate(values[:2], ids=ids[:2])
    with pytest.raises(PrivacyViolation, match="drawn with a seed"):
        outbox.take(Reports.concatenate([private, campaign.simulate(values[2:], ids=ids[2:], seed=seed)]))
    assert not list((tmp_path / "outbox").glob("*.parquet"))
    assert outbox.take(private) == 2


def test_integers_and_their_digits_are_one_node(tmp_path, campaign):
    outbox = Outbox(tmp_path / "o", campaign)
    outbox.take(Reports(campaign, [1, 2], np.zeros((2, 3), dtype=np.uint16)))
    assert outbox.draw(np.full((2, 6), 0.5), np.array(["1", "2"], dtype=np.object_)) == 0


@pytest.mark.parametrize("lost", ["whole", "last"])
def test_an_index_that_was_lost_draws_nobody_again(outbox, tmp_path, monkeypatch, lost):
    drawn(outbox, 3)
    with monkeypatch.context() as patch:
        if lost == "last":  # the run dies after the part is on the disk
            patch.setattr(NodeIndex, "add", lambda *_: sys.exit("killed"))
            with pytest.raises(SystemExit):
                drawn(outbox, 5)
        else:
            drawn(outbox, 5)
            (tmp_path / "outbox" / "index.sqlite").unlink()
    before = outbox.reports()
    assert drawn(outbox, 6) == 1
    assert (outbox.reports().codes[:5] == before.codes).all()


def test_a_damaged_index_is_refused_by_name(outbox, tmp_path):
    drawn(outbox, 3)
    (tmp_path / "outbox" / "index.sqlite").write_bytes(b"no database" * 1_000)
    with pytest.raises(BadData, match=r"index\.sqlite.*remove this file"):
        drawn(outbox, 3)


def test_reports_are_found_part_by_part(outbox):
    drawn(outbox, 3)
    drawn(outbox, 2, first=3)
    ids = np.array(["p4", "p0", "p2"], dtype=np.object_)
    assert [(number, rows.tolist()) for number, rows in outbox.places(ids)] == [(0, [0, 2]), (1, [1])]
    with pytest.raises(BadData, match="lacks a report"):
        outbox.places(np.array(["p9"], dtype=np.object_))


def test_acknowledgements_survive_a_line_that_was_cut(outbox, tmp_path):
    outbox.acknowledge(ORIGIN, 0, [0, 2])
    outbox.acknowledge(ORIGIN, 0, [4])
    [file] = (tmp_path / "outbox").glob("acknowledged-*")
    file.write_text(file.read_text() + "[1, 3")
    assert outbox.acknowledged(ORIGIN, 0, 6).tolist() == [True, False, True, False, True, False]
    assert not outbox.acknowledged(ORIGIN, 1, 6).any()
    assert not outbox.acknowledged("https://example.com", 0, 6).any()


def test_batches_carry_every_report(outbox, send, service, campaign):
    drawn(outbox, 25)
    acknowledged = []
    steps = []
    outcomes = send(outbox.reports(), size=10, acknowledged=acknowledged, progress=lambda *step: steps.append(step))
    assert outcomes == {"stored": 25}
    assert acknowledged == list(range(25))
    assert steps == [(10, 25), (20, 25), (25, 25)]
    expected = {(campaign.id, node): codes.astype("<u2").tobytes()
                for node, codes in zip(outbox.reports().ids, outbox.reports().codes, strict=True)}  # fmt: skip
    assert service.stored == expected


def test_a_lost_answer_sends_the_same_batch_again(outbox, send, service, waits):
    drawn(outbox, 10)
    service.faults = ["drop", None, (503, 1)]
    assert send(outbox.reports(), size=5) == {"same": 5, "stored": 5}
    assert len(waits) == 2
    assert len(service.stored) == 10


def test_only_what_is_put_off_is_sent_again(outbox, send, service, waits):
    drawn(outbox, 4)
    service.item_faults = [None, (429, "rate"), (503, "busy"), None]
    acknowledged = []
    outcomes = send(outbox.reports(), acknowledged=acknowledged)
    assert sorted(acknowledged) == [0, 1, 2, 3]
    assert sum(outcomes.values()) == 4
    assert len(service.received) == 6
    assert len(waits) == 1


def test_refusals_are_counted_and_not_acknowledged(outbox, send, service, waits):
    drawn(outbox, 4)
    service.item_faults = [(410, "closed"), None, (401, "unauthorized"), (410, "closed")]
    acknowledged = []
    assert send(outbox.reports(), acknowledged=acknowledged) == {"stored": 1, "closed": 2, "unauthorized": 1}
    assert acknowledged == [1]
    assert waits == []


def test_what_is_put_off_for_ever_ends(outbox, send, service):
    drawn(outbox, 1)
    service.item_faults = [(429, "rate")] * 3
    with pytest.raises(ServiceUnavailable, match="put off 1 reports"):
        send(outbox.reports())


@pytest.mark.parametrize("status", [403, 404, 413, 415])
def test_a_refused_batch_is_not_repeated(outbox, send, service, status):
    drawn(outbox, 2)
    service.faults = [status]
    with pytest.raises(ServiceRefused, match=f"refuses the batch with {status}"):
        send(outbox.reports())
    assert len(service.requests) == 1


def test_a_token_that_is_not_accepted_for_the_batch_is_followed_by_the_next(outbox, send, service):
    drawn(outbox, 3)
    service.faults = [401, 401]
    assert send(outbox.reports()) == {"stored": 3}
    service.faults = [401] * 3
    assert send(outbox.reports()) == {"unauthorized": 3}


STORED, ESCAPE = b'{"status": 201, "reason": "stored"}', rb'{"status": 201, "reason": "\u001b[2J"}'


@pytest.mark.parametrize("answer", [b"[]", b"{}", b"\xff", b"[" + STORED + b"]", b"[" + STORED + b"," + ESCAPE + b"]"])
def test_an_answer_that_does_not_fit_is_refused(outbox, send, service, answer):
    drawn(outbox, 2)
    service.faults = [lambda handler: handler.answer(200, answer, {"Content-Type": "application/json"})]
    acknowledged = []
    with pytest.raises(ServiceRefused, match="answer"):
        send(outbox.reports(), acknowledged=acknowledged)
    assert acknowledged == []
