"""No state changes without a fresh token of a form that this page made, for this session, this act and this target."""

from urllib.parse import urlencode

import pytest

from collect.service.harness import campaign_of, report_of
from pages.test_drafts import draft, published
from pages.visitor import FORM, Visitor, opened
from privge.collect.stores import Upload, open_store
from privge.pages.room.sessions import FORM_SECONDS


def closing(service):
    return f"/operator/campaigns/{service.campaign.id}"


def close(visitor, service, form, **rest):
    fields = {"form": form, "confirm": service.campaign.id[:8]}
    return visitor.post(f"{closing(service)}/close", **fields, **rest)


def form_of(visitor, service):
    return visitor.form(closing(service), f"{closing(service)}/close")["form"]


def is_open(service):
    return service.store.campaign(service.campaign.id).open


def test_a_campaign_is_closed_by_its_own_form(service, inside):
    assert close(inside, service, form_of(inside, service)).status == 303
    assert not is_open(service)
    assert b"Close for good" not in inside.get(closing(service)).body


@pytest.mark.parametrize("token", ["", ".", "..", "a.b.c", "0" * 16 + ".99999999999." + "0" * 64, "é.1.x"])
def test_without_a_token_of_ours_nothing_is_closed(service, inside, token):
    assert close(inside, service, token).status == 403
    assert is_open(service)


def test_a_token_is_good_once(service, inside):
    other = campaign_of(purpose="other")
    service.store.add_campaign(other)
    token = form_of(inside, service)
    assert inside.post(f"{closing(service)}/close", form=token, confirm="wrong").status == 422
    assert close(inside, service, token).status == 403
    assert is_open(service)


def test_a_form_that_is_sent_again_at_another_worker_changes_nothing(service, inside, tmp_path):
    service.store.add_campaign(campaign_of(purpose="old", closes="2020-01-01T00:00:00Z", retention_days=1))
    fields = published(draft(inside))
    form = form_of(inside, service)
    retiring = inside.form("/operator", "/operator/retire")
    assert inside.post("/operator/publish", **fields).status == 303
    assert close(inside, service, form).status == 303
    assert inside.post("/operator/retire", **retiring).status == 303
    seen = service.store.log(), [state.campaign.id for state in service.store.campaigns()]
    with opened(tmp_path, store=open_store(str(tmp_path / "reports.db"))) as other:
        inside.service = other
        assert inside.post("/operator/publish", **fields).status == 303
        assert close(inside, service, form).status == 303
        assert inside.post("/operator/retire", **retiring).status == 303
        assert (other.store.log(), [state.campaign.id for state in other.store.campaigns()]) == seen


def test_a_token_is_good_for_some_minutes(service, inside):
    token = form_of(inside, service)
    service.now += FORM_SECONDS
    assert close(inside, service, token).status == 403
    assert is_open(service)


def test_a_token_of_another_session_is_none(service, inside):
    other = Visitor(service)
    other.enter()
    assert close(inside, service, form_of(other, service)).status == 403
    assert is_open(service)


def test_a_token_of_another_act_or_campaign_is_none(service, inside):
    other = campaign_of(purpose="other")
    service.store.add_campaign(other)
    for page, action in (
        ("/operator", "/operator/leave"),
        ("/operator/new", "/operator/draft"),
        (f"/operator/campaigns/{other.id}", f"/operator/campaigns/{other.id}/close"),
    ):
        assert close(inside, service, inside.form(page, action)["form"]).status == 403
    assert is_open(service)


def test_without_a_session_a_token_is_none(service, inside):
    token = form_of(inside, service)
    assert close(Visitor(service), service, token).status == 401
    assert is_open(service)


@pytest.mark.parametrize(
    "headers",
    [
        [("sec-fetch-site", "cross-site")],
        [("sec-fetch-site", "same-site")],
        [("sec-fetch-site", "none")],
        [("origin", "https://elsewhere.example")],
        [("origin", "null")],
        [("origin", "http://localhost.elsewhere.example")],
    ],
)
def test_a_form_that_another_site_sends_changes_nothing_even_with_a_good_token(service, inside, headers):
    assert close(inside, service, form_of(inside, service), headers=headers).status == 403
    assert is_open(service)


@pytest.mark.parametrize("headers", [[("sec-fetch-site", "same-origin")], [("origin", "http://localhost")], []])
def test_a_form_of_this_page_counts_with_what_browsers_say_of_it(service, inside, headers):
    assert close(inside, service, form_of(inside, service), headers=headers).status == 303


def test_another_site_cannot_enter_for_somebody(service):
    visitor = Visitor(service)
    assert visitor.post("/operator/enter", headers=[("sec-fetch-site", "cross-site")]).status == 403


@pytest.mark.parametrize("path", ["enter", "leave", "draft", "publish", "retire", "campaigns/{}/close"])
def test_nothing_changes_by_looking(service, inside, path):
    reply = inside.get(f"/operator/{path.format(service.campaign.id)}")
    assert reply.status == 405
    assert is_open(service)


@pytest.mark.parametrize("kind", ["text/plain", "application/json", "multipart/form-data"])
def test_a_form_of_another_type_is_none(service, inside, kind):
    body = urlencode({"form": form_of(inside, service), "confirm": service.campaign.id[:8]}).encode()
    headers = [("cookie", inside.cookie), ("host", "localhost")]
    reply = service.call("POST", f"{closing(service)}/close", body=body, content_type=kind, headers=headers)
    assert reply.status == 415
    assert is_open(service)


@pytest.mark.parametrize("body", [b"\xff\xfe=1", b"a=1&" * 100, b"form=%ff"])
def test_what_is_no_form_is_refused(service, inside, body):
    headers = [("cookie", inside.cookie), ("host", "localhost")]
    reply = service.call("POST", "/operator/retire", body=body, content_type=FORM, headers=headers)
    assert reply.status == 422


def test_the_digits_of_the_campaign_must_be_written(service, inside):
    reply = inside.post(f"{closing(service)}/close", form=form_of(inside, service), confirm="00000000")
    assert reply.status == 422
    assert is_open(service)


def test_what_is_due_is_deleted_by_a_form_and_the_trail_says_by_whom(service, inside):
    from datetime import date

    old = campaign_of(purpose="old", closes="2020-01-01T00:00:00Z", retention_days=1)
    service.store.add_campaign(old)
    service.store.put(old.id, [Upload("alice", report_of(old))], day=date(2019, 12, 31))
    assert b"Delete them now" in inside.get().body
    assert inside.post("/operator/retire", form="x").status == 403
    assert service.store.campaign(old.id).reports == 1
    assert inside.post("/operator/retire", **inside.form("/operator", "/operator/retire")).status == 303
    assert service.store.campaign(old.id).reports == 0
    assert ("retired", "operator") in [(act.kind, act.by) for act in service.store.log()]
    text = inside.get().body.decode()
    assert "Delete them now" not in text
    assert "deleted" in text
