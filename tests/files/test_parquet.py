"""Reading Parquet leaves nothing of Python's with Arrow's threads, so that a process can end at any time."""

import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privge._files.folder import Folder
from privge._files.parquet import opened_parquet, read_parquet

_READ_AND_END = """
import json, os, sys
from collections import Counter
import pyarrow as pa, pyarrow.dataset
from privge._files.folder import Folder
from privge.perturbation.feature_files import read_features_part

path, runs = sys.argv[1], int(sys.argv[2])
ends = Counter()
for _ in range(runs):
    child = os.fork()  # no thread is running yet: a child is as good as a fresh process, and is there at once
    if not child:
        pa.set_cpu_count(8)  # many threads, one of which is likely to be late
        read_features_part(Folder(path), "features.parquet")
        sys.exit(3)
    ends[os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])] += 1
print(json.dumps(ends))
"""


def test_a_process_that_ends_right_after_reading_ends_with_its_own_code(tmp_path):
    # Between a twelfth and a half of such processes were aborted while Arrow's threads held a Python file.
    columns = {f"feature {j}": np.arange(10.0) for j in range(64)}
    pq.write_table(pa.table({"id": np.arange(10), **columns}), tmp_path / "features.parquet")
    done = subprocess.run(
        [sys.executable, "-c", _READ_AND_END, str(tmp_path), "60"], check=True, capture_output=True, text=True
    )
    assert json.loads(done.stdout) == {"3": 60}, done.stderr


@pytest.mark.parametrize("place", ["path", "memory://parquet"])
def test_a_table_is_read_whole_or_by_columns(tmp_path, place):
    folder = Folder(str(tmp_path) if place == "path" else place)
    table = pa.table({"id": ["a", "b"], "x": [1.0, 2.0], "y": [3.0, 4.0]}, metadata={"key": "value"})
    with folder.writing("t.parquet") as file:
        pq.write_table(table, file)
    assert read_parquet(folder, "t.parquet").equals(table, check_metadata=True)
    assert read_parquet(folder, "t.parquet", ["y"]).equals(table.select(["y"]))


@pytest.mark.parametrize(("place", "threads"), [("path", True), ("memory://parquet", False)])
def test_only_a_file_that_arrow_opened_itself_is_read_by_several_threads(tmp_path, place, threads):
    folder = Folder(str(tmp_path) if place == "path" else place)
    with folder.writing("t.parquet") as file:
        pq.write_table(pa.table({"id": [1, 2, 3]}), file)
    with opened_parquet(folder, "t.parquet") as opened:
        assert opened.threads is threads
        assert opened.parquet.metadata.num_rows == 3


def test_a_missing_file_is_missing_and_a_name_may_be_any_bytes(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_parquet(Folder(str(tmp_path)), "nothing.parquet")
    name = b"na\xffme.parquet".decode(errors="surrogateescape")
    pq.write_table(pa.table({"id": [1]}), tmp_path / "t.parquet")
    (tmp_path / "t.parquet").rename(tmp_path / name)
    assert read_parquet(Folder(str(tmp_path)), name)["id"].to_pylist() == [1]
