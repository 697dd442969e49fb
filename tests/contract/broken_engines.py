"""Engines with one defect each; a contract must refuse them all."""

from dataclasses import replace

import numpy as np

from privge.propagation import Certificate, Sor


def with_tolerance(problem, tolerance):
    return replace(problem, walk=replace(problem.walk, tolerance=tolerance))


class StopsEarly(Sor):
    """Claims the tolerance after a single sweep."""

    def solve(self, problem, out, *, threads=1, progress=None):
        certificate = super().solve(with_tolerance(problem, 1e9), out, threads=threads, progress=progress)
        return Certificate(problem.tolerance, certificate.sweeps, certificate.precision)


class Careless(Sor):
    """Certifies less than it was asked for."""

    def solve(self, problem, out, *, threads=1, progress=None):
        return super().solve(with_tolerance(problem, 1e3 * problem.tolerance), out, threads=threads, progress=progress)


class Racing(Sor):
    """Gives another result for another number of threads, within the tolerance."""

    def solve(self, problem, out, *, threads=1, progress=None):
        half = with_tolerance(problem, problem.tolerance / 2)
        certificate = super().solve(half, out, threads=threads, progress=progress)
        out += (threads - 1) * problem.tolerance / 8
        return certificate.plus(problem.tolerance / 2)


class Forgetting(Sor):
    """Leaves nodes without neighbours out."""

    def solve(self, problem, out, *, threads=1, progress=None):
        left_out = out[problem.graph.degrees == 0].copy()
        certificate = super().solve(problem, out, threads=threads, progress=progress)
        out[problem.graph.degrees == 0] = left_out
        return certificate


class Silent(Sor):
    """Says nothing of its progress."""

    def solve(self, problem, out, *, threads=1, progress=None):  # noqa: ARG002 (the defect)
        return super().solve(problem, out, threads=threads)


class Tidying(Sor):
    """Normalises the features that it was given, in place."""

    def solve(self, problem, out, *, threads=1, progress=None):
        certificate = super().solve(problem, out, threads=threads, progress=progress)
        problem.features.data /= np.abs(problem.features.data).max(initial=1e-9)
        return certificate


class Boasting(Sor):
    """Certifies whatever it was asked for."""

    def solve(self, problem, out, *, threads=1, progress=None):
        certificate = super().solve(problem, out, threads=threads, progress=progress)
        return replace(certificate, error=min(certificate.error, problem.tolerance))
