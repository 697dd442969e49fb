"""Options about the vectors of an answer: an embedding that is there, reports that are embedded first, or none."""

import logging
import os
from dataclasses import dataclass
from pathlib import Path

import click

from privge.campaign import Campaign
from privge.cli.declared import option, place_option
from privge.cli.graphs import EdgeListOptions, nodes_option
from privge.cli.ids import IdOptions
from privge.cli.options import refuse_given
from privge.cli.sources import SourceOptions, Task, read_embedding, store_option
from privge.cli.truth import asked_campaign
from privge.cli.walks import JoiningOptions, WalkOptions
from privge.embedding.embedding import Embedding
from privge.errors import BadData
from privge.graph import Graph, as_graph
from privge.propagation import HERE

logger = logging.getLogger(__name__)
_MAKING = ("alpha", "r", "tolerance", "smoother", "decoding", "clip", "drop_unknown", "campaign", "settings_path")


@dataclass(frozen=True, kw_only=True)
class VectorOptions(EdgeListOptions):
    """Where the vectors come from, and the graph."""

    embedding_place: str | None = place_option("--embedding", about="Vectors: .parquet, .npy, or a folder of parts.")
    reports_place: str | None = place_option("--reports", about="Or reports, which are embedded first; needs --graph.")
    store_url: str | None = store_option("Or the store of reports")
    campaign: str | None = option("--campaign", metavar="ID", help="With --store, which campaign, or how it begins.")
    graph_place: str | None = place_option("--graph", about="Edges; the graph itself is then heard, too, or alone.")
    nodes_path: Path | None = nodes_option()

    @property
    def source(self) -> SourceOptions:
        """Where the reports are, if there is no embedding."""
        store = self.store_url
        if store is None and self.reports_place is None:
            store = os.environ.get("PRIVGE_STORE")  # a password would be visible on the command line
        return SourceOptions(
            reports_place=self.reports_place,
            store_url=store,
            campaign=self.campaign,
            update_path=None,
            previous_reports=None,
            features_path=None,
        )

    @property
    def graph_alone(self) -> bool:
        """Whether there are no vectors, and nothing to make them from."""
        source = self.source
        return self.embedding_place is None and source.reports_place is None and source.store_url is None

    def asked(self) -> Campaign:
        """Return the campaign of the reports."""
        return asked_campaign(self.reports_place, self.source.store_url, self.campaign)

    def check(self) -> None:
        """Refuse options that do not go together."""
        if self.embedding_place is not None:
            if self.reports_place is not None or self.store_url is not None:
                raise click.UsageError("Give either --embedding, or --reports or --store.")
            refuse_given(_MAKING, "with --embedding, which is made already")
        elif self.graph_place is None:
            raise click.UsageError("Give --graph, with --reports or --store if there are reports; or --embedding.")
        elif self.graph_alone:
            reason = "without --reports or --store; private features go through `privge perturb` first"
            refuse_given((*_MAKING, "features_path", "controls", "save_path", "model_path"), reason)
        if self.graph_place is None:
            columns = ("source_column", "target_column", "weight_column", "nodes_path", "header")
            refuse_given(columns, "without --graph")

    def read(self, ids: IdOptions, walk: WalkOptions, joining: JoiningOptions) -> tuple[Embedding | None, Graph | None]:
        """Return the vectors, which are made if need be, and the graph; of these two what is given, at least one."""
        graph = None if self.graph_place is None else as_graph(self.opened(self.graph_place, self.nodes_path, ids))
        if self.embedding_place is not None:
            embedding = read_embedding(self.embedding_place)
            return (embedding if graph is None else _in_graph(embedding, graph)), graph
        if graph is None or self.graph_alone:
            return None, graph
        task = Task(graph=graph, before=None, walk=walk, joining=joining, place=HERE)
        return task.embed(self.source, None).embedding, graph


def _in_graph(embedding: Embedding, graph: Graph) -> Embedding:
    """Leave out vectors of nodes that are not in the graph, and say how many; all of them never are."""
    found = graph.rows_of(embedding.ids) >= 0
    if found.all():
        return embedding
    if not found.any():
        raise BadData(f"none of the {len(found):,} vectors is of a node in the graph; are ids written alike?")
    count = f"{int((~found).sum()):,} of {len(found):,}"
    logger.warning("%s vectors are of nodes that are not in the graph, and get no class (--nodes has them all)", count)
    ids = embedding.ids[found]
    return Embedding(ids, embedding[ids], embedding.provenance)
