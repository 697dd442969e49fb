"""Every engine by name."""

from privge.propagation.chebyshev import Chebyshev
from privge.propagation.exact import Exact
from privge.propagation.problem import Engine
from privge.propagation.push import Push
from privge.propagation.sor import Sor

ENGINES: dict[str, Engine] = {engine.name: engine for engine in (Sor(), Push(), Chebyshev(), Exact())}
"""Every engine by the name that the command line uses."""
