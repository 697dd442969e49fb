"""What travels between devices, operators and the service: the types of every JSON and msgpack body.

A report is not among them: it is bare bytes (`privge.wire.codes`). This is the one module here that needs msgspec.
"""

from datetime import date
from typing import Annotated

import msgspec

from privge.wire.limits import MAX_BATCH

Hash = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$", description="SHA-256 in lower-case hexadecimal.")]
Code = Annotated[int, msgspec.Meta(ge=0, lt=65_536)]
Count = Annotated[int, msgspec.Meta(ge=0)]


class TokenPayload(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who may speak for which node, where and until when; signed by the platform."""

    node: str | int
    campaign: Hash | None
    expires: int
    key: str


class BatchItem(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One report of a batch: ``[token, codes]``."""

    token: str
    codes: bytes


Batch = Annotated[list[BatchItem], msgspec.Meta(max_length=MAX_BATCH)]
Tokens = Annotated[list[str], msgspec.Meta(max_length=MAX_BATCH)]


class Standing(msgspec.Struct, frozen=True):
    """How a node stands: ``open`` if its report would be stored, or ``held`` and the codes of the one that is."""

    reason: str
    codes: list[Code] | None


class Result(msgspec.Struct, frozen=True):
    """What became of one report: the status that it would have had alone, and the reason in a word."""

    status: int
    reason: str


class Problem(msgspec.Struct, frozen=True):
    """An error as application/problem+json (RFC 9457); ``type`` is ``urn:privge:`` and the reason in a word."""

    type: str
    title: str
    status: int
    detail: str


class CampaignSummary(msgspec.Struct, frozen=True):
    """A campaign in a list."""

    campaign: Hash
    purpose: str
    open: bool
    opens: str | None
    closes: str | None


class CampaignStatus(msgspec.Struct, frozen=True):
    """A campaign in numbers. Counts only."""

    campaign: Hash
    open: bool
    reports: Count
    erased: Count


class CampaignAdded(msgspec.Struct, frozen=True):
    """The id under which a campaign was added."""

    campaign: Hash


class ShardAdded(msgspec.Struct, frozen=True):
    """The id under which a shard was added."""

    shard: Hash


class Held(msgspec.Struct, frozen=True):
    """Everything that is stored about a node in one campaign; no codes remain after erasure."""

    campaign: Hash
    codes: list[Code] | None
    day: date
    epsilon: float


class Me(msgspec.Struct, frozen=True):
    """Everything that is stored about the node of a token."""

    node: str | int
    holdings: list[Held]


class Erasure(msgspec.Struct, frozen=True):
    """The campaigns from which a node's report was removed."""

    erased: list[Hash]


class Health(msgspec.Struct, frozen=True):
    """How the service is."""

    status: str
