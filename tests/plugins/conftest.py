"""Packages that are installed for one test: real metadata in a folder on the path."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_name("mine.py")
PACKAGE = Path(__file__).parents[2] / "src"


class Site:
    """A folder of installed packages; commands run with it on the path."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "mine.py").write_bytes(SOURCE.read_bytes())
        (folder / "failing.py").write_text("raise RuntimeError('half installed')\n")

    def install(self, package, **groups):
        """Install a package; each group of entry points is a mapping from name to object."""
        info = self.folder / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        sections = [
            "\n".join([f"[privge.{group}]", *(f"{name} = {value}" for name, value in points.items())])
            for group, points in groups.items()
        ]
        (info / "entry_points.txt").write_text("\n\n".join(sections) + "\n")

    def run(self, *command, code=0):
        """Run Python with these packages; return what it wrote."""
        path = os.pathsep.join([str(self.folder), str(PACKAGE)])
        done = subprocess.run(
            [sys.executable, *map(str, command)],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": path, "PRIVGE_DATA": str(self.folder / "data")},
        )
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return done

    def privge(self, *arguments, code=0):
        return self.run("-m", "privge", *arguments, code=code)


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path)
