"""Is asking worth it, at which epsilon, and for what? Decided before anybody is asked, from public data."""

from privge.planning.advice import Advice, Ceiling, Cell, Lift
from privge.planning.gain import Asking, Skill
from privge.planning.measured import Forecast
from privge.planning.outlook import PRIORS, Controls, Outlook
from privge.planning.panel import Panel
from privge.planning.pilot import Pilot
from privge.planning.plan import EPSILONS, Grid, plan
from privge.planning.verdict import standing_of

__all__ = [
    "EPSILONS",
    "PRIORS",
    "Advice",
    "Asking",
    "Ceiling",
    "Cell",
    "Controls",
    "Forecast",
    "Grid",
    "Lift",
    "Outlook",
    "Panel",
    "Pilot",
    "Skill",
    "plan",
    "standing_of",
]
