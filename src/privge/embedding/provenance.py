"""What an embedding was made from: what was asked of people, the graph, and the computation."""

import json
import math
from dataclasses import asdict, dataclass, fields, replace
from importlib.metadata import version
from typing import Any, Self

from privge._typing import Decoding
from privge.campaign import Campaign
from privge.embedding.join import Joining, Reading
from privge.embedding.smoothed import Smoothed, Smoothing
from privge.errors import BadData, NotUpdatable
from privge.graph import Graph
from privge.graph.stored import StoredGraph
from privge.propagation import Propagation, Walk


@dataclass(frozen=True, slots=True, kw_only=True)
class Source(Reading):
    """What people were asked in one campaign, and how their answers were read.

    Parameters
    ----------
    campaign
        The id of the campaign.
    mechanism
        The name of its mechanism.
    epsilon
        What each person spent; None if nothing was hidden.
    k
        How many features each person reported.
    decoding
        As of `privge.embedding.join.Reading`, which has the other fields that say how reports were read.
    participation
        The share of the nodes that reported.
    store_sequence
        Up to which change of the store of reports, if they came from a store.
    reports_digest
        Which reports, if they came from a file (`privge.Reports.digest`).
    """

    campaign: str
    mechanism: str
    epsilon: float | None
    k: int
    decoding: Decoding  # again, without the default: a file must say it
    participation: float
    store_sequence: int | None = None
    reports_digest: str | None = None

    @classmethod
    def of(cls, campaign: Campaign, joining: Joining, participation: float) -> Self:
        """Write down a campaign and how its reports were joined with the graph."""
        return cls(
            campaign=campaign.id,
            mechanism=campaign.mechanism,
            epsilon=None if campaign.epsilon == math.inf else campaign.epsilon,
            k=campaign.k,
            participation=participation,
            **joining.reading,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicGraph:
    """Which graph: its fingerprint tells it from any other."""

    fingerprint: str
    nodes: int
    edges: int

    @classmethod
    def of(cls, graph: Graph | StoredGraph) -> Self:
        """Write down a graph."""
        return cls(fingerprint=graph.fingerprint, nodes=graph.nodes, edges=graph.edges)


@dataclass(frozen=True, slots=True, kw_only=True)
class Computation:
    """How the vectors were computed, and what is guaranteed about them.

    Parameters
    ----------
    alpha
        Decay factor of the walk.
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

    @classmethod
    def of(cls, walk: Walk, run: Propagation, smoothing: Smoothing | None = None) -> Self:
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
    def from_json(cls, told: dict[str, Any]) -> Self:
        """Read the fields that a file has."""
        chosen = told.get("smoothing")
        return cls(**{**told, "smoothing": None if chosen is None else Smoothing(**chosen)})

    @property
    def walk(self) -> Walk:
        """The walk, to compute more of the same; a smoother that reports chose would be another with more reports."""
        if self.smoothing is not None and self.smoothing.chosen == "smoother":
            raise NotUpdatable("the smoother of the embedding was chosen by its reports, so nothing can be added to it")
        return Walk(self.alpha, self.r, self.tolerance)


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What an embedding was made from, and what is guaranteed about it.

    Parameters
    ----------
    sources
        What was asked of people; one entry for each campaign.
    graph
        The public graph.
    run
        The computation.
    version
        The version of privge that made it.
    """

    sources: tuple[Source, ...]
    graph: PublicGraph
    run: Computation
    version: str

    @classmethod
    def of(cls, source: Source, graph: Graph | StoredGraph, run: Computation) -> Self:
        """Write down what an embedding is made from."""
        return cls(sources=(source,), graph=PublicGraph.of(graph), run=run, version=version("privge"))

    @property
    def source(self) -> Source:
        """The only source; an embedding of several campaigns has no such thing."""
        if len(self.sources) != 1:
            raise BadData(f"the embedding was made from {len(self.sources)} campaigns, and one is asked for")
        return self.sources[0]

    @property
    def epsilon(self) -> float | None:
        """What a person who answered everything has spent; None if some source hides nothing."""
        spent = [source.epsilon for source in self.sources]
        return None if None in spent else math.fsum(each for each in spent if each is not None)

    def with_source(self, **changes: Any) -> Self:  # noqa: ANN401 (fields of `Source`)
        """Return this with fields of the only source changed."""
        return replace(self, sources=(replace(self.source, **changes),))

    def with_other_reports(self, participation: float) -> Self:
        """Return this for an embedding of other reports; which they are, whoever has them must write down again.

        With the former digest, a later update would take the new reports for missing and add them a second time.
        """
        return self.with_source(participation=participation, store_sequence=None, reports_digest=None)

    def to_json(self) -> str:
        """Return the text that is written beside the vectors."""
        told = asdict(self)
        if told["run"]["smoothing"] is None:
            del told["run"]["smoothing"]  # as ever, where nothing was chosen
        return json.dumps(told)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` returned; also the flat form of version 0.1, in which there was one source."""
        told = json.loads(text)
        if not isinstance(told, dict):
            raise TypeError("a provenance is a JSON object")
        if "sources" not in told:
            told = _nested(told)
        sources = tuple(Source(**source) for source in told.pop("sources"))
        graph, run = PublicGraph(**told.pop("graph")), Computation.from_json(told.pop("run"))
        return cls(sources=sources, graph=graph, run=run, **told)


def _nested(flat: dict[str, Any]) -> dict[str, Any]:
    """Sort the fields of the flat form; one that belongs nowhere is left for the constructor to refuse."""
    rest = dict(flat)
    rest["fingerprint"] = rest.pop("graph")
    parts = {
        name: {field.name: rest.pop(field.name) for field in fields(kind) if field.name in rest}
        for name, kind in (("source", Source), ("graph", PublicGraph), ("run", Computation))
    }
    return {**rest, "sources": [parts["source"]], "graph": parts["graph"], "run": parts["run"]}
