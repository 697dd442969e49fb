"""What `privge plan` takes on a large graph: seconds by the clock and peak memory, from public data and with a panel.

python benchmarks/plan.py --nodes 1000000     # ten edges a node, four classes, 5 % labelled, a panel of 500
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet

CLASSES, FEATURES, PANEL = 4, 100, 500


def write(folder: Path, nodes: int) -> None:
    """Write a graph with hubs, half of whose edges stay in a class, known labels, a panel and a campaign."""
    generator = np.random.default_rng(0)
    labels = generator.integers(0, CLASSES, nodes)
    edges = 10 * nodes

    def ends() -> np.ndarray:
        places = np.minimum((nodes * generator.random(edges) ** 1.6).astype(np.int64), nodes - 1)
        return places * 2_654_435_761 % nodes

    sources, targets = ends(), ends()
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], np.arange(CLASSES + 1))
    inside = np.flatnonzero(generator.random(edges) < 0.5)
    mine = labels[sources[inside]]
    width = starts[mine + 1] - starts[mine]
    targets[inside] = order[starts[mine] + (generator.random(len(inside)) * width).astype(np.int64)]
    known = np.sort(generator.choice(nodes, nodes // 20, replace=False))
    panel = np.sort(generator.choice(known, PANEL, replace=False))
    means = generator.random((CLASSES, FEATURES))
    values = np.clip(means[labels[panel]] + 0.3 * generator.standard_normal((PANEL, FEATURES)), 0, 1)
    names = [f"f{column}" for column in range(FEATURES)]
    tables = {
        "edges": {"source": sources, "target": targets},
        "nodes": {"id": np.arange(nodes)},
        "known": {"id": known, "label": [f"class {place}" for place in labels[known]]},
        "panel": {"id": panel, **dict(zip(names, values.T, strict=True))},
    }
    for name, columns in tables.items():
        pa.parquet.write_table(pa.table(columns), folder / f"{name}.parquet")
    stated = ", ".join(f'"{name}"' for name in names)
    (folder / "campaign.toml").write_text(
        f'names = [{stated}]\ndimensions = {FEATURES}\nlow = 0\nhigh = 1\nmechanism = "hds"\nepsilon = 1.0\n'
    )


def main() -> None:
    """Make the files, plan twice, print what it took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    nodes = parser.parse_args().nodes
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, nodes)
        public = [
            "--graph",
            "edges.parquet",
            "--nodes",
            "nodes.parquet",
            "--campaign",
            "campaign.toml",
            "--labels",
            "known.parquet",
        ]
        for what, more in (("public data", []), (f"a panel of {PANEL}", ["--panel", "panel.parquet"])):
            began = time.perf_counter()
            command = [sys.executable, "-m", "privge", "plan", *public, *more]
            process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _, status, used = os.wait4(process.pid, 0)
            if status:
                sys.exit(f"privge plan ended with {os.waitstatus_to_exitcode(status)}")
            seconds, peak = time.perf_counter() - began, used.ru_maxrss / 2**20
            print(f"{nodes:,} nodes, {what}: {seconds:.1f} s, {used.ru_utime:.1f} s of processor time, {peak:.2f} GiB")


if __name__ == "__main__":
    main()
