"""Every engine of the package passes the contract."""

from privge.propagation import ENGINES, Chebyshev, Exact, Push, Sor
from privge.testing import EngineContract


class TestSor(EngineContract):
    engine = Sor()


class TestSorWithAGentleBeginning(EngineContract):
    engine = Sor(gentle=True)


class TestChebyshev(EngineContract):
    engine = Chebyshev()


class TestExact(EngineContract):
    engine = Exact()


class TestPush(EngineContract):
    engine = Push()
    columns = 6
    tolerance = 1e-3


def test_every_engine_is_tested():
    tested = {contract.engine.name for contract in EngineContract.__subclasses__()}
    assert ENGINES.keys() <= tested
