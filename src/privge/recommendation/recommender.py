"""`Recommender`: new friends for people, from a graph and, if they help, from private vectors."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Self, TypeAlias

import numpy as np

from privge._machine import processors
from privge._typing import Progress
from privge.embedding.embedding import Embedding
from privge.graph import Graph, GraphData, as_graph
from privge.graph.labelled import Rows
from privge.ids import Ids
from privge.recommendation.asked import blocked_rows, erased_rows, rows_asked
from privge.recommendation.evaluation import Evaluation
from privge.recommendation.fusion import Gate
from privge.recommendation.learning import Settings, hidden, learn, steps_of
from privge.recommendation.logit import ListwiseLogit
from privge.recommendation.neighbourhood import Excluded, Neighbourhood
from privge.recommendation.ranking import best
from privge.recommendation.recommendations import Recommendations, because
from privge.recommendation.trial import why_not
from privge.recommendation.vectors import NotJudged, Signals
from privge.recommendation.view import View
from privge.reports import Reports
from privge.structure.order import Ordered
from privge.structure.pair_features import short_paths
from privge.structure.steps import Steps

Vectors: TypeAlias = Embedding | Reports | Signals
Blocked: TypeAlias = Iterable[tuple[object, object]]

BATCH = 2_000
"""People who are looked at at once."""


@dataclass(frozen=True, eq=False)
class Recommender:
    """Recommends new friends; `Recommender.fit` makes it.

    Parameters
    ----------
    graph, ordered
        The graph, as it was given and in the order of its ids.
    view
        What is looked at, with all edges; its rows are those of ``ordered``.
    logit
        The score.
    gate
        Whether vectors help; None if there are none, or if they could not be judged.
    evaluation
        What it reaches on held-out edges; None if nothing was judged.
    remarks
        What was assumed or left out, in sentences.
    """

    graph: Graph
    view: View
    logit: ListwiseLogit
    ordered: Ordered
    gate: Gate | None
    evaluation: Evaluation | None
    remarks: tuple[str, ...]

    @classmethod
    def fit(
        cls,
        graph: GraphData,
        vectors: Vectors | None = None,
        *,
        blocked: Blocked = (),
        erased: Iterable[object] = (),
        clean: Reports | Signals | None = None,
        settings: Settings | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Learn from a graph whom to recommend.

        Vectors are used only if they help on held-out edges.

        Parameters
        ----------
        graph
            Who is a friend of whom, in any form that `privge.as_graph` takes.
        vectors
            An embedding of this graph, or reports, or neither.
        blocked
            Pairs of ids who are never recommended to each other; ids that are not in the graph do no harm.
        erased
            Ids of people who are recommended to nobody, and to whom nobody is recommended.
        clean
            Where the true values are at hand, which is in research alone: reports of the law ``none``, or what walks.
            They are judged as the control *no privacy*, and recommend nobody.
        settings
            How; see `Settings`.
        progress
            Called with the steps done and the steps in all.
        """
        chosen = Settings() if settings is None else settings
        known = as_graph(graph)
        ordered = Ordered.of(known)
        excluded = Excluded.of(
            known.nodes, ordered.place[blocked_rows(known, blocked)], ordered.place[erased_rows(known, erased)]
        )
        near = Neighbourhood(ordered.graph, excluded, chosen.reach, chosen.threads)
        signals, remarks = _signals(known, vectors, chosen)
        if (reason := why_not(known)) is not None:
            view, said = View(near, None), f"{reason}: ranked by personalized PageRank"
            return cls(known, view, ListwiseLogit(view.prior), ordered, None, None, (*remarks, said))
        steps = Steps(steps_of(chosen, vectors=signals is not None, clean=clean is not None), progress)
        trial = hidden(near, chosen.seed, steps)
        true = None if clean is None else _walking(known, clean, chosen).compact(chosen.columns, chosen.seed)
        walking = [None if each is None else each.in_order(ordered.order) for each in (signals, true)]
        made = learn(trial, walking[0], chosen, steps, walking[1])
        return cls(known, made.view, made.logit, ordered, made.gate, made.evaluation, tuple(remarks))

    def recommend(self, nodes: str | int | Iterable[object] | None = None, count: int = 10) -> Recommendations:
        """Return the best new friends of a node, of several, or of everybody.

        Parameters
        ----------
        nodes
            Ids; by default all nodes of the graph.
        count
            How many for each, at most.
        """
        return Recommendations.together(list(self.batches(nodes, count)))

    def batches(
        self, nodes: str | int | Iterable[object] | None = None, count: int = 10, progress: Progress | None = None
    ) -> Iterator[Recommendations]:
        """Yield the same in parts, so that memory is bounded; see `recommend`."""
        if count < 1:
            raise ValueError(f"count must be at least 1, got {count}")
        rows = np.arange(self.graph.nodes) if nodes is None else rows_asked(self.graph, nodes)
        places = self.ordered.place[rows]
        for first in range(0, max(1, len(rows)), BATCH):
            yield self._batch(places[first : first + BATCH], count)
            if progress is not None:
                progress(min(first + BATCH, len(rows)), len(rows))

    @cached_property
    def _ids(self) -> Ids:
        return self.ordered.graph.ids

    def _batch(self, people: Rows, count: int) -> Recommendations:
        near = self.view.neighbourhood
        found = self.view.candidates(people, count)
        scores = self.view.scores(found, self.view.columns(found), self.logit)
        chosen = best(scores, count, found.others)
        others, values = np.take_along_axis(found.others, chosen, axis=1), np.take_along_axis(scores, chosen, axis=1)
        nearness = np.take_along_axis(found.nearness, chosen[:, :, None], axis=1)
        there = (others >= 0) & ~near.excluded.gone[people][:, None]
        lines, ranks = np.nonzero(there)
        pairs = np.column_stack([people[lines], others[there].astype(np.int64)])
        common = short_paths(self.ordered.graph, pairs, near.threads or processors())[:, 0]
        return Recommendations(
            self._ids[people],
            self._ids[pairs[:, 0]],
            self._ids[pairs[:, 1]],
            ranks + 1,
            values[there],
            common.astype(np.int64),
            because(nearness[there], vectors=self.view.links is not None),
        )


def _signals(graph: Graph, vectors: Vectors | None, settings: Settings) -> tuple[Signals | None, list[str]]:
    """Return what walks; vectors that cannot be judged are not used, and that is said."""
    if vectors is None:
        return None, []
    try:
        signals = _walking(graph, vectors, settings)
    except NotJudged as refusal:
        return None, [f"the vectors are not used: {refusal}"]
    compact = signals.compact(settings.columns, settings.seed)
    if compact is signals:
        return signals, []
    return compact, [f"{signals.rows.shape[1]:,} columns were projected to {settings.columns:,} at random"]


def _walking(graph: Graph, vectors: Vectors, settings: Settings) -> Signals:
    if isinstance(vectors, Reports):
        return Signals.of_reports(graph, vectors, settings.walk)
    return vectors if isinstance(vectors, Signals) else Signals.of_embedding(graph, vectors)
