"""The store at a glance: campaigns and their lives, the ledger, storage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from privge.collect.service.problems import REASONS
from privge.collect.stores.store import Spent, Store
from privge.pages.room.charts import Bar, Columns, bars
from privge.pages.room.life import Life

_CLASSES = 12  # of the histogram


@dataclass(frozen=True, slots=True)
class Overview:
    """What a store says of itself. Counts only."""

    lives: tuple[Life, ...]  # the newest campaign first
    people: int  # who ever took part
    ledger: Columns
    size: int
    due: bool  # whether there are reports whose days are over

    @classmethod
    def of(cls, store: Store, today: date) -> "Overview":
        """Read a store."""
        acts, spent = store.log(), store.ledger()
        lives = tuple(Life.of(state, acts) for state in reversed(store.campaigns()))
        return cls(
            lives,
            sum(each.nodes for each in spent),
            Columns.of("people by what they have spent", histogram(spent, store.lifetime_epsilon)),
            store.size(),
            any(life.due(today) for life in lives),
        )

    @property
    def reports(self) -> int:
        """Reports that are stored now."""
        return sum(life.state.reports for life in self.lives)

    def stages(self) -> str:
        """Say how many campaigns are in which stage."""
        counts = {name: sum(life.now == name for life in self.lives) for name in ("published", "closed", "deleted")}
        return ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "none yet"

    @staticmethod
    def outcomes(counts: Mapping[str, int]) -> list[tuple[Bar, str]]:
        """Return what became of reports, with a bar and the meaning of each word; the most frequent first."""
        ordered = sorted(counts.items(), key=lambda item: -item[1])
        return [
            (bar, REASONS[name].detail if name in REASONS else "")
            for bar, (name, _) in zip(bars(ordered), ordered, strict=True)
        ]


def histogram(spent: Sequence[Spent], cap: float | None) -> list[tuple[str, int]]:
    """Count people by what they have spent: each amount by itself if there are few, otherwise in equal classes."""
    if len(spent) <= _CLASSES:
        return [(f"{each.epsilon:.3g}", each.nodes) for each in spent]
    top = max(spent[-1].epsilon, cap or 0.0)
    counts = [0] * _CLASSES
    for each in spent:
        counts[min(_CLASSES - 1, int(each.epsilon / top * _CLASSES))] += each.nodes
    return [
        (f"{top * place / _CLASSES:.2g} to {top * (place + 1) / _CLASSES:.2g}", n) for place, n in enumerate(counts)
    ]
