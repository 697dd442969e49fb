"""A template of a data protection impact assessment, filled from a campaign and a store."""

from collections.abc import Sequence
from datetime import UTC, datetime

from privge._version import __version__
from privge.audit.claim import claim_of
from privge.audit.proof import prove
from privge.audit.stored import StoreAudit
from privge.campaign import Campaign
from privge.explanation.explanation import asked_words, explain, listed
from privge.explanation.strings import Strings, english
from privge.mechanisms.odds import certainty


def assessment(
    campaign: Campaign,
    store: StoreAudit | None = None,
    *,
    strings: Strings | None = None,
    now: datetime | None = None,
    earlier: Sequence[Campaign] = (),
) -> str:
    """Return the template as Markdown; what only the controller knows is marked.

    Parameters
    ----------
    campaign
        What is assessed.
    store
        What an audit found in the store, for its counts.
    strings
        The texts; English by default.
    now
        The time that is written down.
    earlier
        Other campaigns of the same people.
    """
    texts = english() if strings is None else strings
    said, proof = texts["assessment"], prove(claim_of(campaign))
    told = explain(campaign, earlier=earlier, strings=texts)
    todo = {name: said["open"].format(what=text) for name, text in said.items() if name.startswith("todo_")}
    days = campaign.retention_days
    weights = sum(law.inputs * law.outputs for each in proof.questions for law in each.laws)
    values = {
        **todo,
        "id": campaign.id,
        "version": __version__,
        "date": (datetime.now(UTC) if now is None else now).date().isoformat(),
        "from_store": said["with_store"] if store is not None else "",
        "purpose": _line(campaign.purpose or texts["words"]["no_purpose"]),
        "people": texts["words"]["anybody"] if campaign.assignment is None else campaign.assignment.words(),
        "asked": asked_words(campaign, texts),
        "names": _line(listed(told.asked or ())),
        "mechanism": campaign.mechanism,
        "k": f"{campaign.k:,}",
        "opens": campaign.opens or said["at_once"],
        "closes": campaign.closes or said["by_hand"],
        "retention_days": said["kept"] if days is None else said["deleted"].format(days=f"{days:,}"),
        "epsilon": f"{campaign.epsilon:g}",
        "realised": f"{proof.realised_epsilon:.17g}",
        "weights": f"{weights:,}",
        "sure": certainty(campaign.epsilon),
        "repeated": " ".join(told.sections[3][1]),
        "cap": said["no_cap"] if store is None or store.cap is None else f"{store.cap:g}",
        "store": _store(campaign, store, texts),
    }
    return str(said["text"]).format_map(values)


def _store(campaign: Campaign, store: StoreAudit | None, texts: Strings) -> str:
    said = texts["assessment"]
    found = None if store is None else next((each for each in store.campaigns if each.campaign == campaign.id), None)
    if store is None or found is None:
        return str(said["no_store"])
    return str(said["store"]).format(
        reports=f"{found.reports:,}",
        erased=f"{found.erased:,}",
        open=said["is_open"] if found.open else said["is_closed"],
        most=f"{store.most_spent:g}",
        cap=said["no_cap"] if store.cap is None else f"{store.cap:g}",
        p_value=f"{found.envelope.p_value:.3g}",
        acts=len(store.trail),
    )


def _line(text: str) -> str:
    """Return text from a campaign such that it cannot begin anything in Markdown or end its cell."""
    return " ".join(text.split()).replace("|", r"\|").replace("<", "&lt;").replace("`", r"\`")
