"""`plan`: whether asking is worth it, at which epsilon and for what; from public data, and a panel or a pilot."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privge._typing import Progress
from privge.campaign import Campaign
from privge.errors import BadData
from privge.graph import GraphData, as_graph
from privge.graph.labelled import Rows, rows_of
from privge.graph.labels import LabelsById, LabelsByRow
from privge.planning.advice import Advice, Ceiling, Cell, Lift, Planned
from privge.planning.asked import encoding_of
from privge.planning.costs import costs_of
from privge.planning.features import best_report, node_noise, sampled_rows
from privge.planning.gain import Asking
from privge.planning.outlook import Outlook, PriorName
from privge.planning.panel import Panel
from privge.planning.pilot import Pilot
from privge.planning.tried import Tried
from privge.planning.verdict import verdict_of
from privge.reports import Reports
from privge.tasks.friends import by_friends

if TYPE_CHECKING:
    from privge.perturbation.raw import RawFeatures

EPSILONS = (0.5, 1.0, 2.0, 4.0)
"""Privacy budgets that are tried by default."""

MOST_JUDGED = 20_000
"""Of more people, so many at random stand for all."""

_NORMAL = 1.96


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """What is tried.

    That is every budget, and that of the campaign as well, with every share of people who take part.

    Parameters
    ----------
    epsilons, participations
        Privacy budgets, and shares of people, above 0 and at most 1.
    worth
        Points of accuracy below which asking is not worth it.
    prior
        As for `privge.planning.outlook.Outlook.of`.
    seed
        Of everything that is drawn.
    """

    epsilons: tuple[float, ...] = EPSILONS
    participations: tuple[float, ...] = (1.0,)
    worth: float = 0.5
    prior: PriorName = "auto"
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.participations or not all(0 < share <= 1 for share in self.participations):
            raise ValueError(f"participations must be above 0 and at most 1, got {self.participations!r}")
        if not all(0 < epsilon < 100 for epsilon in self.epsilons):
            raise ValueError(f"epsilons must be above 0 and below 100, got {self.epsilons!r}")

    def budgets(self, campaign: Campaign) -> tuple[float, ...]:
        """Return every epsilon that is tried, in increasing order."""
        return tuple(sorted({*self.epsilons, campaign.epsilon}))


def plan(
    graph: GraphData,
    campaign: Campaign,
    labels: LabelsByRow | LabelsById | None = None,
    *,
    panel: "RawFeatures | None" = None,
    pilot: Reports | None = None,
    grid: Grid | None = None,
    progress: Progress | None = None,
) -> Advice:
    """Forecast what reports would add to what the graph says anyway, and advise.

    Without labels there are only noise, costs and a ceiling for somebody of whom nothing is known.

    Parameters
    ----------
    graph
        The public graph.
    campaign
        What is planned.
    labels
        Classes that are known.
    panel
        Raw values of labelled people who agreed to show them: read in the clear. They have no local privacy.
    pilot
        Reports of some people, who have spent them.
    grid
        What is tried.
    progress
        Called with the budgets done, and how many there are.
    """
    grid, network = grid or Grid(), as_graph(graph)
    if not 0 < campaign.epsilon < 100:
        raise BadData("a control for simulations cannot be planned: the campaign needs an epsilon")
    if labels is None and (panel is not None or pilot is not None):
        raise BadData("a panel or a pilot needs known labels: without them there are no classes to tell apart")
    outlook = None if labels is None else Outlook.of(network, labels, prior=grid.prior, seed=grid.seed)
    shown, tried = None, None
    if outlook is not None:
        if panel is not None:
            rows = rows_of(network, panel.ids, "people of the panel")
            shown = Panel.of(encoding_of(campaign), panel.matrix, rows, outlook.labels)
        first = None if pilot is None else Pilot.of(pilot, network, outlook.labels)
        tried = Tried(campaign, outlook, shown, first, grid.worth, grid.seed)
    budgets = grid.budgets(campaign)
    ceilings: list[Ceiling] = []
    cells: list[Cell] = []
    for number, epsilon in enumerate(budgets, start=1):
        asking, friends = _people(outlook, epsilon, grid.seed)
        for share in grid.participations:
            ceilings.append(_ceiling(asking, friends, share, 0.0 if outlook is None else outlook.doubt))
            if tried is not None:
                cells.extend(tried.cells(asking, friends, share))
        if progress is not None:
            progress(number, len(budgets))
    norms, degrees = sampled_rows(network, grid.seed)
    separation = None if tried is None else tried.separation
    planned = Planned(campaign.mechanism, campaign.epsilon, campaign.k, campaign.dimensions)
    few = None if tried is None else tried.fewer(_people(outlook, campaign.epsilon, grid.seed)[0])
    variance = best_report(campaign.epsilon, campaign.dimensions).variance
    seconds = 0.0 if outlook is None else outlook.seconds
    return Advice(
        campaign=planned,
        worth=grid.worth,
        prior=None if outlook is None else outlook.made_by,
        controls=None if outlook is None else outlook.controls,
        nodes=network.nodes,
        wanted=network.nodes if outlook is None else len(outlook.unlabelled),
        ceilings=tuple(ceilings),
        cells=tuple(cells),
        smallest=_smallest(tried, cells, max(grid.participations)),
        reports={epsilon: best_report(epsilon, campaign.dimensions) for epsilon in budgets},
        noise=node_noise(norms, degrees, variance, None if separation is None else separation.energy),
        costs=costs_of(campaign, network.nodes, seconds),
        few=few,
        recovered=None if tried is None or tried.pilot is None else tried.pilot.recovered,
        spent=() if tried is None else tuple(tried.spent()),
        verdict=verdict_of(planned, grid.worth, ceilings, cells, few),
    )


def _people(outlook: Outlook | None, epsilon: float, seed: int) -> tuple[Asking, Rows]:
    """Return those whose class is wanted, and their friends; somebody torn between two classes, if none is known."""
    if outlook is None:
        return Asking.of(np.full((1, 2), 0.5), epsilon), np.zeros(1, dtype=np.int64)
    rows = outlook.unlabelled
    if len(rows) > MOST_JUDGED:
        rows = np.sort(np.random.default_rng([seed, 49]).choice(rows, MOST_JUDGED, replace=False))
    return Asking.of(outlook.prior.probabilities[rows], epsilon), outlook.friends[rows]


def _ceiling(asking: Asking, friends: Rows, share: float, doubt: float) -> Ceiling:
    groups = ((name, inside) for name, inside in by_friends(friends) if inside.any())
    lifts = tuple(Lift(name, 100 * share * float(asking.ceiling[inside].mean())) for name, inside in groups)
    high = lifts[0].points * (1 + _NORMAL * doubt)
    return Ceiling(asking.epsilon, share, lifts, float((asking.sizes > 1).mean()), high)


def _smallest(tried: Tried | None, cells: list[Cell], share: float) -> dict[str, float | None]:
    methods = () if tried is None else tuple(dict.fromkeys(cell.method for cell in cells))
    good = [cell for cell in cells if cell.standing == "worth it" and cell.participation == share]
    return {name: min((cell.epsilon for cell in good if cell.method == name), default=None) for name in methods}
