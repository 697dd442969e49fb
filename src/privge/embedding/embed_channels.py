"""Several channels beside each other: what the graph says, the paper's private vectors, answers to questions."""

import time
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import version

import numpy as np

from privge._typing import Progress
from privge.embedding.channel import ANSWERS, NAMES, PRIVATE, STRUCTURE, Channel
from privge.embedding.computation import Computation
from privge.embedding.embedding import Embedding
from privge.embedding.join import Joining, check_strangers, joined
from privge.embedding.provenance import Provenance, PublicGraph, Source
from privge.errors import BadData
from privge.graph import GraphData, as_graph
from privge.graph.labels import LabelsById, LabelsByRow
from privge.propagation import Matrix
from privge.reports import Reports
from privge.structure import node_channel
from privge.structure.degrees import degree_features
from privge.structure.spectrum import leading, spectral_features
from privge.structure.stacking import standardise

_VECTORS = 32  # eigenvectors of a structure without labels


def structure_channel(
    graph: GraphData,
    labels: LabelsByRow | LabelsById | None = None,
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> Embedding:
    """Return what public data says of each node, as a channel that costs no privacy.

    Parameters
    ----------
    graph
        The graph, which is public too, in any form that `privge.as_graph` takes.
    labels
        Public labels, as for `privge.structure.node_channel`: then the columns are the logarithms of the probabilities
        of the classes. Without them they are leading eigenvectors and degrees, standardised.
    seed
        The same seed gives the same channel.
    progress
        As for `privge.structure.node_channel`.
    """
    network, start = as_graph(graph), time.perf_counter()
    if labels is None:
        parts = [degree_features(network), spectral_features(leading(network, _VECTORS, seed)[1])]
        matrix, made = standardise(np.hstack(parts)), "eigenvectors and degrees"
        names: tuple[str, ...] = ()
    else:
        told = node_channel(network, labels, seed=seed, progress=progress)
        matrix, names = told.log.astype(np.float32), tuple(map(str, told.classes.tolist()))
        made = "logarithms of the probabilities of classes, from public labels and the graph"
    channel = Channel(name=STRUCTURE, columns=matrix.shape[1], made=made, names=names)
    return _unpropagated(network, matrix, channel, None, time.perf_counter() - start)


def answers_channel(graph: GraphData, reports: Reports, joining: Joining | None = None) -> Embedding:
    """Return the answers to the questions of a campaign as a channel: each at its own node, not spread.

    If one question has a few answers, such as a choice or a model, the columns are the exact log-likelihoods of these
    answers, given what was reported; otherwise the answers are decoded.

    Parameters
    ----------
    graph
        The public graph, in any form that `privge.as_graph` takes.
    reports
        At most one report a node; a node without one has zeros.
    joining
        How reports become rows; by default without bias, and reports of unknown nodes are refused.
    """
    network, start = as_graph(graph), time.perf_counter()
    joining = Joining("unbiased") if joining is None else joining
    found = joined(network, reports.ids)
    check_strangers(found.strangers, len(reports), joining.unknown)
    few = [question for question in reports.campaign.questions or () if question.options]
    answers = reports.log_likelihood() if len(few) == 1 else joining.decoded(reports).toarray()
    matrix = np.zeros((network.nodes, answers.shape[1]), dtype=np.float32)
    matrix[found.rows] = answers[found.reports]
    source = Source.of(reports.campaign, joining, len(found.rows) / max(1, network.nodes))
    channel = Channel(
        name=ANSWERS,
        columns=matrix.shape[1],
        source=0,
        made="log-likelihood of each answer" if len(few) == 1 else f"decoded answers, {joining.decoding}",
        names=few[0].options if len(few) == 1 else reports.campaign.column_names or (),
    )
    source = replace(source, reports_digest=reports.digest)
    return _unpropagated(network, matrix, channel, source, time.perf_counter() - start)


def together(channels: Mapping[str, Embedding]) -> Embedding:
    """Put embeddings of one graph beside each other, each as a channel of the name that is given.

    Parameters
    ----------
    channels
        Embeddings of one channel each, by the name that the channel shall have, in the order of their columns.
    """
    if not channels:
        raise ValueError("there is no channel to put beside others")
    first = next(iter(channels.values()))
    for name, each in channels.items():
        if len(each.channels) != 1:
            raise BadData(f"{name} has {len(each.channels)} channels already, where each comes alone")
        if each.provenance.graph.fingerprint != first.provenance.graph.fingerprint:
            raise BadData(f"{name} was made from another graph")
        if not np.array_equal(each.ids, first.ids):
            raise BadData(f"{name} has other nodes, or in another order")
    sources: list[Source] = []
    parts: list[Channel] = []
    for name, each in channels.items():
        only = next(iter(each.channels.values()))
        place = None if only.source is None else len(sources)
        sources += [] if only.source is None else [only.source]
        parts.append(Channel(name=name, columns=only.width, source=place, made=only.made, names=only.names))
    runs = [each.provenance.run for name, each in channels.items() if name == PRIVATE]
    made = replace(first.provenance, sources=tuple(sources), channels=tuple(parts))
    made = replace(made, run=runs[0] if runs else first.provenance.run)
    return Embedding(first.ids, np.hstack([np.asarray(each.matrix) for each in channels.values()]), made)


def in_order(names: set[str]) -> list[str]:
    """Return names of channels in the order of their columns, or say which is unknown."""
    unknown = sorted(names - set(NAMES))
    if unknown or not names:
        raise ValueError(f"channels are {', '.join(NAMES)}, got {', '.join(unknown) or 'none'}")
    return [name for name in NAMES if name in names]


def _unpropagated(
    graph: GraphData, matrix: Matrix, channel: Channel, source: Source | None, seconds: float
) -> Embedding:
    network = as_graph(graph)
    made = Provenance(
        sources=() if source is None else (source,),
        graph=PublicGraph.of(network),
        run=Computation.not_propagated(seconds),
        version=version("privge"),
        channels=(channel,),
    )
    return Embedding(network.ids, matrix, made)
