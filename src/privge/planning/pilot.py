"""`Pilot`: reports of a few people, and what they say before everybody is asked. Each has spent their report."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge.campaign import Campaign
from privge.errors import BadData
from privge.graph import Graph
from privge.graph.labelled import Rows, rows_of
from privge.planning.asked import encoding_of
from privge.planning.confidence import NORMAL
from privge.planning.gain import Asking, Skill
from privge.planning.measured import Forecast
from privge.planning.outlook import Outlook
from privge.planning.separation import Separation
from privge.questions import Direction
from privge.reports import Reports
from privge.smoothing import choose

FEWEST = 40
_MOST_NODES = 200_000  # with more, no smoother is tried


@dataclass(frozen=True, eq=False, slots=True)
class Pilot:
    """What a pilot came to.

    Parameters
    ----------
    campaign
        That they answered.
    rows
        The nodes of those who did.
    separation
        How far classes lie apart in the reports of those with a known label.
    recovered
        The share of everybody's profile that a smoother would recover, by Stein's unbiased risk; None if none was
        tried.
    """

    campaign: Campaign
    rows: Rows
    separation: Separation
    recovered: float | None

    @classmethod
    def of(cls, reports: Reports, graph: Graph, labels: NDArray[np.int64], planned: Campaign) -> Self:
        """Read the reports of a pilot.

        Parameters
        ----------
        reports
            Of features, or of a `privge.questions.Direction` alone.
        graph
            The public graph.
        labels
            The known class of each node; -1 if it is not known.
        planned
            The campaign that is planned: the pilot must have reported what it asks about.
        """
        questions = reports.campaign.questions
        if questions is not None and not (len(questions) == 1 and isinstance(questions[0], Direction)):
            raise BadData("a pilot must have reported features, or a direction and nothing else")
        if encoding_of(reports.campaign).features != encoding_of(planned).features:
            raise BadData(
                "the pilot reported other features than those that are planned: their number, names and bounds must be "
                "the same"
            )
        rows = rows_of(graph, reports.ids, "people of the pilot")
        known = labels[rows] >= 0
        if known.sum() < FEWEST or len(np.unique(labels[rows][known])) < 2:
            raise BadData(
                f"a pilot needs at least {FEWEST} people with a known label, of two classes; {int(known.sum())} have "
                "one"
            )
        decoded = scipy.sparse.csr_array(reports.decode("unbiased"))
        separation = Separation.of(decoded[np.flatnonzero(known)], labels[rows][known])
        return cls(reports.campaign, rows, separation, _recovered(decoded, reports.campaign, graph, rows))

    @property
    def directions(self) -> bool:
        """Whether people reported directions of whole profiles."""
        return self.campaign.questions is not None

    def taught(self, asking: Asking, outlook: Outlook, teachers: Rows, epsilon: float) -> Forecast:
        """Forecast a question that teachers' reports of whole profiles would teach.

        Profiles of length 1 vary by 1 in all coordinates together. With class means at the squared distance S, the
        discriminability is ``sqrt(d S)``, and the factor ``S / (S + d v (1/n + 1/n))`` of its square is learnt from n
        teachers of each class.
        """
        question = (self.campaign.questions or ())[0]
        assert isinstance(question, Direction)  # noqa: S101 (for the type checker)
        noise = Campaign(questions=[Direction(question.encoding)], epsilon=epsilon).noise
        live = np.array(question.encoding.largest) > 0
        width, variance = int(live.sum()), float(noise[live].mean()) + 1 / int(live.sum())
        classes = outlook.prior.probabilities.shape[1]
        prior = outlook.prior.probabilities[teachers]
        told = np.where(
            outlook.labels[teachers] >= 0, 1.0, (classes * np.square(prior).sum(axis=1) - 1) / (classes - 1)
        )
        each = max(float(told.sum()) / classes, 1.0)

        def delta(energy: float) -> float:
            learnt = energy / max(energy + width * variance * 2 / each, 1e-300)
            return float((width * energy * learnt) ** 0.5)

        energy, reach = self.separation.energy, NORMAL * self.separation.error
        low, middle, high = (delta(max(0.0, energy + shift * reach)) for shift in (-1, 0, 1))
        found = {each: asking.expected(Skill.calibrated(each)) for each in {low, middle, high}}
        return Forecast(found[middle], float(found[low].mean()), float(found[high].mean()), middle)


def _recovered(decoded: scipy.sparse.csr_array, campaign: Campaign, graph: Graph, rows: Rows) -> float | None:
    """Return what Stein's unbiased risk promises of the best smoother."""
    if graph.nodes > _MOST_NODES:
        return None
    entries = decoded.tocoo()
    placed = scipy.sparse.csr_array(
        (entries.data, (rows[entries.row], entries.col)), shape=(graph.nodes, decoded.shape[1])
    )
    seen = np.zeros(graph.nodes, dtype=np.bool_)
    seen[rows] = True
    return choose(placed, campaign.noise, graph, observed=seen).predicted_gain
