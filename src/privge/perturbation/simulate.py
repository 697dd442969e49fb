"""Everybody's values to reports at once: every device in one call, for research."""

import logging
from collections.abc import Mapping, Sequence

import numpy as np

from privge._typing import Floats, Indices, Progress
from privge.campaign import Campaign
from privge.campaign.indices import indices_matrix
from privge.errors import BadData
from privge.perturbation.answers import AnswerTally, simulate_answers
from privge.perturbation.columns import remark_order
from privge.perturbation.features import features_of
from privge.perturbation.levels import levels_of, outside_bounds
from privge.perturbation.raw import AnyFeatures, RawFeatures
from privge.perturbation.tables import AnyMatrix
from privge.perturbation.tally import Tally
from privge.questions.people import People
from privge.random import source_for
from privge.reports import Reports

logger = logging.getLogger(__name__)

_CHUNK = 65_536  # rows perturbed at once, so that memory stays O(n k) whatever d is


def simulate(
    campaign: Campaign,
    features: AnyFeatures,
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
        of its column ``id`` or, in pandas, its index. A matrix has its columns in the campaign's order. For questions
        the columns are those of `privge.Campaign.raw_names`, and a choice may be text.
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
    features: AnyFeatures,
    *,
    ids: Sequence[str] | Sequence[int] | None,
    seed: int | None,
    progress: Progress | None = None,
) -> tuple[Reports, Tally | AnswerTally]:
    """Perturb as `simulate` does; return the reports and, instead of a log, what was outside bounds or missing."""
    if campaign.questions is not None:
        return simulate_answers(campaign, features, ids=ids, seed=seed, progress=progress)
    if isinstance(features, RawFeatures | People | Mapping):
        raise BadData("raw values of mixed tables are for a campaign of questions")
    people = features_of(features, campaign.names, ids=ids)
    matrix, nodes = people.matrix, people.ids
    rows, columns = matrix.shape
    if columns != campaign.dimensions:
        raise BadData(f"features must be a matrix with {campaign.dimensions} columns, got shape {matrix.shape}")
    if len(nodes) != rows:
        raise BadData(f"ids has {len(nodes)} entries for {rows} rows of features")
    if campaign.assignment is not None:
        campaign.assignment.rows(nodes.tolist())  # refuses whoever is not asked
    source = source_for(seed)
    codes = np.empty((rows, campaign.k), dtype=np.uint16)
    indices = np.empty((rows, campaign.k), dtype=np.int32)
    outside, absent = [], []
    for start in range(0, rows, _CHUNK):
        part = slice(start, min(start + _CHUNK, rows))
        sampled = indices[part] = indices_matrix(campaign.id, nodes[part].tolist(), columns, campaign.k)
        values = _sampled_values(matrix[part], sampled)
        outside.append(sampled[outside_bounds(campaign, values, sampled)])
        absent.append(sampled[np.isnan(values)])
        codes[part] = campaign.sampled.sample(levels_of(campaign, values, sampled), source)
        if progress is not None:
            progress(part.stop, rows)
    if campaign.names is None and people.names is not None:
        remark_order(people.names)
    tally = Tally.of(columns, indices, outside, absent)
    return Reports.with_indices(campaign, nodes, codes, indices, seeded=seed is not None), tally


def _sampled_values(rows: AnyMatrix, indices: Indices) -> Floats:
    if isinstance(rows, np.ndarray):
        values = np.take_along_axis(rows, indices, axis=1)
    else:
        lines = np.repeat(np.arange(indices.shape[0]), indices.shape[1])
        values = np.asarray(rows[lines, indices.ravel()]).reshape(indices.shape)
    return values.astype(np.float64)
