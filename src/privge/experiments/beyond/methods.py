"""What is compared beyond the paper: the graph for nothing, the paper's way, private answers, and their controls."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privge.experiments.beyond import taught, vectors
from privge.experiments.beyond.situation import Situation

Found: TypeAlias = NDArray[np.int64]
"""The class that is found for each node."""

Kind: TypeAlias = Literal["control", "private", "null", "ceiling"]


@dataclass(frozen=True, slots=True)
class Method:
    """A way to find the class of each person.

    Parameters
    ----------
    name, label
        On the command line and in results; in tables.
    kind
        ``control`` (nobody is asked), ``private``, ``null`` (must fail to help), or ``ceiling`` (no privacy).
    explained
        What it does, in words.
    run
        Finds the classes of everybody, at a budget.
    only
        The datasets that have it; empty for all.
    """

    name: str
    label: str
    kind: Kind
    explained: str
    run: Callable[[Situation, float], Found]
    only: tuple[str, ...] = ()

    @property
    def control(self) -> bool:
        """Whether others are compared with it: it asks nobody."""
        return self.kind == "control"

    @property
    def asks(self) -> bool:
        """Whether it has a budget."""
        return self.kind in ("private", "null")

    @property
    def fuses(self) -> bool:
        """Whether it puts structure and something else together."""
        return not self.control and self.name != "paper"

    def on(self, dataset: str) -> bool:
        """Say whether a dataset has it."""
        return not self.only or dataset in self.only


_WITH_VECTORS = ("demo", "platform", "platform-4", "cora", "pubmed")
"""Where a logistic regression on vectors takes seconds; on thousands of columns see the paper's page."""

_ALL: Final = (
    Method(
        "structure",
        "structure",
        "control",
        "the graph and all labels that are known; nobody is asked",
        vectors.structure,
    ),
    Method(
        "paper",
        "the paper's vectors",
        "private",
        "k of d features by HDS, spread over the graph, and a logistic regression",
        vectors.paper,
        _WITH_VECTORS,
    ),
    Method(
        "fused",
        "structure and the paper's vectors",
        "private",
        "both, fused on people whose labels are held out",
        vectors.fused,
        _WITH_VECTORS,
    ),
    Method(
        "fused-shuffled",
        "- fused with shuffled features",
        "null",
        "the same, where everybody reports the features of somebody else",
        vectors.fused_shuffled,
        _WITH_VECTORS,
    ),
    Method(
        "taught",
        "taught",
        "private",
        "structure and one answer to a question that others taught; everybody reports once, at the same ε",
        taught.taught,
    ),
    Method(
        "taught-volunteers",
        "taught, teachers at ε = 4",
        "private",
        "the same, where teachers agreed to ε = 4",
        taught.taught_by_volunteers,
        ("platform", "platform-4"),
    ),
    Method(
        "taught-panel",
        "taught with a panel",
        "private",
        "the same, where 500 labelled people hand out their profiles and teach: no local privacy for these",
        taught.taught_by_panel,
    ),
    Method(
        "other-profile",
        "- answers from another profile",
        "null",
        "taught, but each answer is computed from somebody else's profile",
        taught.other_profile,
    ),
    Method(
        "shuffled-labels",
        "- taught on shuffled labels",
        "null",
        "taught, but the labels of teachers are shuffled",
        taught.shuffled_labels,
    ),
    Method(
        "shuffled-features",
        "- with shuffled features",
        "null",
        "taught, but everybody has the features of somebody else",
        taught.shuffled_features,
    ),
    Method(
        "no-privacy",
        "no privacy",
        "ceiling",
        "structure and a logistic regression on the true features, fused",
        vectors.no_privacy,
    ),
)

METHODS: Final[Mapping[str, Method]] = {method.name: method for method in _ALL}
