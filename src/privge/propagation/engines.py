"""Every engine by name."""

from privge.propagation.chebyshev import Chebyshev
from privge.propagation.exact import Exact
from privge.propagation.problem import Engine
from privge.propagation.push import Push
from privge.propagation.sor import Sor

ENGINES: dict[str, Engine] = {engine.name: engine for engine in (Sor(), Push(), Chebyshev(), Exact())}
"""Every engine by the name that the command line uses."""


def engine_of(engine: str | Engine) -> Engine:
    """Return the engine of a name, or the engine itself."""
    if not isinstance(engine, str):
        return engine
    if engine not in ENGINES:
        raise ValueError(f"engine must be one of {', '.join(ENGINES)}, got {engine!r}")
    return ENGINES[engine]
