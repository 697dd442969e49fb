import pytest

from pages.visitor import Visitor, opened


@pytest.fixture
def service(tmp_path):
    with opened(tmp_path) as service:
        yield service


@pytest.fixture
def inside(service):
    """Somebody who showed the admin token."""
    visitor = Visitor(service)
    visitor.enter()
    return visitor
