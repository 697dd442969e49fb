import pytest

from device.fake_service import serving
from privge import Campaign


@pytest.fixture
def service():
    with serving() as service:
        yield service


@pytest.fixture
def campaign():
    return Campaign(dimensions=6, low=0, high=1, mechanism="hds", epsilon=1.0, k=3, levels=33)
