"""Clocks that are a day off, and keys that rotate: nobody whose report is valid is refused."""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path

import numpy as np

from privge.device import contribute
from privge.errors import PrivgeError
from privge.wire.tokens import Key
from reliability.client import send
from reliability.delivery import PATIENCE
from reliability.people import CAMPAIGN, DAY, KEY, Crowd
from reliability.server import Server

HOUR = 3600


def skew_platform(folder: Path, *, people: int) -> Counter[int]:
    """Upload with tokens good for an hour, minted by platforms whose clock is a day late, right, or a day early."""
    now, statuses = int(time.time()), Counter()
    with Server(folder) as server:
        for seed, skew in enumerate((-DAY + 60, 0, DAY)):  # a minute for the upload itself
            crowd = Crowd(seed=seed, expires=now + skew + HOUR, given=seed * people)
            statuses += send(server.port, [person.single for person in crowd.take(people)], 8).counts
    return statuses


def skew_devices(folder: Path) -> list[str]:
    """Let devices whose clock is a day late or early contribute in the first and last hour of a short campaign.

    Returns the refusals.
    """
    refusals = []
    for name, opens, closes in (("first hour", -HOUR, DAY), ("last hour", -DAY, HOUR)):
        campaign = replace(CAMPAIGN, opens=_moment(opens), closes=_moment(closes))
        place = folder / name.replace(" ", "-")
        place.mkdir()
        with Server(place, campaign=campaign) as server:
            url = f"http://127.0.0.1:{server.port}/v1/campaigns/{campaign.id}"
            for number, skew in enumerate((-DAY, 0, DAY)):
                person = Crowd(campaign=campaign).person(f"person-{number}", b"")
                with _device_clock(skew):
                    try:
                        contribute(
                            url, np.zeros(campaign.dimensions), token=person.token, folder=place / str(number),
                            patience=PATIENCE,
                        )  # fmt: skip
                    except PrivgeError as error:
                        refusals.append(f"{name}, clock {skew / DAY:+.0f} day: {error}")
    return refusals


def _moment(seconds: int) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


@contextmanager
def _device_clock(skew: int) -> Iterator[None]:
    """Let the device's own code see another time."""
    import sys

    module = sys.modules["privge.device.contribute"]

    class Skewed(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:
            return datetime.now(tz) + timedelta(seconds=skew)

    usual, module.datetime = module.datetime, Skewed
    try:
        yield
    finally:
        module.datetime = usual


def rotate_keys(folder: Path, *, rotations: int, people: int) -> Counter[int]:
    """Rotate the key and restart the service while people upload with tokens of the newest key and the one before.

    Who finds nobody there tries again; anything but stored counts as refused.
    """
    keys, statuses = [KEY], Counter()
    server = Server(folder)
    given = 0
    with server:
        for number in range(rotations):
            keys = [Key(f"rotated{number}", bytes([number + 1]) * 32), *keys[:1]]
            waiting = []
            for key in keys:
                crowd = Crowd(key=key, given=given)
                waiting += crowd.take(people)
                given = crowd.given
            old = [person for person in waiting if person.node < given - people]
            server.set_keys(keys)
            server.stop()
            server.start()
            sent = send(server.port, [person.single for person in waiting], 8, patience=50)
            statuses += sent.counts
            again = send(server.port, [person.single for person in old], 8)  # the same bytes: acknowledged again
            statuses += again.counts
    return statuses
