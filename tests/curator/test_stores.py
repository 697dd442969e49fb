import logging
import subprocess
import sys

import numpy as np
import pytest

from privge import Campaign, Local, embed, update
from privge.collect.stores import open_store
from privge.curator import embed_store, find_campaign, update_from_store
from privge.embedding.join import Joining
from privge.errors import BadData, CampaignMismatch, NotUpdatable
from privge.propagation import Walk


def test_a_curator_needs_no_command_line():
    code = "import sys, privge.curator; sys.exit('click' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_store_gives_the_vectors_of_its_reports(store, put, reports, graph):
    put(reports, range(30))
    made = embed_store(store, graph)
    assert (made.new_reports, made.updated) == (30, False)
    assert (made.embedding.matrix == embed(graph, reports.take(np.arange(30))).matrix).all()
    assert made.embedding.provenance.source.store_sequence == store.campaign(reports.campaign.id).last


def test_what_is_asked_for_reaches_the_embedding(store, put, reports, graph):
    put(reports, range(30))
    walk, joining = Walk(0.3, 0.2, 1e-5), Joining("unbiased", 2.0)
    provenance = embed_store(store, graph, walk=walk, joining=joining, on=Local(engine="exact")).embedding.provenance
    assert provenance.run.walk == walk
    assert (provenance.source.decoding, provenance.source.clip, provenance.run.engine) == ("unbiased", 2.0, "exact")


def test_an_update_adds_what_arrived_since(store, put, reports, graph, apart, caplog):
    put(reports, range(25))
    first = embed_store(store, graph)
    put(reports, range(25, len(reports)))
    with caplog.at_level(logging.INFO, "privge"):
        second = update_from_store(store, graph, first.embedding)
    assert (second.new_reports, second.updated) == (15, True)
    assert "15 reports arrived since the earlier embedding" in caplog.text
    assert apart(second.embedding, embed(graph, reports)) <= 0
    assert apart(first.embedding, embed(graph, reports)) > 0
    third = update_from_store(store, graph, second.embedding)
    assert (third.new_reports, third.updated) == (0, True)
    assert (third.embedding.matrix == second.embedding.matrix).all()


def test_after_an_erasure_everything_is_embedded_as_it_was_asked_for(store, put, reports, graph, apart, caplog):
    put(reports, range(30))
    first = embed_store(store, graph, walk=Walk(0.3, 0.5, 1e-5), joining=Joining(clip=1.25))
    store.erase("n3")
    second = update_from_store(store, graph, first.embedding)
    assert (second.new_reports, second.updated) == (29, False)
    assert "reports were erased" in caplog.text
    left = reports.take(np.array([i for i in range(30) if i != 3]))
    assert apart(second.embedding, embed(graph, left, alpha=0.3, tolerance=1e-5, clip=1.25)) <= 0
    assert second.embedding.provenance.run.walk == Walk(0.3, 0.5, 1e-5)


def test_the_campaign_of_an_update_is_that_of_the_embedding(store, put, reports, graph):
    put(reports, range(5))
    first = embed_store(store, graph)
    other = Campaign(dimensions=2, low=0, high=1, mechanism="hds", epsilon=1.0, k=1, levels=33)
    store.add_campaign(other)
    assert update_from_store(store, graph, first.embedding).updated
    with pytest.raises(CampaignMismatch, match="made from campaign"):
        update_from_store(store, graph, first.embedding, campaign=other.id[:8])


def test_a_campaign_is_found_by_how_its_id_begins(store, campaign, graph):
    assert find_campaign(store) == campaign.id
    other = Campaign(dimensions=2, low=0, high=1, mechanism="hds", epsilon=1.0, k=1, levels=33)
    store.add_campaign(other)
    assert find_campaign(store, other.id[:6]) == other.id
    with pytest.raises(ValueError, match="2 campaigns, and none is chosen"):
        find_campaign(store)
    with pytest.raises(BadData, match="no campaigns whose id begins with 'zzz'"):
        find_campaign(store, "zzz")
    with pytest.raises(BadData, match="has no reports yet"):
        embed_store(store, graph, campaign=other.id)


def test_an_embedding_that_is_not_of_this_store_and_graph_is_not_updated(
    store, put, reports, graph, smaller, campaign, tmp_path
):
    put(reports, range(20))
    first = embed_store(store, graph).embedding
    with pytest.raises(NotUpdatable, match="another graph"):
        update_from_store(store, smaller, first)
    with pytest.raises(NotUpdatable, match="another graph than the previous one"):
        update_from_store(store, graph, first, before=smaller)
    with pytest.raises(NotUpdatable, match="not made from a store"):
        update_from_store(store, graph, embed(graph, reports))
    other = open_store(str(tmp_path / "other.db"))
    with pytest.raises(NotUpdatable, match="does not have its campaign"):
        update_from_store(other, graph, first)
    other.add_campaign(campaign)
    put(reports, range(5), other)
    with pytest.raises(NotUpdatable, match="newer than the store"):
        update_from_store(other, graph, first)
    other.close()


def test_reports_of_strangers_are_refused_or_dropped_and_counted(store, put, reports, campaign, graph, caplog):
    put(reports, range(20))
    first = embed_store(store, graph).embedding
    put(campaign.simulate(np.full((1, 6), 0.5), ids=["stranger"]), [0])
    put(reports, range(20, 25))
    with pytest.raises(BadData, match=r"1 of 6 reports are of nodes that are not in the graph; .*--drop-unknown"):
        update_from_store(store, graph, first)
    assert update_from_store(store, graph, first, unknown="drop").new_reports == 5
    assert "dropped 1 of 6 new reports (16.7%)" in caplog.text


def test_a_graph_that_gained_nodes_takes_the_reports_that_had_no_place_before(
    store, put, reports, graph, smaller, apart
):
    put(reports, [*range(20), *range(30, 35)])  # five of nodes that the smaller graph does not have
    first = embed_store(store, smaller, joining=Joining(unknown="drop"))
    put(reports, range(20, 28))
    second = update_from_store(store, graph, first.embedding, before=smaller)
    assert (second.new_reports, second.updated) == (13, True)
    expected = embed(graph, reports.take(np.array([*range(28), *range(30, 35)])))
    assert apart(second.embedding, expected) <= 0
    assert second.embedding.ids.tolist() == graph.ids.tolist()


def test_an_embedding_that_was_updated_otherwise_is_not_taken_for_what_the_store_had(store, put, reports, graph):
    put(reports, range(25))
    first = embed_store(store, graph).embedding
    older, late = reports.take(np.arange(25)), reports.take(np.arange(25, 40))
    elsewhere = update(first, late, graph=graph, reports=older)  # which now has the late reports, too
    put(reports, range(25, 40))
    with pytest.raises(NotUpdatable, match="was not made from a store"):
        update_from_store(store, graph, elsewhere)
