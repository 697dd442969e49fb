"""Options about the data of ``privge evaluate``: a dataset, files with features, or what was really collected."""

import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from privge.campaign import Campaign
from privge.cli.declared import file_option, folder_option, option, place_option
from privge.cli.graphs import ColumnOptions, nodes_option
from privge.cli.ids import IdOptions
from privge.cli.options import existing, naming, refuse_given
from privge.cli.simulated import read_features_for
from privge.cli.sources import chosen_campaign, opened_store, read_reports, store_option
from privge.collect.snapshot import take_snapshot
from privge.datasets.joined import KnownLabels, NamedParts, Rules, join, labels_on
from privge.datasets.loading import dataset_of, describe, load
from privge.datasets.tables import Columns, Tables
from privge.errors import BadData
from privge.graph import read_graph
from privge.graph.labels import read_labels
from privge.reports import Reports
from privge.reports.parts import ReportParts

if TYPE_CHECKING:
    from collections.abc import Callable

    from privge.datasets import Description
    from privge.experiments.collected import Collected
    from privge.experiments.sources import Data
    from privge.experiments.surveyed import Surveyed
    from privge.graph import Graph

_HOW = "--low and --high for all columns; or --campaign or a --dataset, which can state the kind of each"
_KINDS = "[[questions]] of a campaign file (--campaign), or [[features]] of a dataset.toml (--dataset)"
_OF_FILES = ("nodes_path", "labels_path", "graph_path", "name", "label_column", "id_columns", "integer_ids", "low")


@dataclass(frozen=True, kw_only=True)
class DataOptions(IdOptions, ColumnOptions):
    """What is evaluated: exactly one source of features or reports."""

    dataset: str | None = option(
        "--dataset", help="A folder with a dataset.toml, or a name of `privge datasets`; or own files, as follows."
    )
    data_dir: Path | None = folder_option("--data-dir", about="Where datasets of the catalogue are.")
    graph_path: Path | None = file_option("--graph", about="Edges of the public graph.")
    nodes_path: Path | None = nodes_option()
    features_path: Path | None = file_option(
        "--features", about="Values of everybody, to simulate the devices: numbers, or what --campaign asks."
    )
    reports_place: str | None = place_option("--reports", about="Or reports that devices sent: .parquet, or parts.")
    store_url: str | None = store_option()
    campaign: str | None = option(
        "--campaign",
        metavar="FILE|ID",
        help="With --features, the campaign that asks for them, in TOML or JSON: its questions, laws, epsilon and k. "
        "With --store, which campaign: how its id begins.",
    )
    labels_path: Path | None = file_option("--labels", about="Table of ids and classes; empty where unknown.")
    label_column: str = option("--label-column", metavar="NAME", default="label", help="Column of the classes.")
    low: float | None = option("--low", type=float, help="Public lower bound of every feature.  [default: 0]")
    high: float | None = option("--high", type=float, help="Public upper bound of every feature.  [default: 1]")
    name: str = option("--name", default="own", help="What own files are called in results.")

    @property
    def description(self) -> "Description | None":
        """What is known about the dataset; None of files."""
        return None if self.dataset is None else described(self.dataset)

    @property
    def store(self) -> str | None:
        """The store that is meant: a password would be visible on the command line."""
        alone = not any((self.dataset, self.features_path, self.reports_place))
        return self.store_url or (os.environ.get("PRIVGE_STORE") if alone else None)

    @property
    def surveys(self) -> bool:
        """Whether a campaign in a file says how features are read and perturbed."""
        return self.features_path is not None and self.campaign is not None

    def check(self) -> None:
        """Refuse options that do not go together."""
        given = [source for source in (self.dataset, self.features_path, self.reports_place, self.store) if source]
        if len(given) != 1:
            raise click.UsageError("Give --dataset, or --graph and --labels with --features, --reports or --store.")
        if self.dataset is not None:
            refuse_given(_OF_FILES, "with --dataset, which says so itself")
        elif self.graph_path is None:
            raise click.UsageError("Give --graph, the edges, or a --dataset.")
        if self.features_path is None:
            refuse_given(("low", "high"), "without --features")
        if self.store is None and self.features_path is None:
            refuse_given(("campaign",), "without --features or --store")
        if self.surveys:
            refuse_given(("low", "high", "mechanisms"), "with --campaign, which brings its own bounds and laws")

    def loading(self, *, jobs: int) -> "Callable[[], Data]":
        """Return what loads the data, in this process or in another one."""
        if self.dataset is not None:
            return partial(load, described(self.dataset), data_dir=self.data_dir)
        if self.store is None:
            return partial(_of_files, self)
        if jobs > 1:
            raise click.UsageError("--jobs has no effect with --store: a store is read once, by one process.")
        collected = self._collected()
        return lambda: collected

    def read(self) -> "Data":
        """Read files."""
        if self.features_path is None:
            return self._collected()
        own = {f"{table}_id": self.column_in(table) for table in ("nodes", "features", "labels")}
        ends = (self.source_column, self.target_column, self.weight_column)
        columns = Columns(*ends, label=self.label_column, **own)
        rules = Rules(None, self.low, self.high, how=_HOW)
        tables = Tables(columns, rules, integer_ids=self.integer_ids, kinds=_KINDS)
        edges, labels = Path(str(self.graph_path)), None if self.labels_path is None else existing(self.labels_path)
        if self.campaign is not None:
            return self._surveyed(self.campaign, tables.public(edges, labels, self.nodes_path))
        parts = tables.parts(edges, self.features_path, labels, self.nodes_path)
        return dataset_of(join(parts, rules), self.name, *rules.bounds)

    def _surveyed(self, campaign: str, public: "tuple[Graph, KnownLabels | None]") -> "Surveyed":
        from privge.experiments.surveyed import surveyed

        path, asked = Path(str(self.features_path)), Campaign.load(existing(Path(campaign)))
        people = read_features_for(path, asked, self)
        with naming(path):
            return surveyed(self.name, NamedParts(public[0], self.nodes_path is not None, people, public[1]), asked)

    def _collected(self) -> "Collected":
        from privge.experiments.collected import Collected, of_people_in

        graph = read_graph(
            str(self.graph_path),
            nodes=self.nodes_path,
            columns=self.edge_columns(id_column=self.column_in("nodes")),
            integer_ids=self.integer_ids,
        )
        known = None
        if self.labels_path is not None:
            known = read_labels(
                existing(self.labels_path),
                integer_ids=self.integer_ids,
                id_column=self.column_in("labels"),
                label_column=self.label_column,
                blanks=True,
            )
        reports, strangers = of_people_in(graph, self._reports())
        if strangers:
            left_out = "1 report" if strangers == 1 else f"{strangers:,} reports"
            click.echo(f"left out {left_out} of people who are not in the graph", err=True)
        return Collected(self.name, graph, *labels_on(graph, known), reports)

    def _reports(self) -> Reports:
        if self.store is not None:
            with opened_store(self.store) as store:
                return take_snapshot(store, chosen_campaign(store, self.campaign)).reports
        found = read_reports(str(self.reports_place))
        if isinstance(found, ReportParts):
            return Reports.concatenate([found.read(part) for part in range(len(found))])
        return found


def described(name: str) -> "Description":
    """Return what is known about a dataset that the command line names."""
    try:
        return describe(name)
    except BadData:
        raise
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--dataset") from error


def _of_files(options: DataOptions) -> "Data":
    return options.read()
