"""Files from the web: resumed where they stopped, never larger than announced, checked before they get their name."""

import http.client
import os
import re
import socket
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final
from urllib.parse import urlsplit

from privge.datasets.cache import difference
from privge.errors import DatasetCorrupt, DatasetMissing

_CHUNK = 2**16
_THIS_MACHINE = {"127.0.0.1", "::1", "localhost"}
_TRY_AGAIN = {408, 416, 429, 500, 502, 503, 504}
_HOPELESS = (socket.gaierror, ssl.SSLCertVerificationError)
_NETWORK = (urllib.error.URLError, TimeoutError, ConnectionError, ssl.SSLError, http.client.HTTPException)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for a silent server, how often to try, and how long to pause before the second attempt."""

    timeout: float = 30.0
    attempts: int = 4
    pause: float = 1.0


PATIENCE: Final = Patience()


class _Interrupted(Exception):
    """The connection failed; another attempt may go on from where it stopped."""


class _Refused(Exception):
    """Another attempt would fail the same way."""


def download(
    url: str,
    target: Path,
    *,
    size: int | None,
    largest: int,
    sha256: str,
    progress: Callable[[int], None] = lambda _done: None,
    patience: Patience = PATIENCE,
) -> None:
    """Fetch a file; afterwards the target is complete and right, or there is none.

    What an interrupted attempt received stays beside the target, as ``.name.partial``, and the next call goes on there.

    Parameters
    ----------
    url
        An https address, or http on this machine.
    size, largest, sha256
        What the bytes must be; ``largest`` bounds a file whose size is not known.
    progress
        Called with the number of bytes that are there.
    """
    partial = target.with_name(f".{target.name.lstrip('.')}.partial")
    try:
        _receive_patiently(url, partial, size, largest, progress, patience)
        _check(partial, url, size, sha256)
        partial.replace(target)
    except DatasetCorrupt:
        partial.unlink(missing_ok=True)
        raise
    except (_Interrupted, _Refused) as error:
        if partial.exists() and partial.stat().st_size == 0:
            partial.unlink()
        raise DatasetMissing(f"cannot download {url}: {error}") from error


def _check(partial: Path, url: str, size: int | None, sha256: str) -> None:
    with partial.open("rb") as received:
        os.fsync(received.fileno())
        problem = difference(received.read(), size, sha256)
    if problem is not None:
        raise DatasetCorrupt(f"{problem} ({url})")


def _receive_patiently(
    url: str, partial: Path, size: int | None, largest: int, progress: Callable[[int], None], patience: Patience
) -> None:
    if not _is_allowed(url):
        raise _Refused("only https addresses are used")
    for attempt in range(patience.attempts):
        try:
            return _receive(url, partial, size, largest, progress, patience.timeout)
        except _Interrupted:
            if attempt + 1 == patience.attempts:
                raise
            time.sleep(patience.pause * 2**attempt)
    return None


def _receive(
    url: str, partial: Path, size: int | None, largest: int, progress: Callable[[int], None], timeout: float
) -> None:
    """Append to the partial file what it lacks."""
    done = partial.stat().st_size if partial.exists() else 0
    if done == size:
        return
    try:
        with _open(url, done, timeout) as response:
            if not (done and _continues(response, done)):
                done = 0
            total = None if response.length is None else done + response.length
            if total is not None and total != size and (size is not None or total > largest):
                raise DatasetCorrupt(f"the server sends {total:,} bytes instead of {size or largest:,} ({url})")
            with partial.open("ab" if done else "wb") as file:
                while chunk := response.read1(_CHUNK):
                    done += len(chunk)
                    if done > largest:
                        raise DatasetCorrupt(f"the server sends more than {largest:,} bytes ({url})")
                    file.write(chunk)
                    progress(done)
    except _NETWORK as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()
            if error.code == 416:  # nothing follows what is there: it is not this file
                partial.unlink(missing_ok=True)
        raise _outcome(error) from error
    if done < (total or size or 0):
        raise _Interrupted(f"the connection ended after {done:,} bytes; run it again to go on from there")


def _open(url: str, done: int, timeout: float) -> http.client.HTTPResponse:
    headers = {"User-Agent": "privge", **({"Range": f"bytes={done}-"} if done else {})}
    opener = urllib.request.build_opener(_SafeRedirects)
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 (the scheme was checked)
    response: http.client.HTTPResponse = opener.open(request, timeout=timeout)
    return response


def _continues(response: http.client.HTTPResponse, done: int) -> bool:
    """Whether the answer is the rest of the file, and not the file from its beginning."""
    if response.status != 206:
        return False
    if not re.match(rf"bytes {done}-", response.headers.get("Content-Range", "")):
        raise _Refused("the server sends another part than the one asked for")
    return True


def _outcome(error: Exception) -> _Interrupted | _Refused:
    if isinstance(error, urllib.error.HTTPError):
        kind = _Interrupted if error.code in _TRY_AGAIN else _Refused
        return kind(f"the server answers {error.code} {error.reason}")
    reason = getattr(error, "reason", error)
    kind = _Refused if isinstance(reason, _HOPELESS) else _Interrupted
    return kind(str(reason) or type(reason).__name__)


def _is_allowed(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _THIS_MACHINE)


class _SafeRedirects(urllib.request.HTTPRedirectHandler):
    """Follow redirects to https only; a server on this machine may also point to this machine."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        leaves_tls = urlsplit(req.full_url).scheme == "https" and urlsplit(newurl).scheme != "https"
        if leaves_tls or not _is_allowed(newurl):
            fp.close()
            raise _Refused(f"the server points to {newurl}, and only https addresses are used")
        return super().redirect_request(req, fp, code, msg, headers, newurl)
