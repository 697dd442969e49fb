"""Requests to a service: verified TLS, bounded answers, no redirects, and patience where it helps.

A request is tried again when nobody answers in time, or after 408, 429 and 5xx; never after another 4xx. Every request
here may be repeated safely, because a report is stored under its own hash. Whoever waits is told by a log line (INFO).
How long, how often and what is told depends on the service alone. Messages name no token, node or body.
"""

import http.client
import logging
import re
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from privge.device.address import Address
from privge.device.connection import Connection, Exchange, TooMuch
from privge.device.patience import PATIENCE, Patience
from privge.errors import ServiceRefused, ServiceUnavailable
from privge.wire.messages import problem_words

logger = logging.getLogger(__name__)

_CHUNK = 2**16
_SILENCE = 3.0  # seconds after which whoever waits is told for what
_AGAIN = (408, 429)  # besides 5xx
_IDLE = 5.0  # seconds after which a connection is made anew: the service may be about to close it
_NETWORK = (OSError, http.client.HTTPException)
_HOPELESS = (socket.gaierror, ssl.SSLCertVerificationError)
SMALL: Final = 2**16
"""Largest answer, in bytes, where little is expected."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a service answered."""

    status: int
    body: bytes
    kind: str = ""  # content type, without parameters
    retry_after: float | None = None

    @property
    def detail(self) -> str:
        """The service's own words, if it sent a problem document; shortened, and on one line."""
        return problem_words(self.body)


@dataclass
class Client:
    """A connection to one service; not for use from several threads.

    Parameters
    ----------
    address
        Where it is.
    patience
        How often to try again.
    """

    address: Address
    patience: Patience = PATIENCE
    _connection: Connection | None = field(default=None, init=False, repr=False)
    _used: float = field(default=0.0, init=False, repr=False)  # when it was last used

    def ask(
        self, method: str, path: str, *, body: bytes | None = None, headers: Mapping[str, str], largest: int = SMALL
    ) -> Reply:
        """Send a request until it is answered for good: by success, or by a refusal that would be repeated."""
        problem = ""
        for failures in range(self.patience.attempts):
            asked = None
            try:
                with self._telling():
                    answer = self._once(method, path, body, headers, largest)
            except _HOPELESS as error:
                raise ServiceUnavailable(f"{self.address.origin} cannot be reached: {_words(error)}") from error
            except _NETWORK as error:
                self.close()
                problem = _words(error)
            else:
                if answer.status not in _AGAIN and answer.status < 500:
                    return answer
                problem, asked = f"it answers {answer.status}", answer.retry_after
            if failures + 1 < self.patience.attempts:
                self._wait(failures, problem, asked)
        raise ServiceUnavailable(
            f"{self.address.origin} did not take it in {self.patience.attempts} attempts ({problem}); try again later"
        )

    def close(self) -> None:
        """Let go of the connection; the next request makes a new one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _wait(self, failures: int, problem: str, asked: float | None) -> None:
        """Wait after a failure, and say for how long."""
        seconds, attempts = self.patience.delay(failures, asked), self.patience.attempts
        words = "%s: attempt %d of %d failed (%s); trying again in %.0f s"
        logger.info(words, self.address.origin, failures + 1, attempts, problem, seconds)
        self.patience.sleep(seconds)

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Say that there is no answer yet, if it takes long."""
        words = "waiting for %s (up to %.0f s)", self.address.origin, self.patience.timeout
        timer = threading.Timer(_SILENCE, logger.info, words)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _once(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str], largest: int) -> Reply:
        if time.monotonic() > self._used + _IDLE:
            self.close()
        connection = self._connection = self._connection or self._connect()
        connection.exchange = exchange = Exchange(self.patience.timeout)
        connection.request(method, path, body=body, headers={"User-Agent": "privge", **headers})
        response = connection.getresponse()
        if response.status < 200:  # the library knows 100 alone; the answer proper is still to come
            raise http.client.UnknownProtocol(str(response.status))
        exchange.allow(2 * largest)  # what frames a body may be as large
        content = bytearray()
        while chunk := response.read1(_CHUNK):
            content += chunk
            if len(content) > largest:
                self.close()
                raise ServiceRefused(response.status, f"the service answers with more than {largest:,} bytes")
        if response.length:  # announced, but not sent
            raise http.client.IncompleteRead(bytes(content))
        response.close()  # the connection stays, for the next request
        self._used = time.monotonic()
        if response.will_close:
            self.close()
        if 300 <= response.status < 400:
            raise ServiceRefused(response.status, "the service points to another address, which is not followed")
        kind, asked = response.headers.get_content_type(), response.headers.get("Retry-After")
        return Reply(response.status, bytes(content), kind, _seconds(asked))

    def _connect(self) -> Connection:
        where = self.address
        context = None if where.scheme == "http" else ssl.create_default_context()
        return Connection(where.host, where.port, context)


def _seconds(retry_after: str | None) -> float | None:
    """Return the seconds of a ``Retry-After``; a date, or nonsense, counts as none."""
    return float(retry_after) if retry_after and re.fullmatch(r"\d{1,9}", retry_after.strip()) else None


def _words(error: Exception) -> str:
    """Return what went wrong without what was sent."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) if isinstance(error, TimeoutError | TooMuch) and str(error) else type(error).__name__
