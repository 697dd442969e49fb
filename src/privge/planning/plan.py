"""`plan`: whether asking is worth it, at which epsilon and for what; from public data, and a panel or a pilot."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from privge._typing import Progress
from privge.campaign import Campaign
from privge.errors import BadData
from privge.graph import GraphData, as_graph
from privge.graph.labelled import Rows, rows_of
from privge.graph.labels import LabelsById, LabelsByRow
from privge.planning.advice import Advice, Ceiling, Cell, Lift, Planned
from privge.planning.asked import encoding_of, width_of
from privge.planning.costs import costs_of
from privge.planning.features import best_report, node_noise, sampled_rows
from privge.planning.gain import Asking
from privge.planning.outlook import Outlook, PriorName
from privge.planning.panel import Panel
from privge.planning.pilot import Pilot
from privge.planning.tried import Tried
from privge.planning.verdict import verdict_of
from privge.reports import Reports
from privge.tasks.friends import EVERYBODY, by_friends

if TYPE_CHECKING:
    from privge.perturbation.raw import RawFeatures

EPSILONS = (0.5, 1.0, 2.0, 4.0)
"""Privacy budgets that are tried by default."""

MOST_JUDGED = 20_000
"""Of more people, so many at random stand for all."""


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
        if not 0 < self.worth <= 100:
            raise ValueError(f"worth must be above 0 and at most 100 points, got {self.worth!r}")

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
        first = None if pilot is None else Pilot.of(pilot, network, outlook.labels, campaign)
        tried = Tried(campaign, outlook, shown, first, grid.worth, grid.seed)
    budgets = grid.budgets(campaign)
    ceilings: list[Ceiling] = []
    cells: list[Cell] = []
    for number, epsilon in enumerate(budgets, start=1):
        asking, friends = _people(outlook, epsilon, grid.seed)
        warmer = asking if outlook is None else asking.warmer(outlook.temperature)
        for share in grid.participations:
            ceilings.append(_ceiling(asking, warmer, friends, share))
            if tried is not None and friends is not None:
                cells.extend(tried.cells(asking, warmer, friends, share))
        if progress is not None:
            progress(number, len(budgets))
    norms, degrees = sampled_rows(network, grid.seed)
    separation = None if tried is None else tried.separation
    planned = _planned(campaign)
    few = None if tried is None else tried.fewer(_people(outlook, campaign.epsilon, grid.seed)[0])
    variance = best_report(campaign.epsilon, planned.width).variance
    controls = None if outlook is None else outlook.controls
    return Advice(
        campaign=planned,
        worth=grid.worth,
        prior=None if outlook is None else outlook.made_by,
        controls=controls,
        nodes=network.nodes,
        wanted=network.nodes if outlook is None else len(outlook.unlabelled),
        ceilings=tuple(ceilings),
        cells=tuple(cells),
        smallest=_smallest(tried, cells, max(grid.participations)),
        reports={epsilon: best_report(epsilon, planned.width) for epsilon in budgets},
        noise=node_noise(norms, degrees, variance, None if separation is None else separation.energy),
        costs=costs_of(campaign, network.nodes, None if outlook is None else outlook.seconds),
        few=few,
        recovered=None if tried is None or tried.pilot is None else tried.pilot.recovered,
        spent=() if tried is None else tuple(tried.spent()),
        verdict=verdict_of(planned, grid.worth, ceilings, cells, few, controls),
    )


def _planned(campaign: Campaign) -> Planned:
    asks: Literal["features", "questions"] = "features" if campaign.questions is None else "questions"
    return Planned(campaign.mechanism, campaign.epsilon, campaign.k, campaign.dimensions, asks, width_of(campaign))


def _people(outlook: Outlook | None, epsilon: float, seed: int) -> tuple[Asking, Rows | None]:
    """Return those whose class is wanted, and how many friends they have; somebody torn, if no class is known."""
    if outlook is None:
        return Asking.of(np.full((1, 2), 0.5), epsilon), None
    rows = outlook.unlabelled
    if len(rows) > MOST_JUDGED:
        rows = np.sort(np.random.default_rng([seed, 49]).choice(rows, MOST_JUDGED, replace=False))
    return Asking.of(outlook.prior.probabilities[rows], epsilon), outlook.friends[rows]


def _ceiling(asking: Asking, warmer: Asking, friends: Rows | None, share: float) -> Ceiling:
    """Return the most that a report adds, and how much that is if the graph were wrong as often as it well may be."""
    everybody = [(EVERYBODY, np.ones(len(asking.prior), dtype=np.bool_))]
    groups = everybody if friends is None else [each for each in by_friends(friends) if each[1].any()]
    lifts = tuple(Lift(name, 100 * share * float(asking.ceiling[inside].mean())) for name, inside in groups)
    high = max(lifts[0].points, 100 * share * float(warmer.ceiling.mean()))
    return Ceiling(asking.epsilon, share, lifts, float((asking.sizes > 1).mean()), high)


def _smallest(tried: Tried | None, cells: list[Cell], share: float) -> dict[str, float | None]:
    methods = () if tried is None else tuple(dict.fromkeys(cell.method for cell in cells))
    good = [cell for cell in cells if cell.standing == "worth it" and cell.participation == share]
    return {name: min((cell.epsilon for cell in good if cell.method == name), default=None) for name in methods}
