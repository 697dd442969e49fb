"""Names that are imported when they are first used, and packages that only some installs have."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType

from privge.errors import MissingExtra

EXTRAS: Mapping[str, str] = MappingProxyType(
    {
        "torch": "train",
        "sklearn": "train",
        "threadpoolctl": "train",
        "optuna": "train",
        "faiss": "index",
        "starlette": "serve",
        "msgspec": "serve",
        "granian": "serve",
        "prometheus_client": "serve",
        "uvloop": "serve",
        "psycopg": "serve",
        "psycopg_pool": "serve",
        "matplotlib": "plot",
        "jinja2": "plot",
        "igraph": "communities",
        "dask": "cluster",
        "distributed": "cluster",
        "tornado": "cluster",
        "fsspec": "cluster",
        "pytest": "test",
        "hypothesis": "test",
    }
)
"""The extra of privge that brings a module."""

ALONE = frozenset({"networkx", "pandas", "torch_geometric"})
"""Modules to convert to and from, which nothing here works with: whoever asks for them has them, or installs them."""


def lazy(
    package: str, modules: Mapping[str, Sequence[str]], *, what: str | None = None
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package whose names are imported when they are first used.

    Parameters
    ----------
    package
        Its ``__name__``.
    modules
        The names that each module defines. A name must not be that of a module of the package: whoever imports the
        module would replace the name by it.
    what
        What a package that is not installed is needed for; see `needed`. By default its `ImportError` is passed on.
    """
    homes = {name: module for module, names in modules.items() for name in names}

    def __getattr__(name: str) -> object:  # noqa: N807 (what Python calls)
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        with needed(what) if what else nullcontext():
            value: object = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def __dir__() -> list[str]:  # noqa: N807 (what Python calls)
        return sorted({*vars(sys.modules[package]), *homes})

    return __getattr__, __dir__


def missing_extra(error: ModuleNotFoundError, what: str, extra: str | None = None) -> MissingExtra | None:
    """Return what to say of a module that is not installed; None if it is none of ours."""
    module = (error.name or "").partition(".")[0]
    if module in EXTRAS:
        return MissingExtra(
            f"{what} needs {module}, which is not installed: pip install 'privge[{extra or EXTRAS[module]}]'"
        )
    if module in ALONE:
        return MissingExtra(f"{what} needs {module}, which is not installed: pip install {module}")
    return None


def require(what: str, *modules: str, extra: str | None = None) -> None:
    """Refuse work, before it begins, for which modules are not installed; see `needed`."""
    with needed(what, extra):
        for module in modules:
            if find_spec(module) is None:
                raise ModuleNotFoundError(f"No module named {module!r}", name=module)


@contextmanager
def needed(what: str, extra: str | None = None) -> Iterator[None]:
    """Say of a module that is imported here and not installed how to install it.

    Parameters
    ----------
    what
        What the module is needed for, as the beginning of a sentence.
    extra
        The extra to install, if it is another than the module's own.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        missing = missing_extra(error, what, extra)
        if missing is None:
            raise
        raise missing from error
