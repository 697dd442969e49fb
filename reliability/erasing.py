"""After an erasure the bytes are nowhere: neither in the store nor in a log, nor in the next export."""

import random
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from privge.campaign import Campaign
from privge.collect.snapshot import take_snapshot
from privge.collect.stores import open_store
from reliability.client import send
from reliability.people import CAMPAIGN, Crowd, Person, ask, put
from reliability.server import SERVICE, Server

PIECE = 16  # bytes: shorter ones could be there by chance


@dataclass
class Erasures:
    """What erasures left behind."""

    victims: list[Person] = field(default_factory=list)
    kills: int = 0
    found: int = 0  # places where bytes of an erased report were found
    exported: int = 0
    back: int = 0  # reports that could be sent again
    others: int = 0  # honest reports that suffered

    def __str__(self) -> str:
        return (
            f"{len(self.victims)} erased under load and {self.kills} kills: found {self.found} times in files, "
            f"{self.exported} times in the export; {self.back} drawn again, {self.others} others lost"
        )

    @property
    def kept(self) -> bool:
        """Whether nothing is left of anybody erased, and everything of the others."""
        return bool(self.victims) and not (self.found or self.exported or self.back or self.others)


def pieces(codes: bytes) -> list[bytes]:
    """Return overlapping parts of a report; any of them left anywhere is a leak."""
    return [codes[start : start + PIECE] for start in range(0, len(codes) - PIECE + 1, PIECE // 2)]


def places(server: Server) -> list[Path]:
    """Return the files of an SQLite store, and the log of the service."""
    path = Path(server.store)
    return [*path.parent.glob(path.name + "*"), server.log]


def erase_under_load(
    folder: Path, *, people: int, kills: int, k: int = 20, store: str = "", program=SERVICE
) -> Erasures:
    """Erase a third of the people while the others upload, with a kill now and then; then look everywhere.

    A person whose erasure was not acknowledged asks again, as a person would.
    """
    campaign = Campaign(**{**_fields(CAMPAIGN), "k": k})
    crowd, result, chosen = Crowd(campaign=campaign), Erasures(), random.Random(0)
    with Server(folder, store=store, campaign=campaign, program=program) as server:
        everybody = crowd.take(people)
        early, late = everybody[: people // 2], everybody[people // 2 :]
        _store(server, early, campaign)
        victims = chosen.sample(early, people // 3)
        background = threading.Thread(target=_store, args=(server, late, campaign))
        background.start()
        for number in range(kills + 1):
            part = victims[number :: kills + 1]
            killer = threading.Thread(target=_kill_soon, args=(server, chosen.uniform(0.0, 0.3)))
            if number < kills:
                killer.start()
            _erase(server, part)
            if number < kills:
                killer.join()
                result.kills += 1
            _erase(server, part)
        background.join()
        _store(server, late, campaign)
        result.victims = victims
        result.found = count_files(places(server), victims) if not store else 0
        gone = {person.node for person in victims}
        result.exported = len(gone & set(_export(server, campaign)))
        other = early[0].codes
        again = send(server.port, [put(each.token, other, campaign=campaign.id) for each in victims], 8)
        result.back = sum(status != 410 for status in again.statuses)
        held = server.held()
        result.others = sum(held.get(each.node) != each.codes for each in everybody if each.node not in gone)
        result.others += len(server.damage())
        if not store:
            result.found += count_files(places(server), victims)
    return result


def _fields(campaign: Campaign) -> dict[str, object]:
    return {name: getattr(campaign, name) for name in ("dimensions", "low", "high", "mechanism", "epsilon")}


def _store(server: Server, people: list[Person], campaign: Campaign) -> None:
    waiting = people
    while waiting:
        requests = [put(each.token, each.codes, campaign=campaign.id) for each in waiting]
        sent = send(server.port, requests, 8, patience=100)
        waiting = [each for each, status in zip(waiting, sent.statuses, strict=True) if status not in (200, 201)]


def _erase(server: Server, people: list[Person]) -> None:
    """Ask until every erasure is acknowledged."""
    waiting = people
    while waiting:
        sent = send(server.port, [ask("DELETE", "/v1/me", each.token) for each in waiting], 4, patience=100)
        waiting = [each for each, status in zip(waiting, sent.statuses, strict=True) if status != 200]
        if waiting:
            time.sleep(0.05)


def _kill_soon(server: Server, seconds: float) -> None:
    time.sleep(seconds)
    server.kill()
    server.start()


def count_files(files: Iterable[Path], people: list[Person]) -> int:
    """Return how many files hold a piece of somebody's report."""
    contents = (file.read_bytes() for file in files if file.is_file())
    return sum(any(piece in content for person in people for piece in pieces(person.codes)) for content in contents)


def _export(server: Server, campaign: Campaign) -> list[int | str]:
    store = open_store(server.store)
    try:
        return list(take_snapshot(store, campaign.id).reports.ids.tolist())
    finally:
        store.close()
