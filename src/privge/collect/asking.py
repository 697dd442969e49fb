"""Who may report in a campaign, and which codes: by the shards that a store has of its assignment."""

from collections.abc import Callable, Sequence

from privge.campaign import Campaign
from privge.collect.kept import Kept
from privge.errors import NotAsked, StoreMismatch
from privge.wire.codes import ReportForm

KEPT_SHARDS = 32 * 2**20
"""Bytes of the shards that a worker keeps at hand; in memory, what is made of them takes some times as much."""

_OVERHEAD = 1024  # bytes that even an empty shard counts as

ReadShard = Callable[[str], bytes | None]
"""Returns a shard by its id."""


def is_personal(campaign: Campaign) -> bool:
    """Say whether it depends on the node who may report, or which codes."""
    return campaign.assignment is not None or len({each.outputs for each in campaign.questions or ()}) > 1


def completed(campaign: Campaign, read: ReadShard) -> Campaign:
    """Return the campaign with every shard at hand that is there: what decoding needs."""
    assignment = campaign.assignment
    if assignment is None:
        return campaign
    found = {number: read(digest) for number, digest in enumerate(assignment.digests)}
    shards = {number: content for number, content in found.items() if content is not None}
    return campaign.with_assignment(assignment.with_shards(shards))


class Asking:
    """What each node may report in one campaign. Safe for use from several threads.

    Parameters
    ----------
    campaign
        What is asked.
    read
        Where its shards come from, if they are not kept.
    kept
        Campaigns with one shard at hand, this one and others.
    """

    def __init__(self, campaign: Campaign, read: ReadShard, kept: Kept[Campaign]) -> None:
        self._campaign, self._read, self._kept = campaign, read, kept

    def forms(self, nodes: Sequence[str | int]) -> list[ReportForm | None]:
        """Return what each node may report; None for whoever is not asked. May read the store."""
        return [_form(self._own(node), node) for node in nodes]

    def form_at_hand(self, node: str | int) -> ReportForm | None:
        """Return what a node may report, if it is asked and that is known without a look into the store."""
        assigned = self._campaign.assignment is not None
        campaign = self._kept.get(self._name(node)) if assigned else self._campaign
        return None if campaign is None else _form(campaign, node)

    def _own(self, node: str | int) -> Campaign:
        """Return the campaign with the shard of a node at hand, and no others."""
        assignment = self._campaign.assignment
        if assignment is None:
            return self._campaign
        name, number = self._name(node), assignment.shard_of(node)
        if (kept := self._kept.get(name)) is not None:
            return kept
        content = self._read(assignment.digests[number])
        if content is None:
            raise StoreMismatch("a shard of the campaign is missing in the store")
        own = self._campaign.with_assignment(assignment.with_shards({number: content}))
        return self._kept.keep(name, own, len(content) + _OVERHEAD)

    def _name(self, node: str | int) -> str:
        """Return the name under which a node's shard is kept."""
        assignment = self._campaign.assignment
        return self._campaign.id if assignment is None else f"{self._campaign.id}/{assignment.shard_of(node)}"


def _form(campaign: Campaign, node: str | int) -> ReportForm | None:
    try:
        return ReportForm.of_node(campaign, node)
    except NotAsked:
        return None
