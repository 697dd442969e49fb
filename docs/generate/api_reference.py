"""One page for each public package: what it exports, in the words of its docstrings.

The code is read, not imported: the site can be built without torch or a database.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parent.parent.parent / "src"
_NOT_AN_API = ("cli",)  # the page of commands

_BESIDES = {
    "privge.campaign": ("privge.campaign.indices",),
    "privge.collect": ("privge.collect.snapshot", "privge.collect.plausibility"),
    "privge.device": ("privge.device.pace.Pace",),
    "privge.graph": ("privge.graph.readers",),
    "privge.perturbation": (
        "privge.perturbation.draw.report",
        "privge.perturbation.simulate.simulate",
        "privge.perturbation.simulate_parts.simulate_parts",
    ),
    "privge.tasks": ("privge.tasks.scaling",),
}
"""What callers use that a package does not export."""


def pages() -> dict[str, str]:
    """Return the Markdown of every page by its name, such as ``graph``."""
    return {name.removeprefix("privge."): _page(name) for name in public_modules()}


def public_modules() -> list[str]:
    """Return the public packages and modules directly below ``privge``."""
    folder = SOURCE / "privge"
    names = {path.stem for path in folder.glob("*.py")} | {path.parent.name for path in folder.glob("*/__init__.py")}
    return [f"privge.{name}" for name in sorted(names) if not name.startswith("_") and name not in _NOT_AN_API]


def exported(module: str) -> dict[str, str]:
    """Return where each name of a package's ``__all__`` is defined; the packages inside it follow."""
    tree, homes = _tree(module), {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            homes.update({name.asname or name.name: f"{node.module}.{name.name}" for name in node.names})
    found = {name: _defined(homes[name]) for name in _all(tree) if name in homes}
    for inner in sorted(_path(module).parent.glob("*/__init__.py")) if _is_package(module) else ():
        if not inner.parent.name.startswith("_"):
            found = {**exported(f"{module}.{inner.parent.name}"), **found}
    return found


def _page(module: str) -> str:
    return "\n\n".join([f"# `{module}`", *_shown(module)]) + "\n"


def _shown(module: str) -> Iterator[str]:
    if not _is_package(module):
        yield f"::: {module}"
        return
    yield ast.get_docstring(_tree(module)) or ""
    homes = exported(module).values() or _modules_of(module)
    yield from (f"::: {home}" for home in dict.fromkeys([*homes, *_BESIDES.get(module, ())]))


def _modules_of(package: str) -> list[str]:
    names = [path.stem for path in _path(package).parent.glob("*.py") if not path.stem.startswith("_")]
    return [f"{package}.{name}" for name in sorted(names)]


def _defined(dotted: str) -> str:
    """Follow a name through packages that export it again."""
    module, _, name = dotted.rpartition(".")
    return exported(module).get(name, dotted) if _is_package(module) else dotted


def _all(tree: ast.Module) -> list[str]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []


def _tree(module: str) -> ast.Module:
    return ast.parse(_path(module).read_text(encoding="utf-8"))


def _is_package(module: str) -> bool:
    return _path(module).name == "__init__.py"


def _path(module: str) -> Path:
    path = SOURCE.joinpath(*module.split("."))
    package = path / "__init__.py"
    return package if package.exists() else path.with_suffix(".py")
