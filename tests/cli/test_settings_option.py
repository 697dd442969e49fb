"""``privge tune -o settings.toml`` and ``--settings`` of `privge embed`: what was tuned is what is used."""

import json

import pytest
from click.testing import CliRunner

from privge.cli import main
from privge.embedding.embedding import Embedding
from privge.tasks.settings import Settings, read_settings, write_settings

FOUND = Settings(alpha=0.37, r=0.2, tolerance=1e-3)


def run(*arguments):
    return CliRunner().invoke(main, [str(a) for a in arguments])


@pytest.fixture
def files(tmp_path):
    (tmp_path / "edges.csv").write_text("source,target\na,b\nb,c\n")
    (tmp_path / "features.csv").write_text("id,x\na,0\nb,1\nc,1\n")
    write_settings(tmp_path / "settings.toml", "nodes", FOUND)
    return tmp_path


def attempt(files, *options):
    files_of_it = ("--graph", files / "edges.csv", "--features", files / "features.csv", "-o", files / "z.npy")
    return run("embed", *files_of_it, "--epsilon", 1, "--settings", files / "settings.toml", *options)


def embed(files, *options):
    result = attempt(files, *options)
    assert result.exit_code == 0, result.output
    return Embedding.load(files / "z.npy").provenance.run.walk


def test_an_embedding_has_the_walk_of_the_settings(files):
    made = embed(files)
    assert (made.alpha, made.r, made.tolerance) == (FOUND.alpha, FOUND.r, FOUND.tolerance)


def test_what_stands_on_the_command_line_comes_first(files):
    made = embed(files, "--alpha", 0.5)
    assert (made.alpha, made.r) == (0.5, FOUND.r)


def test_of_two_tasks_one_must_be_named(files):
    write_settings(files / "settings.toml", "links", Settings(alpha=0.6))
    result = attempt(files)
    assert result.exit_code == 2
    assert "say whose with --settings-for" in result.output
    assert embed(files, "--settings-for", "links").alpha == 0.6


def test_settings_have_no_effect_beside_a_smoother_and_say_so(files):
    result = attempt(files, "--smoother", "auto")
    assert result.exit_code == 2
    assert "--settings has no effect with --smoother" in result.output


def test_tuned_settings_are_written_and_read(tmp_path):
    path = tmp_path / "settings.toml"
    result = run("tune", "nodes", "--dataset", "synthetic", "--trials", 1, "-o", path, "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout.splitlines()[-1])
    assert read_settings(path, "nodes").to_dict() == told["settings"]
    assert f"validation = {told['validation']}" in path.read_text()


def test_a_file_of_something_else_is_refused_before_the_search(tmp_path):
    (tmp_path / "x.toml").write_text("a = 1\n")
    result = run("tune", "nodes", "--dataset", "synthetic", "--trials", 1000, "-o", tmp_path / "x.toml")
    assert result.exit_code == 3
    assert "x.toml: settings are tables called nodes and links, this has 'a'" in result.output
