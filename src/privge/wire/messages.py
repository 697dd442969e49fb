"""What a device reads of the service's answers, with the standard library alone; and the words for both sides.

`privge.wire.bodies` has the same messages as types.
"""

import json
import re
from collections.abc import Sequence
from typing import Final

REPORT_TYPE: Final = "application/octet-stream"
BATCH_TYPE: Final = "application/msgpack"
JSON_TYPE: Final = "application/json"
PROBLEM_TYPE: Final = "application/problem+json"

OPEN: Final = "open"
"""How a node stands whose report would be stored."""

HELD: Final = "held"
"""How a node stands whose report is stored."""

NOT_ASKED: Final = "not_asked"
"""How a node stands that a campaign does not ask."""

OTHER_ROUND: Final = "other_round"
"""How a node stands that has a report in another campaign of the round."""

OPERATOR_HEADER: Final = "Privge-Operator"
"""In which an operator may give the name that is written down in the log."""

_WORDS = 300  # characters of a problem that are shown


def held_codes(standing: bytes) -> Sequence[int] | None:
    """Return the codes of a `privge.wire.bodies.Standing`; None if a report would be stored.

    They are as the service sent them: anything. What is not such a message is a ``ValueError``.
    """
    try:
        message = json.loads(standing)
        return None if message["reason"] == OPEN else tuple(message["codes"])
    except (TypeError, KeyError, RecursionError) as error:
        raise ValueError("this does not say how a node stands") from error


def problem_words(problem: bytes) -> str:
    """Return the service's own words of a `privge.wire.bodies.Problem`, shortened, and on one line; none if absent."""
    try:
        message = json.loads(problem)
        words = str(message.get("detail") or message.get("title") or "")
    except (ValueError, AttributeError, RecursionError):
        return ""
    return re.sub(r"[^\x20-\x7e]+", " ", words)[:_WORDS]
