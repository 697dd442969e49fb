"""The reference pages state the defaults and types that the code has.

The pages are made from docstrings and signatures. Parameters that are described together are split before, so that each
is shown with its own default and type.
"""

import ast
import inspect
import re
import textwrap
from functools import cache
from importlib import import_module
from itertools import pairwise

import api_reference
from parameter_entries import split

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


@cache
def entries():
    return list(_entries())


def _entries():
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


def test_the_pages_are_read():
    found = {(thing.__qualname__, name) for thing, names, _ in entries() for name in names}
    assert {("PrivGE", "low"), ("Head", "layers"), ("Campaign", "epsilon"), ("embed", "r")} <= found
    assert len(found) > 200


def test_every_field_of_a_campaign_is_described():
    described = {name for thing, names, _ in entries() for name in names if thing is Campaign}
    assert described == set(inspect.signature(Campaign).parameters)


def test_parameters_that_are_described_together_get_an_entry_each():
    docstring = """Do it.

    Parameters
    ----------
    size
        How large.
    low, high
        Public bounds,
        of every feature.
    x, y, z
        The rest.

    Returns
    -------
    a, b
        Stays as it is.
    """
    entries = list(documented(split(docstring)))
    bounds = "Public bounds, of every feature."
    assert entries[:3] == [(["size"], "How large."), (["low"], bounds), (["high"], bounds)]
    assert [names for names, _ in entries[3:]] == [["x"], ["y"], ["z"]]
    assert "    a, b\n        Stays as it is." in split(docstring)


def test_no_docstring_of_a_page_shares_an_entry_after_that():
    shared = [
        names for thing, _, _ in entries() for names, _ in documented(split(thing.__doc__ or "")) if len(names) > 1
    ]
    assert shared == []
    assert any(len(names) > 1 for _, names, _ in entries())  # there is something to split


def test_every_documented_parameter_is_there():
    absent = [
        f"{thing.__qualname__}: {name}"
        for thing, names, _ in entries()
        for name in names
        if name not in inspect.signature(thing).parameters
    ]
    assert absent == []


def test_defaults_in_words_are_those_of_the_signature():
    wrong = []
    for thing, names, words in entries():
        stated = [next(filter(None, match.groups())).replace(",", "").strip("'.") for match in STATED.finditer(words)]
        default = inspect.signature(thing).parameters[names[0]].default
        # None says that something else decides, and the words say what.
        wrong += [
            f"{thing.__qualname__}: {names[0]}" for value in stated if default is not None and value != str(default)
        ]
    assert wrong == []
