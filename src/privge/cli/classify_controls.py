"""Controls of ``privge classify``: somebody else's reports, noise as reports and, for research, the true features."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from privge.cli.declared import file_option, option
from privge.cli.ids import IdOptions
from privge.cli.options import refuse_given
from privge.cli.progress import progress_bar
from privge.cli.truth import true_signals
from privge.embedding.channel import PRIVATE
from privge.embedding.embedding import Embedding
from privge.graph import Graph
from privge.recommendation import Signals
from privge.recommendation.evaluation import CLEAN, NOISE, SHUFFLED
from privge.recommendation.vectors import NotJudged

if TYPE_CHECKING:
    from privge.cli.vectors import VectorOptions
    from privge.graph.labels import LabelsById
    from privge.tasks.classification import Classification

CHEAP = 100_000
"""Nodes up to which controls are run without being asked."""

_NO_FEATURES = "not at hand: a collection has no true features (for research: --features)"


@dataclass(frozen=True, kw_only=True)
class ControlOptions:
    """Whether the answers are compared with those from other vectors."""

    controls: bool | None = option(
        "--controls/--no-controls",
        default=None,
        help="Whether to learn again from other people's reports and from noise, as controls.  "
        f"[default: up to {CHEAP:,} nodes]",
    )
    features_path: Path | None = file_option(
        "--features",
        about="For research: the true features behind --reports or --store, judged as the control no privacy. They "
        "classify nobody.",
    )

    def check_controls(self, vectors: "VectorOptions") -> None:
        """Refuse what does not go together."""
        if vectors.embedding_place is not None:
            refuse_given(("features_path",), "without --reports or --store, whose campaign says what they are")
        if self.controls is False:
            refuse_given(("features_path",), "with --no-controls")

    def controlled(
        self,
        found: "Classification",
        labels: "LabelsById",
        embedding: Embedding,
        graph: Graph | None,
        vectors: "VectorOptions",
        ids: IdOptions,
        seed: int,
    ) -> "tuple[Classification, dict[str, str]]":
        """Return the classification with its controls; and, by name, why each of the others cannot be had."""
        from privge.tasks.classification.controls import with_controls

        reason = self._absent(graph)
        if reason is None and graph is not None:
            embedding = Embedding(graph.ids, embedding[graph.ids], embedding.provenance)
            try:
                signals = Signals.of_embedding(graph, embedding)
            except NotJudged as error:
                reason = f"cannot be had: {error}"
        if reason is not None or graph is None:
            return found, dict.fromkeys((SHUFFLED, NOISE, CLEAN), str(reason))
        order = np.argsort(graph.ids, kind="stable")  # what is drawn for a node follows from its id, not from its row
        back, sorted_signals = np.argsort(order), signals.in_order(order)
        others = {SHUFFLED: sorted_signals.shuffled(seed), NOISE: sorted_signals.noise(seed)}
        made = {name: each.in_order(back) for name, each in others.items()}
        if self.features_path is not None:
            made[CLEAN] = true_signals(self.features_path, vectors.asked(), graph, signals.walk, ids)
        whole = {name: _in_place(embedding, each.on(graph)) for name, each in made.items()}
        with progress_bar("Controls") as progress:
            judged = with_controls(found, whole, labels, seed=seed, progress=progress)
        return judged, {} if CLEAN in made else {CLEAN: _NO_FEATURES}

    def _absent(self, graph: Graph | None) -> str | None:
        """Return why there are no controls at all, None if there are."""
        if graph is None:
            return "cannot be had without --graph, over which they would have to spread"
        if self.controls is False or (self.controls is None and graph.nodes > CHEAP):
            return "not run: it takes as long again (--controls)"
        return None


def _in_place(embedding: Embedding, private: "np.ndarray") -> Embedding:
    """Return the embedding with other vectors in its private channel; its rows stand in the order of the graph."""
    if len(embedding.channels) == 1:
        return Embedding(embedding.ids, private, embedding.provenance)
    matrix = np.array(embedding.matrix)
    matrix[:, embedding.channels[PRIVATE].columns] = private
    return Embedding(embedding.ids, matrix, embedding.provenance)
