"""Rounds in a store: which campaigns belong together. A store that has had none lacks the table."""

from privge.campaign import Campaign
from privge.collect.stores.migrating import ROUNDS, version
from privge.collect.stores.session import Session
from privge.collect.stores.statements import CampaignRow


def known(session: Session) -> bool:
    """Say whether the tables know rounds and shards; another process may have made them since the store was opened."""
    return version(session) >= ROUNDS


def insert_round(session: Session, campaign: Campaign) -> None:
    """Write down the round of a campaign that has one."""
    if campaign.round is not None:
        statement = "INSERT INTO rounds (campaign, name) SELECT number, ? FROM campaigns WHERE id = ?"
        session.rows(statement, campaign.round, campaign.id)


def others_in_round(session: Session, row: CampaignRow) -> set[int]:
    """Return the numbers of the other campaigns of the same round."""
    if not known(session):
        return set()
    found = session.rows(
        "SELECT other.campaign FROM rounds AS own JOIN rounds AS other ON own.name = other.name "
        "WHERE own.campaign = ? AND other.campaign <> own.campaign",
        row.number,
    )
    return {number for (number,) in found}


def round_of(session: Session, row: CampaignRow) -> str | None:
    """Return the round that is written down for a campaign."""
    found = session.rows("SELECT name FROM rounds WHERE campaign = ?", row.number) if known(session) else []
    return str(found[0][0]) if found else None


def twice_in_a_round(session: Session) -> int:
    """Count nodes that have reports in several campaigns of one round: there must be none."""
    if not known(session):
        return 0
    ((twice,),) = session.rows(
        "SELECT count(*) FROM (SELECT node FROM reports JOIN rounds ON reports.campaign = rounds.campaign "
        "GROUP BY node, name HAVING count(*) > 1) AS twice"
    )
    return int(twice)
