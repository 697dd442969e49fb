"""Scenarios in a real browser: whether there is one, and how one is run."""

import fcntl
import json
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from threading import Timer

import pytest

ROOT = Path(__file__).parent.parent.parent
CLIENT = ROOT / "clients" / "js"
CHROMIUM = Path(os.environ.get("PRIVGE_CHROMIUM", "/usr/bin/chromium"))
REQUIRED = "PRIVGE_REQUIRE_BROWSER"
NODE = shutil.which("node") or "node"
_SECONDS = 300.0  # until a scenario is taken for stuck


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
                done = subprocess.run([npm, "ci"], cwd=CLIENT, check=False, capture_output=True, timeout=300)
                if done.returncode == 0:
                    (CLIENT / "node_modules" / ".installed").touch()  # clients/js/scripts/test.sh need not do it again
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


class Player:
    """A process that plays scenarios in a browser, one after the other; started when the first one is."""

    def __init__(self):
        self.process = None

    def play(self, scenario, given):
        """Return what a scenario saw."""
        if self.process is None:
            command = [NODE, str(ROOT / "tests" / "browser" / "run.mjs")]
            self.process = subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        stuck = Timer(_SECONDS, self.process.kill)
        stuck.start()
        try:
            self.process.stdin.write(json.dumps([scenario, given]) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            stuck.cancel()
        if not line:
            self.close()
            raise AssertionError(f"{scenario} ended the process that played it; stderr says why")
        answer = json.loads(line)
        assert "failed" not in answer, answer["failed"]
        return answer["seen"]

    def close(self):
        """End the process, if there is one."""
        if self.process is not None:
            with self.process as ending:  # its input ends, and it closes the browser
                self.process = None
                ending.stdin.close()
                ending.wait(60)


player = Player()
"""Of this process of tests; a fixture closes it."""


def play(scenario, **given):
    """Play a scenario in a browser, and return what it saw."""
    return player.play(scenario, given)
