"""One person's contribution, in an order that tells the service nothing but the report.

1. Read the values, before any contact. Fetch the campaign, without saying who asks; check it, and the person's own
   caps and rounds, from public things alone. If the campaign asks only some people, or each about something else, fetch
   the shard that the node id names (`privge.device.shards`). Whoever refuses here has shown no token.
2. Prepare: draw once and keep the report, in a time that says nothing about the values (`privge.device.pace`).
3. Show the token and ask whether a report would be stored, or is already. Until here nothing is spent.
4. Charge the ledger, and send until it is stored. Whatever happens from here on, the same bytes are sent again.

None of these steps, and no message to the service, depends on the values.
"""

import hashlib
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from privge.campaign import Campaign
from privge.device.address import Address
from privge.device.folder import default_folder
from privge.device.memory import FinishedReport, Memory
from privge.device.pace import PACE, Pace
from privge.device.patience import PATIENCE, Patience
from privge.device.refusals import refused
from privge.device.shards import with_own_shard
from privge.device.web import Client
from privge.errors import BadData, CampaignMismatch, InvalidCampaign, ServiceRefused
from privge.perturbation import Drawn, FeatureVector
from privge.perturbation.draw import draw, rehearse
from privge.reports import Report
from privge.wire.messages import JSON_TYPE, REPORT_TYPE, held_codes
from privge.wire.tokens import authorization, node_of

_CLOCK_ERROR = timedelta(days=1)
_LARGEST_CAMPAIGN = 2**25  # bytes: bounds and names of a million features
_LARGEST_STANDING = 2**20  # bytes: 65,536 codes


@dataclass(frozen=True, slots=True)
class Contribution:
    """What a contribution did.

    Parameters
    ----------
    campaign
        Id of the campaign that was answered, as its address has it.
    report
        SHA-256 of the bytes that were sent: what a receipt shows.
    drawn
        Whether it was drawn now; otherwise it is the one drawn before, here or on another device of the person.
    new
        Whether the service stored it now; otherwise it had these bytes already.
    epsilon, spent
        What this report costs, and what all reports of this device cost together.
    missing, outside
        If it was drawn now: how many of the values asked for were missing or no numbers, and how many lay outside the
        bounds. For the person alone: they are not kept, and the service does not learn them.
    """

    campaign: str
    report: str
    drawn: bool
    new: bool
    epsilon: float
    spent: float
    missing: int | None
    outside: int | None


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
    pace: Pace = PACE,
) -> Contribution:
    """Send one private report to a campaign.

    Run again after any failure: the same bytes are sent, never a second draw.

    Parameters
    ----------
    url
        ``https://host/v1/campaigns/<id>``.
    features
        One value for each feature in order, or a mapping from name to value; or a function that returns either, called
        only if a report is to be drawn. Names that the campaign does not ask for are not looked at.
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
    pace
        How long preparing a report takes.
    """
    address = Address.parse(url, insecure_http=insecure_http)
    node = node_of(token, address.campaign)
    memory = Memory(default_folder() if folder is None else Path(folder))
    if max_epsilon is not None or lifetime_epsilon is not None:
        memory.set_caps(max_epsilon, lifetime_epsilon)
    drawn: Drawn | None = None
    with closing(Client(address, patience)) as client:
        report = memory.charged(address.campaign, node)
        if report is None:
            # Read before the first contact: how long it takes, and whether it fails, is then no answer to a campaign.
            values = features() if callable(features) and not memory.has_prepared(address.campaign, node) else features
            campaign = fetch_campaign(client)
            memory.ledger().check(campaign)
            _check_open(campaign, datetime.now(UTC))
            campaign = with_own_shard(client, campaign, node)

            def draw_now() -> Report:
                nonlocal drawn
                drawn = draw(campaign, values() if callable(values) else values, node)
                return drawn.report

            with pace.slot(lambda: rehearse(campaign, node)):
                prepared, _ = memory.prepare(campaign, draw_now, node)
            held = ask(client, campaign, node, token)
            if held is not None:
                drawn = None
            report = memory.charge(campaign, held or prepared)
        new = _send(client, report, token)
    missing, outside = (None, None) if drawn is None else (drawn.missing, drawn.outside)
    spent = memory.ledger().spent
    return Contribution(report.campaign, report.id, drawn is not None, new, report.epsilon, spent, missing, outside)


def fetch_campaign(client: Client) -> Campaign:
    """Fetch a campaign and check that it is the one that the address names, and that its law holds its epsilon."""
    address = client.address
    answer = client.ask("GET", address.path, headers={"Accept": JSON_TYPE}, largest=_LARGEST_CAMPAIGN)
    if answer.status != 200:
        raise refused(answer.status, answer.detail)
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


def ask(client: Client, campaign: Campaign, node: str | int, token: str) -> FinishedReport | None:
    """Ask whether a report would be stored; return the one that the service has already, from another device.

    Everything for which a report would be refused (a bad token, a closed campaign, erasure, the service's own cap) is
    told here, before anything is charged or sent.
    """
    answer = client.ask("GET", client.address.standing, headers=authorization(token), largest=_LARGEST_STANDING)
    if answer.status != 200:
        raise refused(answer.status, f"{answer.detail}; nothing was sent" if answer.detail else "nothing was sent")
    try:
        codes = held_codes(answer.body)
        return None if codes is None else FinishedReport.of(campaign, Report(campaign.id, node, tuple(codes)))
    except ValueError as error:
        raise ServiceRefused(
            answer.status, "the service's answer about you cannot be read; nothing was sent"
        ) from error


def _send(client: Client, report: FinishedReport, token: str) -> bool:
    """Send a report; return whether it is new to the service."""
    answer = client.ask(
        "PUT",
        client.address.report(report.id),
        body=report.body,
        headers={**authorization(token), "Content-Type": REPORT_TYPE},
    )
    if answer.status not in (200, 201):
        raise refused(answer.status, answer.detail)
    return answer.status == 201


def _check_open(campaign: Campaign, now: datetime) -> None:
    """Refuse before the draw what the service would refuse after it: epsilon would be spent for nothing.

    A device's clock may be wrong by a day; what is open within a day of it is left to the service's clock.
    """
    latest, earliest = ((now + day).strftime("%Y-%m-%dT%H:%M:%SZ") for day in (_CLOCK_ERROR, -_CLOCK_ERROR))
    if campaign.opens and latest < campaign.opens:
        raise ServiceRefused(410, f"the campaign opens at {campaign.opens}; nothing was sent")
    if campaign.closes and earliest >= campaign.closes:
        raise ServiceRefused(410, f"the campaign closed at {campaign.closes}; nothing was sent")
