"""Methods beyond the paper on data of one's own: a method, its nulls, structure, and no privacy."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from privge._typing import Progress
from privge.datasets import Dataset
from privge.datasets.worlds import world_of
from privge.errors import BadData
from privge.experiments.beyond.methods import METHODS
from privge.experiments.beyond.plan import Trial
from privge.experiments.beyond.records import run_all
from privge.experiments.beyond.situation import Situation
from privge.experiments.beyond.table import Table
from privge.experiments.collected import Collected
from privge.experiments.evaluate import Evaluation, check_data, own_of
from privge.experiments.own import enter
from privge.experiments.sources import Data

_TAUGHT: Final = ("other-profile", "shuffled-labels", "shuffled-features")
_NULLS: Final = {"paper": (), "fused": ("fused-shuffled",), "taught": _TAUGHT, "taught-panel": _TAUGHT}
"""What must fail to help, of each method that own data can have."""

CHOICES: Final = tuple(_NULLS)


def check_methods(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names, and refuse one that there is not."""
    chosen = tuple(dict.fromkeys(names))
    for name in chosen:
        if name not in _NULLS:
            raise BadData(f"there is no method {name!r} for own data; there are {', '.join(_NULLS)}")
    return chosen


def evaluate_beyond(
    data: Data,
    methods: tuple[str, ...],
    what: Evaluation,
    folder: Path,
    *,
    progress: Progress | None = None,
) -> tuple[Table, list[Trial]]:
    """Run what is not finished; return everything that is, and what was asked for.

    Parameters
    ----------
    data
        With clean features: these methods simulate devices that answer other questions.
    methods
        Some of `CHOICES`.
    what
        Budgets, repeats and settings; the task must be nodes.
    folder
        Where finished seeds are kept.
    progress
        Called with the seeds done and the seeds in all.
    """
    if not isinstance(data, Dataset):
        held = "reports" if isinstance(data, Collected) else "a campaign"
        raise BadData(
            f"{', '.join(methods)} ask questions of their own, and need --features or a --dataset, not {held}; a "
            "dataset.toml states kinds of features, too"
        )
    if what.tasks != ("nodes",):
        raise BadData(f"{', '.join(methods)} find classes of nodes; take --task nodes")
    check_data(data, what.tasks)
    own = own_of(data, what)
    enter(folder, own)
    wanted = [METHODS[name] for name in ("structure", "no-privacy")]
    wanted += [METHODS[name] for method in methods for name in (method, *_NULLS[method])]
    trials = [
        Trial(data.name, method, epsilon)
        for method in dict.fromkeys(wanted)
        for epsilon in (what.epsilons if method.asks else (None,))
    ]
    settings = own.settings["nodes"]
    run_all(
        folder,
        trials,
        what.repeats,
        situation_of=lambda _, seed: Situation(world_of(data, seed), seed, settings),
        progress=progress,
    )
    return Table(folder, data.name), trials
