"""Which people a campaign asks, and what: a device fetches the one shard that its node id names.

The number of the shard follows from the node id alone, and the campaign names the shard by its hash: what is fetched,
and whether the person is asked at all, depends on nothing private. No token is shown for it.
"""

import hashlib
from collections.abc import Iterable, Sequence

from privge.campaign import Campaign
from privge.campaign.asking import asked
from privge.device.refusals import refused
from privge.device.web import Client
from privge.errors import CampaignMismatch
from privge.wire.codes import ReportForm
from privge.wire.limits import MAX_SHARD_BYTES
from privge.wire.messages import REPORT_TYPE


def with_own_shard(client: Client, campaign: Campaign, node: str | int) -> Campaign:
    """Return the campaign with the shard of a node at hand; `privge.errors.NotAsked` if the node is not asked.

    Also what the shard says of the node is checked here, by public data alone: a shard that names classes which the
    question does not have is refused before any value is looked at.
    """
    if campaign.assignment is None:
        return campaign
    campaign = with_shards(client, campaign, [campaign.assignment.shard_of(node)])
    for question in campaign.indices_of(node) if campaign.questions is not None else ():
        asked(campaign, question, [node])
    ReportForm.of_node(campaign, node)  # refuses whoever is not asked
    return campaign


def with_shards_of(client: Client, campaign: Campaign, nodes: Sequence[str | int]) -> Campaign:
    """Return the campaign with the shards of many nodes at hand: what a proxy needs that reports for them."""
    assignment = campaign.assignment
    if assignment is None:
        return campaign
    return with_shards(client, campaign, {assignment.shard_of(node) for node in nodes})


def with_shards(client: Client, campaign: Campaign, numbers: Iterable[int]) -> Campaign:
    """Return the campaign with some of its shards at hand; those that are at hand already are not fetched again."""
    assignment = campaign.assignment
    if assignment is None:
        return campaign
    absent = sorted(set(numbers) - set(assignment.shards))
    fetched = {number: _fetch(client, assignment.digests[number]) for number in absent}
    return campaign.with_assignment(assignment.with_shards(fetched))


def _fetch(client: Client, digest: str) -> bytes:
    """Fetch one shard, and compare it with its hash."""
    path = client.address.shard(digest)
    answer = client.ask("GET", path, headers={"Accept": REPORT_TYPE}, largest=MAX_SHARD_BYTES)
    if answer.status != 200:
        raise refused(answer.status, answer.detail)
    if hashlib.sha256(answer.body).hexdigest() != digest:
        raise CampaignMismatch("the service sent another shard than the campaign names: the hash differs")
    return answer.body
