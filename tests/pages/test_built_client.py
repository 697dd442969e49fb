"""The client that the package carries is the build of its source."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
CLIENT = ROOT / "clients" / "js"


def test_the_committed_client_is_the_build_of_its_source(tmp_path):
    if shutil.which("node") is None or not (CLIENT / "node_modules" / "esbuild").is_dir():
        told = "left out, because Node or esbuild is not there: run npm ci in clients/js"
        if os.environ.get("PRIVGE_REQUIRE_NODE"):
            pytest.fail(told)
        pytest.skip(told)
    copy = tmp_path / "js"
    copy.mkdir()
    for name in ("src", "scripts"):
        shutil.copytree(CLIENT / name, copy / name)
    for file in (*CLIENT.glob("tsconfig*.json"), CLIENT / "package.json"):
        shutil.copy(file, copy)
    (copy / "node_modules").symlink_to(CLIENT / "node_modules")
    subprocess.run(["node", "scripts/build.mjs"], cwd=copy, check=False, capture_output=True, timeout=120)
    built = (copy / "dist" / "privge.js").read_bytes()
    committed = (ROOT / "src" / "privge" / "pages" / "assets" / "privge.js").read_bytes()
    assert committed == built, "run: make client"
