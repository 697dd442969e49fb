"""Where the time of a relaxation sweep goes, and what was tried to make it shorter.

    python benchmarks/kernel.py              # all tables: a quarter of an hour on an idle machine
    python benchmarks/kernel.py --nodes 100000 --only orders

One sweep over one block of 16 columns by one thread, in nanoseconds a line: a neighbour's 16 numbers in float32, 64
bytes. Processors of virtual machines often do not count cycles and misses, so the work is taken apart instead: with
neighbours that are all the same row nothing is waited for, in order memory is read as a stream, at random every line is
waited for. Each variant runs in a process of its own with a cache of compiled code of its own, by turns with the one in
use; medians of all rounds with the least and the largest.
"""

import argparse
import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import numpy as np
import scipy.sparse.csgraph

from graphs import facebook, power_law
from privge.graph import Graph

IN_USE = {"neighbours": "graph", "order": "engine", "LANES": 16, "AHEAD": 192, "GROUP": 4, "huge": True}
TABLES = {
    "parts": {
        "no neighbours: rows alone": {"neighbours": "none"},
        "all the same row: arithmetic": {"neighbours": "one"},
        "in order: a stream": {"neighbours": "stream"},
        "in use": {},
        "at random": {"neighbours": "random"},
    },
    "orders": {
        "in use": {},
        "breadth first from a hub": {"order": "breadth first"},
        "as the graph comes": {"order": "as it is"},
        "reverse Cuthill-McKee": {"order": "cuthill-mckee"},
        "hubs first": {"order": "degrees"},
        "breadth first, by degree within 256": {"order": "256"},
        "breadth first, by degree within 1,024": {"order": "1024"},
        "breadth first, by degree within 4,096": {"order": "4096"},
        "breadth first, by degree within 16,384": {"order": "16384"},
        "at random": {"order": "random"},
    },
    "variants": {
        "in use: 16 lanes, 192 ahead, groups of 4": {},
        "8 lanes": {"LANES": 8},
        "32 lanes": {"LANES": 32},
        "none ahead": {"AHEAD": 4},
        "24 ahead": {"AHEAD": 24},
        "48 ahead": {"AHEAD": 48},
        "96 ahead": {"AHEAD": 96},
        "384 ahead": {"AHEAD": 384},
        "groups of 2": {"GROUP": 2},
        "groups of 8": {"GROUP": 8},
        "without huge pages": {"huge": False},
    },
}
PR_SET_THP_DISABLE = 41


def graph_of(nodes):
    """Facebook; a power law without communities; or, for an odd number of nodes, communities of 200 in no order."""
    if nodes == 22_470 and (graph := facebook()):
        return graph
    if nodes % 2 == 0:
        return power_law(nodes, 10 * nodes)
    generator = np.random.default_rng(0)
    ends = generator.integers(0, nodes, (10 * nodes, 2))
    near = ends[:, 0] // 200 * 200 + generator.integers(0, 200, len(ends))
    ends[:, 1] = np.where(generator.random(len(ends)) < 0.8, np.minimum(near, nodes - 1), ends[:, 1])
    return Graph.from_edges(generator.permutation(nodes)[ends], nodes=np.arange(nodes))


def ordered(graph, name):
    """Return the compressed rows in an order of the nodes, and the seconds that finding it took.

    The engine's own has renumbered the edges in that time, too.
    """
    from privge.graph._kernels import reorder
    from privge.propagation._kernels.order import breadth_first
    from privge.propagation.system import Order

    def degrees_within(window):
        first = breadth_first(graph.indptr, graph.indices, int(np.argmax(graph.degrees)))
        return first[np.lexsort([-graph.degrees[first], np.arange(graph.nodes) // window])]

    def cuthill_mckee():
        matrix = scipy.sparse.csr_matrix((np.ones(len(graph.indices), np.int8), graph.indices, graph.indptr))
        return scipy.sparse.csgraph.reverse_cuthill_mckee(matrix, symmetric_mode=True)

    ways = {
        "engine": lambda: np.argsort(Order.of(graph, reorder=True).place).astype(np.int32),
        "as it is": lambda: np.arange(graph.nodes, dtype=np.int32),
        "random": lambda: np.random.default_rng(0).permutation(graph.nodes).astype(np.int32),
        "degrees": lambda: np.argsort(-graph.degrees, kind="stable").astype(np.int32),
        "cuthill-mckee": cuthill_mckee,
        "breadth first": lambda: breadth_first(graph.indptr, graph.indices, int(np.argmax(graph.degrees))),
    }
    find = ways.get(name) or (lambda: degrees_within(int(name)))
    find()  # compiled
    begun = time.perf_counter()
    order = find()
    taken = time.perf_counter() - begun
    return *reorder(graph.indptr, graph.indices, order, 512), taken


def use(constants):
    """Give the kernels other constants, before they are compiled."""
    from llvmlite import ir

    from privge.propagation import relaxation
    from privge.propagation._kernels import gather, relax, rows

    for module in (gather, rows, relax, relaxation):
        for name, value in constants.items():
            if hasattr(module, name):
                setattr(module, name, value)
    rows._WIDE = ir.VectorType(ir.DoubleType(), constants["LANES"])


def laid(folder, graph, variant):
    """Write what a variant sweeps over, unless it is there; return where, and the seconds that its order took."""
    place = folder / f"{variant['order']}-{variant['neighbours']}.npz"
    if not place.exists():
        indptr, indices, taken = ordered(graph, variant["order"])
        entries = int(indptr[-1])
        if variant["neighbours"] == "none":
            indptr = np.zeros_like(indptr)
        elif variant["neighbours"] == "one":
            indices[:] = 0
        elif variant["neighbours"] == "stream":
            indices = (np.arange(len(indices)) % graph.nodes).astype(np.int32)
        elif variant["neighbours"] == "random":
            indices = np.random.default_rng(0).integers(0, graph.nodes, len(indices), dtype=np.int32)
        np.savez(place, indptr=indptr, indices=indices, entries=entries, taken=taken)
    return place


def run(place, variant):
    """Time sweeps of a variant in this process; print nanoseconds a line."""
    if not variant["huge"]:
        ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)
    use({name: variant[name] for name in ("LANES", "AHEAD", "GROUP")})
    from privge.propagation._kernels.relax import sweep
    from privge.propagation.relaxation import aligned

    stored = np.load(place)
    indptr, indices, entries = (stored[name] for name in ("indptr", "indices", "entries"))
    y, start = aligned(len(indptr) - 1, np.float32), aligned(len(indptr) - 1, np.float32)
    y[:], start[:] = 1, 1
    factors = np.full(len(y), 0.01, np.float32)
    times = []
    for _ in range(6):
        begun = time.process_time()
        sweep(indptr, indices, None, factors, start, y, np.float32(1.2))
        times.append(time.process_time() - begun)
    print(json.dumps(min(times[1:]) / int(entries) * 1e9 * 16 / variant["LANES"]))


def table(name, graph, rounds, folder):
    print(f"\n{name}, {graph}: ns a line (least to largest of {rounds} rounds)", flush=True)
    found, orders = {row: [] for row in TABLES[name]}, {}
    for _ in range(rounds):
        for row, change in TABLES[name].items():
            variant = IN_USE | change
            place = laid(folder, graph, variant)
            orders[row] = float(np.load(place)["taken"])
            # What changes constants of the kernels must not find code compiled with others.
            constants = "-".join(str(variant[each]) for each in ("LANES", "AHEAD", "GROUP"))
            environment = os.environ | {"NUMBA_CACHE_DIR": str(folder.parent / constants)}
            command = [sys.executable, __file__, "--run", str(place), json.dumps(variant)]
            ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
            found[row].append(json.loads(ran.stdout.splitlines()[-1]))
    for row, lines in found.items():
        shown = f"  {row:42}{statistics.median(lines):7.2f} ({min(lines):.2f} to {max(lines):.2f})"
        print(shown + (f"{orders[row] * 1e3:12.0f} ms to find it" if name == "orders" else ""), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, nargs="+", default=[22_470, 100_000, 1_000_000, 1_000_001])
    parser.add_argument("--only", nargs="+", choices=list(TABLES), default=list(TABLES))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--run", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        run(options.run[0], json.loads(options.run[1]))
        return
    with tempfile.TemporaryDirectory(prefix="privge-kernel-") as folder:
        for nodes in options.nodes:
            graph, place = graph_of(nodes), Path(folder, str(nodes))
            place.mkdir()
            for name in options.only:
                table(name, graph, options.rounds, place)


if __name__ == "__main__":
    main()
