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
from privge.datasets.description import Published
from privge.errors import DatasetCorrupt, DatasetMissing

_CHUNK = 2**16
_THIS_MACHINE = {"127.0.0.1", "::1", "localhost"}
_TRY_AGAIN = {408, 416, 429, 500, 502, 503, 504}
_HOPELESS = (socket.gaierror, ssl.SSLCertVerificationError)
_NETWORK = (urllib.error.URLError, TimeoutError, ConnectionError, ssl.SSLError, http.client.HTTPException)


@dataclass(frozen=True, slots=True)
class Retries:
    """How long to wait for a silent server, how often to try, and how long to pause before the second attempt."""

    timeout: float = 30.0
    attempts: int = 4
    pause: float = 1.0


RETRIES: Final = Retries()


class _Interrupted(Exception):
    """The connection failed; another attempt may go on from where it stopped."""


class _Refused(Exception):
    """Another attempt would fail the same way."""


def download(
    file: Published,
    target: Path,
    *,
    progress: Callable[[int], None] = lambda _done: None,
    retries: Retries = RETRIES,
) -> None:
    """Fetch a file; afterwards the target is complete and right, or there is none.

    What an interrupted attempt received stays beside the target, as ``.name.partial``, and the next call goes on there.

    Parameters
    ----------
    file
        Where the bytes are, and what they must be.
    target
        Where they belong.
    progress
        Called with the number of bytes that are there.
    retries
        How long to wait, and how often to try.
    """
    partial = target.with_name(f".{target.name.lstrip('.')}.partial")
    try:
        _receive_patiently(file, partial, progress, retries)
        _check(partial, file)
        partial.replace(target)
    except DatasetCorrupt:
        partial.unlink(missing_ok=True)
        raise
    except (_Interrupted, _Refused) as error:
        if partial.exists() and partial.stat().st_size == 0:
            partial.unlink()
        raise DatasetMissing(f"cannot download {file.url}: {error}") from error


def _check(partial: Path, file: Published) -> None:
    with partial.open("rb") as received:
        os.fsync(received.fileno())
        problem = difference(received.read(), file)
    if problem is not None:
        raise DatasetCorrupt(f"{problem} ({file.url})")


def _receive_patiently(file: Published, partial: Path, progress: Callable[[int], None], retries: Retries) -> None:
    if not _is_allowed(file.url):
        raise _Refused("only https addresses are used")
    for attempt in range(retries.attempts):
        try:
            return _receive(file, partial, progress, retries.timeout)
        except _Interrupted:
            if attempt + 1 == retries.attempts:
                raise
            time.sleep(retries.pause * 2**attempt)
    return None


def _receive(file: Published, partial: Path, progress: Callable[[int], None], timeout: float) -> None:
    """Append to the partial file what it lacks."""
    done = partial.stat().st_size if partial.exists() else 0
    if done == file.size:
        return
    try:
        with _open(file.url, done, timeout) as response:
            if not (done and _continues(response, done)):
                done = 0
            total = None if response.length is None else done + response.length
            _check_announced(file, total)
            with partial.open("ab" if done else "wb") as received:
                while chunk := response.read1(_CHUNK):
                    done += len(chunk)
                    if done > file.largest:
                        raise DatasetCorrupt(f"the server sends more than {file.largest:,} bytes ({file.url})")
                    received.write(chunk)
                    progress(done)
    except _NETWORK as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()
            if error.code == 416:  # nothing follows what is there: it is not this file
                partial.unlink(missing_ok=True)
        raise _outcome(error) from error
    if done < (total or file.size or 0):
        raise _Interrupted(f"the connection ended after {done:,} bytes; run it again to go on from there")


def _check_announced(file: Published, total: int | None) -> None:
    """Refuse a file before its first byte, if the server says itself that it is another one."""
    if total is not None and total != file.size and (file.size is not None or total > file.largest):
        wanted = file.size or file.largest
        raise DatasetCorrupt(f"the server sends {total:,} bytes instead of {wanted:,} ({file.url})")


def _open(url: str, done: int, timeout: float) -> http.client.HTTPResponse:
    headers = {"User-Agent": "privge", **({"Range": f"bytes={done}-"} if done else {})}
    opener = urllib.request.build_opener(SafeRedirects)
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


class SafeRedirects(urllib.request.HTTPRedirectHandler):
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
        """Return the request that follows, or refuse it."""
        leaves_tls = urlsplit(req.full_url).scheme == "https" and urlsplit(newurl).scheme != "https"
        if leaves_tls or not _is_allowed(newurl):
            fp.close()
            raise _Refused(f"the server points to {newurl}, and only https addresses are used")
        return super().redirect_request(req, fp, code, msg, headers, newurl)
