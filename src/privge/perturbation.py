"""From private values to reports: the only module that sees private data.

A device reads only the ``k`` values that its indices name. Each value is treated by the campaign's policy,
normalised by the public bounds, rounded to an input level, and handed to the integer law; nothing else
about the person, and nothing about anybody else, enters the report. No message contains a private value.
"""

import logging
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats, Indices, Levels, Progress
from privge.campaign import Campaign
from privge.errors import BadData
from privge.indices import indices_matrix
from privge.random import SystemSource, source_for
from privge.reports import Report, Reports
from privge.tables import AnyMatrix, FeatureData, features_of, remark_order
from privge.tally import Tally

FeatureVector: TypeAlias = Sequence[float | None] | NDArray[np.floating] | Mapping[str, float | None]

logger = logging.getLogger(__name__)

_CHUNK = 65_536  # rows perturbed at once, so that memory stays O(n k) whatever d is


class Drawn(NamedTuple):
    """A report, and how many of its values were none or lay outside the bounds: for the person's own eyes."""

    report: Report
    missing: int
    outside: int


def report(campaign: Campaign, x: FeatureVector, node: str | int) -> Report:
    """Perturb one person's features with the operating system's randomness; see `draw`."""
    return draw(campaign, x, node).report


def draw(campaign: Campaign, x: FeatureVector, node: str | int) -> Drawn:
    """Perturb one person's features, and say how many values did not fit.

    *Taking part says nothing.* Whatever the values are, a report comes out, after the same work: what is no number is
    missing, what lies outside the bounds is treated by the campaign's policy, and names that the campaign does not ask
    for are not looked at. What is refused is refused for the public document, before ``x`` is touched, or for the form
    of ``x`` (a list where there must be names, or of another length), which an application decides, not a person.

    Parameters
    ----------
    campaign
        The public contract.
    x
        One value for each feature, in order; or a mapping from feature name to value. None, NaN and what is no number
        are missing values, as is a feature that the mapping leaves out.
    node
        The person's id in the graph.
    """
    campaign.check_for_devices()
    with np.errstate(all="ignore"), warnings.catch_warnings():  # an application may have made errors of them
        warnings.simplefilter("ignore")
        return _draw(campaign, x, node)


def _draw(campaign: Campaign, x: FeatureVector, node: str | int) -> Drawn:
    indices = campaign.indices_of(node)
    values = np.array(_values(campaign, x, indices), dtype=np.float64)
    columns = np.array(indices, dtype=np.int32)
    outside = _outside(campaign, values, columns)
    levels = levels_of(campaign, values, columns)
    words = SystemSource().words(campaign.k).tolist()
    codes = tuple(campaign.law.code(level, word) for level, word in zip(levels.tolist(), words, strict=True))
    return Drawn(Report(campaign.id, node, codes), int(np.isnan(values).sum()), int(outside.sum()))


def rehearse(campaign: Campaign, node: str | int) -> None:
    """Do the work of `draw` on public values and forget the result; what the law prepares for everybody stays.

    The values are no numbers, which takes the longest to find out.
    """
    draw(campaign, np.broadcast_to(np.array(object(), dtype=np.object_), campaign.dimensions), node)


def simulate(
    campaign: Campaign,
    features: FeatureData,
    *,
    ids: Sequence[str] | Sequence[int] | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Reports:
    """Perturb everybody's rows at once: every device in one call, for research.

    How many values were outside their bounds or missing is logged, by feature.

    Parameters
    ----------
    campaign
        The public contract.
    features
        One row for each person: a dense or sparse matrix, never densified beyond the ``n x k`` sampled values; or a
        table of pandas, polars or pyarrow. A table's columns are taken by the campaign's names, and its ids are those
        of its column ``id`` or, in pandas, its index. A matrix has its columns in the campaign's order.
    ids
        Node ids, one for each row, instead of those of the table; for a matrix 0, 1, ... by default.
    seed
        None draws from the operating system, as devices do. A seed makes the result repeatable and
        therefore NOT PRIVATE.
    progress
        Called with the rows done and the rows in all.
    """
    reports, tally = simulate_counted(campaign, features, ids=ids, seed=seed, progress=progress)
    for sentence in tally.sentences(campaign):
        logger.warning(sentence)
    return reports


def simulate_counted(
    campaign: Campaign,
    features: FeatureData,
    *,
    ids: Sequence[str] | Sequence[int] | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> tuple[Reports, Tally]:
    """Perturb as `simulate` does; return the reports and, instead of a log, what was outside bounds or missing."""
    people = features_of(features, campaign.names, ids=ids)
    matrix, nodes = people.matrix, people.ids
    rows, columns = matrix.shape
    if columns != campaign.dimensions:
        raise BadData(f"features must be a matrix with {campaign.dimensions} columns, got shape {matrix.shape}")
    if len(nodes) != rows:
        raise BadData(f"ids has {len(nodes)} entries for {rows} rows of features")
    source = source_for(seed)
    codes = np.empty((rows, campaign.k), dtype=np.uint16)
    indices = np.empty((rows, campaign.k), dtype=np.int32)
    outside, absent = [], []
    for start in range(0, rows, _CHUNK):
        part = slice(start, min(start + _CHUNK, rows))
        sampled = indices[part] = indices_matrix(campaign.id, nodes[part].tolist(), columns, campaign.k)
        values = _sampled_values(matrix[part], sampled)
        outside.append(sampled[_outside(campaign, values, sampled)])
        absent.append(sampled[np.isnan(values)])
        codes[part] = campaign.sampled.sample(levels_of(campaign, values, sampled), source)
        if progress is not None:
            progress(part.stop, rows)
    if campaign.names is None and people.names is not None:
        remark_order(people.names)
    tally = Tally.of(columns, indices, outside, absent)
    return Reports.with_indices(campaign, nodes, codes, indices, seeded=seed is not None), tally


def levels_of(campaign: Campaign, values: Floats, indices: Indices) -> Levels:
    """Apply the campaign's policy to sampled values and round them to input levels."""
    low, high = _bound(campaign.low, indices), _bound(campaign.high, indices)
    absent = np.isnan(values)
    outside = _outside(campaign, values, indices)
    for trouble, policy, words in (
        (absent, campaign.missing, "missing"),
        (outside, campaign.out_of_bounds, "outside its public bounds"),
    ):
        if policy == "refuse" and trouble.any():
            feature = int(indices[trouble][0])
            name = "" if campaign.names is None else f" ({campaign.names[feature]!r})"
            raise BadData(f"feature {feature}{name} is {words}, and the campaign's policy is to refuse")
    middle = outside if campaign.out_of_bounds == "midpoint" else np.zeros_like(outside)
    # A bound may be as large as a float: halve before subtracting, so that nothing overflows.
    normalised = (np.clip(values, low, high) / 2 - low / 2) / (high / 2 - low / 2) * 2 - 1
    stand_in = {"low": -1.0, "high": 1.0}.get(campaign.missing, 0.0)
    return campaign.law.level(np.where(absent, stand_in, np.where(middle, 0.0, normalised)))


def _outside(campaign: Campaign, values: Floats, indices: Indices) -> NDArray[np.bool_]:
    """Say which values lie outside their public bounds; a missing one does not."""
    return (values < _bound(campaign.low, indices)) | (values > _bound(campaign.high, indices))


def _sampled_values(rows: AnyMatrix, indices: Indices) -> Floats:
    if isinstance(rows, np.ndarray):
        values = np.take_along_axis(rows, indices, axis=1)
    else:
        lines = np.repeat(np.arange(indices.shape[0]), indices.shape[1])
        values = np.asarray(rows[lines, indices.ravel()]).reshape(indices.shape)
    return values.astype(np.float64)


def _bound(bound: float | tuple[float, ...], indices: Indices) -> Floats:
    return np.asarray(bound) if isinstance(bound, float) else np.asarray(bound)[indices]


def _values(campaign: Campaign, x: FeatureVector, indices: list[int]) -> list[float]:
    """Read the sampled values and no others."""
    if _by_name(x):
        if campaign.names is None:
            raise BadData("this campaign names no features: give the values as a list")
        return [_number(x.get(campaign.names[index])) for index in indices]
    values = x if isinstance(x, Sequence | np.ndarray) else np.asarray(x)
    no_vector = isinstance(values, str | bytes) or (isinstance(values, np.ndarray) and values.ndim != 1)
    if no_vector or len(values) != campaign.dimensions:
        raise BadData(f"a person has {campaign.dimensions} features; give one value for each, in order")
    return [_number(values[index]) for index in indices]


def _by_name(x: FeatureVector) -> TypeGuard[Mapping[str, object]]:
    """Say whether values have names: a mapping, or a row of a pandas table, whose labels are its columns."""
    labels: Iterable[object] = getattr(x, "keys", tuple)()
    return isinstance(x, Mapping) or any(isinstance(label, str) for label in labels)


def _number(value: object) -> float:
    """Return a number, NaN for whatever is none."""
    if isinstance(value, str | bytes):
        return np.nan
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:  # an integer beyond all floats is outside every bound
        return np.inf if value > 0 else -np.inf  # type: ignore[operator]
    except Exception:  # noqa: BLE001 (whatever it is: taking part must not depend on it)
        return np.nan
