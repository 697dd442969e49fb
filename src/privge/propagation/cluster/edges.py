"""The edges regime: the graph does not fit on a worker, so each worker has some rows of it.

Two ways to iterate, chosen with the layout of the run. `privge.propagation.cluster.turns`: shards take turns in place,
each on another block of columns at a time; it is the faster one, and needs enough blocks to keep the workers busy.
`privge.propagation.cluster.steps`: all shards step at once, on all blocks.

Both are plain tasks that depend on each other. When a worker dies, the driver drops all of them and begins at the last
checkpoint: its vectors come from files, so nothing before it is needed. A run that was stopped begins there too.
"""

import logging
from typing import TYPE_CHECKING

from privge._dask import completed, translated
from privge._typing import Progress
from privge.errors import ClusterFailed
from privge.propagation.cluster import shards
from privge.propagation.cluster.homes import UprootedError
from privge.propagation.cluster.run import Run
from privge.propagation.cluster.steps import Steps
from privge.propagation.cluster.turns import Turns

if TYPE_CHECKING:
    from distributed import Client

logger = logging.getLogger(__name__)

_UPROOTED_AT_MOST = 3  # times without a step in between


def solve_edges(client: "Client", run: Run, progress: Progress | None = None) -> None:
    """Compute the tiles that are not there yet, one pass over the graph for each column of tiles."""
    todo = run.unfinished()
    count = len(run.row_cuts) - 1
    halos = sum(completed(client, shards.prepare, [(run, shard) for shard in range(count)]) if todo else ())
    logger.info("%d shards need %d rows of each other, in all", count, halos)
    passes = sorted({j for _, j in todo})
    for j in passes:
        with translated():
            _solve(client, run, j)
        if progress is not None:
            progress(run.column_cuts[j + 1], run.entries.columns)


def _solve(client: "Client", run: Run, column: int) -> None:
    """Solve one column of tiles, from its last checkpoint again if workers were lost."""
    uprooted, reached = 0, -1
    while True:
        one = (Turns if run.engine == "sor" else Steps)(client, run, column)
        try:
            return one.solve()
        except UprootedError:
            uprooted, reached = (1, one.sweeps) if one.sweeps > reached else (uprooted + 1, reached)
            if uprooted >= _UPROOTED_AT_MOST:
                raise ClusterFailed(
                    f"workers were lost {uprooted} times after {reached} sweeps, most likely for lack of memory; "
                    "give workers more, then run the same command again: what is finished is kept"
                ) from None
            logger.warning("workers were lost; going back to the last checkpoint")
