import ast
from dataclasses import FrozenInstanceError, dataclass
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import privge.cli
from privge import errors
from privge.cli import main
from privge.cli.declared import option, options_into
from privge.cli.options import Finite
from privge.propagation import DEFAULT_ALPHA, DEFAULT_R, DEFAULT_TOLERANCE

MODULES = sorted(Path(privge.cli.__file__).parent.glob("*.py"))


@dataclass(frozen=True, kw_only=True)
class Size:
    width: int = option("--width", type=int, default=3, show_default=True, help="How wide.")
    tall: bool = option("--tall", is_flag=True)


@dataclass(frozen=True, kw_only=True)
class Paint:
    colours: tuple[str, ...] = option("--colour", multiple=True)


@click.command()
@options_into(size=Size, paint=Paint)
@click.option("--loud", is_flag=True)
def draw(size, paint, *, loud):
    """Draw something."""
    with pytest.raises(FrozenInstanceError):
        size.width = 4
    click.echo(f"{size} {paint} {loud}")


def test_each_group_of_options_becomes_one_frozen_object():
    result = CliRunner().invoke(draw, ["--tall", "--colour", "red", "--colour", "blue", "--loud"])
    assert result.output == "Size(width=3, tall=True) Paint(colours=('red', 'blue')) True\n"
    assert CliRunner().invoke(draw, ["--width", "x"]).exit_code == 2


def test_options_are_shown_in_the_order_of_their_fields():
    text = CliRunner().invoke(draw, ["--help"]).output
    places = [text.index(name) for name in ("--width", "--tall", "--colour", "--loud")]
    assert places == sorted(places)
    assert "[default: 3]" in text


@pytest.mark.parametrize("word", ["nan", "inf", "-inf"])
def test_a_number_that_is_not_finite_is_in_no_range(word):
    with pytest.raises(click.BadParameter):
        Finite().convert(word, None, None)


def test_defaults_of_the_walk_are_those_of_the_library():
    text = " ".join(CliRunner().invoke(main, ["embed", "--help"]).output.split())
    for default in (DEFAULT_ALPHA, DEFAULT_R, DEFAULT_TOLERANCE):
        assert f"[default: {default};" in text


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_no_function_of_the_command_line_has_more_than_ten_parameters(path):
    text = path.read_text()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            assert len(node.args.args) + len(node.args.kwonlyargs) <= 10, node.name
    assert "fmt: skip" not in text


def test_exit_codes_are_those_of_the_errors():
    text = " ".join(CliRunner().invoke(main, ["--help"]).output.split())
    failure, wrong = errors.PrivgeError.exit_code, errors.BadData.exit_code
    assert f"Exit codes: 0 done, {failure} failure, 2 wrong usage, {wrong} bad data." in text
    drawn = [line for line in errors.__doc__.splitlines() if "exit code" in line]
    assert f"exit code {failure}" in drawn[0]
    assert f"exit code {wrong}" in drawn[1]
