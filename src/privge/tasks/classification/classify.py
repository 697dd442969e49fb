"""`classify`: from vectors or a graph, or both, and known labels to a class for everybody."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from privge._typing import Floats, Progress
from privge.embedding.embedding import Embedding
from privge.errors import BadData
from privge.graph import Graph, GraphData, as_graph
from privge.graph.inputs import as_ordered_graph
from privge.graph.labelled import LabelledGraph
from privge.graph.labels import LabelsById, LabelsByRow
from privge.ids import Ids
from privge.propagation import Matrix
from privge.tasks.by_id import in_order_of, matrix_of
from privge.tasks.classification.calibrated import Calibration, People, calibrated_apart
from privge.tasks.classification.classification import MAJORITY, STRUCTURE, VECTORS, WALKS, Classification
from privge.tasks.classification.fused import Fused, held_out_probabilities
from privge.tasks.classification.graph_alone import label_propagation, structure
from privge.tasks.classification.known import Known
from privge.tasks.classification.steady import SteadyClassifier
from privge.tasks.classification.vector_model import VectorModel

logger = logging.getLogger(__name__)


def classify(
    vectors: Matrix | Embedding | None,
    labels: LabelsByRow | LabelsById,
    *,
    graph: GraphData | None = None,
    train: Iterable[object] | None = None,
    head: SteadyClassifier | None = None,
    epsilon: float | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Classification:
    """Find the class of every node from its vector, from the graph, or from both, and from labels that are known.

    Vectors go through `SteadyClassifier`. With a graph, `privge.structure.node_channel` is the prior, and vectors and
    label propagation are put beside it, if `privge.tasks.Fusion` believes in them. Everything is judged, weighed and
    calibrated by labels of nodes that it did not see; with a graph by number of friends, and somebody without any is
    not answered surer than epsilon allows one report to make anybody (`privge.tasks.classification.calibrated`).

    Parameters
    ----------
    vectors
        An embedding, or a matrix with one row for each node. None if there is a graph alone, which costs no epsilon.
    labels
        Known classes. Of an embedding by id: a mapping, a Series, or a pair of ids and classes. Of a matrix one for
        each row; a negative number, None or NaN is unknown. Of a graph alone either.
    graph
        The graph of the embedding; of a matrix, in the order of its rows.
    train
        Nodes whose labels may be read; by default all that have one.
    head
        What learns from the vectors; by default a new `SteadyClassifier` of this seed.
    epsilon
        What a report cost, if vectors are a matrix; an embedding says it itself.
    seed
        The same seed gives the same classes.
    threads
        For walks over the graph; by default one for each processor.
    progress
        Called with what is done and what is to be done, first for the heads, then for the structure.
    """
    if epsilon is not None and not epsilon >= 0:
        raise ValueError(f"epsilon must be a number of at least 0, got {epsilon!r}")
    heard = (
        _graph_alone(graph, labels, train, seed)
        if vectors is None
        else _from_vectors(vectors, labels, graph, train, head or SteadyClassifier(seed=seed), epsilon, progress)
    )
    known, network, held = heard.known, heard.network, dict(heard.held)
    heads, prior = dict(heard.says), np.tile(np.log(known.shares), (len(heard.ids), 1))
    controls = {MAJORITY: prior[known.rows]}
    if network is not None:
        prior = structure(network, known, seed=seed, threads=threads, progress=progress)
        walks = label_propagation(network, known, threads=threads)
        heads[WALKS], held[WALKS] = walks, walks[known.rows]
        controls |= {**heard.controls, WALKS: walks[known.rows], STRUCTURE: prior[known.rows]}
    fused = Fused.fit(prior[known.rows], held, known.targets, seed=seed)
    held_out = held_out_probabilities(prior[known.rows], held, known.targets, known.folds, seed=seed)
    labelled = heard.people.take(known.rows)
    calibration = Calibration.fit(held_out, known.targets, labelled)
    found = Classification(
        ids=heard.ids,
        probabilities=calibration.applied(fused.probabilities(prior, heads), heard.people),
        known=known,
        held_out=calibrated_apart(held_out, known, labelled),
        controls=controls,
        said={MAJORITY if network is None else STRUCTURE: prior, **heads},
        fused=fused,
        calibration=calibration,
        model=heard.model,
        friends=heard.people.friends,
    )
    if network is not None and not found.learnt:
        logger.warning("nothing was learnt: for labelled nodes the shares of the classes say as much")
    return found


@dataclass(frozen=True, eq=False, slots=True)
class _Heard:
    """Who is asked about, what is known of them, and what heads have learnt from their vectors, if they have any.

    ``says`` is about everybody, ``held`` about the labelled, by heads that did not see the label.
    """

    ids: Ids
    network: Graph | None
    known: Known
    people: People
    says: dict[str, Floats]
    held: dict[str, Floats]
    controls: dict[str, Floats]
    model: VectorModel | None


def _graph_alone(
    graph: GraphData | None, labels: LabelsByRow | LabelsById, train: Iterable[object] | None, seed: int
) -> _Heard:
    if graph is None:
        raise ValueError("give vectors, or a graph, or both")
    nodes = LabelledGraph.of(graph, labels)
    network, known = nodes.graph, Known.of_graph(nodes, train, SteadyClassifier.folds, seed)
    ids = network.ids if nodes.by_id else np.arange(network.nodes)
    return _Heard(ids, network, known, People.without_vectors(network.degrees), {}, {}, {}, None)


def _from_vectors(
    vectors: Matrix | Embedding,
    labels: LabelsByRow | LabelsById,
    graph: GraphData | None,
    train: Iterable[object] | None,
    head: SteadyClassifier,
    epsilon: float | None,
    progress: Progress | None,
) -> _Heard:
    network = None
    if graph is not None:
        network = as_graph(graph) if isinstance(vectors, Embedding) else as_ordered_graph(graph)
        vectors = in_order_of(network.ids, vectors)
        if len(vectors) != network.nodes:
            raise BadData(f"{len(vectors):,} vectors for a graph of {network.nodes:,} nodes")
    head.fit(vectors, labels, train=train, progress=progress)
    model = head.model_
    cost = vectors.epsilon if isinstance(vectors, Embedding) else epsilon
    return _Heard(
        ids=vectors.ids if isinstance(vectors, Embedding) else np.arange(len(vectors)),
        network=network,
        known=head.known_,
        people=People.of(vectors, None if network is None else network.degrees, cost),
        says=model.says(matrix_of(vectors)),
        held=dict(head.held_out_),
        controls={VECTORS: head.held_out_probabilities_},
        model=model,
    )
