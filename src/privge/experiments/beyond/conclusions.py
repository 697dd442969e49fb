"""What the numbers beyond the paper support, in plain words; computed, never written in advance."""

import math
from collections.abc import Iterator

from privge.experiments.beyond.methods import METHODS
from privge.experiments.beyond.plan import Trial
from privge.experiments.beyond.table import Table


def conclusions(table: Table) -> Iterator[str]:
    """Yield a sentence for each method that is finished at some budget."""
    for name, method in METHODS.items():
        trials = [trial for trial in table.trials(name) if table.finished(trial)]
        if method.asks and trials:
            said = {"private": _worth, "null": _failed}[method.kind]
            label = method.label.removeprefix("- ")
            yield f"{label[0].upper()}{label[1:]}: " + "; ".join(said(table, trial) for trial in trials) + "."


def _worth(table: Table, trial: Trial) -> str:
    lift = table.gain(trial).lift
    verdict = lift.concluded("better than structure", "worse than structure", "no difference can be told")
    return f"at ε = {trial.epsilon:g}, {verdict}"


def _failed(table: Table, trial: Trial) -> str:
    """Say whether a control that must fail to help did fail."""
    lift = table.gain(trial).lift
    if math.isnan(lift.low):
        return f"at ε = {trial.epsilon:g}, {lift.said}"
    helped = "it helps, and it must not" if lift.low > 0 else "it fails to help, as it must"
    return f"at ε = {trial.epsilon:g}, {lift.said}; {helped}"
