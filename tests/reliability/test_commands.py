"""Erroneous commands end in documented ways; and the suite that says so finds those that do not."""

import re

import pytest
from click.testing import CliRunner

from privge.cli import main
from reliability.commands import Commands, Ended, Run, erroneous
from reliability.mutations import by_seed, mutate
from reliability.workshop import Workshop, commands


def test_erroneous_commands_end_with_documented_codes_and_say_nothing_private(tmp_path):
    ended = list(erroneous(tmp_path / "w", runs=24, seed=7))
    assert not [(each.fault, each.run, each.errors) for each in ended if each.fault]
    assert not [(each.run, each.errors) for each in ended if each.unforeseen]
    assert len({each.run.kind for each in ended}) > 5


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    return Workshop(tmp_path_factory.mktemp("workshop") / "good")


@pytest.mark.parametrize("part", range(6))
def test_files_that_are_almost_right_are_refused_by_name_or_read(workshop, tmp_path, monkeypatch, part):
    """In this process, which is faster than one for each file; what crashes a process is left to the test above."""
    good = [each for each in commands(workshop.campaign.id) if not each.asks and each.arguments[0] != "serve"]
    for number in range(20 * part, 20 * (part + 1)):
        chosen = by_seed(f"files {number}")
        command = chosen.choice(good)
        place = workshop.copy(tmp_path / str(number))
        mutate(chosen, place / chosen.choice(command.inputs))
        monkeypatch.chdir(place)
        result = CliRunner().invoke(main, list(command.arguments))
        assert result.exit_code in {0, 1, 2, 3}
        assert "unforeseen" not in result.stderr, (number, command.arguments, result.stderr)
        said = re.sub(r"zqz00", "", result.stderr)  # typed
        assert not any(secret in said for secret in workshop.secrets), (number, result.stderr)


def test_every_good_command_works_or_lacks_only_a_service(workshop, tmp_path, monkeypatch):
    for number, command in enumerate(commands(workshop.campaign.id)):
        if not command.asks and command.arguments[0] != "serve":
            monkeypatch.chdir(workshop.copy(tmp_path / str(number)))
            result = CliRunner().invoke(main, list(command.arguments))
            assert result.exit_code == 0, (command.arguments, result.output)


def test_every_command_is_among_the_good_ones_or_needs_no_file(workshop):
    used = {each.arguments[0] for each in commands(workshop.campaign.id)}
    assert set(main.list_commands(None)) - used == {
        "cluster",
        "datasets",
        "demo",
        "example",
        "law",
        "reproduce",
        "tune",
    }


@pytest.mark.parametrize(
    ("code", "errors", "leaked", "fault"),
    [
        (3, "Error: a.csv: no such file\n", (), ""),
        (134, "terminate called without an active exception\n", (), "exit code 134"),
        (-11, "", (), "exit code -11"),
        (1, "Traceback (most recent call last):\n", (), "a traceback"),
        (3, "Error: id 7\n", ("7",), "a private value"),
        (1, "Error: \x1b[2J\n", (), "a control character"),
    ],
)
def test_the_suite_finds_what_must_not_be(code, errors, leaked, fault):
    assert Ended(Run("kind", ()), code, errors, leaked).fault.startswith(fault)


def test_the_same_seed_makes_the_same_commands(tmp_path):
    one, other = Commands(tmp_path / "one", 3), Commands(tmp_path / "other", 3)
    made = [[each.made(number)[0] for number in range(50)] for each in (one, other)]
    kinds = [[(run.kind, run.spoiled) for run in runs] for runs in made]
    assert kinds[0] == kinds[1]
