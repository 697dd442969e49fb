"""The plan's verdict beside a draft: what reports could add to what the graph says anyway (`privge plan`)."""

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from privge.campaign import Campaign
from privge.errors import PrivgeError
from privge.graph import Graph

LARGEST = 200_000
"""Nodes of the largest graph that is planned for while somebody waits."""

_PLANNING = "privge.planning"


@dataclass(frozen=True, slots=True)
class Planned:
    """What a plan says of a draft, in plain words."""

    verdict: tuple[str, ...]
    ceilings: tuple[tuple[str, str], ...] = ()  # epsilon, and the most points that any report can add


def planned(campaign: Campaign, people: int, graph: Graph | None, labels: Any) -> Planned:  # noqa: ANN401 (ids and classes)
    """Plan a campaign from public data alone; where that cannot be done here, say what to do instead."""
    if graph is None:
        return Planned(("What reports could add to what the graph says is not known here: start with --graph.",))
    if find_spec(_PLANNING) is None or graph.nodes > LARGEST:
        return Planned(("Whether asking is worth it at all, `privge plan` says.",))
    planning = import_module(_PLANNING)
    share = min(1.0, people / graph.nodes)
    try:
        advice = planning.plan(
            graph, campaign, labels, grid=planning.Grid(participations=(share,), prior="label propagation")
        )
    except PrivgeError as error:
        return Planned((f"It could not be planned: {error}",))
    return Planned(
        tuple(advice.verdict), tuple((f"{each.epsilon:g}", f"{each.points:.1f}") for each in advice.ceilings)
    )
