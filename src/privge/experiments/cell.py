"""`Cell`: one number of a figure or table."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias

from privge.experiments.method import Method, kind_of, method_of_record
from privge.tasks.settings import Task

Form: TypeAlias = Literal["scaled", "paper"]
"""Whether heads bring all inputs to one scale, or take them as they are, as in the paper."""

Whose: TypeAlias = Literal["own", "shuffled"]
"""Whether people report their own features, or, as a control, those of somebody drawn by chance."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of a figure or table: what is measured, over any number of repeats.

    Parameters
    ----------
    task, dataset
        What is predicted, and on which data.
    method
        The law of a mechanism, or a baseline.
    epsilon, k
        None where the method has none.
    form
        What the head does about the scale of its inputs.
    features
        Whose features people report.
    """

    task: Task
    dataset: str
    method: Method
    epsilon: float | None = None
    k: int | None = None
    form: Form = "scaled"
    features: Whose = "own"

    def identity(self) -> dict[str, Any]:
        """Return what tells this cell from others, in plain values, as a result holds it."""
        return {
            "task": self.task,
            "dataset": self.dataset,
            kind_of(self.method): self.method.name,
            "epsilon": self.epsilon,
            "k": self.k,
            "form": self.form,
            "features": self.features,
        }

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Self:
        """Return the cell of a result; older ones have no form, own features, and baselines among the mechanisms."""
        places = {name: record[name] for name in ("task", "dataset", "epsilon", "k")}
        said = {name: record[name] for name in ("form", "features") if name in record}
        return cls(**places, method=method_of_record(record), **said)
