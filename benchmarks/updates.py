"""Updates of a finished embedding against embedding from scratch; prints one JSON line. `propagation.py` runs it.

``--reports NODES COLUMNS NEW``: new reports. ``--nodes NODES COLUMNS NEW``: new nodes with 10 edges each, and reports.
"""

import json
import sys
import time

import numpy as np
import scipy.sparse

import privge as pg
from graphs import power_law
from privge.embedding.join import Joining
from privge.embedding.new_reports import NewReports
from privge.propagation import Walk, propagate_change

R, TOLERANCE = 0.1, 1e-4
PARAMETERS = {"alpha": 0.1, "r": R, "tolerance": TOLERANCE}


def several(times, work):
    """Run several times, keeping one result at a time; return the last, the median wall time and all of them."""
    walls, result = [], None
    for _ in range(times):
        result = None
        start = time.perf_counter()
        result = work()
        walls.append(time.perf_counter() - start)
    return result, float(np.median(walls)), sorted(walls)


def everybody(nodes, columns):
    """Reports of all nodes, and the function that takes some of them."""
    campaign = pg.Campaign(dimensions=columns, low=0, high=1, mechanism="hds", epsilon=1.0, k=5)
    reports = campaign.simulate(scipy.sparse.csr_array((nodes, columns)))
    return reports, lambda rows: reports.take(np.arange(nodes)[rows])


def measure(graph, reports, updated):
    """Embed from scratch and by update, and compare."""
    pg.embed(graph, reports, **PARAMETERS)  # compile
    full, wall_full, _ = several(3, lambda: pg.embed(graph, reports, **PARAMETERS))
    updated()  # compile
    new, wall_new, walls = several(5, updated)
    difference = float(np.abs(np.asarray(new.matrix) - np.asarray(full.matrix)).max())
    certified = new.provenance.run.certificate + full.provenance.run.certificate
    result = {"full": wall_full, "update": wall_new, "fastest": walls[0], "slowest": walls[-1]}
    return result | {"way": new.provenance.run.engine, "difference": difference, "certified": certified}


def new_reports(nodes, columns, new):
    """Add reports, and find the share of new reports from which on their change is relaxed instead of pushed."""
    graph = power_law(nodes, 10 * nodes)
    reports, part = everybody(nodes, columns)
    before, late = part(slice(new, None)), part(slice(0, new))
    old = pg.embed(graph, before, **PARAMETERS)
    result = measure(graph, reports, lambda: pg.update(old, late, graph=graph, reports=before))
    change = NewReports(late, before, Joining()).change(graph)
    _, run = propagate_change(graph, change, Walk(**PARAMETERS), threads=2)
    if run.engine != "push":
        return result
    return result | {"break_even": new * run.relaxation_forecast / max(run.pushes_forecast, 1) / nodes}


def new_nodes(nodes, columns, new):
    """Add nodes, each with ten edges to nodes that were there."""
    before = power_law(nodes, 10 * nodes)
    fresh = np.repeat(np.arange(nodes, nodes + new), 10)
    edges = np.column_stack([fresh, np.random.default_rng(5).integers(0, nodes, len(fresh))])
    ends = [
        np.concatenate([before.to_edges()[name].to_numpy(), edges[:, i]]) for i, name in enumerate(("source", "target"))
    ]
    graph = pg.Graph.from_edges(np.column_stack(ends), nodes=np.arange(nodes + new))
    reports, part = everybody(nodes + new, columns)
    known, late = part(slice(0, nodes)), part(slice(nodes, None))
    old = pg.embed(before, known, **PARAMETERS)
    return measure(graph, reports, lambda: pg.update(old, late, graph=graph, reports=known, before=before))


if __name__ == "__main__":
    run = new_reports if sys.argv[1] == "--reports" else new_nodes
    print(json.dumps(run(*map(int, sys.argv[2:5]))))
