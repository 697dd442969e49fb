"""Where the reports of an embedding come from: files, a store, or simulated devices; and the embedding of them."""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

import click

from privge.cli.declared import file_option, option, place_option
from privge.cli.options import existing, given, in_parts, naming, refuse_given
from privge.cli.progress import progress_bar
from privge.cli.simulated import DESCRIBING, Simulation
from privge.cli.walks import JoiningOptions, WalkOptions
from privge.collect.stores import Store
from privge.collect.stores.opening import ADDRESSES
from privge.curator import Made, embed_reports, embed_store, find_campaign, update_from_reports, update_from_store
from privge.embedding.embedding import Embedding
from privge.embedding.join import Reading
from privge.errors import BadData, NotUpdatable, OtherGraph
from privge.graph import Graph, StoredGraph
from privge.propagation import HERE, Local, Place
from privge.reports import Reports
from privge.reports.parts import ReportParts


def store_option(about: str = "Or their store") -> Any:  # noqa: ANN401 (a field)
    """Declare the store of the reports; one that the environment names is looked up later, where none is given."""
    return option("--store", metavar="URL", help=f"{about}: {ADDRESSES}  [default: PRIVGE_STORE]")


def campaign_option(otherwise: str) -> Any:  # noqa: ANN401 (a field)
    """Declare which campaign of a store; or, in the other case, where a campaign is."""
    chosen = "With --store, which campaign: its id, or how it begins."
    return option("--campaign", metavar="ID|FILE", help=f"{chosen} {otherwise}, a campaign in TOML or JSON.")


@dataclass(frozen=True, kw_only=True)
class SourceOptions:
    """Where the reports come from."""

    reports_place: str | None = place_option(
        "--reports",
        about="Reports that devices sent: .parquet, or a folder or address of parts. With --update all of today, old "
        "and new.",
    )
    store_url: str | None = store_option()
    campaign: str | None = campaign_option("With --features")
    update_path: str | None = place_option(
        "--update", about="Earlier embedding: add only the reports that are new since."
    )
    previous_reports: str | None = place_option(
        "--previous-reports",
        about="With --reports and --update, the reports of the earlier embedding: they show which are new.",
    )
    features_path: Path | None = file_option("--features", about="Or private features, to simulate the devices.")

    def settled(self, *, needed: bool = True) -> Self:
        """Return this with the store of the environment, if no source is given, and refuse what does not fit.

        Where reports are not needed, no source is needed either.
        """
        settled = self
        if self.store_url is None and self.reports_place is None and self.features_path is None:
            # A password would be visible on the command line.
            settled = replace(self, store_url=os.environ.get("PRIVGE_STORE"))
        if needed:
            settled.check()
        else:
            given_anyway = ("reports_place", "features_path", "campaign", "update_path", "previous_reports")
            refuse_given((*given_anyway, *DESCRIBING, "seed"), "without the channel private")
        return settled

    def check(self) -> None:
        """Refuse options that do not go together."""
        if sum(source is not None for source in (self.reports_place, self.features_path, self.store_url)) != 1:
            raise click.UsageError("Give either --reports or --store (real) or --features (simulated devices).")
        if self.reports_place is not None and self.campaign is not None:
            raise click.UsageError("--campaign has no effect with --reports, which bring their own campaign.")
        if self.features_path is None:
            source = "--reports" if self.store_url is None else "--store"
            refuse_given((*DESCRIBING, "seed"), f"with {source}, which brings its own campaign")
        self._check_update()

    def _check_update(self) -> None:
        if self.update_path is None:
            refuse_given(("previous_reports", "previous_graph", "previous_nodes"), "without --update")
            return
        if self.features_path is not None:
            raise click.UsageError("--update goes with --store or --reports: simulated devices have nothing new.")
        if (self.reports_place is None) != (self.previous_reports is None):
            raise click.UsageError(
                "--update with --reports needs --previous-reports, the reports of the earlier embedding; with --store "
                "it has no effect."
            )
        fixed = (
            "alpha",
            "r",
            "smoother",
            "dimensions",
            "settings_path",
            *(field.name for field in fields(Reading)),
            "engine",
        )
        refuse_given(fixed, "with --update: it stays as in the earlier embedding")


@dataclass(frozen=True, kw_only=True)
class Task:
    """An embedding to make: of which graph, how and where."""

    graph: Graph | StoredGraph
    before: Graph | None
    walk: WalkOptions
    joining: JoiningOptions
    place: Place

    def embed(self, source: SourceOptions, simulation: Simulation | None) -> Made:
        """Embed what the source holds, or what of it is new."""
        if simulation is not None:
            path = Path(str(source.features_path))
            return self._from_reports(simulation.reports(path), str(path))
        if source.store_url is not None:
            return self._from_store(source.store_url, source)
        place = str(source.reports_place)
        if source.update_path is None:
            return self._from_reports(read_reports(place), place)
        return self._updated_from_reports(place, source)

    def _from_reports(self, reports: Reports | ReportParts, place: str) -> Made:
        with naming(place), progress_bar("Propagating") as progress:
            return embed_reports(
                self.graph,
                reports,
                walk=self.walk.walk,
                automatic=self.walk.automatic,
                joining=self.joining.joining,
                on=self.place,
                progress=progress,
            )

    def _updated_from_reports(self, place: str, source: SourceOptions) -> Made:
        older, newer = read_reports(str(source.previous_reports)), read_reports(place)
        with _previous(str(source.update_path)) as previous:
            return update_from_reports(
                self.graph,
                previous,
                older,
                newer,
                before=self.before,
                tolerance=self._tolerance,
                unknown=self.joining.joining.unknown,
                on=self._here,
            )

    def _from_store(self, url: str, source: SourceOptions) -> Made:
        with opened_store(url) as store:
            if source.update_path is not None:
                return self._updated_from_store(store, source)
            campaign, joining = chosen_campaign(store, source.campaign), self.joining.joining
            with progress_bar("Propagating") as progress:
                return embed_store(
                    store,
                    self.graph,
                    campaign=campaign,
                    walk=self.walk.walk,
                    automatic=self.walk.automatic,
                    joining=joining,
                    on=self.place,
                    progress=progress,
                )

    def _updated_from_store(self, store: Store, source: SourceOptions) -> Made:
        with _previous(str(source.update_path)) as previous:
            return update_from_store(
                store,
                self.graph,
                previous,
                campaign=source.campaign,
                before=self.before,
                tolerance=self._tolerance,
                unknown=self.joining.joining.unknown,
                on=self._here,
            )

    @property
    def _tolerance(self) -> float | None:
        """What an update may add; unless it was written on the command line, as in the earlier embedding."""
        return self.walk.tolerance if given("tolerance") else None

    @property
    def _here(self) -> Local:
        return self.place if isinstance(self.place, Local) else HERE


@contextmanager
def opened_store(url: str) -> Iterator[Store]:
    """Yield a store that exists."""
    from privge.collect.stores import open_store

    with closing(open_store(url, create=False)) as store:
        yield store


def chosen_campaign(store: Store, wanted: str | None) -> str:
    """Return the id of the campaign that is meant."""
    try:
        return find_campaign(store, wanted)
    except BadData:
        raise
    except ValueError as error:
        raise click.UsageError(f"{str(error).capitalize()}: say which with --campaign.") from error


@contextmanager
def _previous(place: str) -> Iterator[Embedding]:
    """Yield an earlier embedding; if it cannot be updated, say what to do instead."""
    previous = read_embedding(place)
    try:
        with naming(place):
            yield previous
    except BadData as error:
        if isinstance(error.__cause__, NotUpdatable):
            grown = isinstance(error.__cause__, OtherGraph) and not given("previous_graph")
            more = "; if it only gained nodes or edges, give the former one as --previous-graph" if grown else ""
            raise NotUpdatable(f"{error}{more}; leave out --update to embed from the beginning") from error
        raise


def read_embedding(place: str) -> Embedding:
    """Read an embedding from a file, or from a folder or address of parts."""
    if "://" not in place and not Path(place).is_dir():
        existing(Path(place))
    return Embedding.load(place)


def read_reports(place: str) -> Reports | ReportParts:
    """Read reports from a file, or open a folder or address of parts."""
    return ReportParts.open(place) if in_parts(place) else Reports.from_parquet(existing(Path(place)))
