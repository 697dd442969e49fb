"""Every page in a real browser: no serious finding of axe-core, as wide as a phone, and no text of others runs."""

from datetime import date

import numpy as np
import pytest

import privge as pg
from browser.chromium import ROOT, play
from browser.test_contribution import people, purposes
from collect.service.harness import ADMIN, campaign_of, report_of, running, token_of
from pages.test_payloads import PAYLOADS
from privge.collect.stores import Upload, open_store
from privge.curator import embed_store
from privge.graph import write_graph

SEVERE = ("serious", "critical")


@pytest.fixture(scope="module")
def furnished(tmp_path_factory, served):
    """A service whose room has a graph, labels and an embedding; `served` says whether there is a browser."""
    assert served
    folder = tmp_path_factory.mktemp("furnished")
    (folder / "vectors").mkdir()
    rng = np.random.default_rng(0)
    names = [f"person-{number}" for number in range(120)]
    graph = pg.Graph.from_edges([(names[a], names[b]) for a, b in rng.integers(0, 120, (300, 2)) if a != b])
    write_graph(graph, folder / "edges.csv")
    (folder / "labels.csv").write_text("id,label\n" + "".join(f"{each},{i % 3}\n" for i, each in enumerate(names)))
    campaign = campaign_of(purpose="Which topics your group shares", names=[f"topic {i}" for i in range(20)], k=3)
    store = open_store(str(folder / "reports.db"))
    store.add_campaign(campaign)
    for day in range(1, 20):
        uploads = [Upload(each, report_of(campaign, day)) for each in names[4 * day : 4 * day + day % 4 + 1]]
        store.put(campaign.id, uploads, day=date(2027, 1, day))
    embed_store(store, graph).embedding.to_parquet(folder / "vectors" / "z.parquet")
    store.erase(names[4])
    store.close()
    import os

    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    options = ("--rate", "1000", "--burst", "1000", "--graph", "edges.csv", "--labels", "labels.csv",
               "--embeddings", "vectors")  # fmt: skip
    with running(folder, *options, environment=environment) as server:
        yield {
            "url": f"http://{server.host}:{server.port}",
            "campaign": campaign.id,
            "admin": ADMIN,
            "values": [0.25, 0.5, 0.75],
            "files": ["z.parquet"],
        }


def test_no_page_has_a_serious_finding_of_axe_and_all_fit_a_phone(furnished):
    tokens = {scheme: token_of(next(people)) for scheme in ("light", "dark")}
    seen = play("accessible", **furnished, tokens=tokens)
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


