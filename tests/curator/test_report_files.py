import numpy as np
import pytest

from privge import Campaign, Graph, Reports, embed, update
from privge.curator import embed_reports, update_from_reports
from privge.embedding.join import Joining
from privge.errors import BadData, CampaignMismatch, NotUpdatable


@pytest.fixture
def some(reports):
    return lambda *rows: reports.take(np.array(rows))


def test_an_update_adds_what_a_newer_file_has_beyond_an_older_one(graph, reports, some, apart):
    older = some(*range(25))
    newer = some(*reversed(range(40)))  # ids decide which are new, not where they stand
    first = embed_reports(graph, older)
    second = update_from_reports(graph, first.embedding, older, newer)
    assert (second.new_reports, second.updated) == (15, True)
    assert apart(second.embedding, embed(graph, reports)) <= 0
    assert apart(first.embedding, embed(graph, reports)) > 0
    third = update_from_reports(graph, second.embedding, newer, newer)
    assert third.new_reports == 0
    assert second.embedding.provenance.source.participation == 1


def test_reports_that_are_gone_are_forgotten(graph, some, apart, caplog):
    older, newer = some(*range(25)), some(*range(1, 30))
    first = embed_reports(graph, older, joining=Joining("unbiased"))
    second = update_from_reports(graph, first.embedding, older, newer)
    assert not second.updated
    assert "1 of 25 reports were erased" in caplog.text
    assert apart(second.embedding, embed(graph, newer, decoding="unbiased")) <= 0


def test_new_reports_alone_are_not_all_reports_of_today(graph, some):
    """They would give an embedding of the few new ones, as if all others had been erased."""
    older = some(*range(25))
    first = embed_reports(graph, older).embedding
    with pytest.raises(NotUpdatable, match="none of its 25 reports is among the newer ones, which must be all reports"):
        update_from_reports(graph, first, older, some(*range(25, 40)))


def test_what_is_not_proven_is_refused(graph, reports, some):
    older, newer = some(*range(25)), some(*range(40))
    first = embed_reports(graph, older).embedding
    with pytest.raises(NotUpdatable, match="their digest differs"):
        update_from_reports(graph, first, some(*range(24)), newer)
    with pytest.raises(NotUpdatable, match="does not say which reports"):
        update_from_reports(graph, embed(graph, older), older, newer)
    codes = reports.codes.copy()
    codes[3, 0] = (codes[3, 0] + 1) % reports.campaign.law.outputs
    with pytest.raises(NotUpdatable, match="1 nodes have another report than before"):
        update_from_reports(graph, first, older, Reports(reports.campaign, reports.ids, codes))
    other = Campaign(dimensions=6, low=0, high=1, mechanism="hds", epsilon=1.0, k=3, levels=33)
    with pytest.raises(CampaignMismatch, match="made from campaign"):
        update_from_reports(graph, first, older, other.simulate(np.zeros((2, 6)), ids=["n0", "n1"]))


def test_integers_and_their_digits_are_one_node(campaign, apart):
    graph = Graph.from_edges([(i, (i + 1) % 10) for i in range(10)])
    numbers = campaign.simulate(np.full((10, 6), 0.5), ids=range(10))
    texts = Reports(campaign, list(map(str, range(10))), numbers.codes)
    older = numbers.take(np.arange(4))
    first = embed_reports(graph, older)
    second = update_from_reports(graph, first.embedding, older, texts)
    assert second.new_reports == 6
    assert apart(second.embedding, embed(graph, numbers)) <= 0


def test_strangers_in_a_newer_file_are_refused_or_dropped(smaller, some, apart):
    older, newer = some(*range(10)), some(*range(32))
    first = embed_reports(smaller, older).embedding
    with pytest.raises(BadData, match="2 of 22 reports are of nodes that are not in the graph"):
        update_from_reports(smaller, first, older, newer)
    made = update_from_reports(smaller, first, older, newer, unknown="drop")
    assert made.new_reports == 20
    assert apart(made.embedding, embed(smaller, newer, unknown="drop")) <= 0


def test_a_graph_that_gained_nodes_takes_the_reports_that_had_no_place_before(graph, smaller, some, apart):
    older, newer = some(*range(35)), some(*range(38))
    first = embed_reports(smaller, older, joining=Joining(unknown="drop"))
    second = update_from_reports(graph, first.embedding, older, newer, before=smaller)
    assert second.new_reports == 8
    assert apart(second.embedding, embed(graph, newer)) <= 0


def test_an_embedding_that_was_updated_otherwise_is_not_taken_for_one_of_the_older_reports(graph, some):
    older, late, newer = some(*range(25)), some(*range(25, 40)), some(*range(40))
    first = embed_reports(graph, older).embedding
    elsewhere = update(first, late, graph=graph, reports=older)  # which now has the late reports, too
    with pytest.raises(NotUpdatable, match="does not say which reports"):
        update_from_reports(graph, elsewhere, older, newer)
