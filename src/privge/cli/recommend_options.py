"""Options of ``privge recommend``: to whom, from which vectors, without whom, and how it is judged."""

from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np

from privge._files.tables import line_of
from privge.cli.declared import file_option, flag, option, place_option
from privge.cli.ids import IdOptions
from privge.cli.options import Finite, existing, naming, refuse_given
from privge.cli.passwords import warn_of_password
from privge.cli.sources import chosen_campaign, opened_store, read_embedding, read_reports
from privge.cli.truth import asked_campaign, true_signals
from privge.collect.stores.opening import ADDRESSES
from privge.curator.recommending import erased_people, signals_of_store
from privge.embedding.embedding import Embedding
from privge.embedding.join import Joining
from privge.errors import BadData
from privge.graph import EdgeColumns, Graph, read_graph, read_ids
from privge.ids import Ids
from privge.propagation import DEFAULT_ALPHA, DEFAULT_R, Walk
from privge.recommendation import Settings, Signals
from privge.recommendation.asked import rows_asked
from privge.reports import Reports

CHEAP = 100_000
"""Nodes up to which held-out edges judge without being asked."""


@dataclass(frozen=True, kw_only=True)
class WhomOptions:
    """Who is recommended somebody."""

    nodes: tuple[str, ...] = option(
        "--node", multiple=True, metavar="ID", help="Recommend to this node; may be given several times."
    )
    people_path: Path | None = file_option(
        "--people", about="Or to those of a table with a column id.  [default: to everybody, into --output]"
    )
    count: int = option("--count", type=click.IntRange(1, 1000), default=10, help="How many for each, at most.")

    def check(self, output: Path | None) -> None:
        """Refuse what does not go together."""
        if self.nodes and self.people_path is not None:
            raise click.UsageError("Give --node or --people, not both.")
        if not self.nodes and self.people_path is None and output is None:
            raise click.UsageError("Give --node or --people; or, for everybody, a file: -o recommendations.parquet.")

    def asked(self, graph: Graph, ids: IdOptions) -> Ids | None:
        """Return the ids that are asked for, None for everybody; one that is not in the graph is refused."""
        if self.people_path is None:
            return graph.ids[rows_asked(graph, self.nodes)] if self.nodes else None
        people = read_ids(existing(self.people_path), integer_ids=ids.integer_ids, column=ids.column_in("people"))
        rows = graph.rows_of(people)
        absent = np.flatnonzero(rows < 0)
        if len(absent):  # named by its line: an id of a file belongs in no log
            where = line_of(self.people_path, int(absent[0]), header=True)
            count = f"{len(absent):,} of {len(people):,}"
            raise BadData(f"{where}: this node is not in the graph; {count} are not; are ids written alike?")
        return graph.ids[rows]


@dataclass(frozen=True, kw_only=True)
class VectorOptions:
    """Private vectors, which are used if they help."""

    embedding_place: str | None = place_option("--embedding", about="An embedding of this graph by `privge embed`.")
    reports_place: str | None = place_option(
        "--reports", about="Or reports: .parquet, or a folder or address of parts."
    )
    store_url: str | None = option(
        "--store",
        metavar="URL",
        callback=warn_of_password,
        help=f"Or their store: {ADDRESSES} Who was erased is left out.",
    )
    campaign: str | None = option(
        "--campaign", metavar="ID", help="With --store, which campaign: its id, or how it begins."
    )
    features_path: Path | None = file_option(
        "--features",
        about="For research: the true features behind --reports or --store, judged as the control no privacy. They "
        "recommend nobody.",
    )
    alpha: float = option(
        "--alpha",
        type=Finite(0, 1, min_open=True, max_open=True),
        default=DEFAULT_ALPHA,
        help="Decay of the walk of reports.",
    )
    r: float = option("--r", type=Finite(0, 1), default=DEFAULT_R, help="Convolution coefficient of their walk.")
    drop_unknown: bool = flag(
        "--drop-unknown", about="Drop reports of nodes that are not in the graph, and count them."
    )

    @property
    def walk(self) -> Walk:
        """How reports walk."""
        return Walk(self.alpha, self.r)

    @property
    def joining(self) -> Joining:
        """How reports become rows."""
        return Joining(unknown="drop" if self.drop_unknown else "refuse")

    def check(self) -> None:
        """Refuse what does not go together."""
        given = [place for place in (self.embedding_place, self.reports_place, self.store_url) if place is not None]
        if len(given) > 1:
            raise click.UsageError("Give --embedding, --reports or --store, one of them.")
        if self.store_url is None:
            refuse_given(("campaign",), "without --store")
        if self.store_url is None and self.reports_place is None:
            refuse_given(("alpha", "r", "drop_unknown", "features_path"), "without --reports or --store")

    def read(self, graph: Graph) -> Embedding | Signals | None:
        """Read the vectors, or what they are made of."""
        if self.embedding_place is not None:
            return read_embedding(self.embedding_place)
        if self.reports_place is not None:
            with naming(self.reports_place):
                return Signals.of_reports(graph, _all(self.reports_place), self.walk, self.joining)
        if self.store_url is None:
            return None
        with opened_store(self.store_url) as store:
            campaign = chosen_campaign(store, self.campaign)
            return signals_of_store(store, graph, self.walk, campaign=campaign, joining=self.joining)

    def clean(self, graph: Graph, ids: IdOptions) -> Signals | None:
        """Read the true features, for the control no privacy, if they are at hand."""
        if self.features_path is None:
            return None
        campaign = asked_campaign(self.reports_place, self.store_url, self.campaign)
        return true_signals(self.features_path, campaign, graph, self.walk, ids)

    def erased(self, graph: Graph) -> list[object]:
        """Return who was erased from the store."""
        if self.store_url is None:
            return []
        with opened_store(self.store_url) as store:
            return list(erased_people(store, graph).tolist())


@dataclass(frozen=True, kw_only=True)
class ExclusionOptions:
    """Who is not recommended."""

    blocked_path: Path | None = file_option(
        "--blocked",
        about="Pairs who are never recommended to each other: an edge list, its columns named as those of --graph.",
    )
    erased_path: Path | None = file_option(
        "--erased", about="Table with a column id: people who left; recommended to nobody, and nobody to them."
    )

    def blocked(self, columns: EdgeColumns, ids: IdOptions) -> list[tuple[object, object]]:
        """Read the pairs; a line that is not understood is refused, for it may be the one that matters."""
        if self.blocked_path is None:
            return []
        pairs = read_graph(existing(self.blocked_path), integer_ids=ids.integer_ids, columns=columns).to_edges()
        return list(zip(pairs["source"].to_pylist(), pairs["target"].to_pylist(), strict=True))

    def erased(self, ids: IdOptions) -> list[object]:
        """Read who left."""
        if self.erased_path is None:
            return []
        left = read_ids(existing(self.erased_path), integer_ids=ids.integer_ids, column=ids.column_in("erased"))
        return list(left.tolist())


@dataclass(frozen=True, kw_only=True)
class JudgingOptions:
    """How it is judged and computed."""

    evaluate: bool | None = option(
        "--evaluate/--no-evaluate",
        default=None,
        help=f"Whether held-out edges judge the result.  [default: up to {CHEAP:,} nodes]",
    )
    seed: int = option("--seed", type=click.IntRange(0), default=0, help="Which edges are held out. Draws no reports.")
    threads: int | None = option("--threads", type=click.IntRange(1), help="By default one for each processor.")

    def settings(self, graph: Graph, walk: Walk) -> Settings:
        """Return how recommendations are made; controls come with the evaluation."""
        judged = graph.nodes <= CHEAP if self.evaluate is None else self.evaluate
        return Settings(walk=walk, evaluate=judged, controls=judged, seed=self.seed, threads=self.threads)


def _all(place: str) -> Reports:
    reports = read_reports(place)
    if isinstance(reports, Reports):
        return reports
    return Reports.concatenate([reports.read(part) for part in range(len(reports))])
