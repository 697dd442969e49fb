"""Packages that only some installs have, and the command that installs them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from types import MappingProxyType

from privge.errors import MissingExtra

EXTRAS: Mapping[str, str] = MappingProxyType(
    {
        "torch": "train",
        "sklearn": "train",
        "optuna": "train",
        "starlette": "serve",
        "msgspec": "serve",
        "granian": "serve",
        "uvloop": "serve",
        "psycopg": "serve",
        "psycopg_pool": "serve",
        "matplotlib": "plot",
        "jinja2": "plot",
        "dask": "cluster",
        "distributed": "cluster",
        "tornado": "cluster",
        "duckdb": "cluster",
        "fsspec": "cluster",
    }
)
"""The extra of privge that brings a module."""

ALONE = frozenset({"networkx", "pandas"})
"""Modules to convert to and from, which nothing here works with: whoever asks for them has them, or installs them."""


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
