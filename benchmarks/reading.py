"""Reading edges: text, Parquet and conversion, ids that are integers and strings, against other ways to do the same.

    python benchmarks/reading.py                                       # under two minutes
    python benchmarks/reading.py --convert 20000000                    # as in docs/scale.md
    python benchmarks/reading.py --only texts --texts 40000000 --alone # 20 million string ids

Every contender runs in a process of its own, so that its peak of memory is its own; three times, contenders taking
turns. The times are of the work alone, once everything is imported and compiled.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import networkx
import numpy as np
import pandas
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import scipy.sparse

from privge._machine import peak_bytes
from privge.graph import convert_graph, read_graph
from scale_graph import write_edges

EDGES_PER_NODE = 10


def draw(edges, nodes):
    generator = np.random.default_rng(0)
    return pa.table([generator.integers(0, nodes, edges) for _ in range(2)], ["source", "target"])


def write_csv(path, edges):
    pa_csv.write_csv(draw(edges, max(2, edges // EDGES_PER_NODE)), path)


def write_parquet(path, edges):
    pq.write_table(draw(edges, max(2, edges // EDGES_PER_NODE)), path)


def write_texts(folder, edges):
    """Write edges of half as many string ids as one file."""
    write_edges(folder, max(2, edges // 2), edges, shape=0.0, text=True)
    parts, path = sorted(folder.iterdir()), folder / "all.parquet"
    with pq.ParquetWriter(path, pq.read_schema(parts[0])) as writer:
        for part in parts:
            writer.write_table(pq.read_table(part))
            part.unlink()
    return path


# ---------------------------------------------------------------- contenders: a path in, a graph out


def privge(path):
    return read_graph(path).indices


def networkx_edges(path):
    with path.open() as file:
        file.readline()
        return networkx.read_edgelist(file, delimiter=",")


def pandas_scipy(path):
    """What one writes without a library for graphs: number the ids, make both directions, let scipy sort."""
    if path.is_dir() or path.suffix == ".parquet":
        frame = pandas.read_parquet(path)
    else:
        frame = pandas.read_csv(path, dtype=str, engine="pyarrow")
    rows, ids = pandas.factorize(pandas.concat([frame["source"], frame["target"]], ignore_index=True))
    sources, targets = rows[: len(frame)], rows[len(frame) :]
    kept = sources != targets
    ends = np.concatenate([sources[kept], targets[kept]]), np.concatenate([targets[kept], sources[kept]])
    matrix = scipy.sparse.coo_array((np.ones(len(ends[0]), np.int8), ends), shape=(len(ids), len(ids))).tocsr()
    matrix.sum_duplicates()
    return matrix.indices


def convert(path):
    output = path.with_name("converted.graph")
    shutil.rmtree(output, ignore_errors=True)
    return convert_graph(path, output).indices()


CONTENDERS = {"privge": privge, "networkx": networkx_edges, "pandas + scipy": pandas_scipy, "privge convert": convert}


def run(name, path, tiny):
    """Do it once in this process and print what it took; before, compile on something tiny."""
    CONTENDERS[name](tiny)
    start, used = time.perf_counter(), time.process_time()
    CONTENDERS[name](path)
    print(json.dumps([time.perf_counter() - start, time.process_time() - used, peak_bytes()]))


# ---------------------------------------------------------------- what is compared


def compare(title, path, tiny, names, rounds):
    taken = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            command = [sys.executable, __file__, "--run", name, str(path), str(tiny)]
            output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            taken[name].append(json.loads(output.stdout))
    print(title, flush=True)
    first = statistics.median(walls[0] for walls in taken[names[0]])
    for name in names:
        walls, processor, peaks = zip(*taken[name], strict=True)
        print(
            f"  {name:15} {statistics.median(walls):6.2f} s ({min(walls):.2f} to {max(walls):.2f}), "
            f"{statistics.median(processor):6.2f} s of processors, peak {max(peaks) / 2**30:.2f} GiB, "
            f"{statistics.median(walls) / first:5.1f} times privge",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--csv", type=int, default=10_000_000, metavar="EDGES", help="edges of the large text file")
    parser.add_argument("--convert", type=int, default=5_000_000, metavar="EDGES", help="edges to convert")
    parser.add_argument("--texts", type=int, default=1_000_000, metavar="EDGES", help="edges, half as many string ids")
    parser.add_argument("--only", choices=["csv", "parquet", "convert", "texts"])
    parser.add_argument("--alone", action="store_true", help="string ids without the peer, which takes much memory")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--run", nargs=3, metavar=("NAME", "PATH", "TINY"), help="one contender, in this process")
    chosen = parser.parse_args()
    if chosen.run:
        run(chosen.run[0], *map(Path, chosen.run[1:]))
        return
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), chosen)


def measure(folder, chosen):
    tiny = {"csv": folder / "tiny.csv", "parquet": folder / "tiny.parquet"}
    write_csv(tiny["csv"], 20)
    write_parquet(tiny["parquet"], 20)
    if chosen.only in (None, "csv"):
        sample, large = folder / "sample.csv", folder / "large.csv"
        write_csv(sample, chosen.csv // 10)
        write_csv(large, chosen.csv)
        compare(f"{chosen.csv // 10:,} edges from CSV", sample, tiny["csv"], ["privge", "networkx"], 1)
        compare(f"{chosen.csv:,} edges from CSV", large, tiny["csv"], ["privge", "pandas + scipy"], chosen.rounds)
    if chosen.only in (None, "parquet"):
        write_parquet(folder / "large.parquet", chosen.csv)
        names = ["privge", "pandas + scipy"]
        compare(f"{chosen.csv:,} edges from Parquet", folder / "large.parquet", tiny["parquet"], names, chosen.rounds)
    if chosen.only in (None, "convert"):
        write_edges(folder / "edges", max(2, chosen.convert // EDGES_PER_NODE), chosen.convert)
        names = ["privge convert", "pandas + scipy"]
        compare(f"{chosen.convert:,} edges converted", folder / "edges", tiny["parquet"], names, chosen.rounds)
    if chosen.only in (None, "texts"):
        texts = write_texts(folder / "texts", chosen.texts)
        names = ["privge", "privge convert", *([] if chosen.alone else ["pandas + scipy"])]
        title = f"{chosen.texts:,} edges of about {chosen.texts // 2:,} string ids from Parquet"
        compare(title, texts, write_texts(folder / "few", 20), names, chosen.rounds)


if __name__ == "__main__":
    main()
