"""How soon the contribution page paints on the loopback, and how large it is. Needs Node and Chromium.

Run: python benchmarks/pages.py
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent


def main():
    sys.path.insert(0, str(ROOT / "tests"))
    from browser.chromium import NODE
    from browser.world import furnished

    with tempfile.TemporaryDirectory() as folder, furnished(Path(folder)) as given:
        given["token"] = given["tokens"]["light"]
        command = [NODE, str(ROOT / "tests" / "browser" / "paint.mjs")]
        subprocess.run(command, input=json.dumps(given), text=True, check=True)


if __name__ == "__main__":
    main()
