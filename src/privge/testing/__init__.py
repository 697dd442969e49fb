"""What every mechanism, engine and store must pass, for those that other packages bring too.

Subclass a contract in a test module and say what it is about; pytest does the rest::

    class TestMine(LawContract):
        kind = MyLaw

Asserts say most if pytest rewrites them: put ``pytest.register_assert_rewrite("privge.testing")`` into ``conftest.py``.
"""

from typing import TYPE_CHECKING

from privge._imports import lazy

if TYPE_CHECKING:
    from privge.testing.engine_contract import EngineContract
    from privge.testing.law_contract import LawContract
    from privge.testing.store_contract import StoreContract

__all__ = ["EngineContract", "LawContract", "StoreContract"]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "privge.testing.engine_contract": ["EngineContract"],
        "privge.testing.law_contract": ["LawContract"],
        "privge.testing.store_contract": ["StoreContract"],
    },
    what="a contract of privge.testing",
)
