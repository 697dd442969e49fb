"""Where the shards of the edges regime live: each has a worker that holds its rows, and tasks go there.

When a worker dies, its shards find another, and Dask computes again what was lost. When all workers are lost at once,
Dask keeps tasks for workers that will never come back, whoever comes instead; then whoever waits is told so, and so is
whoever submits: new tasks would wait for those.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from privge._waiting import Watch

if TYPE_CHECKING:
    from distributed import Client, Future

CHECKPOINT_SECONDS = 60.0
"""How much work a lost worker may cost, about."""

_SOON = 1  # priority of tasks that others wait for


class UprootedError(Exception):
    """No worker is left that tasks were meant for."""


class Homes:
    """The workers of all shards, and tasks on them."""

    def __init__(self, client: "Client", shards: int) -> None:
        self.client, self.shards = client, range(shards)
        self.workers: list[str] = []
        self.settle()

    def settle(self) -> None:
        """Give each shard a worker; when one is gone, its shards find another, and when all are, it is time to fail."""
        known = Watch(self.client).workers()
        if self.workers:
            self.look(set(known))
        if not self.workers or not set(self.workers) <= set(known):
            self.workers = [known[shard % len(known)] for shard in self.shards]

    def submit(self, shard: int, function: Callable[..., Any], *arguments: Any, soon: bool = False) -> "Future":  # noqa: ANN401
        """Submit a task where the rows of a shard are; ``soon`` if other shards wait for it."""
        return self.client.submit(
            function,
            *arguments,
            workers=[self.workers[shard]],
            allow_other_workers=True,
            pure=False,
            priority=_SOON if soon else 0,
        )

    def each(self, function: Callable[..., Any], arguments: Callable[[int], tuple[Any, ...]]) -> list["Future"]:
        """Submit a task for each shard."""
        return [self.submit(shard, function, *arguments(shard)) for shard in self.shards]

    def soon(self, function: Callable[..., Any], futures: Iterable["Future"]) -> list["Future"]:
        """Submit a short task on what each shard has, whose result the driver waits for."""
        return [self.submit(shard, function, future, soon=True) for shard, future in enumerate(futures)]

    def look(self, known: set[str]) -> None:
        """Fail if none of the shards has its worker any more."""
        if not known & set(self.workers):
            raise UprootedError
