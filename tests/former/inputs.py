"""What the former version was given: fixed numbers, without any random generator that could change."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import scipy.sparse

import privge as pg

FILES = Path(__file__).parent / "files"
CAMPAIGNS = sorted(path.stem for path in (FILES / "campaigns").glob("*.toml"))
SIMULATED = [name for name in CAMPAIGNS if name != "refuse"]
PRIVATE = "hds"  # the campaign that devices answer and the service serves
UNSENT = "multibit"  # one that a device has prepared a report for, and has not sent it

PEOPLE, DIMENSIONS = 24, 6
FEATURES = ("age", "height", "weight", "steps", "sleep", "pulse")
NODES = [f"n{row:02d}" for row in range(PEOPLE)]
DEVICE = NODES[3]
ORIGIN = "https://former.example"
EXPIRES, NOW = 4_000_000_000, 1_800_000_000
SECRET, OLDER_SECRET = bytes(range(32)), bytes(range(100, 140))


def campaign(name):
    return pg.Campaign.load(FILES / "campaigns" / f"{name}.toml")


def features():
    """Values in [0, 1], with one beyond each bound and two that are missing."""
    row, column = np.indices((PEOPLE, DIMENSIONS))
    values = (row * 37 + column * 101) % 97 / 96
    values[2, 1], values[5, 0] = 1.5, -3.0
    values[7, 4] = values[11, 2] = np.nan
    return values


def feature_table(rows=slice(None)):
    values = features()[rows]
    columns = {name: pa.array(values[:, i], from_pandas=True) for i, name in enumerate(FEATURES)}
    return pa.table({"id": NODES[rows], **columns})


def pairs():
    """A connected part of 23 nodes with a loop and repetitions; the last node is alone."""
    ring = [(row, (row + 1) % 23) for row in range(23)]
    chords = [(row, (row * 5 + 2) % 23) for row in range(23)]
    return [*ring, *chords, (4, 4), (1, 0)]


def graph(*, integers=False):
    names = list(range(PEOPLE)) if integers else NODES
    return pg.Graph.from_edges([(names[a], names[b]) for a, b in pairs()], nodes=names)


def edge_table(*, integers=False):
    names = range(PEOPLE) if integers else NODES
    return pa.table({"source": [names[a] for a, _ in pairs()], "target": [names[b] for _, b in pairs()]})


def codes(name):
    """Made-up codes of a campaign, one row for each person."""
    asked = campaign(name)
    row, column = np.indices((PEOPLE, asked.k))
    return (row * 131 + column * 17 + 5) % asked.law.outputs


def reports(name=PRIVATE):
    """Reports that count as drawn on devices: nobody can collect seeded ones."""
    return pg.Reports(campaign(name), NODES, codes(name))


def report_of(name, node=DEVICE):
    asked = campaign(name)
    return pg.Report(asked.id, node, tuple(codes(name)[NODES.index(node)].tolist()))


def sparse_features():
    return scipy.sparse.csr_array(np.nan_to_num(features()).astype(np.float32))
