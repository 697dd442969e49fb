"""Where things are at a service. The service's own table of routes is made with names in braces for ids."""

from typing import Final

CAMPAIGNS: Final = "/v1/campaigns"
ME: Final = "/v1/me"
"""All that is stored about the node of a token."""

SHARDS: Final = "/v1/shards"


def shard(identity: str) -> str:
    """Return the path of a shard, which is named by its SHA-256."""
    return f"{SHARDS}/{identity}"


def campaign(identity: str) -> str:
    """Return the path of a campaign's document."""
    return f"{CAMPAIGNS}/{identity}"


def status(identity: str) -> str:
    """Return the path of a campaign's counts."""
    return f"{campaign(identity)}/status"


def closing(identity: str) -> str:
    """Return the path at which a campaign is closed."""
    return f"{campaign(identity)}/close"


def reports(identity: str) -> str:
    """Return the path that takes batches of reports."""
    return f"{campaign(identity)}/reports"


def report(identity: str, digest: str) -> str:
    """Return the path that takes one report, named by its SHA-256."""
    return f"{reports(identity)}/{digest}"


def standing(identity: str) -> str:
    """Return the path at which a device asks what a report of it would get."""
    return f"{campaign(identity)}/me"


def standings(identity: str) -> str:
    """Return the path at which the same is asked for many tokens."""
    return f"{campaign(identity)}/ask"
