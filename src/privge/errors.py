"""Errors a caller may want to branch on.

```text
PrivgeError                      exit code 1
├── BadData                      exit code 3   a file or value handed in cannot be used
│   ├── InvalidCampaign                        a campaign field breaks a rule; names the field
│   ├── CampaignMismatch                       reports of different campaigns were mixed
│   ├── DatasetMissing                         a file of a dataset is not there; says where to put it
│   └── DatasetCorrupt                         a file of a dataset is not the published one; names it
├── PrivacyViolation                           something would reveal more than epsilon
├── ToleranceNotReached                        an engine could not certify the error asked for
└── RandomnessUnavailable                      the operating system gives no secure random bytes
```

Plain misuse of a function (a wrong type, a number out of range) raises ``TypeError`` or
``ValueError`` as in any Python library.
"""

from typing import ClassVar


class PrivgeError(Exception):
    """Base of every error of this package; ``exit_code`` is what the command line returns."""

    exit_code: ClassVar[int] = 1


class BadData(PrivgeError, ValueError):
    """A file or value handed in cannot be used; the message names where and why."""

    exit_code = 3


class InvalidCampaign(BadData):
    """A campaign field breaks a rule.

    Parameters
    ----------
    field
        Name of the offending field, as written in the campaign document.
    problem
        The rule that was broken and the public value that broke it.
    """

    def __init__(self, field: str, problem: str) -> None:
        self.field = field
        super().__init__(f"campaign field {field!r}: {problem}")


class CampaignMismatch(BadData):
    """Reports of different campaigns were mixed."""


class DatasetMissing(BadData):
    """A file of a dataset is not there and could not be had; the message says where to put it."""


class DatasetCorrupt(BadData):
    """A file of a dataset is not the published one, or holds what it must not; the message names it."""


class PrivacyViolation(PrivgeError):
    """Something would reveal more than the stated epsilon; nothing was drawn."""


class ToleranceNotReached(PrivgeError, ArithmeticError):
    """An engine could not certify the error that was asked for; the message says what it could."""


class RandomnessUnavailable(PrivgeError):
    """The operating system gives no secure random bytes, so nothing may be drawn."""
