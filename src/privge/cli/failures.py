"""What went wrong, as one line and an exit code."""

import errno
from pathlib import Path

import click

from privge._imports import missing_extra
from privge.collect.service.logs import describe
from privge.errors import BadData, PrivgeError

EXIT_CODES = (
    f"0 done, {PrivgeError.exit_code} failure, {click.UsageError.exit_code} wrong usage, {BadData.exit_code} bad data"
)
"""In words; each code is stated by its class of errors, and nowhere else."""

DEBUG = "PRIVGE_DEBUG"
"""If this variable is set, an error is shown with its traceback, whose last line may quote data."""

_FULL = (errno.ENOSPC, errno.EDQUOT)


def explained(error: Exception) -> tuple[str, int]:
    """Return what to say of an error, and the exit code.

    An error that this package did not foresee is told by its kind and its place in the code: its own message may hold
    anything, a private value too.
    """
    if isinstance(error, PrivgeError):
        return str(error), error.exit_code
    if isinstance(error, ModuleNotFoundError) and (missing := missing_extra(error, "this command")) is not None:
        return str(missing), missing.exit_code
    if isinstance(error, MemoryError):
        return "there is not enough memory", PrivgeError.exit_code
    if isinstance(error, OSError) and error.errno is not None and error.strerror:
        return _of_system(error), PrivgeError.exit_code
    return _unforeseen(error), PrivgeError.exit_code


def _of_system(error: OSError) -> str:
    """Return what the system says, and of which file; its words are its own."""
    named = "" if error.filename is None else f"{Path(str(error.filename))}: "
    more = "; make room and run the command again" if error.errno in _FULL else ""
    return f"{named}{error.strerror}{more}"


def _unforeseen(error: Exception) -> str:
    told = describe(error)[0]
    places = told["at"]
    where = " < ".join(reversed(places[-3:])) if isinstance(places, list) else ""
    return f"something unforeseen ({told['type']} at {where}); {DEBUG}=1 shows more, and may quote data"
