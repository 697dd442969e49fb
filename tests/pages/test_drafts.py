"""From the form to a published campaign, and what is refused on the way."""

import json
import re

import pytest

from privge.campaign import Campaign

FIELDS = {
    "purpose": "Shared topics",
    "names": "sport\nmusic\nbooks",
    "low": "0",
    "high": "10",
    "mechanism": "hds",
    "epsilon": "1",
    "k": "2",
    "closes": "2999-01-31",
    "retention_days": "30",
    "people": "5000",
}


def draft(visitor, **changes):
    form = visitor.form("/operator/new", "/operator/draft")
    return visitor.post("/operator/draft", **form, **(FIELDS | changes))


def published(reply):
    from html import unescape

    text = reply.body.decode()
    hidden = re.search(r'action="/operator/publish">(.*?)</form>', text, re.DOTALL).group(1)
    return {name: unescape(value) for name, value in re.findall(r'name="(\w+)" value="([^"]*)"', hidden)}


def test_an_empty_form_is_told_in_the_words_of_the_form(inside):
    text = draft(inside, names=" \n").body.decode()
    assert "write what is asked, one name on each line" in text
    assert "dimensions" not in text


def test_a_draft_is_shown_with_its_forecast_and_stored_nowhere(service, inside):
    reply = draft(inside)
    text = reply.body.decode()
    assert reply.status == 200
    assert "73.1 %" in text
    assert "± " in text
    assert len(service.store.campaigns()) == 1
    document = json.loads(published(reply)["canonical"])
    assert (document["names"], document["high"], document["k"]) == (["sport", "music", "books"], 10, 2)


def test_a_draft_becomes_the_campaign_that_was_shown(service, inside):
    fields = published(draft(inside))
    reply = inside.post("/operator/publish", **fields)
    campaign = Campaign.from_json(fields["canonical"])
    assert (reply.status, reply.headers["location"]) == (303, f"/operator/campaigns/{campaign.id}")
    assert service.store.campaign(campaign.id).campaign == campaign
    assert inside.get(reply.headers["location"]).status == 200
    assert service.store.log()[-1].by == "operator"


def test_a_draft_can_be_kept_as_a_file(inside):
    form = inside.form("/operator/new", "/operator/draft")
    reply = inside.post("/operator/draft", **form, **FIELDS, download="1")
    assert reply.headers["content-type"] == "application/json"
    assert reply.headers["content-disposition"].startswith("attachment")
    assert Campaign.from_json(reply.body).purpose == "Shared topics"


def test_a_whole_document_replaces_the_form(inside):
    text = 'epsilon = 2\nk = 1\nmechanism = "hds"\nlow = 0\nhigh = 1\ndimensions = 7\n'
    document = json.loads(published(draft(inside, document=text))["canonical"])
    assert (document["dimensions"], document["epsilon"], document["purpose"]) == (7, 2, "")


def test_a_single_number_says_how_many_features_there_are(inside):
    assert json.loads(published(draft(inside, names="500"))["canonical"])["dimensions"] == 500


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"epsilon": "-1"}, "epsilon"),
        ({"epsilon": "much"}, "epsilon"),
        ({"names": ""}, "one name on each line, or just how many"),
        ({"low": "10"}, "high"),
        ({"k": "9"}, "k"),
        ({"closes": "2020-01-01"}, "past"),
        ({"closes": ""}, "closes"),
        ({"people": "0"}, "people"),
        ({"people": "1e9"}, "people"),
        ({"mechanism": "none"}, "control"),
        ({"document": "{"}, "JSON"),
        ({"document": "x = ["}, "TOML"),
        ({"document": "[" * 5000}, "TOML"),
    ],
)
def test_what_is_wrong_is_told_and_nothing_that_was_written_is_lost(service, inside, change, told):
    reply = draft(inside, **change)
    text = reply.body.decode()
    alert = text.partition('role="alert">')[2].partition("</p>")[0]
    assert reply.status == 200
    assert told in alert
    assert "Shared topics" in text
    assert "Publish for good" not in text
    assert len(service.store.campaigns()) == 1


def test_only_a_canonical_document_is_published(service, inside):
    fields = published(draft(inside))
    loose = json.dumps(json.loads(fields["canonical"]), indent=1)
    assert inside.post("/operator/publish", form=fields["form"], canonical=loose).status == 422
    assert len(service.store.campaigns()) == 1


def test_a_draft_needs_a_fresh_form_too(service, inside):
    assert inside.post("/operator/draft", **FIELDS).status == 403
    fields = published(draft(inside))
    service.now += 10**4
    inside.enter()
    assert inside.post("/operator/publish", **fields).status == 403
    assert len(service.store.campaigns()) == 1


def test_beside_a_draft_stands_what_the_plan_says_of_this_graph(tmp_path):
    from pages.visitor import Visitor, opened
    from privge.datasets import social_network
    from privge.graph import write_graph
    from privge.pages.room.options import RoomOptions

    network = social_network(300, seed=1)
    edges, labels = tmp_path / "edges.csv", tmp_path / "labels.csv"
    write_graph(network.graph, edges)
    known = [(node, label) for node, label in zip(network.graph.ids, network.labels, strict=True) if node[-1] < "5"]
    known.append(("who knows nobody", 1))
    labels.write_text("id,label\n" + "".join(f"{node},c{label}\n" for node, label in known))
    with opened(tmp_path, options=RoomOptions(edges, labels)) as service:
        visitor = Visitor(service)
        visitor.enter()
        text = draft(visitor, people="300").body.decode()
    plan = text.partition("Is it worth it?")[2]
    assert "points to what the graph already says" in plan
    rows = [
        tuple(map(float, row))
        for row in re.findall(r'<td class="number">([\d.]+)</td><td class="number">([\d.]+)<', plan)
    ]
    assert [epsilon for epsilon, _ in rows] == [0.5, 1, 2, 4]
    assert [points for _, points in rows] == sorted(points for _, points in rows)


@pytest.mark.parametrize("document", ["a = " + "[" * 100_000, "a = " + "9" * 5_000, '{"a": ' + "[" * 100_000, "a = "])
def test_a_document_that_cannot_be_read_is_told_and_no_trouble_of_the_service(inside, document):
    reply = draft(inside, document=document)
    assert reply.status == 200
    assert re.search("neither JSON nor TOML|is not JSON", reply.body.decode())


def test_without_a_graph_the_page_says_what_is_missing(inside):
    assert "start with --graph" in draft(inside).body.decode()
