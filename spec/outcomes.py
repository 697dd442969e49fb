"""What Python's refusals are called in the protocol."""

import hashlib

from privge import Campaign
from privge.errors import (
    BadData,
    BudgetExceeded,
    CampaignMismatch,
    InvalidCampaign,
    NotAsked,
    PrivacyViolation,
    SecondDraw,
    ServiceRefused,
    ServiceUnavailable,
)

CODES: tuple[tuple[type[Exception], str], ...] = (  # the first that fits
    (NotAsked, "not_asked"),
    (CampaignMismatch, "mismatch"),
    (InvalidCampaign, "campaign"),
    (BadData, "bad data"),
    (BudgetExceeded, "budget"),
    (SecondDraw, "second_draw"),
    (PrivacyViolation, "privacy"),
    (ServiceRefused, "refused"),
    (ServiceUnavailable, "unavailable"),
)

BAD_DATA = ("address", "campaign", "features", "mismatch", "token")
"""What Python calls bad data, and says the rest of in words."""


def code_of(error: Exception) -> str:
    """Return what the protocol calls an error."""
    if isinstance(error, CampaignMismatch) and "canonical" in str(error):
        return "campaign"
    return next(code for kind, code in CODES if isinstance(error, kind))


def same(stated: str, found: str) -> bool:
    """Say whether Python refused for the stated reason."""
    return found == stated or (found == "bad data" and stated in BAD_DATA)


def reading(text: bytes, identity: str) -> str | None:
    """Return why a device refuses a document that an address names; None if it does not."""
    if hashlib.sha256(text).hexdigest() != identity:
        return "mismatch"
    try:
        campaign = Campaign.from_json(text)
        campaign.check_for_devices()
    except PrivacyViolation:
        return "privacy"
    except BadData:
        return "campaign"
    return None if campaign.id == identity else "campaign"
