"""The shape of the package: rooms instead of a corridor. What a reader relies on is counted here."""

import ast
import statistics
from pathlib import Path

import pytest

import privge

PACKAGE = Path(privge.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
INITS = [file for file in FILES if file.name == "__init__.py"]


def name(file):
    return str(file.relative_to(PACKAGE))


def test_the_root_has_few_modules():
    assert len(list(PACKAGE.glob("*.py"))) <= 10


@pytest.mark.parametrize("file", INITS, ids=name)
def test_an_init_only_re_exports(file):
    """Imports, ``__all__`` and the lazy table; nothing is defined where nobody looks for it."""
    allowed = (ast.Import, ast.ImportFrom, ast.If, ast.Assign, ast.Expr)
    tree = ast.parse(file.read_text())
    assert all(isinstance(node, allowed) for node in tree.body)
    assigned = [ast.unparse(node.targets[0]) for node in tree.body if isinstance(node, ast.Assign)]
    assert set(assigned) <= {"__all__", "(__getattr__, __dir__)"}


def test_the_formatter_is_hardly_ever_overruled():
    assert sum(file.read_text().count("# fmt: skip") for file in FILES) <= 10


@pytest.mark.parametrize("file", [file for file in FILES if "_kernels" not in name(file)], ids=name)
def test_no_signature_is_long(file):
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            given = [argument.arg for argument in arguments if argument.arg not in ("self", "cls")]
            assert len(given) <= 10, f"{node.name} in line {node.lineno} has {len(given)} parameters"


def test_files_are_short():
    assert statistics.median(len(file.read_text().splitlines()) for file in FILES) <= 120
