"""Files that are either complete or absent: write beside the target, then rename."""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def atomic_path(target: Path, *, once: bool = False) -> Iterator[Path]:
    """Yield a temporary path in the target's folder; rename it on success, remove it on failure.

    With ``once`` a target that is there already is never replaced, whoever else wrote it meanwhile; that is
    ``FileExistsError``.
    """
    partial = target.with_name(f".{target.name}.{secrets.token_hex(4)}.partial")
    try:
        yield partial
        with partial.open("rb") as written:
            os.fsync(written.fileno())
        if once:
            _link(partial, target)
        else:
            partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def _link(partial: Path, target: Path) -> None:
    """Give a file its name unless the name is taken: one step of the file system, unlike asking and then renaming."""
    try:
        target.hardlink_to(partial)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK):
            raise
        # There are no links here: take the name, then fill it. A crash between the two leaves an empty file, which
        # every reader refuses.
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        partial.replace(target)
