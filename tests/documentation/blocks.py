"""Code blocks of a page: what is run, what is written to a file, and what is left out for a stated reason.

A page is one story. Its Python blocks share their names, its console blocks share one shell, and all of them one empty
folder, in the order of the page. Before a block may stand

* ``<!-- not run: reason -->``: it cannot run in a test, and why;
* ``<!-- needs: cora -->``: it runs only where the files of this dataset are at hand.

A block that begins with ``# name.ext`` is the content of that file, and is written there instead of being run.
"""

import os
import re
import socket
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from importlib import invalidate_caches
from pathlib import Path
from threading import Timer

ROOT = Path(__file__).parent.parent.parent
RUN = ("python", "console")
_BLOCK = re.compile(r"(?:<!-- ([a-z ]+): ([^>]*?) -->\n+)?^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"# ([\w./-]+\.\w+)\n")
_PROMPT = re.compile(r"^\$ ((?:.*\\\n)*.*)$", re.MULTILINE)
_DONE = "@@ done @@"
_SECONDS = 240.0  # until a shell is taken for stuck


@dataclass(frozen=True)
class Block:
    """One fenced block.

    Parameters
    ----------
    language
        The word after the fence, "" if there is none.
    text
        What is between the fences.
    reason
        Why it is not run; "" if it is.
    needs
        The dataset that it needs; "" if none.
    """

    language: str
    text: str
    reason: str
    needs: str

    @property
    def file(self) -> str | None:
        """The file whose content this is."""
        found = _FILE.match(self.text)
        return found[1] if found else None

    @property
    def typed(self) -> str:
        """What a person types of a console block; the lines without a prompt are answers."""
        return "\n".join(_PROMPT.findall(self.text))


def blocks_of(text):
    """Return the blocks of a page in order."""
    return [
        Block(language, content, value if word == "not run" else "", value if word == "needs" else "")
        for word, value, language, content in _BLOCK.findall(text)
    ]


class Shell:
    """One bash for the whole page; a command that fails ends it."""

    def __init__(self, folder):
        environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(folder)}
        paths = [str(folder), str(ROOT / "src"), os.environ.get("PYTHONPATH")]
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        self.port = str(_free_port())
        self.process = subprocess.Popen(
            ["/bin/bash"], cwd=folder, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        self.timer = Timer(_SECONDS, self.process.kill)
        self.timer.start()
        self.run("set -eu -o pipefail -m; trap 'kill $(jobs -p) 2>/dev/null || true' EXIT")

    def run(self, typed):
        """Type some lines and return what they print; fail if one of them does."""
        script = f"{{\n{typed.replace('8080', self.port)}\n}} </dev/null\necho '{_DONE}'\n"
        try:
            self.process.stdin.write(script)
            self.process.stdin.flush()
        except BrokenPipeError:
            raise AssertionError("the shell has ended") from None
        lines = []
        for line in self.process.stdout:
            if line.strip() == _DONE:
                return "".join(lines)
            lines.append(line)
        raise AssertionError(f"{typed}\n---\n{''.join(lines)}")

    def close(self):
        """End the shell and what it started."""
        self.timer.cancel()
        self.process.stdin.close()
        self.process.wait(timeout=30)
        self.process.stdout.close()


def run_page(text, folder, name="page", without=()):
    """Run the blocks of a page in a folder, which must be the working directory; return the names that Python has.

    Blocks that need a dataset ``without`` which it must do are left out.
    """
    scope, shell = {"__name__": name}, None
    try:
        for number, block in enumerate(blocks_of(text)):
            if block.reason or block.needs in without:
                continue
            if block.file:
                Path(folder, block.file).parent.mkdir(parents=True, exist_ok=True)
                Path(folder, block.file).write_text(block.text, encoding="utf-8")
                if block.file == "pyproject.toml":
                    announce(block.text, folder)
            elif block.language == "python":
                exec(compile(block.text, f"{name}, block {number}", "exec"), scope)
            elif block.language == "console":
                shell = shell or Shell(folder)
                shell.run(block.typed)
    finally:
        if shell:
            shell.close()
    return scope


def announce(project, folder):
    """Write down the entry points of a project as an installer does: beside its modules, for every Python to find."""
    project = tomllib.loads(project)["project"]
    place = Path(folder, f"{project['name'].replace('-', '_')}-{project['version']}.dist-info")
    place.mkdir()
    (place / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    groups = project.get("entry-points", {}).items()
    points = [f"[{group}]\n" + "".join(f"{name} = {where}\n" for name, where in each.items()) for group, each in groups]
    (place / "entry_points.txt").write_text("\n".join(points))
    invalidate_caches()


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
