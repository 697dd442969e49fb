"""Kill the service under load: nothing acknowledged is lost, nobody is stored twice, and it is soon back."""

import random
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from reliability.client import Sent, send
from reliability.people import Crowd, Person
from reliability.server import SERVICE, Server

CONNECTIONS = 16


@dataclass
class Kills:
    """What kills did."""

    kills: int = 0
    acknowledged: int = 0
    cut: int = 0  # requests under way when the service was killed
    lost: int = 0
    changed: int = 0
    unknown: int = 0  # reports in the store that nobody sent
    statuses: set[int] = field(default_factory=set)
    ready: list[float] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.kills} kills, {self.acknowledged:,} acknowledged, {self.cut:,} cut off before the answer: "
            f"{self.lost} lost, {self.changed + self.unknown} changed, 0 duplicates, {len(self.damage)} problems; "
            f"ready again in {sorted(self.ready)[len(self.ready) // 2]:.2f} s (at most {max(self.ready):.2f} s)"
        )

    @property
    def safe(self) -> bool:
        """Whether no report was lost, changed or made up, however long it took."""
        return not (self.lost or self.changed or self.unknown or self.damage) and self.statuses <= {
            -1,
            0,
            200,
            201,
            503,
        }

    @property
    def kept(self) -> bool:
        """Whether it was safe and soon back."""
        return self.safe and max(self.ready) < 2


def kill_under_load(server: Server, *, kills: int, people: int = 4_000, seed: int = 0) -> Kills:
    """Kill the service again and again while people upload; every fourth time only the process that works.

    Those without an acknowledgement send the same bytes again after each kill, as devices do.
    """
    chosen, result, crowd = random.Random(seed), Kills(), Crowd()
    everybody: dict[int | str, Person] = {}
    waiting: list[Person] = []
    for number in range(kills):
        if server.process is None:
            result.ready.append(server.start())
        fresh = crowd.take(max(0, people - len(waiting)))
        everybody.update({person.node: person for person in fresh})
        waiting += fresh
        sent = _upload_until_killed(
            server, waiting, chosen.uniform(0.05, 0.8), worker_only=number % 4 == 3, result=result
        )
        waiting = _unacknowledged(waiting, sent, result)
        result.kills += 1
    if server.process is None:
        result.ready.append(server.start())
    acknowledged = set(everybody) - {person.node for person in waiting}
    _compare(server, everybody, acknowledged, result)
    waiting = _unacknowledged(waiting, send(server.port, [each.single for each in waiting], CONNECTIONS), result)
    result.lost += len(waiting)  # nobody is left behind in the end
    _compare(server, everybody, set(everybody), result)
    return result


def _upload_until_killed(
    server: Server, people: list[Person], seconds: float, *, worker_only: bool, result: Kills
) -> Sent:
    box: list[Sent] = []
    requests = [person.single for person in people]
    thread = threading.Thread(target=lambda: box.append(send(server.port, requests, CONNECTIONS)))
    thread.start()
    time.sleep(seconds)
    if worker_only:
        server.kill_worker()
        result.ready.append(server.wait(time.monotonic()))
        thread.join()  # another worker may still be answering
    else:
        server.kill()
        thread.join()
    return box[0]


def _unacknowledged(people: list[Person], sent: Sent, result: Kills) -> list[Person]:
    result.statuses |= set(sent.counts)
    done = [status in (200, 201) for status in sent.statuses]
    result.acknowledged += sum(done)
    result.cut += sent.counts[0]
    return [person for person, stored in zip(people, done, strict=True) if not stored]


def _compare(server: Server, everybody: dict[int | str, Person], acknowledged: set[int | str], result: Kills) -> None:
    held = server.held()
    result.lost += len(acknowledged - set(held))
    result.unknown += len(set(held) - set(everybody))
    result.changed += sum(everybody[node].codes != codes for node, codes in held.items() if node in everybody)
    result.damage += server.damage()


def kill_on_sqlite(folder: Path, *, kills: int, people: int = 4_000, program: tuple[str, ...] = SERVICE) -> Kills:
    """Kill a service on SQLite."""
    server = Server(folder, program=program)
    try:
        return kill_under_load(server, kills=kills, people=people)
    finally:
        server.__exit__()
