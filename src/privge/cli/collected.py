"""Reports that were collected, for commands that read them as they are: a file, a folder of parts, or a store."""

import os
from dataclasses import dataclass, replace
from typing import Self

import click

from privge.cli.declared import place_option
from privge.cli.sources import campaign_option, chosen_campaign, opened_store, read_reports, store_option
from privge.collect.snapshot import take_snapshot
from privge.errors import BadData
from privge.reports import Reports
from privge.reports.parts import ReportParts


@dataclass(frozen=True, kw_only=True)
class CollectedOptions:
    """Where the reports are."""

    reports_place: str | None = place_option(
        "--reports", about="Reports that devices sent: .parquet, or a folder or address of parts."
    )
    store_url: str | None = store_option()
    campaign: str | None = campaign_option("Without reports")

    def settled(self) -> Self:
        """Return this with the store of the environment, if nothing is given, and refuse what does not fit."""
        if self.reports_place is not None and self.store_url is not None:
            raise click.UsageError("Give either --reports or --store.")
        if self.reports_place is not None and self.campaign is not None:
            raise click.UsageError("--campaign has no effect with --reports, which bring their own campaign.")
        if self.reports_place is None and self.store_url is None and self.campaign is None:
            return replace(self, store_url=os.environ.get("PRIVGE_STORE"))  # a password would be visible
        return self

    @property
    def place(self) -> str:
        """Where they are, in words."""
        return str(self.store_url if self.reports_place is None else self.reports_place)

    def read(self) -> Reports | None:
        """Read all reports; None if no place is given."""
        if self.reports_place is not None:
            found = read_reports(self.reports_place)
            reports = found.whole() if isinstance(found, ReportParts) else found
        elif self.store_url is not None:
            with opened_store(self.store_url) as store:
                reports = take_snapshot(store, chosen_campaign(store, self.campaign)).reports
        else:
            return None
        if not len(reports):
            raise BadData("there are no reports yet, or none any more")
        return reports
