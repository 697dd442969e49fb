"""A map of an embedding: some of its vectors in the plane of two leading directions, coloured by public groups."""

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privge.embedding.embedding import Embedding
from privge.embedding.files import some_rows
from privge.profiles.groups import Groups

POINTS: Final = 1_200
"""Most points of a map."""

COLOURS: Final = 8
"""Groups with a colour of their own; all others share one."""

SIZE: Final = 520
_MARGIN = 12


class Point(NamedTuple):
    """Where a point is drawn, and in which colour."""

    x: float
    y: float
    colour: int


@dataclass(frozen=True, slots=True)
class Map:
    """A map, ready to be drawn. It names groups, and no person."""

    points: tuple[Point, ...]  # in the order of drawing
    groups: tuple[tuple[str, int], ...]  # names and points; the last one may stand for all others
    nodes: int  # vectors in all
    explained: float  # share of the variation between vectors that the plane shows


def map_of(embedding: Embedding, groups: Groups | None, *, seed: int = 0) -> Map:
    """Draw a sample of an embedding; the same file gives the same map."""
    chance = np.random.default_rng(seed)
    count = len(embedding)
    rows = np.sort(chance.choice(count, min(POINTS, count), replace=False))
    vectors = np.asarray(some_rows(embedding.matrix, rows), dtype=np.float64)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    directions = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    centred = directions - directions.mean(axis=0, keepdims=True)
    left, lengths, _ = np.linalg.svd(centred, full_matrices=False)
    plane = np.zeros((len(rows), 2))
    plane[:, : min(2, left.shape[1])] = (left * lengths)[:, :2]
    total = float((lengths**2).sum())
    explained = float((lengths[:2] ** 2).sum()) / total if total else 0.0
    colours, named = _coloured(embedding, groups, rows)
    places = _fitted(plane)
    order = chance.permutation(len(rows))  # so that no group hides the others
    points = tuple(Point(places[row][0], places[row][1], int(colours[row])) for row in order.tolist())
    return Map(points, named, count, explained)


def _coloured(
    embedding: Embedding, groups: Groups | None, rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], tuple[tuple[str, int], ...]]:
    if groups is None:
        return np.zeros(len(rows), dtype=np.int64), ()
    colours = np.minimum(groups.rows(embedding.ids[rows]), COLOURS)
    colours[colours == len(groups)] = COLOURS  # whoever is in no group
    shown = min(COLOURS, len(groups))
    counts = np.bincount(colours, minlength=COLOURS + 1)
    named = [(groups.names[place], int(counts[place])) for place in range(shown)]
    return colours, (*named, ("others", int(counts[COLOURS]))) if counts[COLOURS] else tuple(named)


def _fitted(plane: NDArray[np.float64]) -> list[tuple[float, float]]:
    """Return coordinates inside the picture; a few far points are drawn at its edge."""
    low, high = np.quantile(plane, 0.01, axis=0), np.quantile(plane, 0.99, axis=0)
    span = float(max(np.max(high - low), 1e-12))
    middle = (low + high) / 2
    inner = SIZE - 2 * _MARGIN
    scaled = np.clip((plane - middle) / span + 0.5, 0, 1) * inner + _MARGIN
    return [(round(float(x), 1), round(float(SIZE - y), 1)) for x, y in scaled]
