"""Is everything in a store as it must be? Looks at every row, and names no node."""

import hashlib
from collections.abc import Iterator
from functools import partial

from privge.campaign import Campaign
from privge.collect.asking import KEPT_SHARDS, Asking, is_personal
from privge.collect.kept import Kept
from privge.collect.stores import rounds, shards
from privge.collect.stores.keys import is_integer, key_of, text_of
from privge.collect.stores.log import gaps
from privge.collect.stores.session import Session
from privge.collect.stores.statements import CampaignRow, document_of
from privge.errors import BadData
from privge.wire.codes import ReportForm

_PAGE = 65_536
_SLACK = 1 + 1e-9  # the database adds floats; the cap itself was held exactly


def find_problems(session: Session, campaigns: list[CampaignRow], lifetime_epsilon: float | None) -> list[str]:
    """Return what is wrong, in words."""
    problems = [
        f"campaign {row.id[:12]}: {problem}" for row in campaigns for problem in _campaign_problems(session, row)
    ]
    if lifetime_epsilon is not None:
        ((above,),) = session.rows(
            "SELECT count(*) FROM (SELECT node FROM reports JOIN campaigns ON campaign = number "
            "GROUP BY node HAVING sum(epsilon) > ?) AS above",
            lifetime_epsilon * _SLACK,
        )
        if above:
            problems.append(f"{above:,} nodes have spent more than {lifetime_epsilon:g}")
    if twice := rounds.twice_in_a_round(session):
        problems.append(f"{twice:,} nodes have reports in several campaigns of one round")
    if changed := shards.count_changed(session):
        problems.append(f"{changed:,} shards are not what their hash says")
    if missing := gaps(session):
        problems.append(f"{missing:,} lines are missing in the log of what operators did")
    return problems


def _campaign_problems(session: Session, row: CampaignRow) -> Iterator[str]:
    document = document_of(session, row)
    try:
        campaign = Campaign.from_json(document)
    except BadData as error:
        yield f"its document cannot be read ({error})"
        return
    if hashlib.sha256(document.encode()).hexdigest() != row.id:
        yield "its document is not the one that its id names"
    if row.epsilon != campaign.epsilon:
        yield "its epsilon is not that of its document"
    if rounds.round_of(session, row) != campaign.round:
        yield "its round is not that of its document"
    if not row.retired and (missing := shards.count_missing(session, campaign)):
        yield f"{missing:,} of its shards are missing"
    yield from _counts(session, row)
    wrong, remains, strange = _codes(session, row, campaign)
    if wrong:
        yield f"{wrong:,} reports have codes of a wrong length or range"
    if remains:
        yield f"{remains:,} reports that were removed still have their codes"
    if strange:
        yield f"{strange:,} nodes cannot be read"


def _counts(session: Session, row: CampaignRow) -> Iterator[str]:
    ((total, erased, last),) = session.rows(
        "SELECT count(*), coalesce(sum(erased), 0), coalesce(max(sequence), 0) FROM reports WHERE campaign = ?",
        row.number,
    )
    ((erasures, last_erasure),) = session.rows(
        "SELECT count(*), coalesce(max(sequence), 0) FROM erasures WHERE campaign = ?", row.number
    )
    held = 0 if row.retired else total - erased
    if (row.reports, row.erased, row.last) != (held, erased, max(last, last_erasure)) or erasures != erased:
        yield f"it counts {row.reports:,} reports and {row.erased:,} erased, but has {held:,} and {erased:,}"


def _codes(session: Session, row: CampaignRow, campaign: Campaign) -> tuple[int, int, int]:
    """Count reports with wrong codes, removed reports that still have codes, and nodes that are none."""
    wrong = remains = strange = after = 0
    asking = Asking(campaign, partial(shards.find_shard, session), Kept(KEPT_SHARDS)) if is_personal(campaign) else None
    form = ReportForm.of(campaign)
    while found := session.rows(
        "SELECT sequence, node, erased, codes FROM reports WHERE campaign = ? AND sequence > ? "
        "ORDER BY sequence LIMIT ?",
        row.number,
        after,
        _PAGE,
    ):
        after = found[-1][0]
        strange += sum(not _is_node(node, texts=bool(row.texts)) for _, node, _, _ in found)
        gone = [codes for _, _, erased, codes in found if erased or row.retired]
        held = [(node, codes) for _, node, erased, codes in found if not (erased or row.retired)]
        remains += sum(any(codes) for codes in gone)
        fitting = [(node, codes) for node, codes in held if len(codes) == form.size]
        in_range = form.rows_in_range([codes for _, codes in fitting]) if asking is None else _in_place(asking, fitting)
        wrong += len(held) - sum(in_range)
    return wrong, remains, strange


def _in_place(asking: Asking, reports: list[tuple[bytes, bytes]]) -> list[bool]:
    """Say which reports have codes that their nodes are asked for."""
    try:
        forms = asking.forms([text_of(node) for node, _ in reports])
    except BadData:  # a shard is missing or damaged, which is told apart
        return [True] * len(reports)
    return [form is not None and form.in_range(codes) for form, (_, codes) in zip(forms, reports, strict=True)]


def _is_node(key: bytes, *, texts: bool) -> bool:
    """Say whether a key stands for a node that `read` can give back."""
    try:
        text = text_of(key)
        return key_of(text) == key and (texts or (text == str(int(text)) and is_integer(int(text))))
    except (AttributeError, TypeError, ValueError):  # SQLite holds text and numbers where bytes are declared, too
        return False
