"""From a trial on held-out edges to a score: the structure's alone, or that of structure and vectors."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from privge.propagation import Walk
from privge.recommendation.evaluation import CLEAN, FUSED, NOISE, SHUFFLED, STRUCTURE, VECTORS, Evaluation, control
from privge.recommendation.fusion import Gate
from privge.recommendation.logit import ListwiseLogit
from privge.recommendation.neighbourhood import NEAR_BY, Neighbourhood, Reach
from privge.recommendation.trial import Trial
from privge.recommendation.vectors import Signals
from privge.recommendation.view import View
from privge.structure.steps import Steps

_WALK = Walk()
_TRIAL, _CONTENDER = 6, 2  # steps: the pair channel has five


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How recommendations are made.

    Parameters
    ----------
    walk, reach
        How reports walk over the graph (an embedding brings its own walk), and how far candidates are looked for.
    evaluate
        Whether test edges judge the score.
    columns
        Of vectors, at most; wider ones are projected at random.
    controls
        Whether shuffled vectors and noise as vectors are judged too; each takes as long as the vectors themselves.
    seed
        Of whatever is drawn.
    threads
        None for one for each processor; the answer does not depend on it.
    """

    walk: Walk = _WALK
    reach: Reach = NEAR_BY
    columns: int = 512
    evaluate: bool = True
    controls: bool = False
    seed: int = 0
    threads: int | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Learnt:
    """What a trial ended in.

    Parameters
    ----------
    view
        What is looked at from now on, with all edges.
    logit
        The score.
    gate
        Whether vectors help; None if there are none.
    evaluation
        What the score reaches; None if nobody asked.
    """

    view: View
    logit: ListwiseLogit
    gate: Gate | None
    evaluation: Evaluation | None


@dataclass(frozen=True, eq=False, slots=True)
class Contender:
    """Structure and vectors together, and what the validation edges said of it.

    Parameters
    ----------
    view
        What is looked at, without the held-out edges.
    gate
        Whether vectors help.
    logit
        The score of both together.
    """

    view: View
    gate: Gate
    logit: ListwiseLogit

    @classmethod
    def of(cls, trial: Trial, signals: Signals, steps: Steps | None = None) -> Self:
        """Let signals walk over the training edges, and fit both together to the validation edges; two steps."""
        steps = Steps(_CONTENDER, None) if steps is None else steps
        view = steps.done(trial.with_vectors(signals))
        return steps.done(cls(view, *trial.judged(view)))

    def evaluated(self, trial: Trial) -> Evaluation:
        """Judge both together, and vectors alone, by the test edges."""
        return Evaluation.of(trial, self.view, self.logit, FUSED)


def steps_of(settings: Settings, *, vectors: bool, clean: bool) -> int:
    """Return how many steps it takes to learn: a trial, contenders, evaluations, the structure, all edges again."""
    controls = (2 * settings.controls + clean) if settings.evaluate and vectors else 0
    contenders = vectors + controls
    return _TRIAL + _CONTENDER * contenders + (1 + contenders if settings.evaluate else 0) + 2


def hidden(near: Neighbourhood, seed: int, steps: Steps) -> Trial:
    """Hide edges, and learn the pair channel from the others."""
    return steps.done(Trial.of(near, seed, lambda *_: steps.step()))


def learn(
    trial: Trial, signals: Signals | None, settings: Settings, steps: Steps, clean: Signals | None = None
) -> Learnt:
    """Fit the score, decide about vectors, judge, and look at all edges again; ``clean`` is a control, never used."""
    structure = steps.done(trial.fitted())
    contender = None if signals is None else Contender.of(trial, signals, steps)
    evaluation = steps.done(Evaluation.of(trial, trial.view, structure, STRUCTURE)) if settings.evaluate else None
    if evaluation is not None and signals is not None and contender is not None:
        controls = {SHUFFLED: signals.shuffled(trial.seed), NOISE: signals.noise(trial.seed)}
        given = {} if clean is None else {CLEAN: clean}
        evaluation = _beside(evaluation, trial, contender, (controls if settings.controls else {}) | given, steps)
    gate = None if contender is None else contender.gate
    if contender is None or not contender.gate.open:
        return steps.done(Learnt(_whole(trial, trial.view, None), structure, gate, evaluation))
    return steps.done(Learnt(_whole(trial, contender.view, signals), contender.logit, gate, evaluation))


def _beside(
    alone: Evaluation, trial: Trial, contender: Contender, controls: Mapping[str, Signals], steps: Steps
) -> Evaluation:
    """Put what vectors reach beside what the structure and controls reach; a closed gate leaves the structure."""
    together = steps.done(contender.evaluated(trial))
    final = together if contender.gate.open else alone
    by_vectors, by_both = {VECTORS: together.scores[VECTORS]}, {}
    for name, signals in controls.items():
        other = Contender.of(trial, signals, steps)
        reached = steps.done(other.evaluated(trial)).scores
        by_vectors[control(VECTORS, name)] = reached[VECTORS]
        by_both[control(FUSED, name)] = reached[FUSED] if other.gate.open else alone.scores[STRUCTURE]
    by_both[FUSED] = together.scores[FUSED] if contender.gate.open else alone.scores[STRUCTURE]
    return replace(final, scores={**alone.scores, **by_vectors, **by_both})


def _whole(trial: Trial, view: View, signals: Signals | None) -> View:
    """Look at the graph with all edges, by what was learnt without some."""
    near = replace(view.neighbourhood, graph=trial.whole)
    channel = None if view.channel is None else view.channel.on(trial.whole, seed=trial.seed)
    if signals is None or view.links is None:
        return View(near, channel)
    return View(near, channel, view.links.on(signals.on(trial.whole, near.threads)))
