"""What an embedding was made from."""

import json
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Self

from privge.campaign import Campaign
from privge.graph import Graph
from privge.graph.stored import StoredGraph
from privge.propagation import Propagation


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What an embedding was made from, and what is guaranteed about it."""

    campaign: str
    mechanism: str
    epsilon: float | None
    k: int
    decoding: str
    graph: str
    nodes: int
    edges: int
    participation: float
    alpha: float
    r: float
    engine: str
    tolerance: float
    certificate: float
    sweeps: float
    precision: str
    seconds: float
    version: str
    store_sequence: int | None = None
    """Up to which change of the store of reports it was made, if it came from a store."""
    clip: float | None = None
    """Largest magnitude of a decoded coordinate, if they were clipped."""

    def to_json(self) -> str:
        """Return the text that is written beside the vectors."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` returned."""
        return cls(**json.loads(text))


def provenance_of(
    graph: Graph | StoredGraph, campaign: Campaign, run: Propagation, *, alpha: float, r: float, decoding: str,
    clip: float | None, participation: float,
) -> Provenance:  # fmt: skip
    """Write down what an embedding is made from."""
    return Provenance(
        campaign=campaign.id,
        mechanism=campaign.mechanism,
        epsilon=None if campaign.epsilon == float("inf") else campaign.epsilon,
        k=campaign.k,
        decoding=decoding,
        graph=graph.fingerprint,
        nodes=graph.nodes,
        edges=graph.edges,
        participation=participation,
        alpha=alpha,
        r=r,
        engine=run.engine,
        tolerance=run.tolerance,
        certificate=run.certificate.error,
        sweeps=run.certificate.sweeps,
        precision=run.certificate.precision,
        seconds=run.seconds,
        version=version("privge"),
        clip=clip,
    )
