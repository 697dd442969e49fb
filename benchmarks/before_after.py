"""Is this tree faster than a former one? Both run the same work by turns, on the same machine, in one run.

    python benchmarks/before_after.py                    # against the tree from before the work on speed: 40 minutes
    python benchmarks/before_after.py --former REVISION --only embed reading --rounds 5

The former tree is laid into the folder of temporary files with an environment of its own (some minutes the first time;
another run finds it). Every measurement is a process of its own, uses the public API alone, and compiles before it
counts. Printed are medians with the least and the largest of all rounds; *times* is that of the medians, former by new.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import scipy.sparse

import privge as pg
from graphs import facebook, power_law

FORMER = "296326c"
HERE = Path(__file__).resolve().parent.parent
NODES, EDGES, COLUMNS = 1_000_000, 10_000_000, 64
WALK = {"alpha": 0.1, "r": 0.1, "tolerance": 1e-4}


def seconds(work):
    """Return wall and processor seconds."""
    wall, used = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - used


def least(times, work):
    """Return the least processor seconds of several times."""
    return min(seconds(work)[1] for _ in range(times))


def with_k_of(graph, columns, k=5):
    campaign = pg.Campaign(dimensions=columns, low=0, high=1, mechanism="hds", epsilon=1.0, k=k)
    return campaign.simulate(scipy.sparse.csr_array((graph.nodes, columns)), ids=graph.ids, seed=1)


def compiled():
    """Embed and update something tiny, so that nothing is compiled or imported later."""
    graph = power_law(2000, 8000)
    reports = with_k_of(graph, COLUMNS)
    first, rest = (reports.take(np.arange(*span)) for span in ((0, 10), (10, 2000)))
    pg.update(pg.embed(graph, rest, **WALK), first, graph=graph, reports=rest)


# ---------------------------------------------------------------- what is measured, each in a process of its own


def embed(_):
    """From scratch, then by update, with all processors."""
    compiled()
    graph = power_law(NODES, EDGES)
    reports = with_k_of(graph, COLUMNS)
    found = {}
    wall, used = seconds(lambda: found.update(whole=pg.embed(graph, reports, **WALK)))
    result = {"from scratch, 1M nodes, s": wall, "the same, s of processors": used}
    for new in (100, 10_000):
        late, before = (reports.take(np.arange(*span)) for span in ((0, new), (new, NODES)))
        old = pg.embed(graph, before, **WALK)
        walls = [seconds(lambda o=old, f=late, b=before: pg.update(o, f, graph=graph, reports=b))[0] for _ in range(3)]
        result[f"{new:,} new reports, s"] = statistics.median(walls[1:])
        result[f"scratch by {new:,} new reports, times"] = wall / statistics.median(walls[1:])
    return result


def small(_):
    """Few columns on a graph that fits the cache, one thread; and how wide its certificate is."""
    graph = facebook() or power_law(22_470, 170_823)
    result = {}
    for columns in (16, 64, 256):
        features = scipy.sparse.random_array(
            (graph.nodes, columns), density=0.02, rng=np.random.default_rng(0), format="csr", dtype=np.float32
        )
        given = (graph, features, 0.05, 0.1, 1e-4)

        def work(given=given):
            return propagated(*given)

        work()
        result[f"Facebook, {columns} columns, ms of one processor"] = 1e3 * least(5, work)
    z, run = propagated(graph, features, 0.05, 0.1, 1e-4)
    exact, _ = propagated(graph, features, 0.05, 0.1, 1e-10)
    result["certificate by true error, times"] = run.certificate.error / float(np.abs(z - exact).max())
    result["sweeps"] = run.certificate.sweeps
    return result


def propagated(graph, features, alpha, r, tolerance):
    from privge.propagation import Local, propagate

    return propagate(graph, features, alpha=alpha, r=r, tolerance=tolerance, on=Local(threads=1))


def fine(_):
    """A tolerance that float32 cannot certify, on large hubs with a large r: one block, one thread."""
    graph = power_law(NODES, EDGES)
    features = scipy.sparse.random_array((NODES, 16), density=0.1, rng=np.random.default_rng(0), format="csr")
    propagated(power_law(2000, 8000), features[:2000], 0.1, 0.5, 1e-8)
    wall, used = seconds(lambda: propagated(graph, features, 0.1, 0.5, 1e-7))
    return {"tolerance 1e-7 at r = 0.5, 1M nodes, 16 columns, s": wall, "the same, s of a processor": used}


def reading(folder):
    from privge.graph import convert_graph, read_graph

    tiny = folder / "tiny.csv"
    for _ in range(2):
        read_graph(tiny)
    result = {f"read 10M edges of {path.suffix[1:]}, s": seconds(lambda p=path: read_graph(p))[0]
              for path in (folder / "edges.csv", folder / "edges.parquet")}  # fmt: skip
    with tempfile.TemporaryDirectory(dir=folder) as output:
        convert_graph(folder / "tiny.parquet", Path(output) / "tiny.graph")
        wall = seconds(lambda: convert_graph(folder / "edges.parquet", Path(output) / "edges.graph"))[0]
    return result | {"convert 10M edges, s": wall}


def drawing(_):
    """20,000 people, all of 500 numbers: 10 million draws."""
    used, people = {}, 20_000
    features = scipy.sparse.random_array((people, 500), density=0.5, rng=np.random.default_rng(0), format="csr")
    for mechanism in ("hds", "laplace"):
        campaign = pg.Campaign(dimensions=500, low=0, high=1, mechanism=mechanism, epsilon=1.0, k=500)
        campaign.simulate(features[:1000])
        used[mechanism] = least(3, lambda c=campaign: c.simulate(features))
    shown = {f"10M draws by {mechanism}, s of processors": taken for mechanism, taken in used.items()}
    return shown | {"laplace by hds, times": used["laplace"] / used["hds"]}


def cluster(folder):
    """Both regimes with two workers of one thread, by the single process with two threads."""
    from distributed import Client, LocalCluster

    from privge.embedding.join import feature_rows
    from privge.graph.stored import save_graph
    from privge.propagation import OnCluster, propagate

    graph = power_law(NODES, EDGES)
    rows = feature_rows(graph, with_k_of(graph, COLUMNS, k=2))
    walk = WALK | {"r": 0.5}
    propagate(graph, rows[:, :16], **walk)
    alone = seconds(lambda: propagate(graph, rows, **walk))[0]
    result = {"one process, s": alone}
    with (
        tempfile.TemporaryDirectory(dir=folder) as shared,
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs="ERROR") as local,
        Client(local, set_as_default=False) as client,
    ):
        stored, tiny = save_graph(graph, Path(shared, "graph")), power_law(2000, 8000)
        little = scipy.sparse.random_array((2000, 128), density=0.1, rng=np.random.default_rng(0), format="csr")
        for regime in ("columns", "edges"):
            on = OnCluster(client, folder=Path(shared, f"{regime}-tiny"), regime=regime)
            propagate(tiny, little.astype(np.float32), on=on)
            on = OnCluster(client, folder=Path(shared, regime), regime=regime)
            before = sent()
            wall = seconds(lambda on=on: propagate(stored, rows, **walk, on=on))[0]
            result |= {f"{regime}, 2 workers, s": wall, f"{regime} by one process, times": wall / alone}
            result |= {f"{regime}, GB sent": (sent() - before) / 1e9}
    return result


def sent():
    """Bytes that this machine sent to itself, as the kernel counts them."""
    lines = Path("/proc/net/dev").read_text().splitlines()
    return next(int(line.split(":")[1].split()[0]) for line in lines if line.strip().startswith("lo:"))


def storing(folder):
    """Reports of random ids into SQLite, in durable transactions of 5,000."""
    from datetime import date

    from privge.collect.stores import Upload, open_store

    campaign = pg.Campaign(dimensions=500, low=0, high=1, mechanism="hds", epsilon=1.0, k=5)
    count, generator = 500_000, np.random.default_rng(0)
    codes = generator.integers(0, campaign.law.outputs, (count, campaign.k)).astype("<u2")
    ids = generator.integers(0, 2**62, count).tolist()
    uploads = [Upload(node, row.tobytes()) for node, row in zip(ids, codes, strict=True)]
    with tempfile.TemporaryDirectory(dir=folder) as place:
        store = open_store(f"{place}/reports.db")
        store.add_campaign(campaign)
        wall, used = seconds(
            lambda: [
                store.put(campaign.id, uploads[first : first + 5_000], day=date(2027, 2, 3))
                for first in range(0, count, 5_000)
            ]
        )
        store.close()
    return {"500,000 random ids into SQLite, s": wall, "the same, s of a processor": used}


WORK = {work.__name__: work for work in (embed, small, fine, reading, drawing, cluster, storing)}


# ---------------------------------------------------------------- two trees by turns


def former_python(revision):
    """Lay the former tree into the folder of temporary files, with an environment; return its interpreter."""
    folder = Path(tempfile.gettempdir()) / f"privge-{revision}"
    if not folder.exists():
        with tempfile.TemporaryFile() as packed, tempfile.TemporaryDirectory(dir=folder.parent) as unpacked:
            subprocess.run([shutil.which("git"), "-C", HERE, "archive", revision], stdout=packed, check=True)
            packed.seek(0)
            with tarfile.open(fileobj=packed) as archive:
                archive.extractall(unpacked, filter="data")
            Path(unpacked).rename(folder)
            Path(unpacked).mkdir()
    subprocess.run([shutil.which("make"), "--silent", "-C", folder, ".venv/.installed-cluster,serve"], check=True)
    return folder / ".venv/bin/python"


def write_inputs(folder):
    generator = np.random.default_rng(0)
    for name, edges, nodes in (("edges", EDGES, NODES), ("tiny", 1000, 100)):
        table = pa.table([generator.integers(0, nodes, edges) for _ in range(2)], ["source", "target"])
        pa_csv.write_csv(table, folder / f"{name}.csv")
        pq.write_table(table, folder / f"{name}.parquet")


def told(name, found):
    """Print the rows of one kind of work."""
    print(f"\n{name}: {WORK[name].__doc__ or 'edges of integer ids, all processors'}".rstrip(), flush=True)
    print(f"  {'':58}{'former':>26}{'new':>26}{'times':>8}")
    for row in found["new"][0]:
        cells, middles = [], {}
        for tree in ("former", "new"):
            numbers = sorted(round_[row] for round_ in found[tree])
            middles[tree] = statistics.median(numbers)
            cells.append(f"{middles[tree]:.3g} ({numbers[0]:.3g} to {numbers[-1]:.3g})")
        print(f"  {row:58}{cells[0]:>26}{cells[1]:>26}{middles['former'] / middles['new']:>8.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--former", default=FORMER, help="a commit (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=list(WORK), default=list(WORK), help="leave the others out")
    parser.add_argument("--run", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        print(json.dumps(WORK[options.run[0]](Path(options.run[1]))))
        return
    pythons = {"former": former_python(options.former), "new": Path(sys.executable)}
    with tempfile.TemporaryDirectory(prefix="privge-before-after-") as folder:
        write_inputs(Path(folder))
        for name in options.only:
            found = {tree: [] for tree in pythons}
            for _ in range(options.rounds):
                for tree, python in pythons.items():
                    command = [python, __file__, "--run", name, folder]
                    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
                    found[tree].append(json.loads(ran.stdout.splitlines()[-1]))
            told(name, found)


if __name__ == "__main__":
    main()
