import os

import pytest

from browser.asked import VALUES, people, purposes
from browser.chromium import ROOT, player, require_browser
from collect.service.harness import ADMIN, campaign_of, running, token_of
from privge.collect.stores import open_store


@pytest.fixture(scope="session")
def served(tmp_path_factory):
    """A real service with its pages, for all tests in a browser; people and campaigns differ, so they do not meet."""
    require_browser()
    folder = tmp_path_factory.mktemp("served")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    options = ("--rate", "1000", "--burst", "1000", "--lifetime-epsilon", "2.5")
    with running(folder, *options, environment=environment) as server:
        server.url, server.folder, server.admin = f"http://{server.host}:{server.port}", folder, ADMIN
        yield server
        player.close()


@pytest.fixture
def asked(served):
    """A new campaign, somebody who is asked, and the store."""
    campaign = campaign_of(purpose=next(purposes), names=[f"topic {i}" for i in range(20)], k=3, high=10)
    assert served.add(campaign).status == 201
    node = next(people)
    store = open_store(str(served.folder / "reports.db"), create=False)
    yield {"url": served.url, "campaign": campaign.id, "token": token_of(node), "values": VALUES}, node, store
    store.close()
