"""Datasets of somebody's own among the results of a folder: what they are, how they are run, at which budgets.

A results folder must be readable without the data: `privge report` shows what is finished, and a record counts only if
it was made with today's settings. For datasets of the catalogue the plan of the paper knows both; for others this does.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from privge._files.atomic import atomic_path
from privge.errors import BadData
from privge.experiments.collected import Collected
from privge.experiments.method import Method, kind_of, method_of_record
from privge.experiments.plan import CellSettings
from privge.experiments.sources import Data
from privge.experiments.surveyed import Surveyed
from privge.tasks.settings import TASKS, Task


@dataclass(frozen=True, slots=True)
class Own:
    """A dataset of somebody's own.

    Parameters
    ----------
    fingerprint
        Of its graph, features or reports, and labels: another dataset of the same name is not the same.
    features
        How many columns people report from.
    majority
        Percentage of the largest class among the labelled; 0 if nobody is.
    clean
        Whether true values are at hand, for the control without privacy.
    settings
        How each task is run.
    methods, epsilons
        What was evaluated so far.
    """

    name: str
    fingerprint: str
    features: int
    majority: float
    clean: bool
    settings: Mapping[Task, CellSettings]
    methods: tuple[Method, ...] = ()
    epsilons: tuple[float, ...] = ()

    def with_more(self, methods: tuple[Method, ...], epsilons: tuple[float, ...]) -> Self:
        """Return this with further methods and budgets."""
        return replace(
            self,
            methods=tuple(dict.fromkeys((*self.methods, *methods))),
            epsilons=tuple(sorted({*self.epsilons, *epsilons})),
        )

    def to_document(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            **{name: getattr(self, name) for name in ("name", "fingerprint", "features", "majority", "clean")},
            "settings": {task: settings.to_dict() for task, settings in self.settings.items()},
            "methods": [{kind_of(method): method.name, "features": "own"} for method in self.methods],
            "epsilons": list(self.epsilons),
        }

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> Self:
        """Read what `to_document` wrote."""
        plain = {name: document[name] for name in ("name", "fingerprint", "features", "majority", "clean")}
        settings = {task: CellSettings(**document["settings"][task]) for task in TASKS}
        methods = tuple(map(method_of_record, document["methods"]))
        return cls(**plain, settings=settings, methods=methods, epsilons=tuple(document["epsilons"]))


def fingerprint_of(data: Data) -> str:
    """Return what tells two datasets of the same name apart."""
    known = hashlib.sha256(data.graph.fingerprint.encode())
    known.update(json.dumps(data.classes).encode() + np.ascontiguousarray(data.labels).tobytes())
    if isinstance(data, Collected):
        known.update(data.reports.campaign.id.encode() + np.ascontiguousarray(data.reports.codes).tobytes())
        known.update("\0".join(map(str, data.reports.ids.tolist())).encode())
    elif isinstance(data, Surveyed):
        known.update(data.fingerprint.encode())
    else:
        known.update(json.dumps([data.low, data.high, *data.features.shape]).encode())
        for part in (data.features.indptr, data.features.indices, data.features.data):
            known.update(np.ascontiguousarray(part).astype(np.float64).tobytes())
    return known.hexdigest()


def path_of(folder: Path, name: str) -> Path:
    """Return the file of a dataset in a folder of results."""
    return folder / f"dataset-{name}.json"


def read_own(folder: Path) -> dict[str, Own]:
    """Return the datasets of somebody's own among the results of a folder."""
    found = {}
    for path in sorted(folder.glob("dataset-*.json")):
        try:
            own = Own.from_document(json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadData(f"{path}: this is not a dataset of `privge evaluate`; remove it ({error})") from error
        found[own.name] = own
    return found


def enter(folder: Path, own: Own) -> Own:
    """Enter a dataset among the results of a folder, and return it with what was evaluated before.

    Another dataset of the same name is refused: its numbers must not stand beside those of this one.
    """
    before = read_own(folder).get(own.name)
    if before is None and any((folder / f"{task}-{own.name}.jsonl").exists() for task in TASKS):
        raise BadData(
            f"{folder}: there are results of {own.name} of the catalogue here; choose another --results, or another "
            "name in dataset.toml"
        )
    if before is not None and before.fingerprint != own.fingerprint:
        raise BadData(
            f"{folder}: there are results of another dataset called {own.name} here, or its files have changed since; "
            "choose another --results, or another name in dataset.toml"
        )
    entered = own if before is None else own.with_more(before.methods, before.epsilons)
    folder.mkdir(parents=True, exist_ok=True)
    with atomic_path(path_of(folder, own.name)) as partial:
        partial.write_text(json.dumps(entered.to_document(), indent=1) + "\n", encoding="utf-8")
    return entered


def settings_of(stated: Mapping[Task, Any], features: int, epsilon: float, k: int | None) -> dict[Task, CellSettings]:
    """Return how each task is run: as stated, and by default with the k that the rule gives for a budget."""
    from privge.mechanisms import default_k

    found = {}
    for task in TASKS:
        plain = asdict(stated[task])
        chosen = k or plain["k"] or default_k(epsilon, features)
        found[task] = CellSettings(**{**plain, "k": min(chosen, features)})
    return found
