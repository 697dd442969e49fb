"""Reading among many large campaigns: what is asked about one person or about the list takes no longer for it."""

import statistics
import time
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

from privge.campaign import Campaign
from privge.collect.stores import open_store
from reliability.people import Crowd
from reliability.server import Server


@dataclass(frozen=True, slots=True)
class Read:
    """Milliseconds of a route with one campaign and with many large ones, by route."""

    campaigns: int
    one: dict[str, float]
    many: dict[str, float]

    def __str__(self) -> str:
        return "; ".join(f"{path} {self.one[path]:.2f} → {self.many[path]:.2f} ms" for path in self.one)

    @property
    def kept(self) -> bool:
        """Whether no route takes more than twice as long."""
        return all(self.many[path] <= 2 * self.one[path] for path in self.one)


def read_among_many(folder: Path, *, campaigns: int = 40, size: int = 1_500_000, times: int = 200) -> Read:
    """Ask two services in turn, of which one has many large campaigns besides."""
    person = Crowd().take(1)[0]
    paths = {"/v1/me": person.token, "/v1/campaigns": ""}
    with ExitStack() as services:
        servers = []
        for name, count in (("one", 0), ("many", campaigns)):
            (folder / name).mkdir()
            server = Server(folder / name, "--rate", "1e9", "--burst", "1000000000")
            with closing(open_store(server.store)) as store:
                for number in range(count):
                    store.add_campaign(_large(number, size))
            servers.append(services.enter_context(server))
        taken = {path: ([], []) for path in paths}
        for _ in range(times):
            for path, token in paths.items():
                for server, seconds in zip(servers, taken[path], strict=True):
                    start = time.perf_counter()
                    status, _ = server.call("GET", path, token=token)
                    seconds.append(time.perf_counter() - start)
                    if status != 200:
                        raise AssertionError(f"{path} answers {status}")
    one, many = ({path: 1000 * statistics.median(each[side]) for path, each in taken.items()} for side in (0, 1))
    return Read(campaigns, one, many)


def _large(number: int, size: int) -> Campaign:
    names = [f"{number} {feature} ".ljust(size // 100, "x") for feature in range(100)]
    return Campaign(dimensions=100, names=names, low=0, high=1, mechanism="hds", epsilon=1.0, k=1)
