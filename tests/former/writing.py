"""How the files were written, one function for each folder of ``files``: `make.py` ran them, the tests run them again.

Each writes into a folder of its own; what it reads are the inputs, and files of other folders that stand before it.
"""

import json
import shutil

import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from click.testing import CliRunner

from former import current, inputs
from former.inputs import FILES
from former.recorder import recording

SEED = 20_250_102


def run(*arguments):
    """Run a command of privge; return what it prints on stdout."""
    done = CliRunner().invoke(current.main, [str(each) for each in arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


def features(folder):
    """Not privge's own: the tables that its commands are given."""
    pa_csv.write_csv(inputs.feature_table(), folder / "people.csv")
    (folder / "parts").mkdir()
    for number, rows in enumerate((slice(0, 10), slice(10, None))):
        pq.write_table(inputs.feature_table(rows), folder / "parts" / f"people-{number}.parquet")


def documents(folder):
    for name in inputs.CAMPAIGNS:
        inputs.campaign(name).save(folder / f"{name}.json")


def reports(folder):
    inputs.reports().to_parquet(folder / "private.parquet")
    for name in inputs.SIMULATED:
        run(
            "perturb",
            "--features",
            FILES / "features" / "people.csv",
            "--campaign",
            FILES / "documents" / f"{name}.json",
            "--seed",
            SEED,
            "-o",
            folder / f"{name}.parquet",
        )


def report_parts(folder):
    run(
        "perturb",
        "--features",
        FILES / "features" / "parts",
        "--campaign",
        FILES / "documents" / "hds-features.json",
        "--seed",
        SEED,
        "-o",
        folder,
    )


def graphs(folder):
    for kind, integers in (("texts", False), ("integers", True)):
        pq.write_table(inputs.edge_table(integers=integers), folder / f"{kind}.parquet")
        run("convert", "--edges", folder / f"{kind}.parquet", "-o", folder / f"{kind}.graph")
        current.write_graph(inputs.graph(integers=integers), folder / f"{kind}.csv")
        current.save_graph(inputs.graph(integers=integers), folder / f"saved-{kind}.graph")
    current.write_graph(inputs.graph(integers=True), folder / "integers.npz")


def vectors(folder):
    """Vectors without their provenance, by each engine."""
    for engine in ("sor", "push", "chebyshev", "exact"):
        run(
            "embed",
            "--graph",
            FILES / "graphs" / "saved-texts.graph",
            "--reports",
            FILES / "reports" / "private.parquet",
            "--engine",
            engine,
            "-o",
            folder / f"{engine}.npy",
        )


def stores(folder):
    """One store before and one after an erasure; in both one campaign is closed."""
    open_one, closed_one = inputs.campaign(inputs.PRIVATE), inputs.campaign("piecewise")
    for name in ("before", "after"):
        batches = [(open_one, uploads()), (closed_one, uploads("piecewise", list(range(5))))]
        store = current.fill_store(folder / f"{name}.db", [open_one, closed_one], batches)
        store.close_campaign(closed_one.id, by=current.MAKER)
        if name == "after":
            store.erase(inputs.NODES[4], by=current.MAKER)
            store.erase(2, campaign=closed_one.id)
        store.close()


def uploads(name=inputs.PRIVATE, nodes=inputs.NODES):
    codes = inputs.codes(name).astype("<u2")
    return [(node, codes[row].tobytes()) for row, node in enumerate(nodes)]


def device(folder):
    folder.chmod(0o700)
    charged, prepared = ((inputs.campaign(name), inputs.report_of(name)) for name in (inputs.PRIVATE, inputs.UNSENT))
    current.keep_reports(folder, charged, prepared)


def outbox(folder):
    everybody = inputs.reports()
    place = folder / everybody.campaign.id
    box = current.Outbox(place, everybody.campaign)
    for rows in (range(10), range(10, 20)):
        box.take(everybody.take(list(rows)))
    box.acknowledge(inputs.ORIGIN, 0, [0, 1, 4])
    box.acknowledge(inputs.ORIGIN, 1, [9])


def tokens(folder):
    keys = signing_keys()
    current.write_keys(folder / "keys", keys)
    (folder / "people.csv").write_text("".join(f"{line}\n" for line in ("id,token", *token_lines())))


def signing_keys():
    return current.Key("newer", inputs.SECRET), current.Key("older", inputs.OLDER_SECRET)


def token_lines():
    return [f"{node},{token_of(node)}" for node in inputs.NODES]


def token_of(node, name=inputs.PRIVATE):
    return current.mint(signing_keys()[0], node=node, campaign=inputs.campaign(name).id, expires=inputs.EXPIRES)


def wire(folder):
    """The bodies of the requests that `privge submit` and `privge contribute` send."""
    for command, requests in (
        ("submit", submitted(folder / "state")),
        ("contribute", contributed(folder / "me", inputs.PRIVATE)),
    ):
        bodies = [(each["method"], each["path"].split("/")[4], each["body"]) for each in requests if each["body"]]
        for number, (method, what, body) in enumerate(bodies):
            (folder / f"{command}-{number}-{method}-{what}.bin").write_bytes(body)
    for scratch in ("state", "me"):
        shutil.rmtree(folder / scratch)


def submitted(state):
    """Pass all reports on, from a new folder; return the requests."""
    with recording(inputs.campaign(inputs.PRIVATE)) as (origin, requests):
        url = f"{origin}/v1/campaigns/{inputs.campaign(inputs.PRIVATE).id}"
        run(
            "submit",
            "--campaign",
            url,
            "--reports",
            FILES / "reports" / "private.parquet",
            "--tokens",
            FILES / "tokens" / "people.csv",
            "--state",
            state,
            "--size",
            16,
        )
    return requests


def contributed(folder, name):
    """Send the report that a device of the former version keeps; return the requests."""
    if not folder.exists():
        folder.mkdir(mode=0o700)
        device(folder)
    token, values = folder / "token", folder / "values.json"
    token.write_text(token_of(inputs.DEVICE, name))
    values.write_text(json.dumps([0.5] * inputs.DIMENSIONS))
    with recording(inputs.campaign(name)) as (origin, requests):
        url = f"{origin}/v1/campaigns/{inputs.campaign(name).id}"
        run("contribute", "--campaign", url, "--features", values, "--token-file", token, "--folder", folder)
    return requests


WRITERS = {
    "features": features,
    "documents": documents,
    "reports": reports,
    "report-parts": report_parts,
    "graphs": graphs,
    "vectors": vectors,
    "stores": stores,
    "device": device,
    "outbox": outbox,
    "tokens": tokens,
    "wire": wire,
}
"""By folder, in an order in which each finds what it reads."""
