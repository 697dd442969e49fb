"""Where the things that the top level of privge does not export are now: the one file here that follows a move."""

import json
from dataclasses import asdict
from datetime import date

import privge as pg
from collect.service.harness import InProcess
from privge.cli import main
from privge.collect.service.credentials import read_keys, write_keys
from privge.collect.stores import Upload, open_store
from privge.device.memory import Memory
from privge.device.outbox import Outbox
from privge.experiments.cell import Cell
from privge.experiments.comparison import Table
from privge.experiments.method import RAW_FEATURES
from privge.experiments.plan import HDS
from privge.experiments.results import Results
from privge.experiments.spread import plain
from privge.graph import read_graph, save_graph, write_graph
from privge.wire.tokens import InvalidToken, Key, Verifier, mint

DAY = date(2025, 1, 2)
MAKER = "former version"
_RUN = ("alpha", "r", "engine", "tolerance", "certificate", "sweeps", "precision")
ON_THE_WAY = ("certificate", "sweeps", "precision")
_ASKED = ("campaign", "mechanism", "epsilon", "k", "decoding", "clip", "participation", "store_sequence")


def meaning(embedding):
    """What an embedding says of itself, whatever shape its provenance has; not when and how fast it was made."""
    made = embedding.provenance
    asked = {name: getattr(made.source, name) for name in _ASKED}
    run = {name: getattr(made.run, name) for name in _RUN}
    return {**asked, "graph": made.graph.fingerprint, "nodes": made.graph.nodes, "edges": made.graph.edges, **run}


def circumstances(embedding):
    """By which version, and how fast, an embedding was made: the same whenever its file is read."""
    return {"seconds": embedding.provenance.run.seconds, "version": embedding.provenance.version}


def embed(graph, reports, *, engine=None, threads=None, **options):
    """Embed here, with an engine and a number of threads."""
    return pg.embed(graph, reports, on=pg.Local(threads=threads, engine=engine or "sor"), **options)


def fill_store(path, campaigns, batches):
    """Make a store with campaigns and reports; return it, open."""
    store = open_store(str(path), lifetime_epsilon=None, by=MAKER)
    for campaign in campaigns:
        store.add_campaign(campaign, by=MAKER)
    for campaign, uploads in batches:
        store.put(campaign.id, [Upload(node, codes) for node, codes in uploads], day=DAY)
    return store


def said_by(store, campaign, nodes):
    """Everything that a store says of a campaign and some nodes; dates and enumerations as plain text."""
    state = store.campaign(campaign.id)
    blocks = list(store.read(campaign.id, size=7))
    return {
        "document": state.campaign.to_json(),
        "counts": [state.open, state.reports, state.erased, state.last],
        "ids": [node for block in blocks for node in block.ids.tolist()],
        "codes": [row for block in blocks for row in block.codes.tolist()],
        "holdings": [_plain(store.holdings(node)) for node in nodes],
        "standings": _plain(store.ask(campaign.id, nodes)),
        "stale": [store.stale_since(campaign.id, sequence) for sequence in range(state.last + 1)],
    }


def outcomes_of(store, campaign, uploads):
    return [each.value for each in store.put(campaign.id, [Upload(*pair) for pair in uploads], day=DAY)]


def log_of(store):
    return [asdict(act) for act in store.log()]


def granted(keys, token, now):
    """Whom a token speaks for, and where; None if it is not accepted."""
    try:
        return list(Verifier(keys).verify(token, now=now))
    except InvalidToken:
        return None


def answers(folder, campaign, keys, now, requests):
    """What the service answers to requests (method, path, token, content type, body): status, type and body."""
    store = open_store(str(folder / "served.db"), lifetime_epsilon=None)
    with InProcess(folder, store=store, campaign=campaign, now=now, keys=keys) as service:
        replies = [
            service.call(method, path, token=token, content_type=kind, body=body)
            for method, path, token, kind, body in requests
        ]
    return [[reply.status, reply.headers.get("content-type"), _said(reply.body.decode())] for reply in replies]


def kept_reports(folder, campaigns, node):
    """What a device has charged and prepared, and its ledger."""
    memory = Memory(folder)
    ledger = memory.ledger()
    return {
        "charged": [_finished(memory.charged(each.id, node)) for each in campaigns],
        "prepared": [memory.has_prepared(each.id, node) for each in campaigns],
        "caps": asdict(ledger.caps),
        "draws": [asdict(draw) for draw in ledger.draws],
        "spent": ledger.spent,
    }


def keep_reports(folder, charged, prepared):
    """Let a device charge one report and prepare another: pairs of a campaign and a report."""
    memory = Memory(folder)
    memory.set_caps(2.0, 5.0)
    for campaign, report in (charged, prepared):
        memory.prepare(campaign, lambda report=report: report, report.node)
    campaign, report = charged
    memory.charge(campaign, memory.prepare(campaign, lambda: report, report.node)[0])


def finished_lines(folder, task, dataset):
    """The repeats that a folder of results holds: what was run, and the whole record."""
    return [[_cell(cell), repeat, record] for (cell, repeat), record in Results(folder).read(task, dataset).items()]


def table_row(folder, epsilon, repeats):
    """A row of the table of links on Cora, as the former version wrote it.

    Since then, features shuffled over people are a control, too, and no privacy is what the law ``none`` sends. Former
    lines are still those of the control that they were.
    """
    cell, table = Cell("links", "cora", HDS, epsilon, 1), Table(Results(folder), repeats)
    row = table.comparison(cell).to_dict()
    added = {name: row.pop(name) for name in _ADDED_TO_ROWS}
    assert set(added.values()) == {"own", None}  # there are no former lines of these controls
    assert row["no_privacy"] is row["no_privacy_std"] is None
    true = table.spread(Cell("links", "cora", RAW_FEATURES))
    return row | {"no_privacy": plain(true.mean), "no_privacy_std": plain(true.std)}


_ADDED_TO_ROWS = (
    "features",
    "shuffled",
    "shuffled_std",
    "lift_over_shuffled",
    "lift_over_shuffled_low",
    "lift_over_shuffled_high",
    "majority",
)
"""What rows have now and had not then; everything else is compared."""


def append_line(folder, record):
    Results(folder).append(record)


def _said(body):
    """An answer as it stands; of a problem only its type, because words may be put better."""
    problem = '"urn:privge:' in body
    return json.loads(body)["type"] if problem else body


def _cell(cell):
    """What was run, as the former version called it: raw features had the name of a law."""
    method = {"raw-features": "none"}.get(cell.method.name, cell.method.name)
    return [cell.task, cell.dataset, method, cell.epsilon, cell.k, cell.form]


def _finished(report):
    return None if report is None else [report.campaign, report.node, report.epsilon, report.body.hex(), report.id]


def _plain(tuples):
    return [{name: _word(value) for name, value in each._asdict().items()} for each in tuples]


def _word(value):
    return value.hex() if isinstance(value, bytes) else str(getattr(value, "value", value))


__all__ = [
    "Key",
    "Outbox",
    "answers",
    "append_line",
    "circumstances",
    "embed",
    "fill_store",
    "finished_lines",
    "granted",
    "keep_reports",
    "kept_reports",
    "log_of",
    "main",
    "meaning",
    "mint",
    "open_store",
    "outcomes_of",
    "read_graph",
    "read_keys",
    "said_by",
    "save_graph",
    "table_row",
    "write_graph",
    "write_keys",
]
