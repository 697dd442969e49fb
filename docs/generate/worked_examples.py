"""Worked examples: what commands print is put under them when the site is built, so that no page shows old output.

A block of a console under the mark ``<!-- output -->`` holds commands. They run in the order of the page, in one empty
folder; a block that begins with ``# name.ext`` is written there first. A command that fails is a failure of the build.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

MARK = "<!-- output -->"
_BLOCK = re.compile(rf"(?:({re.escape(MARK)})\n)?^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"# ([\w./-]+\.\w+)\n")
_COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)$", re.MULTILINE)
_LONG = 400  # characters of a line that are shown


def filled(page: str, pass_by: Callable[[str, str, Path], None] | None = None) -> str:
    """Return a page with the output of its marked commands.

    For every block that is neither marked nor a file, ``pass_by`` gets its language, its text and the folder.
    """
    if MARK not in page:
        return page
    with TemporaryDirectory() as folder:
        return _BLOCK.sub(lambda block: _block(block, Path(folder), pass_by), page)


def _block(block: re.Match[str], folder: Path, pass_by: Callable[[str, str, Path], None] | None) -> str:
    mark, language, text = block.groups()
    named = _FILE.match(text)
    if named:
        (folder / named[1]).write_text(text, encoding="utf-8")
    if not mark:
        if pass_by and not named:
            pass_by(language, text, folder)
        return block[0]
    shown = "".join(f"$ {command}\n{_output(command, folder)}" for command in _COMMAND.findall(text))
    return f"```console\n{shown}```"


def _output(command: str, folder: Path) -> str:
    """Run a command in a shell, and return what it prints."""
    source = Path(__file__).parent.parent.parent / "src"
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(source), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(  # noqa: S603 (what our own pages hold)
        ["/bin/bash", "-eu", "-o", "pipefail", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"a worked example fails: {command}\n{done.stdout}{done.stderr}")
    lines = done.stdout.replace(str(folder) + "/", "").splitlines()
    return "".join(f"{line if len(line) <= _LONG else line[:_LONG] + ' ...'}\n" for line in lines)
