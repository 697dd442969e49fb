"""What the files say: each function is given a copy of all of them, because stores and folders are touched by reading.

Git keeps no permissions of folders; what must be private is made so in the copy.
"""

import hashlib
import json
import shutil
from contextlib import closing

import privge as pg
from former import current, inputs, writing
from former.computing import digest


def private_copy(target):
    """Copy all files, for this user alone."""
    shutil.copytree(inputs.FILES, target)
    for path in (target, *target.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)
    return target


def campaigns(files):
    """By both spellings: the id, which is the hash of the document, and the fields by which a device is asked."""
    found = {}
    for path in (*sorted(files.glob("campaigns/*.toml")), *_documents(files)):
        campaign = pg.Campaign.load(path)
        asked = [campaign.epsilon, campaign.k, campaign.names, campaign.opens, campaign.closes, campaign.law.outputs]
        found[f"{path.parent.name}/{path.name}"] = [campaign.id, *asked]
    return found


def shown_campaigns(files):
    said = {path.name: json.loads(writing.run("campaign", "show", path, "--json")) for path in _documents(files)}
    return {name: [each[field] for field in ("id", "epsilon_each", "realised_epsilon")] for name, each in said.items()}


def _documents(files):
    return sorted(files.glob("documents/*.json"))


def reports(files):
    return {path.name: _reports(pg.Reports.from_parquet(path)) for path in sorted(files.glob("reports/*.parquet"))}


def report_parts(files):
    parts = pg.ReportParts.open(files / "report-parts")
    said = [list(parts.names), parts.campaign.id, parts.reports, parts.digest, parts.seeded]
    return [said, [_reports(parts.read(number)) for number in range(len(parts))]]


def _reports(found):
    return {
        "campaign": found.campaign.id,
        "ids": found.ids.tolist(),
        "codes": found.codes.tolist(),
        "indices": found.indices.tolist(),
        "seeded": found.seeded,
        "digest": found.digest,
        "decoded": digest(found.decode().data),
    }


def graphs(files):
    read = {path.name: current.read_graph(path) for path in sorted(files.glob("graphs/*")) if path.is_file()}
    stored = {path.name: pg.StoredGraph.open(path).graph() for path in sorted(files.glob("graphs/*.graph"))}
    return {name: _graph(each) for name, each in (read | stored).items()}


def _graph(graph):
    return [graph.fingerprint, graph.ids.tolist(), digest(graph.indptr), digest(graph.indices)]


def stored_graphs(files):
    """What the folders say before any row is read."""
    opened = {path.name: pg.StoredGraph.open(path) for path in sorted(files.glob("graphs/*.graph"))}
    return {name: [each.nodes, each.edges, each.kind, each.fingerprint] for name, each in opened.items()}


def embeddings(files):
    return {name: _embedding(pg.Embedding.from_parquet(files / "embeddings" / name)) for name in EMBEDDINGS}


EMBEDDINGS = ("vectors.parquet", "clipped.parquet", "integers.parquet", "from-store.parquet", "parts")


def _embedding(found):
    return {
        "ids": found.ids.tolist(),
        "vectors": digest(found.matrix),
        "meaning": current.meaning(found),
        "circumstances": current.circumstances(found),
        "similar": [[node, round(score, 4)] for node, score in found.most_similar(found.ids[0], 3)],
    }


def similar(files):
    """The command's own words about a file and about a folder of parts."""
    places = [files / "embeddings" / name for name in ("vectors.parquet", "parts")]
    said = [json.loads(writing.run("similar", place, "--node", "n05", "--json")) for place in places]
    return [[[each["node"], round(each["score"], 4)] for each in one["similar"]] for one in said]


def embedded(files):
    """What the command makes of the files: of reports, of parts, of stores before and after an erasure."""
    graph, made = files / "graphs" / "texts.graph", files / "made.parquet"
    stores, old = files / "stores", files / "embeddings" / "from-store.parquet"
    chosen = ("--campaign", inputs.campaign(inputs.PRIVATE).id)
    found = {}
    for name, source in {
        "file": ("--reports", files / "reports" / "private.parquet", "--drop-unknown"),
        "parts": ("--reports", f"{files / 'report-parts'}/", "--drop-unknown"),
        "before": ("--store", stores / "before.db", *chosen, "--drop-unknown"),
        "after": ("--store", stores / "after.db", *chosen, "--drop-unknown"),
    }.items():
        writing.run("embed", "--graph", graph, *source, "-o", made)
        found[name] = _made(pg.Embedding.from_parquet(made))
    whole = files / "graphs" / "saved-texts.graph"
    writing.run("embed", "--graph", whole, "--store", stores / "after.db", *chosen, "--update", old, "-o", made)
    return found | {"update": _made(pg.Embedding.from_parquet(made))}


def _made(embedding):
    return {"vectors": digest(embedding.matrix), "meaning": current.meaning(embedding)}


def stores(files):
    found = {}
    for name in ("before", "after"):
        store = current.open_store(str(files / "stores" / f"{name}.db"), lifetime_epsilon=None, create=False)
        with closing(store):
            found[name] = {
                "hds": current.said_by(store, inputs.campaign(inputs.PRIVATE), [*inputs.NODES[3:6], "nobody"]),
                "piecewise": current.said_by(store, inputs.campaign("piecewise"), [1, "2", 99]),
                "log": current.log_of(store),
                "problems": store.verify(),
                "later": _later(store),
            }
    return found


def _later(store):
    """What becomes of the same report, of another, of one after an erasure, of a new one, and in a closed campaign."""
    uploads = dict(writing.uploads())
    same, other, new = uploads["n03"], uploads["n06"], uploads["n00"]
    asked = [("n03", same), ("n05", other), ("n04", uploads["n04"]), ("somebody", new)]
    closed = writing.uploads("piecewise", [9])
    return [
        current.outcomes_of(store, inputs.campaign(inputs.PRIVATE), asked),
        current.outcomes_of(store, inputs.campaign("piecewise"), closed),
    ]


def looked_after(files):
    """What the commands say of the stores; the size on disk is the machine's."""
    found = {}
    for name in ("before", "after"):
        place = files / "stores" / f"{name}.db"
        said = {what: json.loads(writing.run("store", what, "--store", place, "--json")) for what in STORE_COMMANDS}
        said["stats"].pop("bytes")
        found[name] = said
    return found


STORE_COMMANDS = ("stats", "verify", "log")


def device(files):
    asked = [inputs.campaign(name) for name in (inputs.PRIVATE, inputs.UNSENT)]
    return current.kept_reports(files / "device", asked, inputs.DEVICE)


def contributed(files):
    """What is sent of the reports that the device keeps: one that was charged, one that was only prepared."""
    return {name: requests(writing.contributed(files / "device", name)) for name in (inputs.PRIVATE, inputs.UNSENT)}


def submitted(files):
    """What is sent of an outbox with 20 of 24 reports; the others are the same as when they are passed on."""
    return {"begun": requests(writing.submitted(files / "outbox")), "new": requests(writing.submitted(files / "new"))}


def requests(received):
    """Requests with the hash of their body in its place."""
    return [each | {"body": hashlib.sha256(each["body"]).hexdigest()} for each in received]


def outbox(files):
    campaign = inputs.campaign(inputs.PRIVATE)
    box = current.Outbox(files / "outbox" / campaign.id, campaign)
    return {
        "reports": _reports(box.reports()),
        "parts": [box.part(number).ids.tolist() for number in range(2)],
        "absent": box.absent(inputs.reports().ids).tolist(),
        "places": [[number, rows.tolist()] for number, rows in box.places(inputs.reports().ids[5:15])],
        "acknowledged": [box.acknowledged(inputs.ORIGIN, number, 10).tolist() for number in range(2)],
    }


def tokens(files):
    """Whom the tokens speak for, in time and too late."""
    keys = current.read_keys(files / "tokens" / "keys")
    lines = (files / "tokens" / "people.csv").read_text().splitlines()
    shown = [line.split(",")[1] for line in lines[1:]]
    late = inputs.EXPIRES + 86_401
    return {
        "keys": [[key.id, key.secret.hex()] for key in keys],
        "grants": [current.granted(keys, token, inputs.NOW) for token in shown],
        "refused": [current.granted(keys, shown[0], late), current.granted(keys[1:], shown[0], inputs.NOW)],
        "integer": writing.token_of(17),
    }


WIRE = ("contribute-0-PUT-reports.bin", "submit-0-POST-ask.bin", "submit-2-POST-reports.bin")


def served(files):
    """What the service answers to the bytes of the former version: one report, many, and questions."""
    campaign = inputs.campaign(inputs.PRIVATE)
    keys = current.read_keys(files / "tokens" / "keys")
    place, wire = f"/v1/campaigns/{campaign.id}", files / "wire"
    one, ask, many = ((wire / name).read_bytes() for name in WIRE)
    put = f"{place}/reports/{hashlib.sha256(one).hexdigest()}"
    msgpack, token = "application/msgpack", writing.token_of(inputs.DEVICE)
    asked = [
        ("GET", place, None, None, b""),
        ("GET", f"{place}/me", token, None, b""),
        ("PUT", put, token, "application/octet-stream", one),
        ("PUT", put, token, "application/octet-stream", one),
        ("GET", f"{place}/me", token, None, b""),
        ("POST", f"{place}/ask", token, msgpack, ask),
        ("POST", f"{place}/reports", token, msgpack, many),
        ("POST", f"{place}/reports", token, msgpack, many[:-1]),
    ]
    return current.answers(files, campaign, keys, inputs.NOW, asked)


def results(files):
    return current.finished_lines(files / "results", "links", "cora")


def reproduced(files):
    """The table that the finished repeats give. All of them are there, so nothing is run."""
    return current.table_row(files / "results", epsilon=1, repeats=2)


READ = {
    "campaigns": campaigns,
    "shown campaigns": shown_campaigns,
    "reports": reports,
    "report parts": report_parts,
    "graphs": graphs,
    "stored graphs": stored_graphs,
    "embeddings": embeddings,
    "similar": similar,
    "embedded": embedded,
    "stores": stores,
    "looked after": looked_after,
    "device": device,
    "contributed": contributed,
    "submitted": submitted,
    "outbox": outbox,
    "tokens": tokens,
    "served": served,
    "results": results,
    "reproduced": reproduced,
}
