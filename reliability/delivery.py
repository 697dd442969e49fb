"""Answers get lost, and many devices of one node speak at once: one report a node, always the same bytes."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from privge.device import contribute
from privge.device.patience import Patience
from reliability.client import send
from reliability.people import CAMPAIGN, Crowd, Person, batch
from reliability.proxy import SwallowingProxy
from reliability.server import Server

PATIENCE = Patience(attempts=40, pause=0.01, longest=0.2, timeout=20)


@dataclass(frozen=True, slots=True)
class Delivered:
    """What became of people whose answers got lost."""

    people: int
    rows: int
    identical: int
    drawn: int
    requests: int
    swallowed: int

    def __str__(self) -> str:
        return (
            f"{self.swallowed:,} of {self.requests:,} answers swallowed; {self.rows:,} rows for {self.people:,} "
            f"people, {self.identical:,} with the bytes that the device drew once"
        )

    @property
    def kept(self) -> bool:
        """Whether everybody's only draw is stored."""
        return self.people == self.rows == self.identical == self.drawn and self.swallowed > 0


def lose_answers(folder: Path, *, devices: int, proxied: int, share: float = 0.2) -> Delivered:
    """Let real devices contribute, and a simple proxy send batches, while a share of the answers is swallowed.

    A device runs again if it gave up, in the same folder.
    """
    crowd = Crowd()
    people = crowd.take(devices)
    random = np.random.default_rng(0)
    values = {person.node: random.random(CAMPAIGN.dimensions) for person in people}
    with Server(folder, "--burst", "1000") as server, SwallowingProxy(server.port, share) as proxy:
        url = f"http://127.0.0.1:{proxy.port}/v1/campaigns/{CAMPAIGN.id}"

        def device(person: Person) -> int:
            place = folder / f"device-{person.node}"
            return contribute(url, values[person.node], token=person.token, folder=place, patience=PATIENCE).drawn

        with ThreadPoolExecutor(8) as pool:
            drawn = sum(pool.map(device, people))
        expected = {person.node: _kept_by(folder / f"device-{person.node}") for person in people}
        others = crowd.take(proxied)
        groups = [others[start : start + 100] for start in range(0, proxied, 100)]
        expected.update({person.node: person.codes for person in others})
        while groups:
            sent = send(proxy.port, [batch(group) for group in groups], 4, patience=20)
            groups = [group for group, status in zip(groups, sent.statuses, strict=True) if status != 200]
        held = server.held()
        identical = sum(held.get(node) == codes for node, codes in expected.items())
        return Delivered(len(expected), len(held), identical, drawn + len(others), proxy.requests, proxy.swallowed)


def _kept_by(folder: Path) -> bytes:
    (file,) = (folder / "reports").iterdir()
    return bytes.fromhex(json.loads(file.read_text())["codes"])


def speak_at_once(folder: Path, *, devices: int = 100, store: str = "", workers: int = 1) -> str:
    """Let many devices of one node send different reports at the same moment; return what was answered."""
    crowd = Crowd()
    reports = [crowd.person("everybody", person.codes).single for person in crowd.take(devices)]
    options = ("--burst", "1000", "--workers", str(workers))
    with Server(folder, *options, store=store) as server:
        sent = send(server.port, reports, devices)
        return f"{sent.counts[201]} stored, {sent.counts[409]} × 409, {len(server.held())} row"
