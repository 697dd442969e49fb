"""The demonstration as one HTML file that needs nothing else."""

import math
from pathlib import Path

from privge.experiments import pages
from privge.experiments.demo.cases import GROUPS
from privge.experiments.demo.figures import DRAWN, accuracy_figure, mistakes_figure
from privge.experiments.demo.halves import FEW
from privge.experiments.demo.run import ALPHA, EPSILONS, MAIN_EPSILON, REPEATS, Demonstration, K, R
from privge.experiments.pages import embedded


def write_page(demonstration: Demonstration, path: Path) -> None:
    """Render the page; the file is complete or absent."""
    main = next(budget for budget in demonstration.cases.budgets if budget.epsilon == MAIN_EPSILON)
    few = demonstration.network.graph.degrees <= FEW
    pages.write_page(
        "demo.html",
        path,
        d=demonstration,
        cases=demonstration.cases,
        main=main,
        groups=GROUPS,
        graph=demonstration.network.graph,
        few_share=100 * float(few.mean()),
        interests=demonstration.network.features.shape[1],
        communities=int(demonstration.network.labels.max()) + 1,
        promises=[(epsilon, math.exp(epsilon), _sure(epsilon)) for epsilon in EPSILONS],
        person=demonstration.asked.person(),
        roles=demonstration.asked.outcome.roles,
        accuracy_picture=embedded(accuracy_figure(demonstration)),
        mistakes_picture=embedded(mistakes_figure(demonstration)),
        repeats=REPEATS,
        k=K,
        alpha=ALPHA,
        r=R,
        drawn=DRAWN,
    )


def _sure(epsilon: float) -> float:
    """Return how sure, in percent, an observer can become of what was as likely as not."""
    return 100 / (1 + math.exp(-epsilon))
