"""What an embedding was made from: what was asked of people, the graph, and the computation."""

import json
import math
from dataclasses import asdict, dataclass, fields, replace
from importlib.metadata import version
from itertools import accumulate
from typing import Any, Self

from privge._typing import Decoding
from privge.campaign import Campaign
from privge.embedding.channel import PRIVATE, Channel, ChannelColumns, spent
from privge.embedding.computation import Computation
from privge.embedding.join import Joining, Reading
from privge.errors import BadData, NotUpdatable
from privge.graph import Graph
from privge.graph.stored import StoredGraph


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
    round
        Of which round the campaign is: nobody reports in two campaigns of one round.
    """

    campaign: str
    mechanism: str
    epsilon: float | None
    k: int
    decoding: Decoding  # again, without the default: a file must say it
    participation: float
    store_sequence: int | None = None
    reports_digest: str | None = None
    round: str | None = None

    @classmethod
    def of(cls, campaign: Campaign, joining: Joining, participation: float) -> Self:
        """Write down a campaign and how its reports were joined with the graph."""
        return cls(
            campaign=campaign.id,
            mechanism=campaign.mechanism,
            epsilon=None if campaign.epsilon == math.inf else campaign.epsilon,
            k=campaign.k,
            participation=participation,
            round=campaign.round,
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
    channels
        Which columns come from where; none are named if all of them are private vectors of the only source.
    """

    sources: tuple[Source, ...]
    graph: PublicGraph
    run: Computation
    version: str
    channels: tuple[Channel, ...] = ()

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
        """The most that one person can have spent; None if some source hides nothing.

        Campaigns of one round are alternatives, so the largest of them counts; all others add up.
        """
        return spent(self.sources)

    def columns(self, width: int) -> dict[str, ChannelColumns]:
        """Return the channels of a matrix of so many columns, by name."""
        told = self.channels or (Channel(name=PRIVATE, columns=width, source=0),)
        ends = list(accumulate(channel.columns for channel in told))
        if ends[-1] != width or len({channel.name for channel in told}) < len(told):
            raise BadData(f"the channels do not name each of {width} columns once")
        return {
            channel.name: ChannelColumns(
                channel.name,
                slice(end - channel.columns, end),
                None if channel.source is None else self.sources[channel.source],
                channel.made,
                channel.names,
            )
            for channel, end in zip(told, ends, strict=True)
        }

    def of_channel(self, name: str) -> Self:
        """Return the provenance of one of the channels alone."""
        channel = next(channel for channel in self.channels if channel.name == name)
        if channel.source is None:
            return replace(self, sources=(), channels=(channel,))
        alone = () if name == PRIVATE else (replace(channel, source=0),)
        return replace(self, sources=(self.sources[channel.source],), channels=alone)

    def check_updatable(self) -> None:
        """Refuse what new reports cannot be added to."""
        if self.channels:
            raise NotUpdatable("the embedding has named channels, which are made anew")
        if self.run.smoothing is not None and self.run.smoothing.chosen == "smoother":
            raise NotUpdatable("the smoother of the embedding was chosen by its reports, so nothing can be added to it")

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
        run = [(told["run"], name) for name in ("smoothing", "projection")]
        for part, name in (*run, *((source, "round") for source in told["sources"])):
            if part[name] is None:
                del part[name]  # as ever, where there was no such thing
        if not self.channels:
            del told["channels"]
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
        channels = tuple(
            Channel(**{**channel, "names": tuple(channel["names"])}) for channel in told.pop("channels", ())
        )
        graph, run = PublicGraph(**told.pop("graph")), Computation.from_json(told.pop("run"))
        return cls(sources=sources, graph=graph, run=run, channels=channels, **told)


def _nested(flat: dict[str, Any]) -> dict[str, Any]:
    """Sort the fields of the flat form; one that belongs nowhere is left for the constructor to refuse."""
    rest = dict(flat)
    rest["fingerprint"] = rest.pop("graph")
    parts = {
        name: {field.name: rest.pop(field.name) for field in fields(kind) if field.name in rest}
        for name, kind in (("source", Source), ("graph", PublicGraph), ("run", Computation))
    }
    return {**rest, "sources": [parts["source"]], "graph": parts["graph"], "run": parts["run"]}
