"""What an operator decides about a service."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from privge.errors import BadData
from privge.wire.tokens import LEEWAY, Key

_LEAST_ADMIN_TOKEN = 32


@dataclass(frozen=True, slots=True)
class Limits:
    """What one sender may take from the others.

    Every number is above 0.

    Parameters
    ----------
    batch_bytes
        Largest body of a batch. A single report has exactly two bytes a code, and may have no more.
    campaign_bytes
        Largest campaign document.
    body_seconds
        Time in which a body must arrive.
    requests
        Requests worked on at once, besides batches; more are answered 503. Who sends a body counts once it is there.
    batches
        Batches worked on at once; more are answered 503.
    batches_of_node
        Batches of one sender at once, on their way or worked on; more are answered 429.
    arriving
        Bodies on their way at once; when more come, whoever has been sending for the longest is answered 503. Batches
        are counted apart.
    queue
        Reports that may wait for a commit; more are answered 503. Batches leave as many free as there are
        ``requests``, so that a single report finds a place.
    bytes_in_flight
        Bytes of all bodies; when more bytes come, whoever has been sending for the longest is answered 503. Batches are
        counted apart.
    rate, burst
        Requests a second that one node may make for long, and at once; more are answered 429.
    nodes
        Nodes whose rate is remembered; the one idle for longest is forgotten first.
    retry_seconds
        What a sender is told to wait after 503.
    drain_seconds
        Time that requests under way have when the service is told to stop.
    """

    batch_bytes: int = 4 * 2**20
    campaign_bytes: int = 8 * 2**20
    body_seconds: float = 10.0
    requests: int = 512
    batches: int = 64
    batches_of_node: int = 4
    arriving: int = 2**10
    queue: int = 20_000
    bytes_in_flight: int = 32 * 2**20
    rate: float = 1.0
    burst: int = 20
    nodes: int = 2**16
    retry_seconds: int = 2
    drain_seconds: float = 20.0

    def __post_init__(self) -> None:
        for limit in fields(self):
            value = getattr(self, limit.name)
            if not value > 0:
                raise BadData(f"limit {limit.name} must be above 0, got {value}")


@dataclass(frozen=True, slots=True)
class Settings:
    """What a service needs besides its store.

    The operator decides it once, before the service starts.

    Parameters
    ----------
    keys
        Keys that sign tokens of devices: one, or two while they rotate.
    admin_token
        Secret of the operator, at least 32 characters; without one, nothing can be administered over the network.
    limits
        What one sender may take.
    leeway
        Seconds that a token is honoured beyond its expiry.
    origins
        Web origins whose pages may talk to the service (``https://example.org``); none by default.
    summary_seconds
        How often requests are summed up in the log.
    shared
        Folder in which several workers leave their counters for each other.
    """

    keys: Sequence[Key]
    admin_token: str | None = field(default=None, repr=False)
    limits: Limits = field(default_factory=Limits)
    leeway: float = LEEWAY
    origins: tuple[str, ...] = ()
    summary_seconds: float = 60.0
    shared: Path | None = None

    def __post_init__(self) -> None:
        if self.admin_token is not None and len(self.admin_token) < _LEAST_ADMIN_TOKEN:
            raise BadData(f"the admin token must have at least {_LEAST_ADMIN_TOKEN} characters")
