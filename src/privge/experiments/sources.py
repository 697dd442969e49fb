"""Where the data of each dataset of a run come from, in whatever process it is run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from privge.datasets import Dataset, load
from privge.experiments.collected import Collected
from privge.experiments.surveyed import Surveyed

Data: TypeAlias = Dataset | Surveyed | Collected
"""What can be evaluated: features, features with a campaign that asks for them, or reports alone."""


@dataclass(frozen=True, eq=False)
class Sources:
    """How to load a dataset by its name.

    Parameters
    ----------
    data_dir
        Where datasets of the catalogue are; see `privge.datasets.load`.
    own
        What loads a dataset of somebody's own, by its name: a function that another process can call.
    """

    data_dir: Path | None = None
    own: Mapping[str, Callable[[], Data]] = field(default_factory=dict)

    def load(self, name: str) -> Data:
        """Return the data."""
        return self.own[name]() if name in self.own else load(name, data_dir=self.data_dir)
