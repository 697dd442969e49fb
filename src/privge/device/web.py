"""Requests to a service: verified TLS, bounded answers, no redirects, and patience where it helps.

A request is tried again when nobody answers, or after 429 and 5xx; never after another 4xx. Every request here may be
repeated safely, because a report is stored under its own hash. Messages name no token, node or body.
"""

import http.client
import json
import logging
import re
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from privge.device.address import Address
from privge.device.patience import PATIENCE, Patience
from privge.errors import ServiceRefused, ServiceUnavailable

logger = logging.getLogger(__name__)

_CHUNK = 2**16
_NETWORK = (OSError, http.client.HTTPException)
_HOPELESS = (socket.gaierror, ssl.SSLCertVerificationError)
SMALL: Final = 2**16
"""Largest answer, in bytes, where little is expected."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a service answered."""

    status: int
    body: bytes
    kind: str = ""  # content type, without parameters
    retry_after: float | None = None

    @property
    def detail(self) -> str:
        """The service's own words, if it sent a problem document; shortened, and on one line."""
        try:
            problem = json.loads(self.body)
            words = str(problem.get("detail") or problem.get("title") or "")
        except (ValueError, AttributeError, RecursionError):
            words = ""
        return re.sub(r"[^\x20-\x7e]+", " ", words)[:300]


@dataclass
class Service:
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
    _connection: http.client.HTTPConnection | None = field(default=None, init=False, repr=False)

    def ask(
        self, method: str, path: str, *, body: bytes | None = None, headers: Mapping[str, str], largest: int = SMALL
    ) -> Answer:
        """Send a request until it is answered for good: by success, or by a refusal that would be repeated."""
        problem = ""
        for failures in range(self.patience.attempts):
            asked = None
            try:
                answer = self._once(method, path, body, headers, largest)
            except _HOPELESS as error:
                raise ServiceUnavailable(f"{self.address.origin} cannot be reached: {_words(error)}") from error
            except _NETWORK as error:
                self.close()
                problem = _words(error)
            else:
                if answer.status != 429 and answer.status < 500:
                    return answer
                problem, asked = f"it answers {answer.status}", answer.retry_after
            if failures + 1 < self.patience.attempts:
                logger.debug("attempt %d failed (%s); trying again", failures + 1, problem)
                self.patience.wait(failures, asked)
        raise ServiceUnavailable(
            f"{self.address.origin} did not take it in {self.patience.attempts} attempts ({problem}); try again later"
        )

    def close(self) -> None:
        """Let go of the connection; the next request makes a new one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _once(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str], largest: int) -> Answer:
        connection = self._connection = self._connection or self._connect()
        deadline = time.monotonic() + self.patience.timeout
        connection.request(method, path, body=body, headers={"User-Agent": "privge", **headers})
        response = connection.getresponse()
        content = bytearray()
        while chunk := response.read1(_CHUNK):
            content += chunk
            if len(content) > largest:
                self.close()
                raise ServiceRefused(response.status, f"the service answers with more than {largest:,} bytes")
            if time.monotonic() > deadline:
                raise TimeoutError("the answer takes too long")
        if response.length:  # announced, but not sent
            raise http.client.IncompleteRead(bytes(content))
        response.close()  # the connection stays, for the next request
        if response.will_close:
            self.close()
        if 300 <= response.status < 400:
            raise ServiceRefused(response.status, "the service points to another address, which is not followed")
        kind, asked = response.headers.get_content_type(), response.headers.get("Retry-After")
        return Answer(response.status, bytes(content), kind, _seconds(asked))

    def _connect(self) -> http.client.HTTPConnection:
        where, timeout = self.address, self.patience.timeout
        if where.scheme == "http":
            return http.client.HTTPConnection(where.host, where.port, timeout=timeout)
        return http.client.HTTPSConnection(
            where.host, where.port, timeout=timeout, context=ssl.create_default_context()
        )


def _seconds(retry_after: str | None) -> float | None:
    """Return the seconds of a ``Retry-After``; a date, or nonsense, counts as none."""
    return float(retry_after) if retry_after and re.fullmatch(r"\d{1,9}", retry_after.strip()) else None


def _words(error: Exception) -> str:
    """Return what went wrong without what was sent."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) if isinstance(error, TimeoutError) and str(error) else type(error).__name__
