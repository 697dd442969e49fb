"""No text of a campaign, a file, a class or a person becomes anything but text on a page."""

from datetime import date
from urllib.parse import quote

import numpy as np
import pytest

import privge as pg
from collect.service.harness import campaign_of, report_of
from pages.visitor import Seen, Visitor, opened
from privge.collect.stores import Upload
from privge.curator import embed_store
from privge.graph import write_graph
from privge.pages.room.options import RoomOptions

PAYLOADS = (
    "<script>alert(1)</script>",
    "</textarea><script>alert(1)</script>",
    "</title></style></svg><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onfocus=alert(1) autofocus='",
    '" onmouseover="alert(1)',
    "<svg/onload=alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "javascript:alert(1)",
    "<a href=javascript:alert(1)>x</a>",
    "{{ 31337*31337 }}{% for x in () %}{{ cycler.__init__ }}{% endfor %}${31337*31337}",
    "<!--<script>-->",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "\u2028<script>alert(1)</script>\u202e",
    "<base href=//elsewhere.example><link rel=import href=//elsewhere.example>",
    "<meta http-equiv=refresh content='0;url=//elsewhere.example'>",
    "<form action=//elsewhere.example><button>x",
    "]]><x:script xmlns:x='http://www.w3.org/1999/xhtml'>alert(1)</x:script>",
)
TAGS = {"script", "img", "iframe", "base", "object", "embed", "x:script", "style"}


def check(reply):
    """A page has no element, attribute or address that a payload would have brought."""
    seen = Seen(reply.body.decode())
    assert not TAGS & set(seen.tags)
    assert not [name for _, name, _ in seen.attributes if name.startswith("on") or name in ("srcdoc", "style")]
    for tag, name, value in seen.attributes:
        if name in ("href", "src", "action", "formaction", "content") and tag != "meta":
            assert value.startswith(("/", "#")), value
            assert not value.startswith("//")
    assert "982007569" not in seen.text
    return seen


@pytest.mark.parametrize("payload", PAYLOADS)
def test_texts_of_a_campaign_are_text(tmp_path, payload):
    names = [payload, payload + " again"]
    campaign = campaign_of(
        purpose=payload, dimensions=2, names=names, k=2, round="r" + payload.strip("\u2028\u202e")[:30].strip()
    )
    with opened(tmp_path, campaign=campaign) as service:
        visitor = Visitor(service)
        visitor.enter()
        service.store.put(campaign.id, [Upload(payload, report_of(campaign))], day=date(2027, 1, 1))
        for path in ("", "/trail", f"/campaigns/{campaign.id}", "/new", "/embeddings"):
            seen = check(visitor.get(f"/operator{path}"))
            if path in ("", f"/campaigns/{campaign.id}"):
                assert payload.split()[0] in seen.text


@pytest.mark.parametrize("payload", PAYLOADS)
def test_what_is_written_into_the_form_is_text(inside, payload):
    form = inside.form("/operator/new", "/operator/draft")
    fields = dict.fromkeys(("purpose", "names", "low", "high", "epsilon", "k", "closes", "round", "document"), payload)
    seen = check(inside.post("/operator/draft", **form, **fields))
    assert payload.split()[0] in seen.text or any(payload in value for _, _, value in seen.attributes)


@pytest.mark.parametrize("payload", [each for each in PAYLOADS if "/" not in each])
def test_names_of_files_and_classes_and_ids_of_people_are_text(tmp_path, payload):
    folder = tmp_path / "vectors"
    folder.mkdir()
    people = [f"{payload} {number}" for number in range(12)]
    ring = [(people[number], people[(number + 1) % 12]) for number in range(12)]
    graph = pg.Graph.from_edges(ring)
    edges, labels = tmp_path / "edges.csv", tmp_path / "labels.csv"
    write_graph(graph, edges)
    lines = ['"' + (one + '","' + payload.replace('"', '""')).replace("\n", " ") + '"' for one in
             (person.replace('"', '""') for person in people)]  # fmt: skip
    labels.write_text("id,label\n" + "\n".join(lines) + "\n", encoding="utf-8")
    with opened(tmp_path, options=RoomOptions(edges, labels, folder, "reports.db")) as service:
        uploads = [Upload(person, report_of(service.campaign, seed)) for seed, person in enumerate(people)]
        service.store.put(service.campaign.id, uploads, day=date(2027, 1, 1))
        file = folder / f"{payload}.parquet"
        embed_store(service.store, graph).embedding.to_parquet(file)
        (folder / f"{payload} broken.npy").write_bytes(b"x")
        visitor = Visitor(service)
        visitor.enter()
        assert payload.split()[0] in check(visitor.get("/operator/embeddings")).text
        map_page = visitor.get(f"/operator/embeddings/{quote(file.name)}".replace("%", "%"))
        check(visitor.get(f"/operator/campaigns/{service.campaign.id}"))
        assert map_page.status in (200, 404)  # the harness leaves the path as it is written


def test_the_map_shows_classes_and_nobody(tmp_path):
    folder = tmp_path / "vectors"
    folder.mkdir()
    people = [f"person-{number}" for number in range(30)]
    graph = pg.Graph.from_edges([(people[a], people[(a + step) % 30]) for a in range(30) for step in (1, 2)])
    edges, labels = tmp_path / "edges.csv", tmp_path / "labels.csv"
    write_graph(graph, edges)
    labels.write_text("id,label\n" + "".join(f"{person},<b>{place % 3}</b>\n" for place, person in enumerate(people)))
    with opened(tmp_path, options=RoomOptions(edges, labels, folder)) as service:
        uploads = [Upload(person, report_of(service.campaign, seed)) for seed, person in enumerate(people)]
        service.store.put(service.campaign.id, uploads, day=date(2027, 1, 1))
        embed_store(service.store, graph).embedding.to_parquet(folder / "z.parquet")
        visitor = Visitor(service)
        visitor.enter()
        reply = visitor.get("/operator/embeddings/z.parquet")
        seen = check(reply)
    assert reply.status == 200
    assert seen.tags.count("circle") == 33
    assert "<b>2</b>" in seen.text
    assert "person-" not in reply.body.decode()


@pytest.mark.parametrize("file", ["..", "../reports.db", "%2e%2e", "reports.db", "z.parquet/x", "\x00"])
def test_no_file_besides_the_folder_is_opened(tmp_path, file):
    folder = tmp_path / "vectors"
    folder.mkdir()
    np.save(tmp_path / "z.npy", np.zeros(3))
    with opened(tmp_path, options=RoomOptions(embeddings=folder)) as service:
        visitor = Visitor(service)
        visitor.enter()
        assert visitor.get(f"/operator/embeddings/{file}").status == 404
