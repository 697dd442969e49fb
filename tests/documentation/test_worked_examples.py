"""What commands print is put under them when the site is built."""

from pathlib import Path

import pytest
import worked_examples

DOCS = Path(__file__).parent.parent.parent / "docs"


def test_output_stands_under_its_command_and_files_are_there():
    file = "```toml\n# a.toml\nx = 1\n```\n\n"
    page = f"{file}<!-- output -->\n```console\n$ cat a.toml\n$ echo two \\\n    words\n```\n\nEnd\n"
    shown = "```console\n$ cat a.toml\n# a.toml\nx = 1\n$ echo two \\\n    words\ntwo words\n```\n\nEnd\n"
    assert worked_examples.filled(page) == file + shown


def test_a_page_without_a_mark_stays_as_it_is():
    assert worked_examples.filled("```console\n$ false\n```\n") == "```console\n$ false\n```\n"


def test_a_command_that_fails_fails_the_build():
    with pytest.raises(RuntimeError, match="fails"):
        worked_examples.filled("<!-- output -->\n```console\n$ false\n```\n")


SHOWN = {
    "audit.md": (
        "a whole report: realised epsilon <= 0.999999999999515",
        "above epsilon = 0.98999999999999999",
        "exit code 1",
        "after 1 planned: 3 ",
        "asked again: income",
        "holds: every proof was made again",
    ),
    "plan.md": (
        "the prior is structure",
        "any report, at most",
        "a question taught by reports",
        "! The 500 people of the panel",
        "At ε = 1 with 12 features the reports would add",
        "or do not ask.",
    ),
    "explain.md": (
        "50 % → at most  73.1 %",
        "alice is asked: ",
        "90 days after the collection",
        "# Data protection impact",
    ),
}


@pytest.mark.parametrize("name", SHOWN)
def test_a_page_shows_what_its_commands_print_and_its_other_blocks_run(name, monkeypatch):
    """Its Python runs in between, in the same folder; all its commands are marked."""
    scope = {"__name__": name}

    def run(language, text, folder):
        assert language != "console", "a command whose output is not shown"
        if language == "python":
            monkeypatch.chdir(folder)
            exec(compile(text, name, "exec"), scope)

    page = worked_examples.filled((DOCS / name).read_text(encoding="utf-8"), run)
    monkeypatch.undo()
    assert scope.keys() > {"__name__"}, "no Python was run"
    assert worked_examples.MARK not in page
    for line in SHOWN[name]:
        assert line in page
