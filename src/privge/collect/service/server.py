"""Run the service: granian in front, one process a worker.

What is asked of granian: HTTP/1.1 only (a proxy speaks it, and the limits below exist for it), a time for the head of a
request (also for a connection that idles), a cap on the head's size and on connections. Bodies are timed and capped by
the application (`body`), because granian does not. Nor does it end a connection whose client takes no answers; the
system does that, once it is told to (`_end_untaken`).
"""

import resource
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server import MPServer
from starlette.types import ASGIApp

from privge.collect.service import logs
from privge.collect.service.app import create_app
from privge.collect.service.routes.operations import Operation
from privge.collect.service.settings import Settings
from privge.collect.stores import open_store
from privge.collect.stores.log import SERVICE
from privge.collect.stores.rules import LIFETIME_EPSILON
from privge.errors import PrivgeError

_HEAD_BYTES = 32_768

Pages = Callable[[], Sequence[Operation]]
"""Makes the pages of a service, in each worker anew; it is handed from process to process, so it must pickle."""


@dataclass(frozen=True, slots=True)
class Listening:
    """Where and how to listen.

    Parameters
    ----------
    host, port
        Where; port 0 takes a free one.
    certificate, key
        Files for TLS; without them a proxy must do it.
    connections
        Most connections of a worker at once; more wait in the backlog.
    head_seconds
        Time in which the head of a request must arrive; also how long a connection may idle or take no answer.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    certificate: Path | None = None
    key: Path | None = None
    connections: int = 4096
    head_seconds: float = 15.0

    @property
    def url(self) -> str:
        """The address as a URL."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http{'s' if self.certificate else ''}://{host}:{self.port}"


def run(
    store_url: str,
    settings: Settings,
    address: Listening,
    *,
    workers: int = 1,
    lifetime_epsilon: float | None = LIFETIME_EPSILON,
    by: str = SERVICE,
    pages: Pages = tuple,
    ready: Callable[[Listening], None],
) -> None:
    """Serve until a signal says to stop; then finish what is under way and return.

    Parameters
    ----------
    lifetime_epsilon
        The most a node may spend over all campaigns; None sets no limit.
    by
        Who is written down in the log if the store is made.
    pages
        What is answered besides (`create_app`).
    ready
        Called with the address when connections are accepted.
    """
    open_store(store_url, lifetime_epsilon, by=by).close()  # a wrong address is told here, not in a worker
    address = replace(address, port=_free_port(address))
    _harden(address.connections)
    logs.install()
    with tempfile.TemporaryDirectory(prefix="privge-metrics-") as shared:
        settings = replace(settings, shared=Path(shared) if workers > 1 else None)
        server = _server(address, workers, settings)
        threading.Thread(target=_announce, args=(address, ready), daemon=True).start()
        application = partial(_application, store_url, settings, lifetime_epsilon, address, pages)
        server.serve(target_loader=application, wrap_loader=False)


def _server(address: Listening, workers: int, settings: Settings) -> MPServer:
    return MPServer(
        "privge",
        address=address.host,
        port=address.port,
        interface=Interfaces.ASGI,
        workers=workers,
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(header_read_timeout=int(1000 * address.head_seconds), max_buffer_size=_HEAD_BYTES),
        websockets=False,
        backlog=2048,
        backpressure=address.connections,
        log_level=LogLevels.warning,
        log_dictconfig=_GRANIAN_LOGS,
        ssl_cert=address.certificate,
        ssl_key=address.key,
        respawn_failed_workers=True,
        workers_kill_timeout=int(settings.limits.drain_seconds) + 10,
    )


def _application(
    store_url: str, settings: Settings, lifetime_epsilon: float | None, address: Listening, pages: Pages
) -> ASGIApp:
    """Build the application inside a worker process."""
    logs.install()
    threading.Thread(target=_end_untaken, args=(address,), daemon=True).start()
    return create_app(open_store(store_url, lifetime_epsilon), settings, pages=pages(), close_store=True)


_GRANIAN_LOGS = {
    "formatters": {"private": {"()": "privge.collect.service.logs.PrivateFormatter"}},
    "handlers": {"console": {"formatter": "private", "class": "logging.StreamHandler", "stream": "ext://sys.stderr"}},
    "loggers": {"_granian": {"handlers": ["console"], "level": "WARNING", "propagate": False}},
}


def _free_port(address: Listening) -> int:
    """Return the port, or a free one for 0; one that somebody listens on is refused, though granian would share it."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address.host, address.port))
        except OSError as error:
            raise PrivgeError(f"cannot listen on {address.url}: {error.strerror}") from error
        port: int = probe.getsockname()[1]
        return port


def _end_untaken(address: Listening) -> None:
    """Let the system end connections that leave an answer untaken; those accepted inherit it from the listening one.

    granian makes that one itself, a little after this is called, and does not hand it out; so it is looked up. Only
    Linux can do this.
    """
    files = Path("/proc/self/fd")
    while files.exists():
        for file in files.iterdir():
            with suppress(OSError), socket.fromfd(int(file.name), socket.AF_INET, socket.SOCK_STREAM) as found:
                listens = found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
                if listens and found.getsockname()[1:2] == (address.port,):
                    found.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(1000 * address.head_seconds))
                    return
        time.sleep(0.05)


def _harden(connections: int) -> None:
    """Allow enough open files, and no core dump: it would hold reports and keys."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + 256
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted if most == resource.RLIM_INFINITY else min(wanted, most), most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _announce(address: Listening, ready: Callable[[Listening], None]) -> None:
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(address.host, address.host)  # noqa: S104 (compared, not bound)
    while True:
        try:
            socket.create_connection((host, address.port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            ready(address)
            return
