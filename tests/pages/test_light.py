"""The pages add nothing heavy to a service until somebody opens the room."""

import subprocess
import sys


def test_serving_pages_imports_nothing_heavy():
    code = (
        "import sys; import privge.pages.operations as pages; from privge.pages.room.options import RoomOptions;"
        "pages.operations(RoomOptions());"
        "print([name for name in ('numba', 'scipy', 'pyarrow', 'torch', 'igraph') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
