import pytest

from collect.service.harness import InProcess, running


@pytest.fixture
def service(tmp_path):
    with InProcess(tmp_path) as service:
        yield service


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One real server for the tests of a file; nodes differ, so they do not meet."""
    options = ("--body-seconds", "1", "--head-seconds", "1", "--summary-seconds", "0.2")
    with running(tmp_path_factory.mktemp("server"), *options) as server:
        yield server
