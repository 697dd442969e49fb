"""Scenarios in a real browser: whether there is one, and how one is run."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
REQUIRED = "PRIVGE_REQUIRE_BROWSER"
HOW = "install Node 20 and Chromium, then run npm ci in clients/js"


def missing():
    """Say what is missing for tests in a browser; nothing if they can run."""
    modules = ROOT / "clients" / "js" / "node_modules"
    needed = {
        "Node": shutil.which("node"),
        "Chromium": Path(os.environ.get("PRIVGE_CHROMIUM", "/usr/bin/chromium")).exists(),
        "playwright-core": (modules / "playwright-core").is_dir(),
        "axe-core": (modules / "axe-core").is_dir(),
    }
    return [name for name, there in needed.items() if not there]


def require_browser():
    """Skip, or fail where the environment says that a browser must be there."""
    if absent := missing():
        told = f"left out, because {', '.join(absent)} is not there: {HOW}"
        if os.environ.get(REQUIRED):
            pytest.fail(told)
        pytest.skip(told, allow_module_level=True)


def play(scenario, **given):
    """Run a scenario in a browser, and return what it saw."""
    command = ["node", str(ROOT / "tests" / "browser" / "run.mjs"), scenario]
    done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])
