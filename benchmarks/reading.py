"""Reading edges: ten million from CSV, against networkx on a sample of one million."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import networkx
import numpy as np

from privge._machine import peak_bytes
from privge.graph import read_graph

EDGES, SAMPLE, NODES = 10_000_000, 1_000_000, 1_000_000


def write_csv(path, edges):
    generator = np.random.default_rng(0)
    with path.open("w") as file:
        file.write("source,target\n")
        for first in range(0, edges, 1 << 20):
            pairs = generator.integers(0, NODES, (min(1 << 20, edges - first), 2))
            np.savetxt(file, pairs, fmt="%d", delimiter=",")


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def read_all(path):
    """Read the large file in this process and print what it took."""
    read_graph(path)  # compile on whatever comes first
    print(f"{seconds(lambda: read_graph(path))} {peak_bytes()}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        large, sample = Path(folder) / "large.csv", Path(folder) / "sample.csv"
        write_csv(large, EDGES)
        write_csv(sample, SAMPLE)
        read_graph(sample)
        ours = min(seconds(lambda: read_graph(sample)) for _ in range(3))
        headless = Path(folder) / "headless.csv"
        headless.write_text(sample.read_text().split("\n", 1)[1])
        theirs = seconds(lambda: networkx.read_edgelist(headless, delimiter=",", nodetype=int))
        output = subprocess.run([sys.executable, __file__, str(large)], capture_output=True, text=True, check=True)
        large_seconds, peak = map(float, output.stdout.split())
    print(f"{SAMPLE:,} edges from CSV: privge {ours:.2f} s, networkx.read_edgelist {theirs:.2f} s")
    print(f"  that is {theirs / ours:.0f} times faster")
    print(f"{EDGES:,} edges from CSV: {large_seconds:.1f} s, peak memory {peak / 2**30:.2f} GiB")


if __name__ == "__main__":
    read_all(Path(sys.argv[1])) if len(sys.argv) > 1 else main()
