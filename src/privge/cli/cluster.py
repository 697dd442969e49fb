"""``privge cluster``: how to start Dask, which does the work that one machine cannot; and a local one to try it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from privge._imports import needed
from privge._machine import processors
from privge.cli.declared import option
from privge.errors import ClusterFailed

_HOW = """\
privge runs on a Dask cluster that exists; it manages none. Any of Dask's own tools starts one:

  one machine    privge cluster --local 4              (or --cluster local in any command)
  several, SSH   dask ssh --hostfile hosts --nthreads 1      (pip install dask[distributed] asyncssh)
  by hand        dask scheduler                              on one machine
                 dask worker tcp://SCHEDULER:8786 --nworkers 8 --nthreads 1 --memory-limit 16GB   on each other
  Kubernetes     the Dask operator:   helm install dask-operator; kubectl apply -f cluster.yaml
  SLURM, PBS     dask-jobqueue:       SLURMCluster(cores=1, processes=1, memory="16GB").scale(32)

Then give its address:

  privge embed --graph big.graph --reports reports/ --cluster tcp://SCHEDULER:8786 -o vectors/

What every worker needs: the same versions of Python and privge (pip install -c constraints.txt 'privge[cluster]'), one
thread each, and a folder that all of them share (NFS, Lustre, EFS, or an object store: s3://, gs://, abfs://), named by
--work-folder. What is finished there is never computed again: after any failure, run the same command again.

A scheduler without TLS asks nobody who they are: whoever reaches it, or a worker, can run code there and read all.
Keep it in a private network, or give every machine a certificate of an authority of your own, and use tls://:

  dask scheduler --protocol tls --tls-ca-file ca.pem --tls-cert s.pem --tls-key s.key
  dask worker tls://SCHEDULER:8786 --tls-ca-file ca.pem --tls-cert w.pem --tls-key w.key --nthreads 1
  export DASK_DISTRIBUTED__COMM__TLS__CA_FILE=ca.pem DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION=true
  export DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT=c.pem DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY=c.key
  privge embed ... --cluster tls://SCHEDULER:8786
"""


@click.command()
@click.option("--local", "count", type=click.IntRange(1), help="Run a local cluster of this many workers until Ctrl-C.")
@click.option("--port", type=click.IntRange(0, 65535), default=8786, show_default=True, help="Of the local scheduler.")
@click.option("--memory", default="auto", show_default=True, help="Of each local worker, such as 4GB.")
def cluster(count: int | None, port: int, memory: str) -> None:
    """Say how to start a Dask cluster, or run a local one to try it.

    \b
    Examples:
      privge cluster
      privge cluster --local 4
    """
    if count is None:
        click.echo(_HOW)
        return
    with _local(count, port=port, memory=memory) as address:
        click.echo(f"{count} workers at {address}; stop with Ctrl-C")
        if not address.startswith("tls://"):
            click.echo(
                "It has no TLS: every user of this machine can reach it, and run code through it as you.", err=True
            )
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            click.echo("stopped", err=True)


def cluster_option() -> Any:  # noqa: ANN401 (a field)
    """Declare ``--cluster``."""
    help_text = "Let a Dask cluster do it: tcp:// or tls://HOST:8786, or local. See `privge cluster`."
    return option("--cluster", metavar="ADDRESS", help=help_text)


@contextmanager
def opened_cluster(address: str) -> Iterator[str]:
    """Yield the address of a cluster; ``local`` or ``local:4`` starts one for the command."""
    name, _, count = address.partition(":")
    if name != "local":
        yield address
        return
    if count and not count.isdecimal():
        raise click.BadParameter(f"local:N takes a number of workers, got {address!r}", param_hint="--cluster")
    with _local(int(count) if count else processors()) as local:
        yield local


@contextmanager
def _local(count: int, *, port: int = 0, memory: str = "auto") -> Iterator[str]:
    with needed("a cluster"):
        from distributed import LocalCluster
    try:
        started = LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            scheduler_port=port,
            memory_limit=memory,
            dashboard_address="127.0.0.1:0",
            silence_logs="ERROR",
        )
    except (OSError, RuntimeError, ValueError) as error:
        raise ClusterFailed(f"no local cluster could be started: {error}") from error
    with started:
        yield started.scheduler_address
