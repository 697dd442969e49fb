"""Who gets into the room, for how long, and what the door tells."""

import asyncio
from urllib.parse import urlencode

import pytest

from collect.service.harness import ADMIN, token_of
from pages.visitor import FORM, Visitor, opened
from privge.pages.room.sessions import SESSION_SECONDS

PAGES = ("/operator", "/operator/new", "/operator/trail", "/operator/embeddings")


@pytest.mark.parametrize("path", PAGES)
def test_without_a_session_every_page_is_the_door(service, path):
    reply = Visitor(service).get(path)
    assert reply.status == 401
    assert b"Admin token" in reply.body
    assert service.campaign.id.encode() not in reply.body


@pytest.mark.parametrize("path", PAGES)
def test_with_a_session_every_page_is_shown(inside, path):
    assert inside.get(path).status == 200


def test_the_page_of_a_campaign_is_shown_and_an_unknown_one_is_not(service, inside):
    assert inside.get(f"/operator/campaigns/{service.campaign.id}").status == 200
    for name in ("0" * 64, "x"):
        assert inside.get(f"/operator/campaigns/{name}").status == 404


@pytest.mark.parametrize("token", ["", "x", ADMIN[:-1], ADMIN + "0", "é" * 40, token_of()])
def test_only_the_admin_token_opens_the_door(service, token):
    visitor = Visitor(service)
    reply = visitor.enter(token)
    assert (reply.status, visitor.cookie) == (401, None)
    assert visitor.get().status == 401


def test_nobody_keeps_the_operator_out_by_trying_wrong_tokens(service):
    def attempt(token):
        body = urlencode({"token": token}).encode()
        return service.ask("POST", "/operator/enter", [("host", "localhost"), ("content-type", FORM)], body)

    async def at_once():
        return await asyncio.gather(*(attempt(f"guess {number}") for number in range(20)), attempt(ADMIN))

    statuses = [reply.status for reply in service.runner.run(at_once())]
    assert statuses == [401] * 20 + [303]


def test_a_cookie_is_for_this_browser_alone(service):
    fields = Visitor(service).enter().headers["set-cookie"].split("; ")
    assert {"HttpOnly", "SameSite=Strict", "Path=/operator", f"Max-Age={SESSION_SECONDS}"} <= set(fields)
    assert "Secure" not in fields  # of this machine
    elsewhere = Visitor(service, host="reports.example.org")
    assert "Secure" in elsewhere.enter().headers["set-cookie"].split("; ")


@pytest.mark.parametrize(("origin", "secure"), [("https://reports.example.org", True), ("http://localhost", False)])
def test_a_cookie_travels_by_tls_alone_also_behind_a_proxy_that_says_localhost(service, origin, secure):
    headers = [("origin", origin), ("sec-fetch-site", "same-origin")]
    reply = Visitor(service).post("/operator/enter", token=ADMIN, headers=headers)
    assert ("Secure" in reply.headers["set-cookie"].split("; ")) == secure


@pytest.mark.parametrize("place", ["[", "[x]", "a]b"])
def test_an_origin_or_host_that_is_none_is_another_site_and_no_trouble(service, place):
    reply = Visitor(service).post("/operator/enter", token=ADMIN, headers=[("origin", f"https://{place}")])
    assert reply.status == 403
    assert "Secure" in Visitor(service, host=place).enter().headers["set-cookie"].split("; ")


def test_a_session_ends_after_its_time_however_much_it_is_used(service, inside):
    service.now += SESSION_SECONDS - 1
    assert inside.get().status == 200
    service.now += 1
    assert inside.get().status == 401


def test_a_session_ends_when_somebody_leaves(inside):
    form = inside.form("/operator", "/operator/leave")
    before = inside.cookie
    assert inside.post("/operator/leave", **form).status == 303
    inside.cookie = before
    assert inside.get().status == 401


def test_a_cookie_that_was_changed_by_one_letter_opens_nothing(inside):
    cookie = inside.cookie
    for place in range(len("privge-operator="), len(cookie)):
        inside.cookie = cookie[:place] + ("0" if cookie[place] != "0" else "1") + cookie[place + 1 :]
        assert inside.get().status == 401


@pytest.mark.parametrize(
    "cookie", ["", "=", "privge-operator", "privge-operator=", "privge-operator=...", "a=b; ;", "é"]
)
def test_a_cookie_of_nonsense_opens_nothing(service, cookie):
    visitor = Visitor(service)
    visitor.cookie = cookie
    assert visitor.get().status == 401


def test_another_admin_token_ends_every_session(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with opened(tmp_path / "a") as first, opened(tmp_path / "b", admin_token="another-" + "1" * 32) as second:
        visitor = Visitor(first)
        visitor.enter()
        visitor.service = second
        assert visitor.get().status == 401


def test_any_worker_recognises_a_session(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with opened(tmp_path / "a") as first, opened(tmp_path / "b") as second:
        visitor = Visitor(first)
        visitor.enter()
        visitor.service = second
        assert visitor.get().status == 200


def test_without_an_admin_token_there_is_no_room(tmp_path):
    with opened(tmp_path, admin_token=None) as service:
        visitor = Visitor(service)
        assert visitor.get().status == 404
        assert visitor.enter("").status == 404


def test_whoever_enters_may_give_a_name_for_the_trail(service):
    visitor = Visitor(service)
    assert visitor.enter(name="<b>").status == 400
    assert visitor.enter(name="Ada L.").status == 303
    path = f"/operator/campaigns/{service.campaign.id}"
    form = visitor.form(path, f"{path}/close")
    visitor.post(f"{path}/close", **form, confirm=service.campaign.id[:8])
    assert [act.by for act in service.store.log() if act.kind == "closed"] == ["Ada L. (operator)"]
    assert "Ada L. (operator)" in visitor.get("/operator/trail").body.decode()


@pytest.mark.parametrize("path", ["/operator", "/operator/nothing"])
def test_a_device_token_opens_no_page(service, path):
    reply = service.call("GET", path, token=token_of())
    assert reply.status in (401, 404)


def test_pages_of_the_room_run_no_script_and_are_kept_nowhere(inside):
    for path in PAGES:
        reply = inside.get(path)
        policy = reply.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "script-src" not in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert reply.headers["cache-control"] == "no-store"
        assert reply.headers["x-frame-options"] == "DENY"
        assert b"<script" not in reply.body
        assert b" style=" not in reply.body
        assert b"http://" not in reply.body
        assert b"https://" not in reply.body
