"""Errors a caller may want to branch on.

```text
PrivgeError                      exit code 1
├── BadData                      exit code 3   a file or value handed in cannot be used
│   ├── InvalidCampaign                        a campaign field breaks a rule; names the field
│   ├── NotAsked                               a campaign asks others than this node
│   ├── CampaignMismatch                       reports of different campaigns were mixed
│   ├── NotUpdatable                           an embedding cannot be updated, only made from the beginning
│   │   └── OtherGraph                         it was made from another graph than the one that is given
│   ├── DatasetMissing                         a file of a dataset is not there; says where to put it
│   ├── DatasetCorrupt                         a file of a dataset is not the published one; names it
│   └── StoreMismatch                          a database is not a store, damaged, or of another version; says which
├── PrivacyViolation                           something would reveal more than epsilon
│   ├── BudgetExceeded                         a person's own cap on epsilon forbids it
│   └── SecondDraw                             this device has drawn its one report of a campaign already
├── ServiceError                               a report could not be handed over; it is kept
│   ├── ServiceUnavailable                     nobody answers, or asks to come back later: try again
│   └── ServiceRefused                         the answer is no, and would be again
├── StoreUnavailable                           a store cannot be used now; what was not acknowledged may be sent again
│   └── Busy                                   too many reports are waiting to be stored
├── ToleranceNotReached                        an engine could not certify the error asked for
├── ClusterFailed                              a cluster is not there or was lost; what is finished is kept
├── MissingExtra                               a package that only some installs have is not there; says how to get it
├── PluginRefused                              what another package brings cannot be used; names package and reason
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


class NotAsked(BadData):
    """A campaign asks certain people, and this node is not one of them."""


class CampaignMismatch(BadData):
    """Reports of different campaigns were mixed."""


class NotUpdatable(BadData):
    """An embedding cannot be updated, only made from the beginning; the message says why."""


class OtherGraph(NotUpdatable):
    """An embedding was made from another graph than the one that is given."""


class DatasetMissing(BadData):
    """A file of a dataset is not there and could not be had; the message says where to put it."""


class DatasetCorrupt(BadData):
    """A file of a dataset is not the published one, or holds what it must not; the message names it."""


class StoreMismatch(BadData):
    """A database is not a store, is damaged, or has tables of another version; the message says which."""


class PrivacyViolation(PrivgeError):
    """Something would reveal more than the stated epsilon; nothing was drawn."""


class BudgetExceeded(PrivacyViolation):
    """A person's own cap on epsilon, for one campaign or for life, forbids it; nothing was drawn."""


class SecondDraw(PrivacyViolation):
    """A device has drawn its one report of a campaign already and will not draw another."""


class ServiceError(PrivgeError):
    """A report could not be handed over to the service; the finished report is kept."""


class ServiceUnavailable(ServiceError):
    """Nobody answers, or the service asks to come back later: the same report can be sent again."""


class ServiceRefused(ServiceError):
    """The service refuses, and would again.

    Parameters
    ----------
    status
        HTTP status of the answer.
    problem
        What was refused and why, in words that hold no id, token or private value.
    """

    def __init__(self, status: int, problem: str) -> None:
        self.status = status
        super().__init__(problem)


class StoreUnavailable(PrivgeError):
    """A store cannot be used now (full disk, lost connection); what was not acknowledged may be sent again."""


class Busy(StoreUnavailable):
    """Too many reports are waiting to be stored; come back in a moment."""


class ToleranceNotReached(PrivgeError, ArithmeticError):
    """An engine could not certify the error that was asked for; the message says what it could."""


class ClusterFailed(PrivgeError):
    """A cluster is not there, or could not finish; what it finished is kept, and the message says what to do."""


class MissingExtra(PrivgeError, ImportError):
    """A package that only some installs have is not there; the message holds the command that installs it."""


class PluginRefused(PrivgeError):
    """A plug-in cannot be imported, is not what it must be, or has a name that is taken; names its package."""


class RandomnessUnavailable(PrivgeError):
    """The operating system gives no secure random bytes, so nothing may be drawn."""
