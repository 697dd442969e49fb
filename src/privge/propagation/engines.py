"""Every engine by its name: those of this package, and those that other packages bring."""

from functools import cache
from typing import Any

from privge._imports.plugins import Plugins
from privge.propagation.chebyshev import Chebyshev
from privge.propagation.exact import Exact
from privge.propagation.problem import Engine
from privge.propagation.push import Push
from privge.propagation.sor import Sor

ENGINES: dict[str, Engine] = {engine.name: engine for engine in (Sor(), Push(), Chebyshev(), Exact())}
"""The engines of this package by the name that the command line uses."""


@cache
def engines() -> Plugins[Engine]:
    """Return every engine by its name: `ENGINES`, and those that other packages bring as ``privge.engines``."""
    return Plugins("engines", ENGINES, _accepted)


def engine_of(engine: str | Engine) -> Engine:
    """Return the engine of a name, or the engine itself."""
    if not isinstance(engine, str):
        return engine
    if engine not in engines():
        raise ValueError(f"engine must be one of {', '.join(engines())}, got {engine!r}")
    return engines()[engine]


def _accepted(name: str, member: object) -> Engine:
    engine: Any = member() if isinstance(member, type) else member
    if not callable(getattr(engine, "solve", None)):
        raise ValueError("it has no method solve, as privge.propagation.Engine says")
    if getattr(engine, "name", None) != name:
        raise ValueError(f"it calls itself {getattr(engine, 'name', None)!r}")
    made: Engine = engine
    return made
