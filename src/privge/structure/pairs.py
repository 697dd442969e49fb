"""`pair_channel`: which pairs of nodes are joined, from the edges that are known.

A tenth of the known edges is held out as supervision. Their features are computed on the graph *without* them, so that
an edge never explains itself; pairs that are asked for are looked at on the whole graph, of which they are not edges.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats, Progress
from privge.graph import Graph, GraphData, as_graph
from privge.graph.inputs import as_ordered_graph
from privge.graph.labelled import Rows, as_rows, rows_of
from privge.graph.pairs import NodePairs, are_edges, distinct_negatives, edge_pairs, with_edges
from privge.structure.heads import Examples, Features, Fitted
from privge.structure.named import DEFAULT_HEADS, HeadName, heads_of
from privge.structure.order import Ordered
from privge.structure.pair_features import PairFeatures, PairViews
from privge.structure.steps import Steps, one_thread

HELD_OUT = 0.1
"""Share of the known edges that are supervision."""

MOST = 100_000
"""Edges that are held out at most."""

_VALIDATION = 0.2  # share of the supervision kept for choosing, if no validation pairs are given
_BLOCK = 1 << 17  # pairs looked at at once

PairsGiven = NodePairs | Iterable[tuple[object, object]]


@dataclass(frozen=True, eq=False, repr=False)
class PairChannel:
    """What the structure says of pairs of nodes: see `pair_channel`, which makes it.

    Parameters
    ----------
    graph, by_id
        The graph of the known edges; and whether pairs are of ids, otherwise of rows.
    """

    graph: Graph
    by_id: bool
    _place: Rows
    _features: PairFeatures
    _scale: "_Scale"
    _models: tuple[Fitted, ...]

    epsilon = 0.0
    """What it costs: it reads public data only."""

    @property
    def width(self) -> int:
        """How many columns `described` has."""
        return len(self._scale.centre)

    def __repr__(self) -> str:
        return f"PairChannel({self.graph!r}, epsilon 0)"

    def scores(self, pairs: PairsGiven) -> Floats:
        """Return the log-odds that each pair is joined, if as many pairs are as are not; the order of ends is the same.

        Parameters
        ----------
        pairs
            Pairs that are not edges of the graph, of rows or of ids as the channel was made.
        """
        rows = self._placed(pairs)
        known = int(are_edges(self._features.graph, rows).sum())
        if known:
            raise ValueError(f"{known:,} of {len(rows):,} pairs are edges of the graph: they would explain themselves")
        with one_thread():
            parts = [self._log_odds(rows[first : first + _BLOCK]) for first in range(0, len(rows), _BLOCK)]
        return np.concatenate([np.empty(0), *parts])

    def described(self, pairs: PairsGiven) -> tuple[Features, Floats]:
        """Return what the heads see of each pair, at mean 0 and variance 1 where they learnt, and its log-odds.

        Pairs are given as for `scores`; here edges are not looked for among them.
        """
        rows = self._placed(pairs)
        seen, odds = [np.empty((0, self.width), dtype=np.float32)], [np.empty(0)]
        with one_thread():
            for first in range(0, len(rows), _BLOCK):
                seen.append(self._scale.of(self._features.of_pairs(rows[first : first + _BLOCK])))
                odds.append(self._odds_of(seen[-1]))
        return np.concatenate(seen), np.concatenate(odds)

    def on(self, graph: GraphData, *, seed: int = 0) -> "PairChannel":
        """Return what was learnt, looking at another graph, such as the same with more edges.

        Parameters
        ----------
        graph
            The edges that are known now.
        seed
            Of the block that the iteration for eigenvectors starts from.
        """
        known = as_graph(graph) if self.by_id else as_ordered_graph(graph)
        ordered, features = Ordered.of(known), self._features
        with one_thread():
            seen = PairFeatures.of(ordered.graph, features.views, seed, features.threads)
        return PairChannel(known, self.by_id, ordered.place, seen, self._scale, self._models)

    def isolated(self, pairs: PairsGiven) -> NDArray[np.bool_]:
        """Say which pairs have an end without any known edge."""
        lonely: NDArray[np.bool_] = (self._features.graph.degrees[self._placed(pairs)] == 0).any(axis=1)
        return lonely

    def _log_odds(self, pairs: NodePairs) -> Floats:
        return self._odds_of(self._scale.of(self._features.of_pairs(pairs)))

    def _odds_of(self, features: Features) -> Floats:
        chance = np.mean([model.probabilities(features)[:, 1] for model in self._models], axis=0)
        chance = np.clip(chance, 1e-9, 1 - 1e-9)
        odds: Floats = np.log(chance) - np.log1p(-chance)
        return odds

    def _placed(self, pairs: PairsGiven) -> NodePairs:
        placed: NodePairs = np.sort(self._place[_rows(self.graph, pairs, by_id=self.by_id)], axis=1)
        return placed


def pair_channel(
    graph: GraphData,
    positives: PairsGiven | None = None,
    negatives: PairsGiven | None = None,
    *,
    by_id: bool = False,
    heads: tuple[HeadName, ...] = DEFAULT_HEADS,
    views: PairViews | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> PairChannel:
    """Learn from the edges of a public graph which other pairs of its nodes are likely to be joined.

    Degrees, common neighbours (plain, by Adamic and Adar, by resource allocation), paths of length 3 and 4, inner
    products of leading eigenvectors and personalized PageRank go into heads, whose predictions are averaged.

    Parameters
    ----------
    graph
        The edges that are known, in any form that `privge.as_graph` takes; without those that are to be predicted.
        Eigenvectors and PageRank honour weights; degrees, neighbours and paths count edges.
    positives, negatives
        Validation pairs that are joined, though not in the graph, and pairs that are not: they choose penalties and
        epochs. By default a fifth of the edges that are held out, and as many pairs that are not edges.
    by_id
        Whether pairs, here and later, are of ids; otherwise they are of rows.
    heads, seed, progress
        As for `node_channel`.
    views
        What is looked at, of each pair.
    threads
        For eigenvectors, paths and PageRank; by default one for each processor.
    """
    chosen, views = heads_of(heads), PairViews() if views is None else views
    known = as_graph(graph) if by_id else as_ordered_graph(graph)
    ordered = Ordered.of(known)
    given = [
        None if pairs is None else ordered.place[_rows(known, pairs, by_id=by_id)] for pairs in (positives, negatives)
    ]
    steps = Steps(3 + len(chosen), progress)
    with one_thread():
        supervision = steps.done(_supervision(ordered.graph, views, seed, threads))
        whole = steps.done(PairFeatures.of(ordered.graph, views, seed, threads))
        train, validation = _divided(supervision, whole, given)
        scale = _Scale.fit(train.features)
        learnt, held = (Examples(scale.of(part.features), part.targets) for part in (train, validation))
        steps.step()
        models = tuple(steps.done(head.fit(learnt, held, 2, seed)) for head in chosen.values())
    return PairChannel(known, by_id, ordered.place, whole, scale, models)


def _supervision(graph: Graph, views: PairViews, seed: int, threads: int | None) -> Examples:
    """Hold out edges, and return their features, and those of as many pairs that are not edges, on the rest."""
    generator = np.random.default_rng([seed, 14])
    edges = generator.permutation(edge_pairs(graph))
    count = min(MOST, int(HELD_OUT * len(edges)))
    if count < 10:
        raise ValueError(f"{len(edges)} edges are too few to hold out a tenth of them and to learn from it")
    held, rest = np.split(edges, [count])
    apart = distinct_negatives(graph, count, generator)
    features = PairFeatures.of(with_edges(graph, rest), views, seed, threads).of_pairs(np.concatenate([held, apart]))
    mixed = generator.permutation(2 * count)
    return Examples(features[mixed], np.repeat([1, 0], count)[mixed])


def _divided(supervision: Examples, whole: PairFeatures, given: list[NodePairs | None]) -> tuple[Examples, Examples]:
    """Return what to learn from and what to choose by."""
    positives, negatives = given
    if positives is None and negatives is None:
        cut = int(_VALIDATION * len(supervision.targets))
        parts = [slice(cut, None), slice(cut)]
        train, validation = (Examples(supervision.features[part], supervision.targets[part]) for part in parts)
        return train, validation
    if positives is None or negatives is None:
        raise ValueError("validation pairs that are joined and pairs that are not are given together, or neither")
    if are_edges(whole.graph, np.sort(positives, axis=1)).any():
        raise ValueError("validation pairs are edges of the graph: they would explain themselves")
    pairs = np.sort(np.concatenate([positives, negatives]), axis=1)
    return supervision, Examples(whole.of_pairs(pairs), np.repeat([1, 0], [len(positives), len(negatives)]))


@dataclass(frozen=True, eq=False, slots=True)
class _Scale:
    """Brings each column to mean 0 and variance 1 over the pairs that were learnt from."""

    centre: Features
    deviation: Features

    @classmethod
    def fit(cls, features: Features) -> "_Scale":
        deviation = features.std(axis=0, dtype=np.float64)
        return cls(features.mean(axis=0), np.where(deviation > 1e-9, deviation, np.inf).astype(np.float32))

    def of(self, features: Features) -> Features:
        scaled: Features = (features - self.centre) / self.deviation
        return scaled


def _rows(graph: Graph, pairs: PairsGiven, *, by_id: bool) -> NodePairs:
    """Return pairs as rows of the graph, or say what is wrong with them."""
    if by_id:
        listed = [tuple(pair) for pair in (pairs.tolist() if isinstance(pairs, np.ndarray) else pairs)]
        if any(len(pair) != 2 for pair in listed):
            raise ValueError("pairs must be of two ids each")
        return rows_of(graph, [node for pair in listed for node in pair], "ends of pairs").reshape(-1, 2)
    rows = as_rows(pairs)
    if rows.ndim != 2 or rows.shape[1] != 2:
        raise ValueError(f"pairs must be an array of m x 2 rows, got shape {rows.shape}")
    if len(rows) and (rows.min() < 0 or rows.max() >= graph.nodes):
        raise ValueError(f"pairs must name rows from 0 to {graph.nodes - 1}")
    return rows
