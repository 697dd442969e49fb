"""A file format is named in one place, and every command that takes it says so."""

import pytest
from click.testing import CliRunner

from privge._files.formats import COLUMNAR, MATRICES, PLAIN, SEPARATED
from privge.cli import main
from privge.errors import BadData
from privge.graph import read_graph
from privge.perturbation import read_features


def helped(*command):
    return CliRunner().invoke(main, [*command, "--help"]).output


@pytest.mark.parametrize("ending", [*SEPARATED, *PLAIN, *COLUMNAR, *MATRICES])
def test_every_ending_is_in_the_help_and_in_the_message(ending, tmp_path):
    assert ending in helped("embed")
    path = tmp_path / "edges.unknown"
    path.write_text("source,target\na,b\n")
    for read in (read_graph, read_features):
        with pytest.raises(BadData, match=rf"the name must end in .*\{ending}\b"):
            read(path)


@pytest.mark.parametrize("command", ["perturb", "submit"])
def test_commands_that_take_features_name_the_endings_of_matrices(command):
    for ending in MATRICES:
        assert ending in helped(command)
