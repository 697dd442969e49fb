"""Beyond one process: the cluster against the single process, its traffic against the model, and a graph beyond memory.

``compare NODES EDGES COLUMNS``: both regimes with 2 and 4 workers against one process on as many threads as there are
processors; differences and ratios, the bytes that moved against the cost model of ``docs/scale.md``, and bytes for each
decimal digit that was certified.

``large NODES EDGES COLUMNS``: edges and features as Parquet parts on disk, converted, perturbed and embedded, each step
a command of its own, with its time and the peak of resident memory of every process.
"""

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.sparse
from distributed import Client, LocalCluster, get_task_stream

import privge as pg
from graphs import power_law
from privge._machine import processors
from privge.embedding.join import feature_rows
from privge.graph.stored import save_graph
from privge.propagation import OnCluster, propagate
from scale_graph import write_edges

ALPHA, R, TOLERANCE = 0.1, 0.5, 1e-4
LINE = 64  # bytes of 16 columns of a row in float32


def compare(nodes, wanted, columns):
    graph = power_law(nodes, wanted)
    campaign = pg.Campaign(dimensions=columns, low=0, high=1, mechanism="hds", epsilon=1.0, k=2)
    features = scipy.sparse.random_array((nodes, columns), density=0.05, rng=np.random.default_rng(1), format="csr")
    reports = campaign.simulate(features, ids=graph.ids, seed=1)
    rows = feature_rows(graph, reports)
    parameters = {"alpha": ALPHA, "r": R, "tolerance": TOLERANCE}
    print(f"{graph}, {columns} columns, alpha {ALPHA}, r {R}, tolerance {TOLERANCE}, {processors()} processors")
    propagate(graph, rows[:, :16], **parameters)  # compile
    here, walls = None, []
    for _ in range(3):
        start = time.perf_counter()
        here, run = propagate(graph, rows, **parameters)
        walls.append(time.perf_counter() - start)
    single = float(np.median(walls))
    times = ", ".join(f"{wall:.1f}" for wall in sorted(walls))
    print(f"one process: {single:.1f} s (of {times}), certificate {run.certificate.error:.1e}")
    root = Path(tempfile.mkdtemp(prefix="privge-scale-"))
    try:
        stored = save_graph(graph, root / "graph")
        for count in (2, 4):
            with workers(count) as client:
                warm_up(client, root / f"warm-{count}")
                for regime in ("columns", "edges"):
                    measure(client, stored, rows, regime, here, single, root / f"{regime}-{count}", parameters, run)
    finally:
        shutil.rmtree(root)


def measure(client, stored, rows, regime, here, single, folder, parameters, run):
    start, before = time.perf_counter(), loopback()
    with get_task_stream(client) as stream:
        z, clustered = propagate(stored, rows, **parameters, on=OnCluster(client, folder=folder, regime=regime))
    wall, moved = time.perf_counter() - start, loopback() - before
    there = np.asarray(z)
    count = len(client.sync(client.scheduler.identity, n_workers=-1)["workers"])
    same = (
        "bit-identical" if there.tobytes() == here.tobytes() else f"largest difference {np.abs(there - here).max():.1e}"
    )
    bound = run.certificate.error + clustered.certificate.error
    print(
        f"{count} workers, {regime}: {wall:.1f} s, {wall / single:.2f} times the single process; {same} "
        f"(certificates together {bound:.1e}); {clustered.certificate.sweeps:.0f} sweeps of {clustered.engine}"
    )
    peaks = sorted(client.run(lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20).values())
    print(f"  peak of the workers {peaks[-1]:.2f} GiB; tiles {on_disk(folder) / 1e6:.0f} MB on disk, "
          f"model {there.nbytes / 1e6:.0f} MB")  # fmt: skip
    print(f"  seconds of workers: {', '.join(busiest(stream.data))}; {wall * count:.1f} in all")
    if regime == "edges":
        traffic(moved, folder, clustered.certificate, float(np.abs(there).max()))


def busiest(tasks, most=4):
    """Say what workers did longest: which tasks, how often, and how long in all."""
    taken = defaultdict(list)
    for task in tasks:
        for part in task["startstops"]:
            taken[task["key"].split("-")[0], part["action"]].append(part["stop"] - part["start"])
    longest = sorted(taken.items(), key=lambda item: -sum(item[1]))[:most]
    return [f"{name} {action} {len(times)} times {sum(times):.1f}" for (name, action), times in longest]


def traffic(moved, folder, certificate, largest):
    """Compare what moved with the model, and with what it achieved.

    For each row of a halo and block: 16 bytes in every sweep, 64 where a solution begins and where it is certified.
    Digits are those that the certificate promises of the largest entry: a solution of zeros has none.
    """
    (run,) = folder.glob("run-*/edges")
    layout = json.loads((run / "layout.json").read_text())
    blocks = -(-layout["column_cuts"][-1] // 16)
    halos = sum(len(np.load(path, mmap_mode="r")) for path in (run / "shards").glob("*-halo.npy"))
    model = halos * blocks * (LINE / 4 * (certificate.sweeps - 1) + 2 * LINE)
    digits = np.log10(largest / certificate.error)
    print(
        f"  halo {halos:,} rows; {moved / 1e9:.2f} GB moved, as the kernel counts, model {model / 1e9:.2f} GB (ratio "
        f"{moved / model:.2f}); {digits:.1f} digits certified, {moved / digits / 1e6:.0f} MB a digit"
    )


def loopback():
    """Bytes that this machine sent to itself, as the kernel counts them."""
    for line in Path("/proc/net/dev").read_text().splitlines():
        if line.strip().startswith("lo:"):
            return int(line.split(":")[1].split()[0])
    return 0


def on_disk(folder):
    return sum(path.stat().st_size for path in folder.glob("run-*/*/tiles/*.npy"))


def warm_up(client, folder):
    """Compile the kernels on this machine and load them in every worker."""
    graph = power_law(2000, 8000)
    rows = scipy.sparse.random_array(
        (2000, 16 * 8), density=0.1, rng=np.random.default_rng(0), format="csr", dtype=np.float32
    )
    for regime in ("columns", "edges"):
        propagate(graph, rows, on=OnCluster(client, folder=folder / regime, regime=regime))


@contextmanager
def workers(count):
    with (
        LocalCluster(
            n_workers=count, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs="ERROR"
        ) as local,
        Client(local, set_as_default=False) as client,
    ):
        yield client


# ---------------------------------------------------------------- beyond memory


def large(nodes, wanted, columns, folder, k, r):
    folder.mkdir(parents=True, exist_ok=True)
    edge_folder, features = folder / "edges", folder / "features"
    if not (folder / "big.graph").exists():
        timed("edges as Parquet", lambda: write_edges(edge_folder, nodes, wanted))
        command("convert", "--edges", edge_folder, "-o", folder / "big.graph")
    if not (folder / "reports" / "_SUCCESS").exists():
        timed("features as Parquet", lambda: write_features(features, nodes, columns))
        command(
            "perturb", "--features", features, "--epsilon", 1, "--k", k, "--seed", 1, "--cluster", "local:2",
            "-o", folder / "reports",
        )  # fmt: skip
    shutil.rmtree(folder / "vectors", ignore_errors=True)
    # Some nodes have no edge, so they are not in the graph.
    command(
        "embed", "--graph", folder / "big.graph", "--reports", folder / "reports", "--cluster", "local:2",
        "--drop-unknown", "--alpha", ALPHA, "--r", r, "--tolerance", TOLERANCE, "-o", folder / "vectors",
    )  # fmt: skip


def timed(name, work):
    start = time.perf_counter()
    work()
    print(f"{name}: {time.perf_counter() - start:.1f} s", flush=True)


def command(name, *options):
    """Run a command of the package; print its time, and the largest resident memory of it and of its children."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "privge", "-q", name, *map(str, options), "--json"], stdout=subprocess.PIPE, text=True
    )
    peaks, done = {}, threading.Event()
    watcher = threading.Thread(target=watch, args=(process.pid, peaks, done))
    watcher.start()
    out, _ = process.communicate()
    done.set()
    watcher.join()
    if process.returncode:
        sys.exit(f"{name} failed")
    result = json.loads(out)
    largest = sorted(peaks.values(), reverse=True)[:4]
    print(
        f"{name}: {time.perf_counter() - start:.1f} s; peak of resident memory by process "
        f"{', '.join(f'{peak / 1e9:.2f} GB' for peak in largest)}",
        flush=True,
    )
    shown = ("nodes", "edges", "dimensions", "reports", "participation", "engine", "sweeps", "certificate", "seconds")
    print("  " + ", ".join(f"{key} {result[key]}" for key in shown if key in result), flush=True)


def watch(root, peaks, done):
    """Keep the peak of every process of a tree, as the kernel counts it."""
    import psutil

    while not done.wait(0.2):
        try:
            for process in [psutil.Process(root), *psutil.Process(root).children(recursive=True)]:
                status = Path(f"/proc/{process.pid}/status").read_text()
                peak = next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")), 0)
                peaks[process.pid] = max(peaks.get(process.pid, 0), 1024 * peak)
        except (psutil.Error, OSError):
            continue


def write_features(folder, nodes, columns, height=1_000_000):
    folder.mkdir(exist_ok=True)
    for part, first in enumerate(range(0, nodes, height)):
        generator = np.random.default_rng([7, part])
        rows = min(height, nodes - first)
        table = {"id": np.arange(first, first + rows)}
        table |= {f"f{j}": generator.random(rows, dtype=np.float32) for j in range(columns)}
        pq.write_table(pa.table(table), folder / f"part-{part:05d}.parquet", compression="zstd")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["compare", "large"])
    parser.add_argument("nodes", type=int)
    parser.add_argument("edges", type=int)
    parser.add_argument("columns", type=int)
    parser.add_argument("--folder", type=Path, default=Path("privge-scale"), help="where the large graph goes")
    parser.add_argument("--k", type=int, default=2)
    parser.add_argument("--r", type=float, default=0.1, help="of the large graph; large hubs and r want float64")
    chosen = parser.parse_args()
    if chosen.what == "compare":
        compare(chosen.nodes, chosen.edges, chosen.columns)
    else:
        large(chosen.nodes, chosen.edges, chosen.columns, chosen.folder, chosen.k, chosen.r)


if __name__ == "__main__":
    main()
