"""How vectors were computed, and what is guaranteed about them."""

from dataclasses import asdict, dataclass
from typing import Any, Self

from privge.embedding.smoothed import Smoothed, Smoothing
from privge.propagation import Leading, Propagation, Walk


@dataclass(frozen=True, slots=True, kw_only=True)
class Computation:
    """How the vectors were computed, and what is guaranteed about them.

    Parameters
    ----------
    alpha
        Decay factor of the walk, the chance of stopping at each step.
    r
        Convolution coefficient of the walk.
    tolerance
        Largest error that was allowed.
    engine
        What computed them; after an update two names, joined by a plus.
    certificate
        No entry is farther than this from exact.
    sweeps
        Passes over the edges.
    precision
        ``float32`` or ``float64``, the precision that was needed.
    seconds
        How long it took.
    smoothing
        What was left to Stein's unbiased risk, if anything was.
    projection
        On which directions the vectors were projected; None if they have all columns.
    """

    alpha: float
    r: float
    tolerance: float
    engine: str
    certificate: float
    sweeps: float
    precision: str
    seconds: float
    smoothing: Smoothing | None = None
    projection: Leading | None = None

    @classmethod
    def of(
        cls, walk: Walk, run: Propagation, smoothing: Smoothing | None = None, projection: Leading | None = None
    ) -> Self:
        """Write down a propagation."""
        done = run.certificate
        return cls(
            **asdict(walk),
            engine=run.engine,
            certificate=done.error,
            sweeps=done.sweeps,
            precision=done.precision,
            seconds=run.seconds,
            smoothing=smoothing,
            projection=projection,
        )

    @classmethod
    def of_smoothed(cls, made: Smoothed) -> Self:
        """Write down an estimate by a smoother; one that does not walk has ``alpha`` 1, which stays where it is."""
        chosen = made.smoothing.parameters
        return cls(
            alpha=chosen.get("alpha", 1.0),
            r=chosen.get("r", 0.0),
            tolerance=made.error,
            engine=made.smoothing.smoother or "mean",
            certificate=made.error,
            sweeps=0.0,
            precision="float32",
            seconds=made.seconds,
            smoothing=made.smoothing,
        )

    @classmethod
    def not_propagated(cls, seconds: float) -> Self:
        """Write down columns that stay where they are: ``alpha`` is 1, and nothing is rounded."""
        return cls(
            alpha=1.0,
            r=0.0,
            tolerance=0.0,
            engine="none",
            certificate=0.0,
            sweeps=0.0,
            precision="float32",
            seconds=seconds,
        )

    @classmethod
    def from_json(cls, told: dict[str, Any]) -> Self:
        """Read the fields that a file has."""
        parts = {"smoothing": Smoothing, "projection": Leading}
        read = {name: kind(**told[name]) for name, kind in parts.items() if told.get(name) is not None}
        return cls(**{**told, **read})

    @property
    def walk(self) -> Walk:
        """The walk, to compute more of the same."""
        return Walk(self.alpha, self.r, self.tolerance)
