"""The client that the package carries is the build of its source."""

import shutil
import subprocess

from browser.chromium import CLIENT, NODE, ROOT, require


def test_the_committed_client_is_the_build_of_its_source(tmp_path):
    require("esbuild", "typescript", browser=False)
    copy = tmp_path / "js"
    copy.mkdir()
    for name in ("src", "scripts"):
        shutil.copytree(CLIENT / name, copy / name)
    for file in (*CLIENT.glob("tsconfig*.json"), CLIENT / "package.json"):
        shutil.copy(file, copy)
    (copy / "node_modules").symlink_to(CLIENT / "node_modules")
    subprocess.run([NODE, "scripts/build.mjs"], cwd=copy, check=False, capture_output=True, timeout=120)
    for name in ("privge.js", "taught.js"):
        committed = (ROOT / "src" / "privge" / "pages" / "assets" / name).read_bytes()
        assert committed == (copy / "dist" / name).read_bytes(), "run: make client"
