"""Propagation against other libraries at equal achieved error, against the memory system, and at scale.

Each contender runs on one thread; CPU time and wall time are printed with their ratio to ``sor`` (PyG runs on a few
columns and its time is multiplied: all of them would take minutes). Sizes run in processes of their own, so that a
peak of memory belongs to one run. ``--quick`` leaves out the largest, ``--compare`` runs only the comparison.
"""

import os

os.environ.update(OMP_NUM_THREADS="1", MKL_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import json
import math
import subprocess
import sys
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import scipy.sparse
from numba import njit

import privge as pg
from graphs import facebook, power_law
from privge._machine import peak_bytes
from privge.propagation import Local, Problem, Sor, Walk, propagate
from privge.propagation._kernels.gather import AHEAD, LANES, add_rows

ALPHA, R, TOLERANCE = 0.05, 0.1, 1e-4


def timed(work):
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return result, time.perf_counter() - wall, time.process_time() - cpu


# ---------------------------------------------------------------- peers, at equal achieved error


def peers(graph, problem):
    """Yield (name, step): step(y, start) is one power iteration on all columns, in the peer's own arrays."""
    weights = np.repeat(problem.factors, graph.degrees).astype(np.float32)
    indices, indptr = graph.indices.astype(np.int32), graph.indptr.astype(np.int32)
    operator = scipy.sparse.csr_array((weights, indices, indptr), shape=(graph.nodes, graph.nodes))
    yield "scipy CSR float32 power iteration", lambda start, count: _power(lambda y: operator @ y, start, count)
    try:
        import torch

        torch.set_num_threads(1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            matrix = torch.sparse_csr_tensor(operator.indptr, operator.indices, operator.data, operator.shape)

        def torch_power(start, count):
            begin = torch.from_numpy(start)
            y = begin / ALPHA
            for _ in range(count):
                y = begin + matrix @ y
            return y.numpy()

        yield "torch sparse CSR power iteration", torch_power
    except ImportError:
        print("  torch is not installed")
    try:
        import torch
        from torch_geometric.nn import APPNP

        rows = np.repeat(np.arange(graph.nodes), graph.degrees)
        edge_index = torch.from_numpy(np.stack([graph.indices.astype(np.int64), rows]))
        # APPNP's operator is D^(-1/2) A D^(-1/2): similar to ours, so it is scaled before and after.
        turn = torch.from_numpy((np.maximum(graph.degrees, 1) ** 0.5).astype(np.float32))[:, None]

        def appnp(start, count):
            layer = APPNP(K=count, alpha=ALPHA, add_self_loops=False, cached=True)
            with torch.no_grad():
                return (layer(turn * torch.from_numpy(start) / ALPHA, edge_index) / turn).numpy()

        yield "PyG APPNP", appnp
    except ImportError:
        print("  torch-geometric is not installed")
    for library in sorted(Path(sys.prefix, "lib").glob("libmkl_rt.so*")):
        os.environ.setdefault("MKL_RT", str(library))  # where pip puts it
    try:
        from sparse_dot_mkl import dot_product_mkl

        legacy = scipy.sparse.csr_matrix(operator)
        yield (
            "sparse_dot_mkl power iteration",
            lambda start, count: _power(lambda y: dot_product_mkl(legacy, y), start, count),
        )
    except (ImportError, OSError) as error:
        print(f"  sparse_dot_mkl cannot be used here: {error}")


def _power(multiply, start, count):
    y = start / np.float32(ALPHA)  # begins where APPNP does, which is closer than zero or the first term
    for _ in range(count):
        y = start + multiply(y)
    return y


def posed(graph, columns):
    """Return a problem, 16 of its columns, and their solution converged to 1e-11."""
    generator = np.random.default_rng(0)
    features = scipy.sparse.random_array(
        (graph.nodes, columns), density=0.02, rng=generator, format="csr", dtype=np.float32
    )
    sample = np.arange(0, columns, max(1, columns // 16))
    exact, _ = propagate(
        graph,
        scipy.sparse.csr_array(features[:, sample]),
        alpha=ALPHA,
        r=R,
        tolerance=1e-11,
        on=Local(engine="chebyshev"),
    )
    return Problem(graph, features, Walk(ALPHA, R, TOLERANCE)), sample, exact


def beside_scipy(graph, widths, repeats=3):
    """Print scipy's CPU time by that of ``sor`` at equal achieved error; both run by turns, from graph and features."""
    print(f"\n  scipy CSR float32 power iteration beside sor, CPU time, {repeats} repeats by turns")
    print(f"  {'columns':>9}{'sor ms':>10}{'scipy ms':>10}{'steps':>7}{'error':>10}{'times':>8}   all of them")
    for columns in widths:
        problem, sample, exact = posed(graph, columns)
        scale = problem.scale[:, None].astype(np.float32)
        start = np.ascontiguousarray(ALPHA * problem.by_column.toarray(), dtype=np.float32)
        out = np.empty((graph.nodes, columns), dtype=np.float32)
        _, power = next(peers(graph, problem))
        Sor().solve(problem.for_output(out.dtype), out)
        achieved = float(np.abs(out[:, sample] - exact).max())
        count = _iterations(power, start[:, sample].copy(), scale, exact, achieved)
        solve, step = partial(_solved_anew, problem, out), partial(power, start, count)
        runs = [(timed(solve)[2], timed(step)[2]) for _ in range(repeats)]
        ratios = sorted(other / own for own, other in runs)
        own, other = (sorted(column)[repeats // 2] * 1e3 for column in zip(*runs, strict=True))
        print(
            f"  {columns:>9}{own:>10.1f}{other:>10.1f}{count:>7}{achieved:>10.1e}{ratios[repeats // 2]:>8.1f}   "
            + " ".join(f"{ratio:.1f}" for ratio in ratios)
        )


def _solved_anew(problem, out):
    """Solve with nothing kept of an earlier time but the graph and the features."""
    return Sor().solve(Problem(problem.graph, problem.features, problem.walk).for_output(out.dtype), out)


def compare(name, graph, columns):
    problem, sample, exact = posed(graph, columns)
    out = np.empty((graph.nodes, columns), dtype=np.float32)
    Sor().solve(problem.for_output(out.dtype), out)  # compile
    certificate, wall, cpu = timed(lambda: Sor().solve(problem.for_output(out.dtype), out))
    achieved = float(np.abs(out[:, sample] - exact).max())
    print(f"\n{name}: {graph}, {columns} columns, alpha {ALPHA}, r {R}")
    print(f"  sor certifies {certificate.error:.1e} after {certificate.sweeps:.0f} sweeps; achieved {achieved:.1e}")
    print(f"  {'':38}{'CPU s':>9}{'wall s':>9}{'error':>10}{'CPU / sor':>11}")
    print(f"  {'privge sor, certified':38}{cpu:>9.2f}{wall:>9.2f}{achieved:>10.1e}{1:>11.1f}")
    scale = problem.scale[:, None].astype(np.float32)
    start = np.ascontiguousarray(ALPHA * problem.by_column.toarray(), dtype=np.float32)
    for peer, run in peers(graph, problem):
        count = _iterations(run, start[:, sample].copy(), scale, exact, achieved)
        run(start[:, :1].copy(), 1)
        part = start if "APPNP" not in peer else np.ascontiguousarray(start[:, sample])
        y, wall_peer, cpu_peer = timed(lambda run=run, count=count, part=part: run(part, count))
        wall_peer, cpu_peer = (seconds * columns / part.shape[1] for seconds in (wall_peer, cpu_peer))
        error = float(np.abs((y if part is not start else y[:, sample]) * scale - exact).max())
        label = f"{peer}, {count} steps"
        print(f"  {label:38.38}{cpu_peer:>9.2f}{wall_peer:>9.2f}{error:>10.1e}{cpu_peer / cpu:>11.1f}")


def _iterations(run, start, scale, exact, target):
    """Return the fewest steps that reach the target on the sampled columns (or where float32 stops improving)."""
    low, high = 1, math.ceil(math.log(1e-9) / math.log(1 - ALPHA))
    reachable = max(target, float(np.abs(run(start, high) * scale - exact).max()) * 1.5)
    while low < high:
        middle = (low + high) // 2
        if float(np.abs(run(start, middle) * scale - exact).max()) <= reachable:
            high = middle
        else:
            low = middle + 1
    return low


# ---------------------------------------------------------------- scale, memory, roofline


@njit
def _gather(rows, indices, total):
    add_rows(rows, indices, 0, indices.size - AHEAD, total)


def roofline(nodes):
    """Nanoseconds to fetch one random 64-byte line of an n x 16 float32 matrix, as fast as the kernel can."""
    generator = np.random.default_rng(1)
    raw = np.ones(nodes * LANES + 16, dtype=np.float32)
    offset = (-raw.ctypes.data % 64) // 4
    rows = raw[offset : offset + nodes * LANES].reshape(nodes, LANES)
    indices = generator.integers(0, nodes, 10_000_000 + AHEAD, dtype=np.int32)
    total = np.zeros(LANES, dtype=np.float32)
    _gather(rows, indices, total)
    best = min(timed(lambda: _gather(rows, indices, total))[2] for _ in range(3))
    return best / (indices.size - AHEAD) * 1e9


def at_scale(nodes, columns):
    """Embed a graph with ten edges a node in this process; print one JSON line."""
    graph = power_law(nodes, 10 * nodes)
    campaign = pg.Campaign(dimensions=columns, low=0, high=1, mechanism="hds", epsilon=1.0, k=5)
    reports = campaign.simulate(scipy.sparse.csr_array((nodes, columns)))
    pg.embed(power_law(1000, 5000), pg.Campaign.simulate(campaign, scipy.sparse.csr_array((1000, columns))))  # compile
    z, wall, cpu = timed(lambda: pg.embed(graph, reports, alpha=0.1, r=R, tolerance=TOLERANCE))
    peak = peak_bytes()  # of making the graph, simulating every device and embedding; not of what follows
    edge_columns = len(graph.indices) * columns * z.provenance.run.sweeps
    weights = np.random.default_rng(2).uniform(0.1, 10, graph.edges)
    weighted = pg.Graph.from_edges(graph.to_edges(), nodes=graph.ids, weights=weights)
    result = {"nodes": nodes, "edges": graph.edges, "columns": columns, "wall": wall, "cpu": cpu}
    result |= {"sweeps": z.provenance.run.sweeps, "certificate": z.provenance.run.certificate}
    result |= {"ns_per_edge_column": cpu / edge_columns * 1e9, "roofline": roofline(nodes), "peak": peak / 2**30}
    result["ns_per_line"] = _sweep_seconds(graph) / len(graph.indices) * 1e9
    result["ns_per_weighted_line"] = _sweep_seconds(weighted) / len(graph.indices) * 1e9
    print(json.dumps(result))


def _sweep_seconds(graph):
    """CPU seconds of one relaxation sweep over one block of 16 columns, in the engine's own order."""
    from privge.propagation._kernels.relax import sweep
    from privge.propagation.relaxation import aligned
    from privge.propagation.system import Order, System

    system = System.of(Order.of(graph, reorder=True), graph.strengths, Walk(0.1, R, TOLERANCE))
    y, start = aligned(graph.nodes, np.float32), aligned(graph.nodes, np.float32)
    y[:], start[:] = 1, 1
    order, factors = system.order, system.factors.astype(np.float32)
    arguments = (order.indptr, order.indices, system.shares, factors, start, y, np.float32(1.2))
    sweep(*arguments)
    return min(timed(lambda: sweep(*arguments))[2] for _ in range(3))


def in_own_process(*arguments, script=__file__):
    command = [sys.executable, script, *map(str, arguments)]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(output.stdout.splitlines()[-1])


def main():
    graph = facebook()
    if graph is None:
        print("Facebook is not in the data cache (PRIVGE_DATA): comparing on a power-law graph of its size instead")
        graph = power_law(22_470, 170_823)
        compare("Power law", graph, 512)
    else:
        compare("Facebook", graph, 512)
    beside_scipy(graph, (16, 64, 256))
    if "--compare" in sys.argv:
        return
    sizes = (100_000, 1_000_000) if "--quick" in sys.argv else (100_000, 1_000_000, 5_000_000)
    print(
        "\nPower-law graphs with ten edges a node, 64 columns (16 from 5,000,000 nodes on), 2 threads, alpha 0.1, r 0.1"
    )
    print(f"  {'nodes':>10}{'edges':>12}{'wall s':>8}{'CPU s':>8}{'sweeps':>8}{'ns/edge/column':>16}", end="")
    print(f"{'ns/line':>9}{'weighted':>10}{'roofline':>10}{'reached':>9}{'peak GiB':>10}")
    for nodes in sizes:
        run = in_own_process("--at-scale", nodes, 64 if nodes <= 1_000_000 else 16)
        print(
            f"  {run['nodes']:>10,}{run['edges']:>12,}{run['wall']:>8.1f}{run['cpu']:>8.1f}{run['sweeps']:>8.0f}"
            f"{run['ns_per_edge_column']:>16.2f}{run['ns_per_line']:>9.1f}{run['ns_per_weighted_line']:>10.1f}{run['roofline']:>10.1f}"
            f"{run['roofline'] / run['ns_per_line']:>9.0%}{run['peak']:>10.2f}"
        )
    updates = Path(__file__).with_name("updates.py")
    for what, new, title in (
        ("--reports", 100, "new reports"),
        ("--reports", 10_000, "new reports"),
        ("--nodes", 100, "new nodes with 10 edges each, and reports"),
    ):
        run = in_own_process(what, 1_000_000, 64, new, script=updates)
        print(f"\n{new:,} {title} in the embedding of 1,000,000 nodes, 64 columns")
        faster = run["full"] / run["update"]
        print(f"  full {run['full']:.1f} s (median of 3), update {run['update']:.2f} s (median of 5,", end=" ")
        print(f"{run['fastest']:.2f} to {run['slowest']:.2f}): {faster:.1f} times faster")
        print(f"  by {run['way']}; ", end="")
        print(f"largest difference to the full one {run['difference']:.1e}, certified {run['certified']:.1e}")
        if "break_even" in run:
            print(f"  forecast: relaxed instead of pushed from {run['break_even']:.2%} of the nodes on")


if __name__ == "__main__":
    if "--at-scale" in sys.argv:
        at_scale(int(sys.argv[2]), int(sys.argv[3]))
    else:
        main()
