"""The reference pages state the defaults and types that the code has.

The pages are made from docstrings and signatures: of parameters that are documented together, all are shown with the
default and the type of the first. So only those that have both in common may share a description.
"""

import ast
import inspect
import re
import textwrap
from importlib import import_module
from itertools import pairwise

import api_reference
import pytest

from privge import Campaign

STATED = re.compile(
    r"``?([\w.'-]+)``? \(the default\)|by default (?:``([\w.'-]+)``|(\d[\d,.]*\d|\d))|(\d[\d,.]*) by default",
    re.IGNORECASE,
)


def resolve(dotted):
    """Return what a reference page names: a module, or something in one."""
    names = dotted.split(".")
    for end in range(len(names), 0, -1):
        try:
            found = import_module(".".join(names[:end]))
        except ModuleNotFoundError:
            continue
        for name in names[end:]:
            found = getattr(found, name)
        return found
    raise LookupError(dotted)


def members(thing):
    """Yield everything with a docstring of its own that a page shows for a module, class or function."""
    if inspect.ismodule(thing):
        for name, member in vars(thing).items():
            if not name.startswith("_") and getattr(member, "__module__", None) == thing.__name__:
                yield from members(member)
    elif inspect.isclass(thing):
        yield thing, thing.__doc__
        for name, member in vars(thing).items():
            function = getattr(member, "__func__", member)  # of a class method
            if inspect.isfunction(function) and (name == "__init__" or not name.startswith("_")):
                yield function, function.__doc__
    elif inspect.isfunction(thing):
        yield thing, thing.__doc__


def documented(docstring):
    """Yield the names and the words of each entry of the section Parameters."""
    lines = [*inspect.cleandoc(docstring or "").splitlines(), ""]
    if "Parameters" not in lines:
        return
    entry = None
    for line, following in zip(
        lines[lines.index("Parameters") + 2 :], [*lines[lines.index("Parameters") + 3 :], ""], strict=True
    ):
        if following.startswith("---"):
            break
        if line and not line.startswith(" "):
            if entry:
                yield entry[0], " ".join(entry[1])
            entry = (line.split(", "), [])
        elif entry:
            entry[1].append(line.strip())
    if entry:
        yield entry[0], " ".join(entry[1])


def described_below(thing):
    """Yield the arguments of a class that are described by a docstring of their own, below each."""
    if inspect.isclass(thing):
        body = ast.parse(textwrap.dedent(inspect.getsource(thing))).body[0].body
        for field, below in pairwise(body):
            described = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
            if (
                described
                and isinstance(field, ast.AnnAssign)
                and field.target.id in inspect.signature(thing).parameters
            ):
                yield [field.target.id], " ".join(below.value.value.split())


def entries():
    shown = [
        line[4:].strip()
        for page in api_reference.pages().values()
        for line in page.splitlines()
        if line.startswith("::: ")
    ]
    for dotted in shown:
        for thing, docstring in members(resolve(dotted)):
            for names, words in (*documented(docstring), *described_below(thing)):
                yield thing, names, words


ENTRIES = list(entries())


def described(thing, name):
    parameter = inspect.signature(thing).parameters[name]
    return repr(parameter.default), str(parameter.annotation)


def test_the_pages_are_read():
    found = {(thing.__qualname__, name) for thing, names, _ in ENTRIES for name in names}
    assert {("PrivGE", "low"), ("Head", "layers"), ("Campaign", "epsilon"), ("embed", "r")} <= found
    assert len(found) > 200


OWED = {
    ("Archive", "size"),
    ("Cell", "epsilon"),
    ("Cell", "task"),
    ("DataFile", "size"),
    ("Description", "low"),
    ("Limits", "rate"),
    ("controls", "task"),
    ("least_false", "law"),
    ("run_all", "cells"),
    ("social_network", "people"),
    ("take_snapshot", "store"),
    ("tune", "graph"),
}
"""Entries of pages that are new, still to be split."""


def together():
    for thing, names, _ in ENTRIES:
        if len(names) > 1:
            owed = (thing.__qualname__, names[0]) in OWED
            yield pytest.param(thing, names, marks=[pytest.mark.xfail(reason="to be split")] if owed else [])


def test_every_field_of_a_campaign_is_described():
    described = {name for thing, names, _ in ENTRIES for name in names if thing is Campaign}
    assert described == set(inspect.signature(Campaign).parameters)


@pytest.mark.parametrize(
    ("thing", "names"), list(together()), ids=lambda value: getattr(value, "__qualname__", None) or "-".join(value)
)
def test_parameters_are_documented_together_only_if_alike(thing, names):
    assert len({described(thing, name) for name in names}) == 1


def test_every_documented_parameter_is_there():
    absent = [
        f"{thing.__qualname__}: {name}"
        for thing, names, _ in ENTRIES
        for name in names
        if name not in inspect.signature(thing).parameters
    ]
    assert absent == []


def test_defaults_in_words_are_those_of_the_signature():
    wrong = []
    for thing, names, words in ENTRIES:
        stated = [next(filter(None, match.groups())).replace(",", "").strip("'.") for match in STATED.finditer(words)]
        default = inspect.signature(thing).parameters[names[0]].default
        # None says that something else decides, and the words say what.
        wrong += [
            f"{thing.__qualname__}: {names[0]}" for value in stated if default is not None and value != str(default)
        ]
    assert wrong == []
