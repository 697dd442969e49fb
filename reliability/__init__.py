"""Load and chaos: is the collection fast enough, and does it keep its promises while things break?

Everything runs on this machine and its loopback address. ``python -m reliability.load`` and ``python -m
reliability.chaos`` print one line for each promise; ``--markdown`` also writes them into docs/reliability.md.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

if str(ROOT / "tests") not in sys.path:
    sys.path.append(str(ROOT / "tests"))  # the model of a store and the PostgreSQL server live with the tests
