"""Whether codes are answers to a campaign."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from privge._typing import Codes, Indices
from privge.campaign import Campaign
from privge.errors import BadData, CampaignMismatch
from privge.ids import Ids
from privge.reports.report import Report


def check_campaign(campaign: Campaign, other: str) -> None:
    """Refuse an answer to another campaign."""
    if other != campaign.id:
        raise CampaignMismatch(f"a report answers campaign {str(other)[:12]}, not {campaign.id[:12]}")


def checked_codes(campaign: Campaign, codes: NDArray[np.integer], indices: Indices, ids: Ids) -> Codes:
    """Return codes that have the form of the campaign and the range of each law, a row for each report."""
    matrix, rows = np.asarray(codes), len(ids)
    if matrix.shape != (rows, campaign.k) or matrix.dtype.kind not in "iu":
        raise BadData(f"codes must be integers of shape {(rows, campaign.k)}, got {matrix.dtype} {matrix.shape}")
    outputs = np.broadcast_to(_outputs(campaign, indices, ids), matrix.shape)
    wrong = np.flatnonzero(((matrix < 0) | (matrix >= outputs)).any(axis=1))
    if wrong.size:
        row = wrong[0]
        slot = np.flatnonzero((matrix[row] < 0) | (matrix[row] >= outputs[row]))[0]
        raise BadData(f"row {row} has a code outside 0..{outputs[row, slot] - 1}")
    return matrix.astype(np.uint16)


def _outputs(campaign: Campaign, indices: Indices, ids: Ids) -> NDArray[np.int64] | int:
    """Return what each code must be below: by its question, and by what its node is asked if that is at hand."""
    assigned = campaign.assignment if campaign.assignment is not None and campaign.assignment.complete else None
    classes = None if assigned is None else assigned.rows(ids.tolist())[0]  # which also refuses whoever is not asked
    if campaign.questions is None:
        return campaign.law.outputs
    if classes is not None and classes.shape[1]:
        return np.asarray((classes >= 0).sum(axis=1), dtype=np.int64)[:, None]
    return np.array([question.outputs for question in campaign.questions], dtype=np.int64)[indices]


def codes_of(campaign: Campaign, answers: Sequence[Report]) -> NDArray[np.int64]:
    """Return the codes of single reports as rows; one that does not answer the campaign is refused."""
    for answer in answers:
        check_campaign(campaign, answer.campaign_id)
    if any(len(answer.codes) != campaign.k for answer in answers):
        raise BadData(f"every report of this campaign has {campaign.k} codes")
    for row, answer in enumerate(answers):
        if not all(type(code) is int and 0 <= code < campaign.outputs for code in answer.codes):
            raise BadData(f"row {row}: codes must be integers from 0 to {campaign.outputs - 1}")
    return np.array([answer.codes for answer in answers], dtype=np.int64).reshape(len(answers), campaign.k)
