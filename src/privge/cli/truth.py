"""The true features behind reports, for the control no privacy."""

from pathlib import Path

from privge.campaign import Campaign
from privge.cli.ids import IdOptions
from privge.cli.options import existing, naming
from privge.cli.simulated import read_features_for, warn
from privge.cli.sources import chosen_campaign, opened_store, read_reports
from privge.graph import Graph
from privge.perturbation.truth import true_values
from privge.propagation import Walk
from privge.recommendation import Signals


def asked_campaign(reports_place: str | None, store_url: str | None, campaign: str | None) -> Campaign:
    """Return the campaign of reports, which are in files or else in a store."""
    if reports_place is not None:
        return read_reports(reports_place).campaign
    with opened_store(str(store_url)) as store:
        wanted = chosen_campaign(store, campaign)
        return next(state.campaign for state in store.campaigns() if state.campaign.id == wanted)


def true_signals(path: Path, campaign: Campaign, graph: Graph, walk: Walk, ids: IdOptions) -> Signals:
    """Read what devices would have reported without privacy."""
    warn()
    read = read_features_for(existing(path), campaign, ids)
    with naming(path):
        return Signals.of_rows(graph, read.ids, true_values(campaign, read), walk)
