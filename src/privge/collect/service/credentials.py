"""Secrets of a service: from the environment, or from files that only their owner can read."""

import base64
import binascii
import os
import stat
from collections.abc import Sequence
from pathlib import Path

from privge._files.atomic import atomic_path
from privge.errors import BadData
from privge.wire.tokens import Key

KEYS_VARIABLE = "PRIVGE_TOKEN_KEYS"
ADMIN_VARIABLE = "PRIVGE_ADMIN_TOKEN"


def read_keys(path: Path | None) -> tuple[Key, ...]:
    """Read signing keys, one ``name:secret`` a line (secret in base64url), the newest first; at most two."""
    text = _secret(path, KEYS_VARIABLE, "signing keys")
    try:
        return _keys(text)
    except BadData as error:
        raise BadData(f"{path or KEYS_VARIABLE}: {error}; `privge token keygen` makes such a file") from None


def read_admin_token(path: Path | None) -> str | None:
    """Read the operator's token; None if there is none."""
    if path is None and not os.environ.get(ADMIN_VARIABLE):
        return None
    token = _secret(path, ADMIN_VARIABLE, "the admin token").strip()
    if not (token.isascii() and token.isprintable()):  # it travels in the head of a request
        raise BadData(f"{path or ADMIN_VARIABLE}: the admin token must be one line of printable ASCII")
    return token


def write_keys(path: Path, keys: Sequence[Key]) -> None:
    """Write signing keys to a file that only its owner can read; it is complete or absent."""
    lines = (f"{key.id}:{base64.urlsafe_b64encode(key.secret).decode()}\n" for key in keys)
    with atomic_path(path) as partial:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.writelines(lines)


def check_private(path: Path) -> None:
    """Refuse a secret file that others can read."""
    try:
        _refuse_shared(path, path.stat().st_mode)
    except OSError as error:
        raise BadData(f"{path}: {error.strerror}") from error


def _refuse_shared(path: Path, mode: int) -> None:
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise BadData(f"{path}: others can read this secret; allow its owner alone (chmod 600)")


def _secret(path: Path | None, variable: str, what: str) -> str:
    if path is None:
        if text := os.environ.get(variable):
            return text
        raise BadData(f"{what} must be given in a file or in {variable}")
    try:
        with path.open(encoding="utf-8") as file:
            _refuse_shared(path, os.fstat(file.fileno()).st_mode)
            return file.read()
    except OSError as error:
        raise BadData(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError:
        raise BadData(f"{path}: this is not a file of {what}") from None


def _keys(text: str) -> tuple[Key, ...]:
    keys = tuple(_key(line) for line in text.splitlines() if line.strip())
    if not 1 <= len(keys) <= 2:
        raise BadData(f"one or two signing keys may be active, got {len(keys)}")
    return keys


def _key(line: str) -> Key:
    name, colon, secret = line.strip().partition(":")
    written = "a signing key must be written as name:secret, the secret in base64url"
    if not colon:  # perhaps a secret of another kind, which no message may quote
        raise BadData(written)
    try:
        return Key(name, base64.b64decode(secret, altchars=b"-_", validate=True))
    except (binascii.Error, ValueError) as error:
        if isinstance(error, BadData):
            raise
        raise BadData(written) from None
