"""A connection on which a whole exchange has one deadline: name, connection, TLS, request, head and body.

The standard library has a timeout for each single read and write. A service that sends a byte now and then, or one
``100 Continue`` after the other, never meets it. Here every read and write may take only what is left until the
deadline, and an answer has a bounded number of bytes, its heads included.
"""

import http.client
import io
import queue
import socket
import ssl
import threading
import time
from typing import Any, Final, cast

HEAD_BYTES: Final = 2**16
"""Most bytes of all heads of one answer: also of those that say 100 Continue."""

_PIECE = 2**14  # bytes that are sent between two looks at the clock


class TooMuch(http.client.HTTPException):
    """An answer has more bytes than anything that is expected."""


class Exchange:
    """What one exchange may still take.

    Parameters
    ----------
    seconds
        Time for all of it.
    """

    def __init__(self, seconds: float) -> None:
        self._deadline = time.monotonic() + seconds
        self._bytes = HEAD_BYTES

    def seconds(self) -> float:
        """Return the time that is left, or say that there is none."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("it takes too long")
        return left

    def allow(self, size: int) -> None:
        """Allow so many bytes more."""
        self._bytes += size

    def take(self, size: int) -> None:
        """Count bytes that were read."""
        self._bytes -= size
        if self._bytes < 0:
            raise TooMuch("the answer has no end")


class _Reader(io.RawIOBase):
    """Reads from a socket what one exchange allows."""

    def __init__(self, connection: socket.socket, exchange: Exchange) -> None:
        self._socket, self._exchange = connection, exchange
        self._file = connection.makefile("rb", buffering=0)  # keeps the socket open until this is closed

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:  # noqa: ANN401 (as in the library)
        self._socket.settimeout(self._exchange.seconds())
        size = self._file.readinto(buffer)
        self._exchange.take(size or 0)
        return size

    def close(self) -> None:
        self._file.close()
        super().close()


class _Source:
    """What `http.client` takes for a socket when it reads an answer."""

    def __init__(self, connection: socket.socket, exchange: Exchange) -> None:
        self._socket, self._exchange = connection, exchange

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Reader(self._socket, self._exchange))


class Connection(http.client.HTTPConnection):
    """A connection that is opened with its first request; ``exchange`` must be set anew before each.

    Parameters
    ----------
    host, port
        Of the service; port None is the usual one.
    context
        For TLS; None is plain http.
    """

    exchange: Exchange

    def __init__(self, host: str, port: int | None, context: ssl.SSLContext | None) -> None:
        self.default_port = http.client.HTTP_PORT if context is None else http.client.HTTPS_PORT
        super().__init__(host, port or self.default_port)
        self._context = context
        self.response_class = cast("type[http.client.HTTPResponse]", self._response)

    def connect(self) -> None:
        """Connect to the first address of the host that answers."""
        problem = OSError()
        for family, kind, protocol, _, place in _addresses(self.host, self.port, self.exchange.seconds()):
            self.sock = socket.socket(family, kind, protocol)
            try:
                self.sock.settimeout(self.exchange.seconds())
                self.sock.connect(place)
                break
            except OSError as error:
                self.sock.close()
                problem = error
        else:
            self.sock = None
            raise problem
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._context is not None:
            self.sock.settimeout(self.exchange.seconds())
            self.sock = self._context.wrap_socket(self.sock, server_hostname=self.host)

    def send(self, data: Any) -> None:  # noqa: ANN401 (as in the library)
        """Send bytes, piece by piece."""
        if self.sock is None:
            self.connect()
        for start in range(0, len(data), _PIECE):
            self.sock.settimeout(self.exchange.seconds())
            super().send(data[start : start + _PIECE])

    def _response(self, connection: socket.socket, *, method: str | None = None) -> http.client.HTTPResponse:
        return http.client.HTTPResponse(cast("socket.socket", _Source(connection, self.exchange)), method=method)


def _addresses(host: str, port: int, seconds: float) -> list[tuple[Any, ...]]:
    """Look a name up; in a thread, because the system's own look-up cannot be told to hurry."""
    found: queue.SimpleQueue[list[tuple[Any, ...]] | OSError] = queue.SimpleQueue()

    def look_up() -> None:
        try:
            found.put(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except OSError as error:
            found.put(error)
        except UnicodeError:  # a part of the name is too long, or empty
            found.put(socket.gaierror(socket.EAI_NONAME, "this is not the name of a machine"))

    threading.Thread(target=look_up, name="privge-name", daemon=True).start()
    try:
        result = found.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError("the name server takes too long") from None
    if isinstance(result, OSError):
        raise result
    return result
