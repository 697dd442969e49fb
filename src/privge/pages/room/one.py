"""What the page of one campaign shows."""

from collections.abc import Sequence

from privge.collect.publishing import warnings_of
from privge.collect.stores.store import Store
from privge.explanation import explain
from privge.mechanisms.odds import certainty
from privge.pages.room.charts import Columns, shares
from privge.pages.room.coverage import coverage
from privge.pages.room.files import Files
from privge.pages.room.life import Life, in_steps
from privge.pages.room.vectors import Found

_NAMES = 40


def values_of(store: Store, life: Life, files: Files, embeddings: Sequence[Found]) -> dict[str, object]:
    """Return the values of the template."""
    campaign = life.state.campaign
    days, steps = in_steps(store.arrivals(campaign.id))
    graph = files.graph()
    cover = None if graph is None else coverage(store, campaign.id, graph)
    names = campaign.names or ()
    own = [found for found in embeddings if campaign.id in _campaigns(found)]
    return {
        "life": life,
        "campaign": campaign,
        "certainty": certainty(campaign.epsilon),
        "arrivals": Columns.of(f"reports in steps of {days} day{'s' if days > 1 else ''}", steps),
        "days": days,
        "cover": cover,
        "degrees": () if cover is None else shares(cover.by_degree),
        "names": names[:_NAMES],
        "more_names": max(0, len(names) - _NAMES),
        "warnings": tuple(warnings_of(campaign)),
        "consent": explain(campaign).consent["sentence"],
        "embeddings": own,
    }


def _campaigns(found: Found) -> list[str]:
    return [] if found.provenance is None else [source.campaign for source in found.provenance.sources]
