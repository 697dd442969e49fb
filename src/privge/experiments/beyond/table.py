"""Finished seeds as numbers: means with standard errors, and differences to structure, paired by seed."""

import math
from dataclasses import dataclass
from pathlib import Path

from privge.experiments.beyond.methods import METHODS
from privge.experiments.beyond.plan import Trial, measured_in
from privge.experiments.beyond.records import Record, read
from privge.experiments.spread import Lift, Spread, plain
from privge.tasks.fusion import RULE


@dataclass(frozen=True, slots=True)
class Gain:
    """A difference to structure: its mean, standard error and 95 % interval (Student's t over seeds)."""

    lift: Lift
    spread: Spread

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return self.spread.std / math.sqrt(self.spread.repeats) if self.spread.repeats else math.nan

    def __str__(self) -> str:
        if not self.spread.repeats:
            return ""
        error = "" if math.isnan(self.error) else f" ± {self.error:.2f}"
        return f"{self.lift.mean:+.2f}{error}"


class Table:
    """Finished seeds of a dataset, read once.

    Parameters
    ----------
    folder
        Where they are.
    dataset
        Which of them.
    """

    def __init__(self, folder: Path, dataset: str) -> None:
        self.dataset, self.plan = dataset, measured_in(folder)[dataset]
        self._records: dict[Trial, dict[int, Record]] = {}
        for (trial, seed), record in read(folder, dataset).items():
            self._records.setdefault(trial, {})[seed] = record

    @property
    def seeds(self) -> int:
        """How many seeds the trial with most of them has."""
        return max(map(len, self._records.values()), default=0)

    def trials(self, method: str) -> list[Trial]:
        """Return a method at every budget, or once if it has none; finished or not."""
        chosen = METHODS[method]
        return [Trial(self.dataset, chosen, epsilon) for epsilon in (self.plan.epsilons if chosen.asks else (None,))]

    def finished(self, trial: Trial) -> bool:
        """Say whether a trial has at least one seed."""
        return trial in self._records

    def former(self) -> list[str]:
        """Return labels of methods that fuse and have seeds by another rule of fusion than that of today."""
        return [
            method.label
            for name, method in METHODS.items()
            if method.fuses
            and any(
                record.get("fusion") != RULE
                for trial in self.trials(name)
                for record in self._records.get(trial, {}).values()
            )
        ]

    def values(self, trial: Trial, group: str = "accuracy") -> dict[int, float]:
        """Return the percentage of people found, by seed."""
        found = self._records.get(trial, {})
        return {seed: float(record[group]) for seed, record in sorted(found.items()) if record[group] is not None}

    def spread(self, trial: Trial, group: str = "accuracy") -> Spread:
        """Return mean and standard deviation over the seeds."""
        return Spread.of(self.values(trial, group).values())

    def structure(self) -> Trial:
        """Return what everything is compared with."""
        return Trial(self.dataset, METHODS["structure"])

    def row(self, trial: Trial) -> dict[str, object]:
        """Return a trial beside structure as one flat object, without NaN."""
        everybody, few = self.gain(trial), self.gain(trial, "few_friends")
        flat = {
            **trial.identity(),
            "seeds": len(self.values(trial)),
            "mean": self.spread(trial).mean,
            "structure": self.spread(self.structure()).mean,
            "majority": self.plan.majority,
            "lift": everybody.lift.mean,
            "lift_error": everybody.error,
            "lift_low": everybody.lift.low,
            "lift_high": everybody.lift.high,
            "few_friends": self.spread(trial, "few_friends").mean,
            "few_friends_lift": few.lift.mean,
            "few_friends_lift_error": few.error,
        }
        return {name: plain(value) for name, value in flat.items()}

    def shown(self, trial: Trial) -> tuple[str, ...]:
        """Return a trial beside structure as a row to read."""
        epsilon = "" if trial.epsilon is None else f"{trial.epsilon:g}"
        groups = [
            (f"{self.spread(trial, group).mean:.1f}", str(self.gain(trial, group)))
            for group in ("accuracy", "few_friends")
        ]
        return (self.dataset, trial.method.name, epsilon, str(len(self.values(trial))), *groups[0], *groups[1])

    def gain(self, trial: Trial, group: str = "accuracy") -> Gain:
        """Return by how much a trial is better than structure with the same labels, in the same seeds."""
        mine, theirs = self.values(trial, group), self.values(self.structure(), group)
        differences = [mine[seed] - theirs[seed] for seed in mine if seed in theirs]
        return Gain(Lift.of(differences), Spread.of(differences))
