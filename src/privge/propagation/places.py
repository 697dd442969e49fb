"""Where a propagation is computed: on this machine, or on a cluster. Given as ``on=``."""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from privge._dask import Cluster
from privge._files.folder import Folder

if TYPE_CHECKING:
    from privge.propagation.problem import Engine

Regime: TypeAlias = Literal["auto", "columns", "edges"]


@dataclass(frozen=True, slots=True)
class Local:
    """The machine that asks. The result does not depend on the number of threads.

    Parameters
    ----------
    threads
        By default one for each processor.
    memory
        Bytes that the result may take in memory; a larger one goes to a temporary memory-mapped file. By default half
        of the machine's memory.
    engine
        A name of `privge.propagation.engines`, or an engine object. Their names are the keys of
        `privge.propagation.ENGINES`, and of whatever engines other packages bring.
    """

    threads: int | None = None
    memory: int | None = None
    engine: "str | Engine" = "sor"


@dataclass(frozen=True, slots=True)
class OnCluster:
    """A Dask cluster: its workers do the work, and the result stays in files, of which slices of rows can be read.

    Parameters
    ----------
    address
        The address of a Dask scheduler, or a client of one.
    folder
        A folder that all workers share. What is finished in it is not computed again. By default a temporary one, if
        all workers are on this machine.
    regime
        ``columns`` (the graph fits on a worker), ``edges`` (it does not) or ``auto``. It decides the engine.
    """

    address: Cluster
    folder: str | os.PathLike[str] | Folder | None = None
    regime: Regime = "auto"


Place: TypeAlias = Local | OnCluster

HERE = Local()
"""This machine, all of its processors, the default engine."""
