"""Scenarios in a real browser: whether there is one, and how one is run."""

import fcntl
import json
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
CLIENT = ROOT / "clients" / "js"
CHROMIUM = Path(os.environ.get("PRIVGE_CHROMIUM", "/usr/bin/chromium"))
REQUIRED = "PRIVGE_REQUIRE_BROWSER"
NODE = shutil.which("node") or "node"


@cache
def missing(*packages, browser=True):
    """Say what is missing; packages of clients/js are installed first, if Node is there."""
    absent = [] if shutil.which("node") else ["Node"]
    absent += ["Chromium"] if browser and not CHROMIUM.exists() else []
    if absent:
        return absent
    if not all((CLIENT / "node_modules" / name).is_dir() for name in packages):
        with (CLIENT / "package.json").open() as one_at_a_time:
            fcntl.flock(one_at_a_time, fcntl.LOCK_EX)
            if not all((CLIENT / "node_modules" / name).is_dir() for name in packages):
                npm = shutil.which("npm") or "npm"
                subprocess.run([npm, "ci"], cwd=CLIENT, check=False, capture_output=True, timeout=300)
    return [name for name in packages if not (CLIENT / "node_modules" / name).is_dir()]


def require(*packages, browser=True):
    """Skip, or fail where the environment says that a browser must be there."""
    if absent := missing(*packages, browser=browser):
        told = f"left out, because {', '.join(absent)} is not there: install Node 20 and Chromium, npm ci in clients/js"
        if os.environ.get(REQUIRED):
            pytest.fail(told)
        pytest.skip(told)


def require_browser():
    """Skip or fail if scenarios cannot be played."""
    require("playwright-core", "axe-core")


def play(scenario, **given):
    """Run a scenario in a browser, and return what it saw."""
    command = [NODE, str(ROOT / "tests" / "browser" / "run.mjs"), scenario]
    done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])
