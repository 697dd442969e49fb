"""Campaigns: what is asked. Anybody may read them; only the operator adds, counts and closes them."""

from datetime import datetime

from starlette.requests import Request

from privge.campaign import Campaign
from privge.collect.asking import completed
from privge.collect.publishing import check_asked, check_times
from privge.collect.service.answers import Answer, InPieces, json_answer
from privge.collect.service.problems import Refused
from privge.collect.service.service import Service
from privge.collect.stores.store import CampaignState, Store
from privge.errors import BadData, PrivacyViolation
from privge.wire import paths
from privge.wire.bodies import CampaignAdded, CampaignStatus, CampaignSummary
from privge.wire.messages import JSON_TYPE


async def list_campaigns(service: Service, request: Request) -> Answer:  # noqa: ARG001 (all routes are called alike)
    """List the campaigns, the oldest first."""
    states = await service.read(service.store.campaigns)
    return json_answer([_summary(state) for state in states])


async def get_campaign(service: Service, request: Request) -> Answer:
    """Return the canonical document, byte for byte: its SHA-256 is the campaign's id."""
    known = await service.campaign(request.path_params["campaign"])
    headers = {"etag": f'"{known.id}"', "cache-control": "public, max-age=31536000, immutable"}
    return Answer("ok", InPieces(known.document, 200, headers, JSON_TYPE))


async def get_status(service: Service, request: Request) -> Answer:
    """Return how many reports a campaign has.

    To the operator alone: whoever could ask for a live count again and again would see when each report came, and
    only the day is to be known.
    """
    service.admit_operator(request)
    known = await service.campaign(request.path_params["campaign"])
    return json_answer(await _status(service, known.id), cache_control="no-store")


async def add_campaign(service: Service, request: Request) -> Answer:
    """Add and open a campaign. One that could not be collected is refused; one that is there changes nothing."""
    by = service.admit_operator(request)
    limit = service.limits.campaign_bytes
    async with service.body(request, JSON_TYPE, limit=limit, room=service.documents) as body:
        campaign = campaign_of(body)
        try:
            await service.read(publish, service.store, campaign, service.now, by)
        except (BadData, PrivacyViolation) as error:  # a campaign document is public, so its error may be told
            raise Refused("campaign", detail=str(error)) from None
    return json_answer(CampaignAdded(campaign.id), status=201, location=paths.campaign(campaign.id))


async def close_campaign(service: Service, request: Request) -> Answer:
    """Take no more reports; those stored stay."""
    by = service.admit_operator(request)
    known = await service.campaign(request.path_params["campaign"])
    await service.read(service.store.close_campaign, known.id, by=by)
    return json_answer(await _status(service, known.id))


def campaign_of(document: bytes) -> Campaign:
    """Return the campaign of a document in canonical form; any other is refused."""
    try:
        campaign = Campaign.from_json(document)
    except (BadData, TypeError, ValueError) as error:
        raise Refused("campaign", detail=str(error)) from None
    if campaign.to_json().encode() != document:
        raise Refused("campaign", detail="The document is a campaign, but not in canonical form (RFC 8785).")
    return campaign


def publish(store: Store, campaign: Campaign, now: datetime, by: str) -> None:
    """Publish a campaign; its times and shards are looked at once, when it is new."""
    if store.campaign(campaign.id) is None:
        check_times(campaign, now)
        check_asked(completed(campaign, store.shard))
    store.add_campaign(campaign, by=by)


async def _status(service: Service, campaign: str) -> CampaignStatus:
    state = await service.read(service.store.campaign, campaign)
    if state is None:
        raise Refused("unknown")
    return CampaignStatus(campaign, state.open, state.reports, state.erased)


def _summary(state: CampaignState) -> CampaignSummary:
    campaign = state.campaign
    return CampaignSummary(campaign.id, campaign.purpose, state.open, campaign.opens, campaign.closes)
