"""What a cell measures: a mechanism that devices run, or a baseline that no device runs.

The controls *structure-only* and *no privacy* are mechanisms, the laws ``structure`` and ``none`` of the commands:
devices do send something, noise or the features themselves. *Graph alone* is not: it reads neither features nor
reports.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from privge.experiments.pages import INK, PRIVATE
from privge.mechanisms import LAWS, Law

_GRAPH = "#b45309"


@dataclass(frozen=True, slots=True)
class Baseline:
    """What stands beside the mechanisms without being one.

    Parameters
    ----------
    name
        What it is called in results and on the command line.
    label, colour
        As of `privge.mechanisms.Law`.
    """

    name: str
    label: str
    colour: str


RAW_FEATURES: Final = Baseline("raw-features", "no privacy, as they are", INK)
"""What older results call no privacy: features that never went through the law ``none``. No control any more."""

LABEL_PROPAGATION: Final = Baseline("label_propagation", "graph alone (label propagation)", _GRAPH)
PPR_SCORE: Final = Baseline("ppr_score", "graph alone (PPR score)", _GRAPH)

STRUCTURE_CHANNEL: Final = Baseline("structure_channel", "structure channel (ε = 0)", "#4d7c0f")
"""All that the public graph and the known labels say, by `privge.structure`; nobody is asked."""

REPORTS: Final = Baseline("reports", "the reports that were collected", PRIVATE)
"""Reports of a real collection, as they are: no device is simulated, and nobody knows the features."""

CAMPAIGN: Final = Baseline("campaign", "the questions of a campaign", PRIVATE)
"""What the devices of a campaign would send: each question has a law of its own."""

BASELINES: Final[Mapping[str, Baseline]] = {
    one.name: one for one in (RAW_FEATURES, LABEL_PROPAGATION, PPR_SCORE, STRUCTURE_CHANNEL, REPORTS, CAMPAIGN)
}

Method: TypeAlias = type[Law] | Baseline
"""Both have a name, a label and a colour."""

Kind: TypeAlias = Literal["mechanism", "baseline"]

_FORMER: Final[Mapping[str, Baseline]] = {**BASELINES, "none": RAW_FEATURES}
"""Baselines as older results name them, among the mechanisms."""


def kind_of(method: Method) -> Kind:
    """Return whether this is a mechanism or a baseline."""
    return "baseline" if isinstance(method, Baseline) else "mechanism"


def mechanism_named(name: str) -> type[Law]:
    """Return the law of a mechanism of the experiments."""
    compared = {law.name: law for law in LAWS.values() if law.ordered}
    if name not in compared:
        raise ValueError(f"there is no mechanism {name!r}; there are {', '.join(compared)}")
    return compared[name]


def baseline_named(name: str) -> Baseline:
    """Return a baseline."""
    if name not in BASELINES:
        raise ValueError(f"there is no baseline {name!r}; there are {', '.join(BASELINES)}")
    return BASELINES[name]


def method_of_record(record: Mapping[str, object]) -> Method:
    """Return the method of a result, which names a mechanism or a baseline.

    Older ones do not say whose features they have, and name both ``mechanism``.
    """
    if "baseline" in record:
        return baseline_named(str(record["baseline"]))
    name = str(record["mechanism"])
    former = None if "features" in record else _FORMER.get(name)
    return former or mechanism_named(name)
