"""One PostgreSQL server for all tests of the collection."""

import pytest

from collect.stores.postgres_server import server_or_skip


@pytest.fixture(scope="session")
def postgres_server():
    server = server_or_skip()
    server.start()
    yield server
    server.remove()


@pytest.fixture
def postgres_url(postgres_server):
    """Address of an empty database."""
    return postgres_server.empty()
