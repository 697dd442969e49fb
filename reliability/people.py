"""People who report: their tokens, their codes, and the requests that their devices would send."""

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec
import numpy as np

from privge.campaign import Campaign
from privge.wire.tokens import Key, mint

CAMPAIGN = Campaign(dimensions=500, low=0, high=1, mechanism="hds", epsilon=1.0, k=20)
KEY = Key("first", b"loopback" * 4)
ADMIN = "operator-of-the-loopback-" + "0" * 32
DAY = 86_400


@dataclass(frozen=True, slots=True)
class Person:
    """A node, its token and its one report."""

    node: int | str
    token: str
    codes: bytes

    @property
    def single(self) -> bytes:
        """The request that uploads the report."""
        return put(self.token, self.codes)


@dataclass
class Crowd:
    """Gives people who have not been given before."""

    campaign: Campaign = CAMPAIGN
    key: Key = KEY
    seed: int = 0
    expires: int = field(default_factory=lambda: int(time.time()) + DAY)
    given: int = 0

    def take(self, count: int) -> list[Person]:
        """Return so many new people."""
        random = np.random.default_rng((self.seed, self.given))
        codes = random.integers(0, self.campaign.law.outputs, (count, self.campaign.k)).astype("<u2")
        first, self.given = self.given, self.given + count
        return [self.person(first + position, codes[position].tobytes()) for position in range(count)]

    def person(self, node: int | str, codes: bytes) -> Person:
        """Return a person with a token of this crowd."""
        return Person(node, mint(self.key, node=node, campaign=self.campaign.id, expires=self.expires), codes)


def put(token: str, codes: bytes, *, campaign: str = CAMPAIGN.id, **changed: str | int) -> bytes:
    """Return the bytes of an upload; keyword arguments replace headers (``content_type="text/plain"``)."""
    headers = {"host": "localhost", "authorization": f"Bearer {token}", "content_type": "application/octet-stream",
               "content_length": len(codes)} | changed  # fmt: skip
    path = f"/v1/campaigns/{campaign}/reports/{hashlib.sha256(codes).hexdigest()}"
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"PUT {path} HTTP/1.1\r\n{lines}\r\n".encode() + codes


def batch(people: Sequence[Person], *, campaign: str = CAMPAIGN.id) -> bytes:
    """Return the bytes of one request that uploads the reports of many; the first one's token is shown for all."""
    body = msgspec.msgpack.encode([(person.token, person.codes) for person in people])
    return post(people[0].token, len(body), campaign=campaign) + body


def post(token: str, length: int, *, campaign: str = CAMPAIGN.id) -> bytes:
    """Return the head of a batch."""
    authorization = f"authorization: Bearer {token}\r\n" if token else ""
    return (
        f"POST /v1/campaigns/{campaign}/reports HTTP/1.1\r\nhost: localhost\r\n{authorization}"
        f"content-type: application/msgpack\r\ncontent-length: {length}\r\n\r\n"
    ).encode()


def ask(method: str, path: str, token: str = "") -> bytes:
    """Return the bytes of a request without a body."""
    authorization = f"authorization: Bearer {token}\r\n" if token else ""
    return f"{method} {path} HTTP/1.1\r\nhost: localhost\r\n{authorization}\r\n".encode()
