"""The page of commands: every command, argument and option, as click knows them."""

import re
from collections.abc import Iterator
from inspect import cleandoc

import click

from privge.cli import main


def page() -> str:
    """Return the reference of all commands as Markdown."""
    head = (
        "# Commands\n\nWhat `--help` says, for every command. This page is made from the code when the site is built.\n"
    )
    return "\n".join([head, *_sections(main, click.Context(main, info_name="privge"), level=2)])


def _sections(command: click.Command, context: click.Context, level: int) -> Iterator[str]:
    yield f"{'#' * level} `{context.command_path}`\n"
    yield f"```text\n{' '.join([context.command_path, *command.collect_usage_pieces(context)])}\n```\n"
    yield _prose(command.help or "")
    yield from _parameters(command, context)
    yield _prose(command.epilog or "")
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None and not inner.hidden:
                yield from _sections(inner, click.Context(inner, parent=context, info_name=name), level + 1)


def _parameters(command: click.Command, context: click.Context) -> Iterator[str]:
    """Yield a table of the options, by the records that ``--help`` shows."""
    shown = [one for one in command.get_params(context) if one.name != "help"]  # every command has it
    records = [parameter.get_help_record(context) for parameter in shown]
    rows = [f"| `{_cell(name)}` | {_plain(_cell(text))} |" for name, text in filter(None, records)]
    if rows:
        yield "\n".join(["| option | meaning |", "|---|---|", *rows, ""])


def _prose(text: str) -> str:
    r"""Return a help text as Markdown; what follows ``\b`` is shown as it stands."""
    paragraphs = re.split(r"\n\s*\n", cleandoc(text)) if text else []
    return "\n".join(_paragraph(paragraph) for paragraph in paragraphs)


def _paragraph(paragraph: str) -> str:
    if paragraph.startswith("\b"):
        verbatim = paragraph.removeprefix("\b").strip("\n")
        return f"```text\n{verbatim}\n```\n"
    return _plain(paragraph.replace("\n", " ")) + "\n"


def _plain(text: str) -> str:
    """Return text in which nothing is taken for a link or a tag."""
    return text.replace("<", "&lt;").replace("[", r"\[")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")
