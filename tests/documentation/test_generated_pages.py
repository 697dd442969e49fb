"""The pages that are made from the code hold all of it."""

import json

import api_reference
import click
import command_reference
import http_reference
import pytest

from privge.cli import main
from privge.collect.service.openapi import document


def commands(command=main, path=("privge",)):
    yield " ".join(path), command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from commands(command.get_command(context, name), (*path, name))


@pytest.mark.parametrize(
    ("path", "command"), list(commands()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_every_command_and_option_is_on_the_page(path, command):
    page = command_reference.page()
    heading = f"# `{path}`\n"
    assert heading in page
    section = page[page.index(heading) + len(heading) :].split("\n#", 1)[0]
    for parameter in command.params:
        for option in parameter.opts if isinstance(parameter, click.Option) else ():
            assert option in section
        if getattr(parameter, "help", None):
            assert parameter.help.split("\n")[0].split("  ")[0].replace("|", r"\|")[:40] in section


def test_a_table_cell_holds_no_bare_bar():
    for line in command_reference.page().splitlines():
        if line.startswith("| `"):
            assert line.replace(r"\|", "").count("|") == 3


def test_every_operation_and_type_of_the_service_is_on_the_page():
    page, content = http_reference.page(), json.loads(document())
    for path, methods in content["paths"].items():
        for method, operation in methods.items():
            assert f"## `{method.upper()} {path}`\n\n{operation['summary']}\n" in page
    for name in content["components"]["schemas"]:
        assert f"### {name}\n" in page


def test_every_public_package_has_a_page_with_all_that_it_exports():
    from importlib import import_module

    pages = api_reference.pages()
    for module in api_reference.public_modules():
        page = pages[module.removeprefix("privge.")]
        assert "\n::: privge." in page
        for name in (
            getattr(import_module(module), "__all__", ()) if "__init__" in import_module(module).__file__ else ()
        ):
            assert f".{name}\n" in page, f"{module}.{name}"


def test_what_the_package_itself_exports_is_on_some_page():
    import privge

    every = "".join(api_reference.pages().values())
    assert [name for name in privge.__all__ if not name.startswith("_") and f".{name}\n" not in every] == [
        "PrivgeError"
    ]
    assert "::: privge.errors\n" in every
