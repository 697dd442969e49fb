"""Settings of a task, in a file: how reports are spread over the graph, and the head that learns from the vectors.

`privge tune` writes the file; `embed`, `evaluate` and others take it with ``--settings``. It has a part for each task,
and what a part does not say stays as it is by default.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from os import PathLike
from pathlib import Path
from typing import Any, Final, Literal, Self, TypeAlias, get_args

from privge._files.toml import read_toml, write_toml
from privge.errors import BadData
from privge.propagation import DEFAULT_ALPHA, DEFAULT_R, DEFAULT_TOLERANCE, Walk
from privge.tasks.links import LinkPredictor
from privge.tasks.nodes import NodeClassifier

Task: TypeAlias = Literal["nodes", "links"]
TASKS: Final[tuple[Task, ...]] = get_args(Task)

HEADS: Final[Mapping[Task, type[NodeClassifier | LinkPredictor]]] = {"nodes": NodeClassifier, "links": LinkPredictor}
"""The head of each task, whose parameters a file may state."""

_OUTSIDE = ("seed", "threads", "device")  # parameters of a head that are not settings
_MADE = "made"  # the part that says where settings came from; nobody reads it
_ABOUT = (
    "Settings of privge, for --settings. A part for each task; what is left out stays as it is by default.\n"
    "The part `made` says where the numbers came from and changes nothing."
)


@dataclass(frozen=True, slots=True)
class Settings:
    """How one task is done.

    Parameters
    ----------
    alpha, r, tolerance
        Of the walk: see `privge.propagation.Walk`.
    k
        How many features a person reports, where reports are simulated; None where nobody said.
    head
        Parameters of the head; those that are left out have the default of the head.
    """

    alpha: float = DEFAULT_ALPHA
    r: float = DEFAULT_R
    tolerance: float = DEFAULT_TOLERANCE
    k: int | None = None
    head: dict[str, Any] = field(default_factory=dict, hash=False)

    @property
    def walk(self) -> Walk:
        """The walk."""
        return Walk(self.alpha, self.r, self.tolerance)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)

    @classmethod
    def stated(cls, task: Task, values: Mapping[str, Any]) -> Self:
        """Return settings from plain values, and refuse what they cannot be."""
        known = [each.name for each in fields(cls)]
        for name in values:
            if name not in (*known, _MADE):
                raise BadData(f"there is no setting {name!r}; there are {', '.join(known)}")
        head = values.get("head", {})
        _check_head(task, head)
        _check_number("k", values.get("k", 1), integer=True)
        for name in ("alpha", "r", "tolerance"):
            _check_number(name, values.get(name, 0.5))
        settings = cls(**{name: values[name] for name in known if name in values})
        try:
            _ = settings.walk
        except ValueError as error:
            raise BadData(str(error)) from error
        return settings


def read_settings(path: str | PathLike[str], task: Task) -> Settings:
    """Read the settings of a task from a file; one that has only the other task's is refused.

    Parameters
    ----------
    path
        What `privge tune` wrote, or a person: TOML with the tables ``nodes`` and ``links``, or one of them.
    task
        Which of them.
    """
    path = Path(path)
    found = _parts(path)
    if task not in found:
        raise BadData(
            f"{path}: there are no settings for {task} here, only for {', '.join(found)}; `privge tune {task}` makes "
            "them, or leave out --settings"
        )
    return found[task]


def read_all_settings(path: str | PathLike[str]) -> dict[Task, Settings]:
    """Read the settings of every task that a file has."""
    return _parts(Path(path))


def write_settings(
    path: str | PathLike[str], task: Task, settings: Settings, made: Mapping[str, Any] | None = None
) -> None:
    """Write the settings of a task; those of the other task stay, if the file has them.

    Parameters
    ----------
    path
        A file that ends in ``.toml``.
    task, settings
        What to write.
    made
        Where the numbers came from: plain values for people to read.
    """
    path = Path(path)
    if path.exists():
        _parts(path)  # or it is something else, and stays
    document = read_toml(path) if path.exists() else {}
    document[task] = {**settings.to_dict(), **({} if made is None else {_MADE: dict(made)})}
    write_toml(path, {name: document[name] for name in TASKS if name in document}, about=_ABOUT)


def _parts(path: Path) -> dict[Task, Settings]:
    document = read_toml(path)
    for name, part in document.items():
        if name not in TASKS or not isinstance(part, Mapping):
            raise BadData(f"{path}: settings are tables called {' and '.join(TASKS)}, this has {name!r}")
    if not document:
        raise BadData(f"{path}: there are no settings here; write a table called {' or '.join(TASKS)}")
    found: dict[Task, Settings] = {}
    for task in TASKS:
        if task in document:
            try:
                found[task] = Settings.stated(task, document[task])
            except BadData as error:
                raise BadData(f"{path}, [{task}]: {error}") from error
    return found


def _check_head(task: Task, head: object) -> None:
    """Refuse parameters that the head does not have, or of another kind than its own."""
    if not isinstance(head, Mapping):
        raise BadData(f"head must be a table, got {head!r}")
    own = {name: value for name, value in HEADS[task]().get_params().items() if name not in _OUTSIDE}
    for name, value in head.items():
        if name not in own:
            raise BadData(f"the head for {task} has no {name!r}; it has {', '.join(own)}")
        if isinstance(own[name], str) != isinstance(value, str):
            raise BadData(f"{name} of the head must be {'text' if isinstance(own[name], str) else 'a number'}")


def _check_number(name: str, value: object, *, integer: bool = False) -> None:
    if isinstance(value, bool) or not isinstance(value, int if integer else int | float):
        raise BadData(f"{name} must be {'a whole number' if integer else 'a number'}, got {value!r}")
    if integer and isinstance(value, int) and value < 1:
        raise BadData(f"{name} must be at least 1, got {value!r}")
