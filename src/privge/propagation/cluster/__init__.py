"""The same propagation on a Dask cluster: one call, two regimes, one kind of result.

`columns`: the graph fits on a worker, and column blocks are tasks. `edges`: it does not, and rows are spread over the
workers. `regime` chooses and says why; `run` is what is in the shared folder; `tiles` is the result.
"""

from privge.propagation.cluster.entries import Entries
from privge.propagation.cluster.propagate import propagate_entries, propagate_on_cluster, run_folder, stored_graph
from privge.propagation.cluster.run import Inputs
from privge.propagation.cluster.tiles import TiledMatrix

__all__ = [
    "Entries",
    "Inputs",
    "TiledMatrix",
    "propagate_entries",
    "propagate_on_cluster",
    "run_folder",
    "stored_graph",
]
