"""The commands of docs/collect.md work as they stand, with the real service."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


def commands():
    """Everything that is typed, except what the page says is not run."""
    page = (ROOT / "docs/collect.md").read_text(encoding="utf-8")
    blocks = re.findall(r"(?<!-->\n)```console\n(.*?)```", page, flags=re.DOTALL)
    return "\n".join(re.sub(r"^\$ ", "", block, flags=re.MULTILINE) for block in blocks)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def typed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clone")
    text = commands().replace("8080", str(free_port()))
    script = f"set -eu -o pipefail -m\ntrap 'kill %1 2>/dev/null || true' EXIT\n{text}\nwait\n"
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(folder)}
    environment.pop("XDG_DATA_HOME", None)
    done = subprocess.run(
        ["/bin/bash", "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    return folder, done


def test_every_command_succeeds(typed):
    _, done = typed
    assert done.returncode == 0, done.stderr[-3000:]
    assert "999 stored" in done.stdout
    assert "0 drawn now; 0 were acknowledged before; 999 were stored before by another state" in done.stdout
    assert "the one drawn before, never a second one" in done.stdout
    assert '"reports":1000' in done.stdout
    assert "100.0% of the nodes reported" in done.stdout
    assert "0 reports arrived since" in done.stderr
    assert "99.9% of the nodes reported" in done.stdout
    assert "embedding from the beginning" in done.stderr


def test_nothing_is_left_outside_the_folder(typed):
    folder, _ = typed
    assert [path.name for path in folder.iterdir()] == ["example"]


def test_no_private_value_is_in_any_file_but_those_it_came_in(typed):
    folder, _ = typed
    values = re.findall(rb"0\.\d{3}", (folder / "example/me.json").read_bytes())
    assert len(values) > 10
    for path in (folder / "example/me").rglob("*"):
        assert not path.is_file() or not any(value in path.read_bytes() for value in values), path
