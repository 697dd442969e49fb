"""Where a campaign lives: ``https://host/v1/campaigns/<id>``. The id is the hash of what is there."""

import re
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

from privge.errors import BadData
from privge.wire import paths

_THIS_MACHINE = {"127.0.0.1", "::1", "localhost"}
_PATH = re.compile(rf"(?P<base>(?:/[\w.~-]+)*){paths.campaign('(?P<campaign>[0-9a-f]{64})')}/?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Address:
    """A campaign at a service.

    Parameters
    ----------
    scheme, host, port
        Of the service; ``port`` is None for the usual one.
    base
        What comes before ``/v1``, for a service behind a path.
    campaign
        Id of the campaign: 64 hexadecimal digits.
    """

    scheme: str
    host: str
    port: int | None
    base: str
    campaign: str

    @classmethod
    def parse(cls, url: str, *, insecure_http: bool = False) -> Self:
        """Read an address. Plain http is for this machine only, unless it is asked for."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise BadData("the campaign's address is no URL") from error
        match = _PATH.fullmatch(parts.path)
        extra = parts.query or parts.fragment or parts.username is not None or parts.password is not None
        if match is None or extra or not parts.hostname or parts.scheme not in ("http", "https"):
            raise BadData(
                "a campaign's address is https://host/v1/campaigns/ and the 64 digits of its id, and nothing else"
            )
        if parts.scheme == "http" and parts.hostname not in _THIS_MACHINE and not insecure_http:
            raise BadData(
                "the address is http, so anybody on the way could read the token and the report; "
                "use https (--insecure-http if you are sure)"
            )
        return cls(parts.scheme, parts.hostname, port, match["base"], match["campaign"])

    @property
    def origin(self) -> str:
        """The service without the campaign: scheme, host, port and base path."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}{'' if self.port is None else f':{self.port}'}{self.base}"

    @property
    def path(self) -> str:
        """Path of the campaign at the service."""
        return self.base + paths.campaign(self.campaign)

    def shard(self, digest: str) -> str:
        """Return the path of a shard of an assignment."""
        return self.base + paths.shard(digest)

    @property
    def reports(self) -> str:
        """Path that takes batches of reports."""
        return self.base + paths.reports(self.campaign)

    def report(self, digest: str) -> str:
        """Return the path that takes one report."""
        return self.base + paths.report(self.campaign, digest)

    @property
    def standing(self) -> str:
        """Path at which a device asks what a report of it would get."""
        return self.base + paths.standing(self.campaign)

    @property
    def standings(self) -> str:
        """Path at which the same is asked for many tokens."""
        return self.base + paths.standings(self.campaign)
