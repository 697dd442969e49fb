"""What the room shows is what the store holds."""

import re
from datetime import date, timedelta
from itertools import pairwise

import numpy as np
import pytest

import privge as pg
from collect.service.harness import campaign_of, report_of, token_of
from pages.visitor import Seen, Visitor, opened
from privge.collect.stores import Upload
from privge.collect.stores.store import Arrived, Spent
from privge.curator import embed_store
from privge.graph import write_graph
from privge.pages.room.charts import Columns, shares
from privge.pages.room.coverage import coverage
from privge.pages.room.life import Life, in_steps
from privge.pages.room.maps import POINTS, map_of
from privge.pages.room.options import RoomOptions
from privge.pages.room.overview import histogram
from privge.pages.room.vectors import find_embeddings

DAY = date(2027, 1, 4)
PEOPLE = [f"person-{number}" for number in range(8)]


def text_of(reply):
    return " ".join(Seen(reply.body.decode()).text.split())


def fill(store, campaign, people, day=DAY):
    store.put(campaign.id, [Upload(each, report_of(campaign, seed)) for seed, each in enumerate(people)], day=day)


@pytest.fixture
def graph():
    """A path of six, and two who know nobody."""
    return pg.Graph.from_edges([(PEOPLE[i], PEOPLE[i + 1]) for i in range(5)], nodes=PEOPLE)


def test_the_overview_counts_reports_people_and_outcomes(service, inside):
    for node in ("alice", "bob"):
        report = report_of(service.campaign)
        service.put(report, token_of(node))
        service.put(report, token_of(node))
    service.put(report_of(service.campaign, 1), token_of("bob"))
    service.store.erase("alice")
    text = text_of(inside.get())
    assert "1 reports stored 2 people ever took part" in text
    assert "Ready" in text
    for outcome, count in (("stored", 2), ("same", 2), ("different", 1)):
        assert re.search(rf"{outcome}[^0-9]*{count}\b", text)
    assert "alice" not in text


def test_arrivals_are_shown_in_coarse_steps():
    assert in_steps([]) == (1, [])
    days = [Arrived(DAY, 3), Arrived(DAY + timedelta(days=2), 1)]
    assert in_steps(days) == (1, [("2027-01-04", 3), ("2027-01-05", 0), ("2027-01-06", 1)])
    long = [Arrived(DAY + timedelta(days=day), 1) for day in range(60)]
    step, counts = in_steps(long)
    assert (step, len(counts), sum(count for _, count in counts)) == (7, 9, 60)
    for span in (1, 14, 15, 98, 99, 1000, 5000):
        step, counts = in_steps([Arrived(DAY, 1), Arrived(DAY + timedelta(days=span - 1), 1)])
        assert step >= 1
        assert sum(count for _, count in counts) == 2
        assert len(counts) <= 14


def test_a_life_goes_from_published_to_closed_to_deleted(service):
    store = service.store
    campaign = campaign_of(purpose="short", closes="2020-01-01T00:00:00Z", retention_days=3)
    store.add_campaign(campaign)
    fill(store, campaign, PEOPLE[:1], date(2019, 12, 30))

    def life():
        return Life.of(store.campaign(campaign.id), store.log())

    assert (life().now, life().stages[3].when) == ("published", "2020-01-04")
    assert life().due(date(2020, 1, 4))
    assert not life().due(date(2020, 1, 3))
    store.close_campaign(campaign.id)
    assert life().now == "closed"
    store.retire(date(2020, 1, 5))
    assert life().now == "deleted"
    assert not life().due(date(2030, 1, 1))


def test_without_retention_nothing_is_ever_due(service):
    life = Life.of(service.store.campaign(service.campaign.id), service.store.log())
    assert (life.now, life.stages[2].when, life.stages[3].when) == ("published", "by hand", "no time is stated")
    assert not life.due(date(2999, 1, 1))


def test_coverage_counts_who_took_part_and_who_is_near(service, graph):
    fill(service.store, service.campaign, [PEOPLE[0], PEOPLE[7], "stranger"])
    cover = coverage(service.store, service.campaign.id, graph)
    assert (cover.nodes, cover.reported, cover.strangers, cover.near) == (8, 2, 1, 3)
    assert cover.by_degree == (("0", 1, 2), ("1", 1, 2), ("2", 0, 4))


def test_an_embedding_is_fresh_then_behind_then_stale(service, graph, tmp_path):
    folder = tmp_path / "vectors"
    folder.mkdir()
    fill(service.store, service.campaign, PEOPLE[:3])
    embed_store(service.store, graph).embedding.to_parquet(folder / "z.parquet")

    def found():
        (one,) = find_embeddings(folder, service.store, graph="edges.csv", store_name="reports.db")
        return one

    assert (found().state, found().command) == ("fresh", "")
    service.put(report_of(service.campaign), token_of(PEOPLE[4]))
    assert found().state == "behind"
    assert "1 report came" in found().reasons[0]
    assert f"--update {folder / 'z.parquet'}" in found().command
    service.store.erase(PEOPLE[0])
    assert found().state == "stale"
    assert "1 person was erased" in found().reasons[0]
    assert "--update" not in found().command
    assert service.campaign.id[:12] in found().command


def test_a_file_that_is_no_embedding_is_told_and_breaks_nothing(service, tmp_path):
    folder = tmp_path / "vectors"
    folder.mkdir()
    (folder / "a.parquet").write_bytes(b"PAR1 no")
    (folder / "b.npy").write_bytes(b"x")
    (folder / "c.txt").write_bytes(b"x")
    found = find_embeddings(folder, service.store, graph=None, store_name="reports.db")
    assert [(each.name, each.state, bool(each.trouble)) for each in found] == [
        ("a.parquet", "broken", True),
        ("b.npy", "broken", True),
    ]


def test_an_embedding_of_another_store_is_not_judged(service, graph, tmp_path):
    campaign = campaign_of(purpose="elsewhere")
    reports = campaign.simulate(np.zeros((8, 20)), ids=PEOPLE, seed=0)
    pg.embed(graph, reports).to_parquet(tmp_path / "z.parquet")
    (one,) = find_embeddings(tmp_path, service.store, graph=None, store_name="reports.db")
    assert (one.state, one.command) == ("unknown", "")


def test_the_pages_show_graph_and_embeddings_and_say_what_to_run(tmp_path, graph):
    folder = tmp_path / "vectors"
    folder.mkdir()
    edges = tmp_path / "edges.csv"
    write_graph(graph, edges)
    with opened(tmp_path, options=RoomOptions(edges, None, folder, "reports.db")) as service:
        fill(service.store, service.campaign, PEOPLE[:3])
        embed_store(service.store, graph).embedding.to_parquet(folder / "z.parquet")
        service.store.erase(PEOPLE[0])
        visitor = Visitor(service)
        visitor.enter()
        page = text_of(visitor.get(f"/operator/campaigns/{service.campaign.id}"))
        assert "2 of 6 people took part" in page
        assert "stale z.parquet" in page
        listed = text_of(visitor.get("/operator/embeddings"))
        assert f"privge embed --graph {edges} --store reports.db --campaign {service.campaign.id[:12]}" in listed
        assert "Colour: community" in text_of(visitor.get("/operator/embeddings/z.parquet"))


def test_a_map_is_a_sample_that_repeats():
    campaign = campaign_of(k=20)
    rng = np.random.default_rng(0)
    people = [str(number) for number in range(POINTS + 500)]
    big = pg.Graph.from_edges(list(pairwise(people)))
    reports = campaign.simulate(rng.random((len(people), 20)), ids=people, seed=0)
    embedding = pg.embed(big, reports)
    drawn = map_of(embedding, None)
    assert (len(drawn.points), drawn.nodes, drawn.groups) == (POINTS, POINTS + 500, ())
    assert 0 < drawn.explained <= 1
    assert drawn == map_of(embedding, None)
    assert all(0 <= point.x <= 520 and 0 <= point.y <= 520 for point in drawn.points)


def test_a_histogram_has_few_classes_and_loses_nobody():
    few = [Spent(0.5, 3), Spent(1.0, 2)]
    assert histogram(few, 6.0) == [("0.5", 3), ("1", 2)]
    many = [Spent(0.1 * place, place) for place in range(1, 61)]
    counts = histogram(many, 6.0)
    assert len(counts) == 12
    assert sum(count for _, count in counts) == sum(each.nodes for each in many)


def test_columns_stay_in_their_picture_and_empty_ones_are_no_trouble():
    assert Columns.of("nothing", []).columns == ()
    assert [column.height for column in Columns.of("zeros", [("a", 0), ("b", 0)]).columns] == [0, 0]
    drawn = Columns.of("some", [(str(place), place) for place in range(30)])
    assert all(0 <= column.x <= column.x + column.width <= 640.001 for column in drawn.columns)
    assert drawn.columns[-1].height == 160
    assert sum(column.labelled for column in drawn.columns) <= 8
    assert [bar.text for bar in shares([("a", 1, 4), ("b", 0, 0)])] == ["1 of 4 (25%)", "0 of 0"]
