"""Where the shards of the edges regime live: each has a worker that holds its rows, and tasks go there.

They go nowhere else. If they might, Dask would move a task that waits from a busy worker to one that waits, and with it
all vectors of the shard, which takes longer than the task. So when a worker dies, its tasks wait for it: whoever waits
or submits is told, and begins at the last checkpoint with those workers that there are. Nothing is lost by that: what
the dead worker had was made from the vectors of all shards, and those have been forgotten since.
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
    """A worker is gone that tasks were meant for."""


class Homes:
    """The workers of all shards, and tasks on them."""

    def __init__(self, client: "Client", shards: int) -> None:
        self.client, self.shards = client, range(shards)
        known = Watch(client).workers()
        self.workers = [known[shard % len(known)] for shard in self.shards]

    def settle(self) -> None:
        """See that each shard has its worker before more tasks go there."""
        self.look(set(Watch(self.client).workers()))

    def submit(self, shard: int, function: Callable[..., Any], *arguments: Any, soon: bool = False) -> "Future":  # noqa: ANN401
        """Submit a task where the rows of a shard are; ``soon`` if other shards wait for it."""
        return self.client.submit(
            function,
            *arguments,
            workers=[self.workers[shard]],
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
        """Fail if a shard has its worker no more."""
        if not set(self.workers) <= known:
            raise UprootedError
