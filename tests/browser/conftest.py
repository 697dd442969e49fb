import os

import pytest

from browser.chromium import ROOT, require_browser
from collect.service.harness import ADMIN, running


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
