"""What an operator hears before a campaign is published: refusals, and what they are about to promise."""

import math
from collections.abc import Iterator
from datetime import datetime

from privge.campaign import Campaign
from privge.collect.stores.rules import check_end, without_end
from privge.errors import InvalidCampaign, PrivacyViolation
from privge.mechanisms.odds import certainty

LARGE_EPSILON = 5.0
"""From here on an observer ends more than 99.3 % sure, and there is little left to call privacy."""

NEVER_ENDS = (
    "its reports are to be deleted some days after closing, but no time of closing is stated: the days begin when it "
    "is closed by hand (privge campaign close)"
)


def check_times(campaign: Campaign, now: datetime) -> None:
    """Refuse a new campaign that is over, whose retention would never begin, or whose features no table can hold.

    Documents that were published before these rules remain readable: a campaign never changes.
    """
    check_end(campaign)
    if campaign.raw_names is not None and "id" in campaign.raw_names:
        raise InvalidCampaign("names", "'id' is what the column of node ids is called in every table; use another name")
    if campaign.closes is not None and datetime.fromisoformat(campaign.closes) <= now:
        raise InvalidCampaign("closes", f"{campaign.closes} is in the past: no report could be taken")


def check_asked(campaign: Campaign) -> None:
    """Refuse a campaign whose shards, as far as they are at hand, name classes that its question does not have."""
    if campaign.assignment is None or campaign.questions is None or not campaign.assignment.width:
        return
    if campaign.assignment.highest >= (classes := len(campaign.questions[0].options)):
        raise InvalidCampaign("assignment", f"asks about class {campaign.assignment.highest} of {classes}")


def warnings_of(campaign: Campaign) -> Iterator[str]:
    """Yield what a person who approves a campaign should hesitate at."""
    try:
        campaign.check_for_devices()
    except PrivacyViolation as violation:
        yield str(violation)
    if LARGE_EPSILON < campaign.epsilon < math.inf:
        yield (
            f"epsilon {campaign.epsilon:g} promises little: an observer who was undecided can become "
            f"{certainty(campaign.epsilon)} sure"
        )
    if without_end(campaign):
        yield NEVER_ENDS
