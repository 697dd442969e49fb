"""One person's contribution: fetch the campaign, check it, draw once, keep the result, send it until it is stored."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from privge.campaign import Campaign
from privge.device.address import Address
from privge.device.folder import default_folder
from privge.device.memory import FinishedReport, Memory, nothing
from privge.device.patience import PATIENCE, Patience
from privge.device.token import node_of
from privge.device.web import Service
from privge.errors import BadData, CampaignMismatch, InvalidCampaign, ServiceRefused
from privge.perturbation import FeatureVector
from privge.reports import Report, Reports

_CLOCK_ERROR = timedelta(days=1)
_LARGEST_CAMPAIGN = 2**25  # bytes: bounds and names of a million features

_REFUSALS = {
    401: "the service does not accept the token; ask the platform for a new one",
    403: "the service does not take this report",
    404: "the service does not know this campaign",
    409: (
        "the service has another report of this node and keeps the first. If the files of this device were deleted, "
        "nothing is lost: one report is stored, as it should be"
    ),
    410: "the campaign is closed, or this report was erased and will not be taken again",
}


@dataclass(frozen=True, slots=True)
class Contribution:
    """What a contribution did.

    Parameters
    ----------
    campaign
        Id of the campaign.
    report
        SHA-256 of the report that was sent.
    drawn
        Whether it was drawn now; otherwise the one drawn before was sent again, and the features were not looked at.
    new
        Whether the service stored it now; otherwise it had these bytes already.
    epsilon, spent
        What this report costs, and what all reports of this device cost together.
    """

    campaign: str
    report: str
    drawn: bool
    new: bool
    epsilon: float
    spent: float


def contribute(
    url: str,
    features: FeatureVector | Callable[[], FeatureVector],
    *,
    token: str,
    folder: Path | None = None,
    max_epsilon: float | None = None,
    lifetime_epsilon: float | None = None,
    insecure_http: bool = False,
    patience: Patience = PATIENCE,
    at: Callable[[str], None] = nothing,
) -> Contribution:
    """Send one private report to a campaign. Run again after any failure: the same bytes are sent, never a second draw.

    Parameters
    ----------
    url
        ``https://host/v1/campaigns/<id>``.
    features
        One value for each feature in order, or a mapping from name to value; or a function that returns either, called
        only if a report is to be drawn.
    token
        What the platform gave this person. It says as which node they report.
    folder
        Ledger and finished reports of this person; by default ``privge`` in the user's data folder.
    max_epsilon, lifetime_epsilon
        The person's own caps, for this campaign and for all; remembered from now on. At first 3 and 6.
    insecure_http
        Allow plain http to other machines.
    patience
        How often to try again.
    at
        Called with the name of each point that was passed; for tests.
    """
    address = Address.parse(url, insecure_http=insecure_http)
    node = node_of(token, address.campaign)
    memory = Memory(default_folder() if folder is None else Path(folder), at)
    if max_epsilon is not None or lifetime_epsilon is not None:
        memory.set_caps(max_epsilon, lifetime_epsilon)
    service = Service(address, patience)
    try:
        report, drawn = memory.kept(address.campaign, node), False
        if report is None:
            campaign = fetch_campaign(service)
            _check_open(campaign, datetime.now(UTC))
            elsewhere = held_elsewhere(service, campaign, node, token)
            if elsewhere is not None:
                report = memory.adopt(elsewhere)
            else:
                report = memory.draw_once(campaign, features if callable(features) else lambda: features, node)
                drawn = True
        at("before sending")
        new = _send(service, report, token)
        at("after the answer")
    finally:
        service.close()
    return Contribution(report.campaign, report.id, drawn, new, report.epsilon, memory.ledger().spent)


def fetch_campaign(service: Service) -> Campaign:
    """Fetch a campaign and check that it is the one that the address names, and that its law holds its epsilon."""
    address = service.address
    answer = service.ask("GET", address.path, headers={"Accept": "application/json"}, largest=_LARGEST_CAMPAIGN)
    if answer.status != 200:
        raise _refused(answer.status, answer.detail)
    if hashlib.sha256(answer.body).hexdigest() != address.campaign:
        raise CampaignMismatch("the service sent another campaign than the address names: the hash differs")
    try:
        campaign = Campaign.from_json(answer.body)
    except InvalidCampaign:
        raise
    except BadData as error:
        raise BadData(f"the service sent no campaign: {error}") from error
    if campaign.id != address.campaign:
        raise CampaignMismatch("the campaign's text is not canonical, so its id would not be its hash")
    return campaign


def held_elsewhere(service: Service, campaign: Campaign, node: str | int, token: str) -> FinishedReport | None:
    """Return this person's report if the service has one already, from another device: it is not drawn again.

    A token that the service does not accept, and a report that was erased, are told here too, before anything is drawn.
    """
    path, headers = f"{service.address.base}/v1/me", {"Authorization": f"Bearer {token.strip()}"}
    answer = service.ask("GET", path, headers=headers, largest=_LARGEST_CAMPAIGN)
    if answer.status != 200:
        raise _refused(answer.status, answer.detail)
    try:
        held = {entry["campaign"]: entry["codes"] for entry in json.loads(answer.body)["holdings"]}
        if campaign.id not in held:
            return None
        if held[campaign.id] is None:
            raise _refused(410, "it was erased; nothing was drawn")
        reports = Reports.collect(campaign, [Report(campaign.id, node, tuple(held[campaign.id]))])
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ServiceRefused(
            answer.status, "the service's answer about you cannot be read; nothing was drawn"
        ) from error
    return FinishedReport(campaign.id, node, campaign.epsilon, reports.codes.astype("<u2").tobytes())


def _send(service: Service, report: FinishedReport, token: str) -> bool:
    """Send a report; return whether it is new to the service."""
    answer = service.ask(
        "PUT",
        f"{service.address.path}/reports/{report.id}",
        body=report.body,
        headers={"Authorization": f"Bearer {token.strip()}", "Content-Type": "application/octet-stream"},
    )
    if answer.status not in (200, 201):
        raise _refused(answer.status, answer.detail)
    return answer.status == 201


def _refused(status: int, detail: str) -> ServiceRefused:
    words = _REFUSALS.get(status, f"the service refuses with {status}")
    return ServiceRefused(status, f"{words} ({status}{f': {detail}' if detail else ''})")


def _check_open(campaign: Campaign, now: datetime) -> None:
    """Refuse before the draw what the service would refuse after it: epsilon would be spent for nothing.

    A device's clock may be wrong by a day; what is open within a day of it is left to the service's clock.
    """
    latest, earliest = ((now + day).strftime("%Y-%m-%dT%H:%M:%SZ") for day in (_CLOCK_ERROR, -_CLOCK_ERROR))
    if campaign.opens and latest < campaign.opens:
        raise ServiceRefused(410, f"the campaign opens at {campaign.opens}; nothing was drawn")
    if campaign.closes and earliest >= campaign.closes:
        raise ServiceRefused(410, f"the campaign closed at {campaign.closes}; nothing was drawn")
