"""Every page in a real browser: no serious finding of axe-core, as wide as a phone, and no text of others runs."""

import pytest

from browser.asked import purposes
from browser.chromium import play
from browser.world import furnished
from collect.service.harness import ADMIN, campaign_of, token_of
from pages.test_payloads import PAYLOADS
from privge.collect.stores import open_store

SEVERE = ("serious", "critical")


@pytest.fixture(scope="module")
def world(tmp_path_factory, served):
    """A service in the middle of its life; `served` says whether there is a browser."""
    assert served
    with furnished(tmp_path_factory.mktemp("world")) as given:
        yield given


def test_no_page_has_a_serious_finding_of_axe_and_all_fit_a_phone(world):
    seen = play("accessible", **world)
    assert len(seen["pages"]) == 22
    assert [each for each in seen["found"] if each["impact"] in SEVERE] == []
    assert seen["wide"] == []
    expected = [each for each in seen["problems"] if "404" in each or "401" in each]  # asked for on purpose
    assert seen["problems"] == expected


def test_no_text_of_a_campaign_runs_in_a_browser(served):
    campaigns = []
    for payload in PAYLOADS[::3]:
        text = payload.replace("alert(1)", "globalThis.pwned=1")
        campaign = campaign_of(purpose=text, names=[f"{text} {i}" for i in range(20)], k=3)
        assert served.add(campaign).status == 201
        campaigns.append(campaign.id)
    token = token_of("<img src=x onerror=globalThis.pwned=1>")
    seen = play("hostile", url=served.url, campaigns=campaigns, token=token, admin=ADMIN)
    assert set(seen["ran"]) == {None, 0}
    assert seen["dialogs"] == []
    assert seen["hosts"] == [served.url.removeprefix("http://")]
    assert [each for each in seen["problems"] if "401" not in each] == []


def test_a_campaign_goes_from_the_form_to_its_end(served):
    seen = play("life", url=served.url, admin=ADMIN, purpose=next(purposes))
    assert "73.1 %" in seen["forecast"]
    assert "published" in seen["published"]
    assert seen["trail"].index("closed") < seen["trail"].index("published")
    assert seen["cookies"] == []
    assert seen["scripts"] == 0
    assert [each for each in seen["problems"] if "401" not in each] == []
    store = open_store(str(served.folder / "reports.db"), create=False)
    assert not store.campaign(seen["campaign"]).open
    store.close()


def test_no_other_site_can_change_anything_for_somebody_who_is_inside(served):
    campaign = campaign_of(purpose=next(purposes))
    served.add(campaign)
    store = open_store(str(served.folder / "reports.db"), create=False)
    before = store.log()
    seen = play("attacked", url=served.url, admin=ADMIN, campaign=campaign.id)
    assert {each["status"] for each in seen["answers"]} <= {401, 403}
    assert {each["status"] for each in seen["answers"] if each["host"] == "127.0.0.1"} == {403}
    assert not seen["framed"]
    assert seen["stillInside"]
    assert store.log() == before
    assert store.campaign(campaign.id).open
    store.close()
