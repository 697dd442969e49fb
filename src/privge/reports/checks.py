"""Whether codes are answers to a campaign."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from privge._typing import Codes
from privge.campaign import Campaign
from privge.errors import BadData, CampaignMismatch
from privge.reports.report import Report


def check_campaign(campaign: Campaign, other: str) -> None:
    """Refuse an answer to another campaign."""
    if other != campaign.id:
        raise CampaignMismatch(f"a report answers campaign {str(other)[:12]}, not {campaign.id[:12]}")


def checked_codes(campaign: Campaign, codes: NDArray[np.integer], rows: int) -> Codes:
    """Return codes that have the form and range of the campaign's law, a row for each report."""
    matrix = np.asarray(codes)
    if matrix.shape != (rows, campaign.k) or matrix.dtype.kind not in "iu":
        raise BadData(f"codes must be integers of shape {(rows, campaign.k)}, got {matrix.dtype} {matrix.shape}")
    wrong = np.flatnonzero(((matrix < 0) | (matrix >= campaign.law.outputs)).any(axis=1))
    if wrong.size:
        raise BadData(f"row {wrong[0]} has a code outside 0..{campaign.law.outputs - 1}")
    return matrix.astype(np.uint16)


def codes_of(campaign: Campaign, answers: Sequence[Report]) -> NDArray[np.int64]:
    """Return the codes of single reports as rows; one that does not answer the campaign is refused."""
    for answer in answers:
        check_campaign(campaign, answer.campaign_id)
    if any(len(answer.codes) != campaign.k for answer in answers):
        raise BadData(f"every report of this campaign has {campaign.k} codes")
    for row, answer in enumerate(answers):
        if not all(type(code) is int and 0 <= code < campaign.law.outputs for code in answer.codes):
            raise BadData(f"row {row}: codes must be integers from 0 to {campaign.law.outputs - 1}")
    return np.array([answer.codes for answer in answers], dtype=np.int64).reshape(len(answers), campaign.k)
