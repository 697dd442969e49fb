"""What a store says to whoever recommends: the reports, ready to walk, and who was erased."""

import numpy as np

from privge.collect.snapshot import take_snapshot
from privge.collect.stores import Outcome, Store
from privge.curator.stores import find_campaign
from privge.embedding.join import AS_IN_THE_PAPER, Joining
from privge.graph import Graph
from privge.ids import Ids
from privge.propagation import Walk
from privge.recommendation import Signals

_ASKED = 10_000  # nodes at once


def signals_of_store(
    store: Store, graph: Graph, walk: Walk, *, campaign: str | None = None, joining: Joining = AS_IN_THE_PAPER
) -> Signals:
    """Return what a store holds of a campaign, as rows of a graph.

    Parameters
    ----------
    store, graph
        Where the reports are, and whose nodes they are joined with.
    walk
        How they will be spread.
    campaign
        The id of a campaign, or how it begins; by default the only one.
    joining
        How reports become rows.
    """
    reports = take_snapshot(store, find_campaign(store, campaign)).reports
    return Signals.of_reports(graph, reports, walk, joining)


def erased_people(store: Store, graph: Graph) -> Ids:
    """Return the nodes of a graph that were erased from any campaign of a store: nobody is recommended them."""
    erased = np.zeros(graph.nodes, dtype=np.bool_)
    for state in store.campaigns():
        if not state.erased:
            continue
        for first in range(0, graph.nodes, _ASKED):
            some = slice(first, first + _ASKED)
            standings = store.ask(state.campaign.id, graph.ids[some].tolist())
            erased[some] |= [standing.outcome is Outcome.ERASED for standing in standings]
    return graph.ids[erased]
