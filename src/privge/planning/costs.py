"""What a collection would take: bytes of reports and vectors, and time to propagate on this machine."""

import math
from typing import NamedTuple

from privge.campaign import Campaign
from privge.planning.outlook import BLOCK

_KEY = 48  # bytes of a row in a store beside its codes: campaign, node, sequence number, day


class Costs(NamedTuple):
    """Storage in bytes and processor seconds, if everybody takes part; time as measured here, None if it was not."""

    people: int
    report_bytes: int
    store_bytes: int
    embedding_bytes: int
    seconds: float | None


def costs_of(campaign: Campaign, people: int, seconds: float | None) -> Costs:
    """Return what a campaign would take.

    Parameters
    ----------
    campaign
        What everybody reports.
    people
        How many nodes there are.
    seconds
        Of processor time that a block of columns takes to walk over the graph; None if none has.
    """
    code = max(1, (max(campaign.outputs - 1, 1).bit_length() + 7) // 8)
    report = _KEY + code * campaign.k
    blocks = math.ceil(campaign.columns / BLOCK)
    return Costs(
        people, report, report * people, 4 * campaign.columns * people, None if seconds is None else seconds * blocks
    )
