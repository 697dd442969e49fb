"""A made-up service in the middle of its life, for tests in a browser and for the pictures of the documentation."""

import os
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np

from collect.service.harness import ADMIN, running, token_of
from privge.campaign import Campaign
from privge.collect.stores import Upload, open_store
from privge.curator import embed_store
from privge.datasets import social_network
from privge.embedding.join import AS_IN_THE_PAPER
from privge.graph import write_graph
from privge.propagation import Walk
from privge.wire.codes import encode

ROOT = Path(__file__).parent.parent.parent
TOPICS = ("football", "opera", "gardening", "chess", "cooking", "running", "poetry", "sailing", "painting", "hiking")
PEOPLE, BEFORE = 500, 420


@contextmanager
def furnished(folder):
    """Serve a store with campaigns in every stage, a graph, classes and embeddings; yield what a scenario needs."""
    (folder / "vectors").mkdir()
    today = datetime.now(UTC).date()
    network = social_network(PEOPLE, interests=len(TOPICS), seed=3)
    write_graph(network.graph, folder / "edges.csv")
    ids = network.graph.ids.tolist()
    rows = zip(ids, network.labels.tolist(), strict=True)
    (folder / "labels.csv").write_text(
        "id,label\n" + "".join(f"{node},community {label + 1}\n" for node, label in rows if int(node[-1]) < 6)
    )
    asked, open_now = _fill(folder, network, ids, today)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    options = ("--rate", "1000", "--burst", "1000", "--graph", "edges.csv", "--labels", "labels.csv",
               "--embeddings", "vectors")  # fmt: skip
    with running(folder, *options, environment=environment, campaign=asked) as server:
        yield {
            "url": f"http://{server.host}:{server.port}",
            "campaign": asked.id,
            "shown": open_now.id,
            "admin": ADMIN,
            "values": [8, 3, 6],
            "files": ["vectors-week-2.parquet"],
            "tokens": {scheme: token_of(ids[-1 - place]) for place, scheme in enumerate(("light", "dark"))},
        }


def _fill(folder, network, ids, today):
    """Make a store with four campaigns; return the one that is asked, and one that is well under way."""
    opened = datetime.combine(today + timedelta(days=40), datetime.min.time(), UTC)
    common = {"dimensions": len(TOPICS), "names": TOPICS, "low": 0.0, "high": 10.0, "mechanism": "hds"}
    asked = Campaign(**common, epsilon=1.0, k=3, purpose="Which topics does your group share?", closes=opened,
                     retention_days=90)  # fmt: skip
    under_way = Campaign(
        **common, epsilon=2.0, k=1, purpose="Better groups in the app", closes=opened, retention_days=30
    )
    closed = Campaign(**common, epsilon=0.5, k=1, purpose="A first look", closes=opened, retention_days=365)
    over = Campaign(**common, epsilon=0.5, k=1, purpose="Topics of last year", closes="2020-01-31T00:00:00Z",
                    retention_days=30)  # fmt: skip
    store = open_store(str(folder / "reports.db"), lifetime_epsilon=6.0)
    for campaign in (over, closed, under_way, asked):
        store.add_campaign(campaign, by="Ada (operator)")
    _collect(store, over, network, ids[:200], [date(2020, 1, 2)])
    store.retire(today, by="service")
    _collect(store, closed, network, ids[:90], [today - timedelta(days=60)])
    store.close_campaign(closed.id, by="Ada (operator)")
    days = [today - timedelta(days=back) for back in range(20, 0, -1)]
    _collect(store, under_way, network, ids[: BEFORE - 80], days[:14])
    _embed(store, under_way, network, folder / "vectors" / "vectors-week-1.parquet")
    store.erase(ids[7])
    store.erase(ids[11], by="Grace (operator)")
    _embed(store, under_way, network, folder / "vectors" / "vectors-week-2.parquet")
    _collect(store, under_way, network, ids[BEFORE - 80 : BEFORE], days[14:])
    store.close()
    return asked, under_way


def _collect(store, campaign, network, ids, days):
    """Let people report, spread over days."""
    reports = campaign.simulate(10 * network.features[: len(ids)], ids=ids, seed=1)
    part = np.array_split(np.arange(len(ids)), len(days))
    for day, rows in zip(days, part, strict=True):
        store.put(campaign.id, [Upload(ids[row], encode(reports.codes[row])) for row in rows], day=day)


def _embed(store, campaign, network, path):
    made = embed_store(store, network.graph, campaign=campaign.id, walk=Walk(alpha=0.05), joining=AS_IN_THE_PAPER)
    made.embedding.to_parquet(path)
