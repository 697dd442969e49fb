"""A Dask cluster that exists already: connecting to it, running idempotent tasks on it, and saying what went wrong.

Everything that runs on a cluster goes through `completed`: plain functions of plain arguments that leave their result
in a shared folder and may be run twice. Dask places them, runs them again when a worker dies, and gives up on a task
that keeps killing workers. What is waited for, and how long, is in `privge._waiting`.
"""

import errno
import logging
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from privge._files.folder import Folder
from privge._imports import needed
from privge._waiting import arrived, known_workers
from privge.errors import ClusterFailed, PrivgeError

if TYPE_CHECKING:
    from distributed import Client, Security

logger = logging.getLogger(__name__)

Cluster: TypeAlias = "str | Client"
"""The address of a Dask scheduler (TLS as in Dask's own configuration), or a client of one, with any security."""

_THIS_MACHINE = {"127.0.0.1", "::1", "localhost"}

T = TypeVar("T")


@contextmanager
def connected(cluster: Cluster, *, timeout: float = 10.0) -> Iterator["Client"]:
    """Yield a client of the cluster; one that was made here is closed at the end, one that was given is not."""
    with needed("a cluster"):
        from distributed import Client
    if isinstance(cluster, Client):
        yield cluster
        return
    security = _security(cluster)
    if _open_to_others(cluster):
        logger.warning(
            "%s: no TLS, so whoever reaches it can read the work and run code on the workers; keep it in a private "
            "network or use tls:// (`privge cluster` says how)",
            cluster,
        )
    try:
        client = Client(cluster, timeout=timeout, set_as_default=False, security=security)
    except (OSError, ValueError) as error:
        raise ClusterFailed(
            f"there is no Dask scheduler at {cluster}; `privge cluster` says how to start one"
        ) from error
    try:
        yield client
    finally:
        client.close(timeout=2)


def _security(address: str) -> "Security":
    """Return Dask's own TLS settings, from its files or the environment, if they suit the address."""
    from distributed import Security

    security = Security()
    try:
        context = security.get_connection_args("client")["ssl_context"]
    except OSError as error:  # of which ssl.SSLError is one
        raise ClusterFailed(f"Dask's TLS settings cannot be used: {error}") from error
    if address.startswith("tls://") and context is None:
        raise ClusterFailed(
            f"{address} needs certificates: set distributed.comm.tls.ca-file, client.cert and client.key in Dask's "
            "configuration; `privge cluster` says how"
        )
    if security.require_encryption and not address.startswith("tls://"):
        raise ClusterFailed(f"Dask's settings require encryption: give the address as tls://, not as {address}")
    return security


def _open_to_others(address: str) -> bool:
    """Say whether an address is on another machine, or may be, and is reached without TLS."""
    scheme, _, place = address.rpartition("://")
    host = place.rpartition(":")[0].strip("[]")
    return scheme not in ("tls", "wss", "inproc") and host not in _THIS_MACHINE


def workers(client: "Client") -> dict[str, dict[str, Any]]:
    """Return what the scheduler knows of each worker, by address; a cluster without workers is an error."""
    with translated():
        known = known_workers(client)
    if not known:
        raise ClusterFailed(f"the cluster at {client.scheduler.address} has no workers")
    return known


def check_shared(client: "Client", folder: Folder) -> None:
    """See that every worker sees a folder and has this package; a relative path or a local disk would go wrong late."""
    name = f"_seen-{secrets.token_hex(8)}.json"
    with translated():
        folder.write_document(name, {})
        try:
            blind = [worker for worker, seen in client.run(_sees, folder, name).items() if not seen]
        finally:
            folder.remove([name])
    if blind:
        raise ClusterFailed(
            f"{folder.address}: {len(blind)} of the workers do not see this folder, such as {blind[0]}; "
            "give one that all of them share"
        )


def _sees(folder: Folder, name: str) -> bool:
    return folder.exists(name)


def completed(client: "Client", function: Callable[..., T], tasks: Sequence[tuple[Any, ...]]) -> Iterator[T]:
    """Run ``function(*task)`` for every task and yield the results as they come."""
    with translated():
        futures = [client.submit(function, *task, pure=False) for task in tasks]
        try:
            for _, result in arrived(client, futures):
                yield result
        finally:
            if waiting := [future for future in futures if not future.done()]:
                client.cancel(waiting)


@contextmanager
def translated() -> Iterator[None]:
    """Turn what a cluster can fail with into one message that says what to do."""
    from concurrent.futures import CancelledError

    from distributed import KilledWorker
    from distributed.comm import CommClosedError
    from tornado.iostream import StreamClosedError

    again = "run the same command again: what is finished is kept"
    try:
        yield
    except PrivgeError:
        raise
    except KilledWorker as error:
        raise ClusterFailed(
            f"workers died one after another at the same task ({error.task}), most likely for lack of memory; "
            f"give workers more or ask for the other regime, then {again}"
        ) from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
            raise ClusterFailed(f"a worker's disk is full ({error}); make room, then {again}") from error
        if isinstance(error, CommClosedError | StreamClosedError | TimeoutError):
            raise ClusterFailed(f"the scheduler was lost; when it is back, {again}") from error
        raise ClusterFailed(f"a worker could not read or write ({error}); then {again}") from error
    except CancelledError as error:
        raise ClusterFailed(f"the scheduler was lost or restarted; when it is back, {again}") from error
    except ImportError as error:
        raise ClusterFailed(
            f"a worker lacks something ({error}): all of them need the same versions of Python and privge"
        ) from error
    except MemoryError as error:
        raise ClusterFailed(f"a worker ran out of memory; give workers more, then {again}") from error
