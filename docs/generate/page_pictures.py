"""Pictures of the pages for people, in docs/pictures: a made-up service, a real browser. Needs Node and Chromium.

Run: python docs/generate/page_pictures.py
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PICTURES = ROOT / "docs" / "pictures"
_COLOURS = 128


def main(folder: Path = PICTURES) -> None:
    """Make every picture anew."""
    sys.path.insert(0, str(ROOT / "tests"))
    from browser.chromium import NODE
    from browser.world import furnished
    from collect.service.harness import token_of

    with tempfile.TemporaryDirectory() as store, furnished(Path(store)) as given:
        given["people"] = [token_of(f"person-{number:04d}") for number in range(480, 484)]
        command = [NODE, str(ROOT / "tests" / "browser" / "pictures.mjs"), str(folder)]
        subprocess.run(command, input=json.dumps(given), text=True, check=True)  # noqa: S603 (our own)
    for picture in folder.glob("*.png"):
        _shrink(picture)
    print(f"{len(list(folder.glob('*.png')))} pictures, {sum(p.stat().st_size for p in folder.glob('*.png')):,} bytes")  # noqa: T201


def _shrink(picture: Path) -> None:
    """Save a picture with few colours, which these pages have."""
    from PIL import Image  # which matplotlib brings

    with Image.open(picture) as image:
        image.convert("RGB").quantize(_COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
            picture, optimize=True
        )


if __name__ == "__main__":
    main()
