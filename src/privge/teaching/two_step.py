"""`two_step`: teach, then ask, simulated as a whole with real campaigns, real laws and real reports.

*Privacy of the protocol.* There are two campaigns of one round with disjoint members, both fixed by public data before
anybody reports (`privge.teaching.Roles`). A teacher draws one report by an exact law of epsilon, and never hears of the
protocol again. The question is a function of the teachers' reports and of public data. Somebody who is asked draws one
answer to it by an exact law of epsilon. So each person's data enters exactly one draw, and:

* *Sequential interactivity costs nothing.* Given everything that was published before, a person's report is a draw
  from an epsilon-private law that does not otherwise depend on that person. For two values x, x' of one person, the
  probability of the whole transcript differs by the factor of that one draw, at most e^epsilon; what others report
  later depends on x through the transcript alone.
* *A malicious question cannot exceed epsilon.* The bound is one of the law, whose weights the device checks against
  its own epsilon; it holds for every deterministic function of the profile, whichever weights and offsets a curator
  chooses, and whatever they knew when they chose them.
* *Who is asked what reveals nothing private.* Membership, classes and offsets follow from the public prior of the
  node and
  are named by hashes in the campaign; they never depend on anybody's own report. That somebody is asked says that the
  graph is unsure of them, which everybody with the graph knows.
* *Once.* Device and store refuse a second report of one round: somebody who taught is never asked.

A simulation is seeded, so its reports are not private; `privge.device` draws from the operating system.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Literal, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats, Progress
from privge.campaign import Assignment, Campaign
from privge.campaign.asking import asked
from privge.errors import BadData
from privge.graph import Graph
from privge.graph.labelled import LabelledGraph, Rows
from privge.graph.labels import LabelsById, LabelsByRow
from privge.perturbation.simulate import simulate_counted
from privge.questions import Direction, Encoding
from privge.questions.people import People, people_of
from privge.reports import Reports
from privge.structure import NodeChannel
from privge.tasks import Evidence, Fusion, NodeSplit
from privge.teaching.answers import answers_of
from privge.teaching.outcome import Outcome, rows_by_friends
from privge.teaching.prior import public_prior
from privge.teaching.question import TaughtQuestion
from privge.teaching.roles import JUDGES, Roles
from privge.teaching.teach import teach, teach_by_panel

Null: TypeAlias = Literal["other profile", "shuffled labels", "shuffled features"]
"""Controls that must fail to help: answers from somebody else's profile, a question taught on labels of other people,
features of other people from the beginning."""

Result = TypeVar("Result")

ROUND = "teach, then ask"
"""Both campaigns are of one round, so that nobody reports in both."""

_TEACHING, _ASKING, _NULL, _PANEL = 21, 22, 23, 24  # named streams of randomness


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """What is chosen before the two steps begin.

    Parameters
    ----------
    epsilon
        Of each answer, and of each teacher's report.
    teacher_epsilon
        Of a teacher's report, if teachers agreed to another one.
    panel
        So many labelled people agree to hand out their profile, and nobody else teaches; 0 for none.
    judges
        See `Roles.of`.
    directions
        Of a teacher's report.
    """

    epsilon: float
    teacher_epsilon: float | None = None
    panel: int = 0
    judges: int = JUDGES
    directions: int = 64


@dataclass(frozen=True, eq=False, slots=True)
class _World:
    """What there is: the public part, and what only devices know.

    That is ``people``, their raw features, of which nothing is read but what simulated devices report; a panel shows
    its own.
    """

    graph: Graph
    known: NDArray[np.int64]
    people: People
    encoding: Encoding
    structure: NodeChannel
    design: Design
    null: Null | None
    seed: int

    def generator(self, stream: int) -> np.random.Generator:
        """Return a stream of randomness of its own."""
        return np.random.default_rng([self.seed, stream])

    def simulated(self, campaign: Campaign, rows: Rows, people: People, stream: int) -> Reports:
        """Return the seeded reports of some people."""
        seed = int(self.generator(stream).integers(2**62))
        return simulate_counted(campaign, people, ids=self.graph.ids[rows].tolist(), seed=seed)[0]

    def shuffled(self) -> Self:
        """Return the world in which everybody has the features of somebody else."""
        return replace(self, people=self.people.take(self.generator(_NULL).permutation(self.people.rows)))

    def shuffled_labels(self, roles: Roles) -> tuple[NDArray[np.int64], NodeChannel]:
        """Return labels and prior in which teachers have those of other teachers: known classes and supposed ones."""
        labels, probabilities = self.known.copy(), self.structure.probabilities.copy()
        others = self.generator(_NULL).permutation(roles.teachers)
        labels[roles.teachers], probabilities[roles.teachers] = labels[others], probabilities[others]
        return labels, replace(self.structure, probabilities=probabilities)

    def roles(self, train: Rows, validation: Rows) -> Roles:
        """Return who teaches and who is asked."""
        design = self.design
        return Roles.of(
            self.structure.log,
            train=train,
            validation=validation,
            epsilon=design.epsilon,
            judges=design.judges,
            seed=self.seed,
        )


def two_step(
    graph: Graph,
    features: Any,  # noqa: ANN401 (a matrix or a table of any library)
    labels: LabelsByRow | LabelsById,
    *,
    encoding: Encoding,
    split: NodeSplit,
    design: Design,
    null: Null | None = None,
    structure: NodeChannel | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Outcome:
    """Simulate the whole protocol and judge it on the test people.

    Everything is drawn from one seed, and is therefore NOT PRIVATE.

    Parameters
    ----------
    graph
        Who knows whom; public.
    features
        The private raw features, in the order of the graph's nodes: a matrix, or a table with the encoding's columns.
    labels
        Classes by row or by id. Those of training and validation people are public; those of test people only judge.
    encoding
        The public encoding of features.
    split
        Training people teach, validation people judge, test people are judged on.
    design
        What is chosen.
    null
        A control that must fail to help.
    structure
        What `public_prior` returned for the same split, if it was made before.
    seed
        Of everything that is drawn.
    progress
        Called with the steps done and the steps in all.
    """
    labelled = LabelledGraph.of(graph, labels)
    train, validation, test = (labelled.rows(part) for part in (split.train, split.validation, split.test))
    known, truth = np.full(graph.nodes, -1), labelled.labels.places
    for part in (train, validation):
        known[part] = truth[part]
    if structure is None:
        named = _named(known, labelled.labels.classes)
        structure = public_prior(graph, named, train=train, validation=validation, seed=seed)
    step = _steps(progress)
    people = people_of(features, encoding.raw_names, encoding.raw_width)
    if people.rows != graph.nodes:
        raise BadData(
            f"there must be features of {graph.nodes:,} nodes, in the graph's order; got {people.rows:,} rows"
        )
    world = _World(graph, known, people, encoding, structure, design, null, seed)
    world = world.shuffled() if null == "shuffled features" else world
    roles = world.roles(train, validation)
    teaching, question = step(_teach(world, roles))
    asking, evidences, device = step(_ask(world, roles, question))
    fusion = step(Fusion.fit(structure.log, evidences, known, roles.judges, seed=seed))
    rows = rows_by_friends(graph.degrees, truth, test, fusion.structure, fusion.probabilities)
    return Outcome(
        rows, roles, question, teaching, asking, fusion, _right(device, truth, np.intersect1d(test, roles.asked))
    )


def _teach(world: _World, roles: Roles) -> tuple[Campaign | None, TaughtQuestion]:
    """Run the first campaign, or take the panel; learn the question."""
    labels, structure = (
        world.shuffled_labels(roles) if world.null == "shuffled labels" else (world.known, world.structure)
    )
    own = roles.teachers[labels[roles.teachers] >= 0]
    if world.design.panel:
        panel = np.sort(world.generator(_PANEL).permutation(own)[: world.design.panel])
        return None, teach_by_panel(world.encoding, world.people.take(panel), structure, labels, panel)
    campaign = Campaign(
        questions=[Direction(world.encoding, directions=world.design.directions)],
        epsilon=world.design.teacher_epsilon or world.design.epsilon,
        assignment=Assignment.members(world.graph.ids[roles.teachers]),
        round=ROUND,
    )
    reports = world.simulated(campaign, roles.teachers, world.people.take(roles.teachers), _TEACHING)
    return campaign, teach(reports, structure, labels)


def _ask(
    world: _World, roles: Roles, question: TaughtQuestion
) -> tuple[Campaign | None, dict[str, Evidence | Floats], NDArray[np.int64]]:
    """Run the second campaign; return its evidence, and what devices computed before the noise."""
    device = np.full(world.graph.nodes, -1)
    if len(roles.asked) == 0:
        return None, {}, device
    model = question.rounded().model
    campaign = Campaign(
        questions=[model],
        epsilon=world.design.epsilon,
        assignment=question.assignment(world.graph.ids, world.structure.log, roles),
        round=ROUND,
    )
    rows = roles.asked if world.null != "other profile" else world.generator(_NULL).permutation(roles.asked)
    people = world.people.take(rows)
    reports = world.simulated(campaign, roles.asked, people, _ASKING)
    levels, _ = model.answers(people, range(model.raw_width), asked(campaign, 0, reports.ids.tolist()))
    device[roles.asked] = np.take_along_axis(roles.classes, levels[:, None], axis=1).ravel()
    return campaign, {"answers": answers_of(reports, world.structure, roles)}, device


def _right(found: NDArray[np.int64], truth: NDArray[np.int64], rows: Rows) -> float:
    return 100 * float((found[rows] == truth[rows]).mean()) if len(rows) else 0.0


def _named(places: NDArray[np.int64], classes: NDArray[Any]) -> list[object]:
    names = classes.tolist()
    return [names[place] if place >= 0 else None for place in places.tolist()]


def _steps(progress: Progress | None) -> Callable[[Result], Result]:
    """Return a function that hands on what a step returned, and counts it."""
    done = count(1)

    def step(result: Result) -> Result:
        if progress is not None:
            progress(next(done), 3)
        return result

    return step
