"""One million people with 500 sparse features each: simulate every device, and measure the peak memory."""

import resource
import time

import numpy as np
import scipy.sparse

from privge import Campaign
from privge.cli.progress import progress_bar

PEOPLE, DIMENSIONS, NONZEROS, K = 1_000_000, 500, 20, 5


def main():
    generator = np.random.default_rng(0)
    indices = generator.integers(0, DIMENSIONS, PEOPLE * NONZEROS, dtype=np.int32)
    rows = np.arange(PEOPLE + 1, dtype=np.int64) * NONZEROS
    values = np.ones(PEOPLE * NONZEROS, dtype=np.float32)
    features = scipy.sparse.csr_array((values, indices, rows), shape=(PEOPLE, DIMENSIONS))
    campaign = Campaign(dimensions=DIMENSIONS, low=0, high=1, mechanism="hds", epsilon=1.0, k=K)
    before = _peak()
    start = time.perf_counter()
    with progress_bar("Simulating devices") as progress:
        reports = campaign.simulate(features, progress=progress)
    seconds = time.perf_counter() - start
    decoded = reports.decode()
    print(f"{len(reports):,} reports, k = {K} of {DIMENSIONS}: {seconds:.1f} s; {decoded.nnz:,} decoded values")
    print(f"peak memory {_peak():.2f} GiB; {before:.2f} GiB of it before the simulation, for the features")


def _peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


if __name__ == "__main__":
    main()
