import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from privge import __version__
from privge.cli import main
from privge.testing.table import Table, assert_private, assert_rows_are_distributions, moments, worst_ratio


def run(*arguments):
    return CliRunner().invoke(main, [str(a) for a in arguments])


def law_json(*arguments):
    result = run("law", *arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


@pytest.mark.parametrize("mechanism", ["hds", "piecewise", "multibit", "laplace"])
@pytest.mark.parametrize(("epsilon", "k"), [(1, 5), (0.01, 3), (20, 1), (1e-9, 1), (700, 2)])
def test_the_printed_law_can_be_checked_by_anyone(mechanism, epsilon, k):
    document = law_json("--mechanism", mechanism, "--epsilon", epsilon, "--k", k, "--levels", 33)
    table = Table(np.array(document["weights"]), [Fraction(value) for value in document["values"]])
    assert len(document["weights"]) == document["levels"] == 33
    assert len(document["values"]) == document["outputs"] == len(document["weights"][0])
    assert_rows_are_distributions(table, document["total"])
    assert_private(table, Fraction(float(epsilon)), uses=k)
    assert Fraction(document["worst_ratio"]) == worst_ratio(table)
    assert float(moments(table, 32)[0]) == pytest.approx(document["gain"], rel=1e-9)
    assert document["realised_epsilon"] <= epsilon / k
    assert document["realised_epsilon_composed"] <= epsilon


@pytest.mark.parametrize(("mechanism", "expected"), [("none", None), ("structure", 0)])
def test_controls_are_printed_as_valid_json(mechanism, expected):
    document = law_json("--mechanism", mechanism)
    assert document["realised_epsilon"] == expected
    assert (document["worst_ratio"] is None) == (mechanism == "none")


@pytest.mark.parametrize("mechanism", ["hds", "piecewise", "multibit", "laplace"])
def test_the_chart_draws_two_inputs(mechanism):
    result = run("law", "--mechanism", mechanism, "--epsilon", 2, "--at", -0.5, 1, "--levels", 1025)
    assert result.exit_code == 0
    assert "-0.50" in result.output
    assert "+1.00" in result.output
    assert "█" in result.output
    assert max(map(len, result.output.splitlines())) <= 100


def test_the_chart_shows_true_chances():
    output = run("law", "--mechanism", "none", "--levels", 33).output
    assert output.count("1e+02%") == 2


def test_help_keeps_its_examples_apart():
    output = run("law", "--help").output
    assert "\b" not in output
    assert "\n    privge law --epsilon 1 --k 5\n" in output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--epsilon"),
        (("--epsilon", 0), "above 0"),
        (("--epsilon", "nan"), "above 0"),
        (("--epsilon", "inf"), "above 0"),
        (("--epsilon", 1, "--k", 0), "--k"),
        (("--epsilon", 1, "--levels", 1), "--levels"),
        (("--epsilon", 1, "--mechanism", "gauss"), "gauss"),
        (("--epsilon", 1, "--mechanism", "none"), "no epsilon to choose"),
        (("--epsilon", 1, "--at", 0, 2), "--at"),
        (("--epsilon", 1, "--at", "nan", 0), "--at"),
    ],
)
def test_wrong_usage_exits_with_2_and_says_what(arguments, message):
    result = run("law", *arguments)
    assert result.exit_code == 2
    assert message in result.output


@pytest.mark.parametrize("command", [["privge"], [sys.executable, "-m", "privge"]])
def test_both_ways_to_start_print_the_version(command):
    if command == ["privge"]:
        command = [str(Path(sys.executable).parent / "privge")]
    result = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert result.stdout == f"privge, version {__version__}\n"


def test_shell_completion_offers_the_commands():
    environment = {
        **os.environ,
        "_PRIVGE_COMPLETE": "bash_complete",
        "COMP_WORDS": "privge l",
        "COMP_CWORD": "1",
    }
    result = subprocess.run(
        [str(Path(sys.executable).parent / "privge")],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert "law" in result.stdout
