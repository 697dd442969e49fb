"""The contribution page as the service sends it: texts, headers, files, translations."""

import html
import json
import re
import tomllib
from base64 import b64encode
from hashlib import sha256, sha384
from pathlib import Path

import pytest

from collect.service.harness import ADMIN, campaign_of
from pages.test_payloads import PAYLOADS
from pages.visitor import Seen, opened
from privge._files.translations import fields
from privge.campaign import Campaign
from privge.errors import BadData
from privge.pages.assets import assets
from privge.pages.contribution.page import MODULES, ContributionPage, english
from privge.questions import Encoding, Number, NumberFeature, Score

ASSETS = Path(__file__).parent.parent.parent / "src" / "privge" / "pages" / "assets"
BY_WORD = (  # said by the word of the service or of the client
    *(
        "unauthorized",
        "closed",
        "erased",
        "over_budget",
        "other_round",
        "not_asked",
        "different",
        "unavailable",
        "rate",
    ),
    *("too_many", "storage", "token", "budget", "random", "address", "second_draw", "features"),
    *("midpoint", "low", "high", "yes", "no"),
)
INTEGRITY = assets()["taught.js"].integrity
SCRIPTS = ("contribute.js", "door.js", "draw.js", "fields.js", "wire.js")


@pytest.fixture
def page(service):
    return service.call("GET", f"/c/{service.campaign.id}")


def test_the_page_lets_nothing_in_from_elsewhere(page):
    policy = dict(part.strip().split(" ", 1) for part in page.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == policy["form-action"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    for kind in ("script-src", "style-src", "img-src", "connect-src"):
        assert policy[kind] == "'self'"
    assert policy["require-trusted-types-for"] == "'script'"
    assert page.headers["referrer-policy"] == "no-referrer"
    assert page.headers["x-content-type-options"] == "nosniff"
    assert "set-cookie" not in page.headers
    text = page.body.decode()
    assert not re.search(r'(src|href)="(https?:)?//', text)
    assert "<style" not in text
    assert " style=" not in text


def test_every_file_of_the_page_is_named_with_its_hash_and_is_there(service, page):
    seen = Seen(page.body.decode())
    links = {value for _, name, value in seen.attributes if name in ("src", "href") and value.startswith("/assets/")}
    assert links == {f"/assets/{name}" for name in ("contribute.js", "style.css", "icon.svg", *MODULES)}
    for link in links:
        reply = service.call("GET", link)
        assert reply.status == 200
        stated = f'"{link}" integrity="sha384-{b64encode(sha384(reply.body).digest()).decode()}"'
        assert link.endswith(".svg") or stated in page.body.decode()


def test_what_whole_profiles_need_is_named_with_its_hash_where_they_are_asked_and_nowhere_else(service, page):
    assert "/assets/taught.js" not in page.body.decode()
    named = NumberFeature('"kind":"model"', 0, 100)
    for question, needed in ((Number(named), False), (Score(Encoding((named,)), [[1]], low=-9, high=9), True)):
        campaign = Campaign(questions=[question], epsilon=1.0, k=1)
        assert service.add(campaign).status == 201
        reply = service.call("GET", f"/c/{campaign.id}")
        text = reply.body.decode()
        inline = re.findall(r"<script type=\"importmap\">(.*?)</script>", text)
        sources = [f"'sha256-{b64encode(sha256(each.encode()).digest()).decode()}'" for each in inline]
        assert "; script-src " + " ".join(["'self'", *sources]) + ";" in reply.headers["content-security-policy"]
        assert [json.loads(each) for each in inline] == [{"integrity": {"/assets/taught.js": INTEGRITY}}] * needed
        stated = f'"/assets/taught.js" integrity="{INTEGRITY}"'
        assert (stated in text) == needed


def test_every_module_that_a_script_imports_is_preloaded():
    imported = {name for script in SCRIPTS for name in re.findall(r"from '\./([\w.]+)'", (ASSETS / script).read_text())}
    assert imported == set(MODULES)


def test_a_file_that_the_browser_has_is_not_sent_again(service):
    reply = service.call("GET", "/assets/style.css")
    again = service.call("GET", "/assets/style.css", headers=[("if-none-match", reply.headers["etag"])])
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize("name", ["nothing.js", "..", "../page.py", "%2e%2e", "contribute.js/x", ""])
def test_only_files_of_the_pages_are_sent(service, name):
    assert service.call("GET", f"/assets/{name}").status == 404


def test_page_and_files_are_below_100_kilobytes(page):
    together = len(page.body) + sum(len(asset.content) for asset in assets().values())
    assert together < 100_000


def test_scripts_draw_nothing_themselves_and_never_set_markup():
    for script in SCRIPTS:
        text = (ASSETS / script).read_text()
        for word in ("Math.random", "getRandomValues", "innerHTML", "outerHTML", "insertAdjacent", "document.write",
                     "eval(", "new Function", "localStorage", "indexedDB", "document.cookie"):  # fmt: skip
            assert word not in text, script


def test_an_unknown_campaign_gets_a_page_without_a_script(service):
    for name in ("0" * 64, "x", "<script>"):
        reply = service.call("GET", f"/c/{name}")
        assert reply.status == 404
        assert b"There is no such campaign" in reply.body
        assert b"<script" not in reply.body


def test_a_closed_campaign_still_has_its_page(service):
    service.call("POST", f"/v1/campaigns/{service.campaign.id}/close", token=ADMIN)
    assert service.call("GET", f"/c/{service.campaign.id}").status == 200


@pytest.mark.parametrize("payload", PAYLOADS[:6])
def test_the_page_holds_no_text_of_the_campaign(tmp_path, payload):
    """Texts come with the document, which the client checks; the page itself is the same for every campaign."""
    with opened(tmp_path, campaign=campaign_of(purpose=payload)) as service:
        text = service.call("GET", f"/c/{service.campaign.id}").body.decode()
    assert payload not in text
    assert html.escape(payload) not in text
    assert Seen(text).tags.count("script") == 1


def test_the_scripts_have_every_text_that_they_use(page):
    given = next(value for _, name, value in Seen(page.body.decode()).attributes if name == "data-texts")
    texts = json.loads(given)
    assert texts == {name: english()[name] for name in texts}
    for script in SCRIPTS:
        for section, name in re.findall(r"texts\.(\w+)\.(\w+)\b", (ASSETS / script).read_text()):
            assert section in texts, f"{script}: {section}"
            assert name in texts[section], f"{script}: {section}.{name}"


def test_every_text_is_used():
    template = (ASSETS.parent / "templates" / "contribution.html").read_text()
    used = template + "".join((ASSETS / script).read_text() for script in SCRIPTS)
    used += " ".join(BY_WORD)
    for section, texts in english().items():
        for name in texts if isinstance(texts, dict) else (section,):
            assert re.search(rf"\b{name}\b", used), f"{section}.{name}"


def translated(change=len):
    texts = {name: dict(value) if isinstance(value, dict) else value for name, value in english().items()}
    change(texts)
    lines = [f"{name} = {json.dumps(value)}" for name, value in texts.items() if isinstance(value, str)]
    for section, values in texts.items():
        if isinstance(values, dict):
            lines += [f"[{section}]", *(f"{name} = {json.dumps(value)}" for name, value in values.items())]
    return "\n".join(lines)


def test_a_translation_replaces_every_text(tmp_path):
    def change(texts):
        texts["language"] = "de"
        texts["act"]["button"] = "Einmal ziehen und senden"

    file = tmp_path / "deutsch.toml"
    file.write_text(translated(change), encoding="utf-8")
    with opened(tmp_path, strings=file) as service:
        text = service.call("GET", f"/c/{service.campaign.id}").body.decode()
    assert '<html lang="de"' in text
    assert "Einmal ziehen und senden" in text
    assert "Draw once and send" not in text


def test_no_text_of_a_translation_leaves_its_attribute(tmp_path):
    hostile = """' onclick='x' "><b>&amp;&#39;</b>"""
    file = tmp_path / "deutsch.toml"
    file.write_text(translated(lambda texts: texts["trouble"].update(other=hostile)), encoding="utf-8")
    with opened(tmp_path, strings=file) as service:
        seen = Seen(service.call("GET", f"/c/{service.campaign.id}").body.decode())
    given = next(value for _, name, value in seen.attributes if name == "data-texts")
    assert json.loads(given)["trouble"]["other"] == hostile
    assert "b" not in seen.tags
    assert not [name for _, name, _ in seen.attributes if name == "onclick"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda texts: texts["act"].pop("button"), "act.button is missing"),
        (lambda texts: texts["spent"].update(sentence="{sum}"), "{sum}"),
        (lambda texts: texts["spent"].update(sentence="{spent"), "brace"),
    ],
)
def test_a_translation_with_a_hole_is_refused(tmp_path, change, told):
    file = tmp_path / "deutsch.toml"
    file.write_text(translated(change), encoding="utf-8")
    with pytest.raises(BadData, match=re.escape(told)):
        ContributionPage(file)


def test_what_stands_in_braces_is_what_the_script_fills_in():
    script = (
        (ASSETS / "contribute.js").read_text() + (ASSETS / "fields.js").read_text() + (ASSETS / "wire.js").read_text()
    )
    for section, texts in english().items():
        for name, text in texts.items() if isinstance(texts, dict) else ():
            for field in fields(text):
                assert re.search(rf"\b{field}\b", script), f"{section}.{name}: {field}"


def test_english_is_a_file_that_can_be_translated_as_it_is(tmp_path):
    copy = tmp_path / "copy.toml"
    copy.write_text(translated(), encoding="utf-8")
    assert tomllib.loads(copy.read_text(encoding="utf-8")) == english()
    ContributionPage(copy)
