"""Nanoseconds per perturbed value: exact HDS against float code and other privacy libraries.

All in one run, on one thread, interleaved; the best of several rounds counts, because noise only adds.
Every contender takes normalised floats and returns perturbed floats.
"""

import os

os.environ.update(OMP_NUM_THREADS="1", NUMBA_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import importlib.metadata
import ssl
import sys
import time
import types
import warnings

import numpy as np

from privge.mechanisms import law_for
from privge.mechanisms.square_wave import half_width
from privge.random import SystemSource

EPSILON = 1.0
ROUNDS = 7
VALUES = 1_000_000  # for the vectorised contenders
CALLS = 2_000  # for the libraries


def exact(name):
    law, source = law_for(name, EPSILON), SystemSource()
    return lambda x: law.decode(law.sample(law.level(x), source))


def naive_square_wave():
    """What a careful researcher writes with numpy. Not private: see docs/paper.md."""
    generator = np.random.default_rng()
    b, e = half_width(EPSILON), np.exp(EPSILON)

    def perturb(x):
        eta, u = generator.random(x.shape), generator.random(x.shape)
        outside = np.where(2 * u < x + 1, 2 * u - 1 - b, 2 * u - 1 + b)
        return np.where(eta < b * e / (b * e + 1), x - b + 2 * b * u, outside)

    return perturb


def opendp_laplace(*, vector):
    import opendp.prelude as dp

    dp.enable_features("contrib")
    number = dp.atom_domain(T=float, nan=False)
    if vector:
        laplace = dp.m.make_laplace(dp.vector_domain(number), dp.l1_distance(T=float), scale=2 / EPSILON)
        return lambda x: laplace(x.tolist())
    laplace = dp.m.make_laplace(number, dp.absolute_distance(T=float), scale=2 / EPSILON)
    return lambda x: [laplace(value) for value in x.tolist()]


def diffprivlib_mechanism(name):
    # Its model classes do not import beside a current scikit-learn; its mechanisms do not need them.
    sys.modules.setdefault("diffprivlib.models", types.ModuleType("diffprivlib.models"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from diffprivlib import mechanisms

    bounds = {} if name == "Laplace" else {"lower": -1, "upper": 1}
    mechanism = getattr(mechanisms, name)(epsilon=EPSILON, sensitivity=2, **bounds)
    return lambda x: [mechanism.randomise(value) for value in x.tolist()]


def main():
    contenders = {
        "privge hds, exact, cryptographic": (exact("hds"), VALUES),
        "privge piecewise, exact, cryptographic": (exact("piecewise"), VALUES),
        "privge multibit, exact, cryptographic": (exact("multibit"), VALUES),
        "privge laplace, exact, cryptographic": (exact("laplace"), VALUES),
        "8 random bytes from the kernel": (lambda x: os.urandom(8 * len(x)), VALUES),
        "8 random bytes from OpenSSL": (lambda x: ssl.RAND_bytes(8 * len(x)), VALUES),
        "numpy square wave, float, not cryptographic": (naive_square_wave(), VALUES),
        "opendp Laplace, one vector call": (opendp_laplace(vector=True), CALLS),
        "opendp Laplace, a call a value": (opendp_laplace(vector=False), CALLS),
        "diffprivlib Laplace": (diffprivlib_mechanism("Laplace"), CALLS),
        "diffprivlib LaplaceTruncated": (diffprivlib_mechanism("LaplaceTruncated"), CALLS),
        "diffprivlib LaplaceBoundedDomain": (diffprivlib_mechanism("LaplaceBoundedDomain"), CALLS),
    }
    x = np.random.default_rng(0).uniform(-1, 1, VALUES)
    rounds = {name: [] for name in contenders}
    for name, (perturb, _) in contenders.items():
        perturb(x[:100])  # compile, load, warm up
        print(f"  ready: {name}", file=sys.stderr)
    for _ in range(ROUNDS):
        for name, (perturb, count) in contenders.items():
            start = time.perf_counter()
            perturb(x[:count])
            rounds[name].append((time.perf_counter() - start) / count * 1e9)

    versions = ", ".join(f"{p} {importlib.metadata.version(p)}" for p in ("numpy", "opendp", "diffprivlib"))
    print(f"One value at epsilon {EPSILON}, one thread; {versions}")
    print(f"Nanoseconds a value: best of {ROUNDS} interleaved rounds, median in brackets\n")
    base = min(rounds["privge hds, exact, cryptographic"])
    print(f"{'':46}{'ns per value':>24}{'times exact HDS':>18}")
    for name, times in rounds.items():
        cell = f"{min(times):,.1f} ({np.median(times):,.1f})"
        print(f"{name:46}{cell:>24}{min(times) / base:>18,.2f}")


if __name__ == "__main__":
    main()
