"""Logs as JSON lines on stderr that cannot hold a private value.

*Requests are summed up, not listed*: one line for each route, status and outcome in a minute. A line for each request
would say to the millisecond when each report came, and with the order of the reports in the store, whose; only the day
is to be kept. It also keeps a flood of requests from becoming a flood of lines.

*An exception is its type and the places in the code.* Its message and the values of variables could hold anything, and
are dropped. So are the messages of other libraries: of those, the line tells only where in the code it was written.
"""

import json
import logging
import sys
import threading
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

_OWN = "privge."
_FRAMES = 12  # innermost frames that are kept


class PrivateFormatter(logging.Formatter):
    """One JSON object a line: constants of this package, and nothing that came from outside."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="seconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        if record.name.startswith(_OWN) and isinstance(record.msg, str):
            line["event"] = record.msg  # the constant text, without what would be filled in
            line.update(getattr(record, "fields", {}))
        else:
            line["event"] = "library"
            line["where"] = f"{record.module}:{record.lineno}"
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = describe(record.exc_info[1])
        return json.dumps(line)


def describe(error: BaseException) -> list[dict[str, object]]:
    """Return types and code locations of an exception and its causes, without any message or value."""
    return [{"type": type(each).__qualname__, "at": _places(each.__traceback__)} for each in _causes(error)]


def install(level: int = logging.INFO) -> None:
    """Send every log line, warning and uncaught exception of this process through `PrivateFormatter` to stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(PrivateFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    package = logging.getLogger("privge")
    package.handlers.clear()
    package.setLevel(level)
    logging.captureWarnings(True)
    logger = logging.getLogger(__name__)

    def uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        logger.critical("uncaught", exc_info=(kind, error, trace))

    sys.excepthook = uncaught
    sys.unraisablehook = lambda hook: logger.error("unraisable", exc_info=hook.exc_value)
    threading.excepthook = lambda hook: logger.error("thread", exc_info=hook.exc_value)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen and len(seen) < 5:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _places(trace: TracebackType | None) -> list[str]:
    frames = [
        f"{'/'.join(Path(frame.f_code.co_filename).parts[-2:])}:{line} {frame.f_code.co_name}"
        for frame, line in traceback.walk_tb(trace)
    ]
    return frames[-_FRAMES:]
