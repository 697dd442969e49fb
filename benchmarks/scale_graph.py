"""Write the edges of a large random graph as Parquet in parts, in little memory.

    python benchmarks/scale_graph.py --nodes 20000000 --edges 200000000 -o /tmp/scale/edges
    privge convert --edges /tmp/scale/edges -o /tmp/scale/20m.graph --json

Degrees follow a power law: the end of an edge is node ``n u^(1 + shape)``, whose degree falls as its number to the
power ``-shape / (1 + shape)``. A bijection spreads the hubs over all numbers.
"""

import argparse
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

PART = 4_000_000
STEP = 2_654_435_761  # prime, so that multiplying by it modulo any smaller n is a bijection


def ends(generator, nodes, edges, shape):
    """Draw one end of each edge."""
    rank = np.minimum((nodes * generator.random(edges) ** (1 + shape)).astype(np.int64), nodes - 1)
    return rank * STEP % nodes


def write_edges(folder, nodes, edges, *, shape=0.6, text=False, seed=0):
    """Write the parts; those of the same seed are the same."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, first in enumerate(range(0, edges, PART)):
        generator = np.random.default_rng([seed, number])
        count = min(PART, edges - first)
        columns = [pa.array(ends(generator, nodes, count, shape)) for _ in range(2)]
        if text:
            columns = [pc.binary_join_element_wise("user", column.cast(pa.string()), "-") for column in columns]
        pq.write_table(pa.table(columns, ["source", "target"]), folder / f"part-{number:05d}.parquet")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=2_000_000)
    parser.add_argument("--edges", type=int, default=20_000_000)
    parser.add_argument("--shape", type=float, default=0.6, help="0 for equal degrees; larger for larger hubs")
    parser.add_argument("--text", action="store_true", help="ids as strings")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    write_edges(options.output, options.nodes, options.edges, shape=options.shape, text=options.text)
