"""What the former version computed: one function for each thing that must stay the same, bit for bit."""

import hashlib
import json

import numpy as np

import privge as pg
from former import current, inputs
from former.writing import SEED

MECHANISMS = ("hds", "piecewise", "multibit", "laplace")
LAWS = [(0.5, 1, 1025), (1.0, 2, 1025), (2.5, 4, 64), (3.0, 1, 2), (8.0, 3, 257)]  # epsilon, k, levels
NODES = ("n00", "n17", "ü", "17", 17, 2**40, "00000000-0000-4000-8000-000000000001")
WORDS = [0, 1, 2**51, 2**52 - 1, 2**52, 3 * 2**51 + 12_345, 2**53 - 1]


def digest(array):
    """SHA-256 of an array's type, shape and bytes."""
    array = np.ascontiguousarray(array)
    return hashlib.sha256(f"{array.dtype.str}{array.shape}".encode() + array.tobytes()).hexdigest()


def laws():
    private = {f"{name} {shape}": law(name, *shape) for name in MECHANISMS for shape in LAWS}
    controls = {
        f"{name} {levels}": law(name, None, 1, levels) for name in ("none", "structure") for levels in (2, 1025)
    }
    return private | controls


def law(mechanism, epsilon, k, levels):
    """The integers of a law, what it draws for some words, and what its codes mean."""
    made = pg.Campaign(
        dimensions=8, low=0, high=1, mechanism=mechanism, epsilon=epsilon, k=k, levels=levels, missing="low"
    ).law
    inputs_ = sorted({0, 1, levels // 2, levels - 1})
    integers = made.parameters()
    return {
        "digest": hashlib.sha256(json.dumps(integers, sort_keys=True).encode()).hexdigest(),
        "integers": {name: value for name, value in integers.items() if np.size(value) <= 40},
        "outputs": made.outputs,
        "codes": [[made.code(level, word) for word in WORDS] for level in inputs_],
        "worst_ratio": str(made.worst_ratio),
        "weights": digest(np.array([made.weights(level) for level in inputs_])),
    }


def ids():
    return {name: inputs.campaign(name).id for name in inputs.CAMPAIGNS}


def indices():
    return {name: [inputs.campaign(name).indices_of(node) for node in NODES] for name in inputs.CAMPAIGNS}


def draws():
    """Seeded codes of everybody, by text and by integer ids, and the values they stand for."""
    return {name: drawn(name) for name in inputs.SIMULATED}


def drawn(name):
    campaign = inputs.campaign(name)
    texts = campaign.simulate(inputs.features(), ids=inputs.NODES, seed=SEED)
    numbers = campaign.simulate(inputs.features(), seed=SEED + 1)
    decoded = {"raw": texts.decode(), "clipped": texts.decode(clip=1.5)}
    if name != "structure":  # which tells nothing, so that nothing can be corrected
        decoded["unbiased"] = texts.decode("unbiased")
    return {
        "codes": texts.codes.tolist(),
        "digests": [texts.digest, numbers.digest],
        "decoded": {way: [digest(part) for part in (m.data, m.indices, m.indptr)] for way, m in decoded.items()},
    }


def graphs():
    return {
        kind: [made.fingerprint, digest(made.indptr), digest(made.indices), made.nodes, made.edges]
        for kind, made in (("texts", inputs.graph()), ("integers", inputs.graph(integers=True)))
    }


def embeddings():
    """Bits of what the engines compute; the direct solver's belong to the machine's own libraries, see the test."""
    return {engine: embedded(engine=engine) for engine in ("sor", "push", "chebyshev")} | {
        "double": embedded(tolerance=1e-9),
        "local": embedded(alpha=0.4, r=0.0, decoding="unbiased", clip=2.0),
        "two threads": embedded(threads=2),
    }


def embedded(**options):
    made = current.embed(inputs.graph(), inputs.reports(), **options)
    return {"vectors": digest(made.matrix), "meaning": current.meaning(made)}


def updated():
    """An embedding of some reports, to which the others are added."""
    everybody = inputs.reports()
    first, rest = everybody.take(np.arange(20)), everybody.take(np.arange(20, 24))
    made = pg.update(pg.embed(inputs.graph(), first), rest, graph=inputs.graph(), reports=first)
    return {"vectors": digest(made.matrix), "meaning": current.meaning(made)}


def propagated():
    return digest(pg.propagate(inputs.graph(), inputs.sparse_features(), alpha=0.2, r=0.3)[0])


def estimated():
    """The whole method in scikit-learn's form."""
    method = pg.PrivGE(graph=inputs.graph(), mechanism="piecewise", epsilon=2.0, k=3, low=-3, high=2, seed=SEED)
    return [digest(method.fit_transform(inputs.features())), method.campaign_.id]


COMPUTED = {
    "laws": laws,
    "ids": ids,
    "indices": indices,
    "draws": draws,
    "graphs": graphs,
    "embeddings": embeddings,
    "updated": updated,
    "propagated": propagated,
    "estimated": estimated,
}
