"""A store: one report a node, nobody above the cap, no report that no device could have sent, and who did what."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from privge._typing import Progress
from privge.audit.envelope import Envelope, look, look_at_answers, visible_share
from privge.campaign import Campaign
from privge.campaign.indices import indices_matrix
from privge.collect.asking import completed
from privge.collect.groups import answers_by_law
from privge.collect.plausibility import unexplained
from privge.collect.stores import CampaignState, Spent, Store
from privge.collect.stores.log import Act
from privge.errors import BadData
from privge.ids import Ids, as_texts
from privge.mechanisms import Law
from privge.mechanisms.budget import exact
from privge.questions.question import AnyLaw


@dataclass(frozen=True, slots=True)
class StoredCampaign:
    """What was found of one campaign in a store. Counts only: no node is named.

    Parameters
    ----------
    campaign, open, reports, erased
        Its id, its state and its counts.
    repeated
        Reports of nodes that have one already.
    impossible
        Codes that its laws cannot produce, for any input, or that do not belong to the question that the index rule
        gives the node.
    least_false
        How many reports, at least, no honest device sent (an error of 1 in a billion).
    envelope
        The codes against what the laws allow, with a p-value.
    published
        Whether the log says by whom it was published.
    visible_share
        Share of reports that all say the highest code, from which on they would be seen here; None if at no share, or
        if the campaign asks questions.
    """

    campaign: str
    open: bool
    reports: int
    erased: int
    repeated: int
    impossible: int
    least_false: int
    envelope: Envelope
    published: bool
    visible_share: float | None = None

    @property
    def violations(self) -> list[str]:
        """What is wrong, in words."""
        name, found = f"campaign {self.campaign[:12]}", []
        if self.repeated:
            found.append(f"{name}: {self.repeated:,} reports are of nodes that have another")
        if self.impossible:
            found.append(f"{name}: {self.impossible:,} codes are none that its law gives to that question")
        if self.envelope.flagged:
            found.append(
                f"{name}: reports are false: honest people send such codes at most once in "
                f"{1 / max(self.envelope.p_value, 1e-300):,.3g} stores, whatever their values "
                f"(p = {self.envelope.p_value:.2g}, at least {self.least_false:,} of {self.reports:,})"
            )
        if not self.published:
            found.append(f"{name}: the log does not say who published it")
        return found


@dataclass(frozen=True, slots=True)
class StoreAudit:
    """What was found in a store.

    Parameters
    ----------
    problems, trail
        What is damaged, in words; and what operators did.
    ledger, cap
        How many nodes have spent how much, and the most that a node may spend.
    rejects
        Reports that were refused, by reason, if the service's counts are at hand.
    absent
        Ids of campaigns that somebody named and the store does not have: nothing was looked at of these.
    """

    campaigns: tuple[StoredCampaign, ...]
    problems: tuple[str, ...]
    ledger: tuple[Spent, ...]
    cap: float | None
    trail: tuple[Act, ...]
    rejects: Mapping[str, int] | None = None
    absent: tuple[str, ...] = ()

    @property
    def p_value(self) -> float:
        """The smallest p-value of its campaigns, times their number."""
        looked = [each.envelope.p_value for each in self.campaigns if each.reports]
        return min(1.0, min(looked, default=1.0) * max(1, len(looked)))

    @property
    def most_spent(self) -> float:
        """What whoever spent most has spent."""
        return max((each.epsilon for each in self.ledger), default=0.0)

    @property
    def violations(self) -> list[str]:
        """What is wrong, in words."""
        found = [*self.problems, *(problem for each in self.campaigns for problem in each.violations)]
        if self.cap is not None and (above := [each for each in self.ledger if _above(each.epsilon, self.cap)]):
            found.append(f"{sum(each.nodes for each in above):,} nodes have spent more than {self.cap:g}")
        return found


def audit_store(
    store: Store, *, rejects: Mapping[str, int] | None = None, progress: Progress | None = None
) -> StoreAudit:
    """Look at everything that a store holds.

    Parameters
    ----------
    store
        The store, opened with the cap that nobody may exceed.
    rejects
        Reports that the service refused, by reason (`read_rejects`): a store keeps none of them.
    progress
        Called with the number of campaigns that are done.
    """
    problems, trail = store.verify(), store.log()
    states = [] if problems else store.campaigns()  # what is damaged is not read further
    false = {each.campaign: each.false for each in unexplained(store)} if states else {}
    published = {act.campaign for act in trail if act.kind == "published"}
    found = []
    for done, state in enumerate(states):
        found.append(_look(store, state, false.get(state.campaign.id, 0), published=state.campaign.id in published))
        if progress is not None:
            progress(done + 1, len(states))
    found = _sharing_the_error(found)
    return StoreAudit(
        tuple(found), tuple(problems), tuple(store.ledger()), store.lifetime_epsilon, tuple(trail), rejects
    )


def looked_for(audit: StoreAudit, campaigns: Iterable[str]) -> StoreAudit:
    """Return an audit that says which of the campaigns that somebody named are not in the store."""
    held = {each.campaign for each in audit.campaigns}
    return audit if audit.problems else replace(audit, absent=tuple(each for each in campaigns if each not in held))


def read_rejects(text: str) -> dict[str, int]:
    """Read what became of reports out of the counters of a service (``GET /metrics``): all but those it stored."""
    from privge.collect.service.metrics import REPORTS

    found: dict[str, int] = {}
    for line in text.splitlines():
        name, _, rest = line.partition("{")
        labels, _, number = rest.partition("}")
        if name == REPORTS and labels.startswith('outcome="'):
            outcome = labels.removeprefix('outcome="').rstrip(",").rstrip('"')
            if outcome not in ("stored", "same"):
                found[outcome] = found.get(outcome, 0) + int(float(number))
    if REPORTS not in text:
        raise BadData(f"these are not the counters of a service: {REPORTS} is not among them")
    return found


def _look(store: Store, state: CampaignState, false: int, *, published: bool) -> StoredCampaign:
    campaign = completed(state.campaign, store.shard)
    nodes: set[str] = set()
    read = impossible = 0
    for block in store.read(campaign.id):
        nodes.update(as_texts(block.ids).tolist())
        read += len(block.ids)
        impossible += _impossible(campaign, block.ids, block.codes)
    envelope = Envelope(1.0, 0) if impossible else _envelope(store, campaign)
    simple = campaign.questions is None and read > 0
    return StoredCampaign(
        campaign.id,
        state.open,
        state.reports,
        state.erased,
        read - len(nodes),
        impossible,
        false,
        envelope,
        published,
        visible_share(campaign.law, campaign.k, read) if simple else None,
    )


def _envelope(store: Store, campaign: Campaign) -> Envelope:
    blocks = store.read(campaign.id)
    if campaign.questions is None:
        return look(campaign.law, campaign.k, (block.codes for block in blocks))
    return look_at_answers(answers_by_law(campaign, ((block.ids, block.codes) for block in blocks)))


def _sharing_the_error(found: list[StoredCampaign]) -> list[StoredCampaign]:
    """Multiply each p-value by the number of campaigns, so that one honest store in 1,000 is accused, not each."""
    looked = max(1, sum(each.reports > 0 for each in found))
    return [
        replace(each, envelope=replace(each.envelope, p_value=min(1.0, each.envelope.p_value * looked)))
        for each in found
    ]


def _impossible(campaign: Campaign, ids: Ids, codes: NDArray[np.integer]) -> int:
    """Count codes that no input of the question gives, which the index rule puts in this place for this node."""
    if campaign.questions is None:
        return int((~_possible(campaign.law)[np.minimum(codes, campaign.law.outputs - 1)]).sum()) + int(
            (codes >= campaign.law.outputs).sum()
        )
    limits = np.array([question.outputs for question in campaign.questions])
    indices = indices_matrix(campaign.id, ids.tolist(), campaign.dimensions, campaign.k)
    return int((codes >= limits[indices]).sum())


def _possible(law: AnyLaw) -> NDArray[np.bool_]:
    """Say of each code whether some input gives it."""
    rows: Iterator[NDArray[np.int64]] = (
        (law.weights(level) for level in range(law.levels)) if isinstance(law, Law) else iter([law.weights(())])
    )
    return np.asarray(np.max([row > 0 for row in rows], axis=0))


def _above(spent: float, cap: float) -> bool:
    """Compare sums of decimal numbers: the database adds floats, the cap itself was held exactly."""
    return spent > float(exact(cap)) * (1 + 1e-9)
