"""The plan's verdict beside a draft: what reports could add to what the graph says anyway (`privge plan`)."""

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from privge.campaign import Campaign
from privge.curator.matching import rows_among
from privge.errors import PrivgeError
from privge.graph import Graph
from privge.ids import Ids

LARGEST = 200_000
"""Nodes of the largest graph that is planned for while somebody waits."""

KnownClasses: TypeAlias = tuple[Ids, NDArray[np.object_]]
"""Ids, and their public classes."""

_PLANNING = "privge.planning"


@dataclass(frozen=True, slots=True)
class Planned:
    """What a plan says of a draft, in plain words."""

    verdict: tuple[str, ...]
    ceilings: tuple[tuple[str, str], ...] = ()  # epsilon, and the most points that any report can add


def planned(campaign: Campaign, people: int, graph: Graph | None, labels: KnownClasses | None) -> Planned:
    """Plan a campaign from public data alone; where that cannot be done here, say what to do instead."""
    if graph is None:
        return Planned(("What reports could add to what the graph says is not known here: start with --graph.",))
    if find_spec(_PLANNING) is None or graph.nodes > LARGEST:
        return Planned(("Whether asking is worth it at all, `privge plan` says.",))
    planning = import_module(_PLANNING)
    share = min(1.0, people / graph.nodes)
    try:
        advice = planning.plan(
            graph,
            campaign,
            _of_graph(graph, labels),
            grid=planning.Grid(participations=(share,), prior="label propagation"),
        )
    except PrivgeError as error:
        return Planned((f"It could not be planned: {error}",))
    return Planned(
        tuple(advice.verdict), tuple((f"{each.epsilon:g}", f"{each.points:.1f}") for each in advice.ceilings)
    )


def _of_graph(graph: Graph, labels: KnownClasses | None) -> KnownClasses | None:
    """Return the classes of people who are in the graph; who knows nobody is in no list of edges."""
    if labels is None:
        return None
    ids, classes = labels
    there = rows_among(graph.ids, ids) >= 0
    return (ids[there], classes[there]) if there.any() else None
