"""Reports that do not fit in memory: a folder of Parquet files, each a file of reports of its own."""

import hashlib
from dataclasses import dataclass
from os import PathLike
from typing import Self

from privge._files.finished import finished_parts
from privge._files.folder import Folder
from privge.campaign import Campaign
from privge.errors import BadData, CampaignMismatch
from privge.reports import Reports
from privge.reports.files import header_of


@dataclass(frozen=True)
class ReportParts:
    """The reports of one campaign, in parts that are read one at a time.

    Parameters
    ----------
    folder, names
        Where the parts are, and their files in order.
    campaign
        The contract that all of them answer.
    reports
        How many reports there are in all.
    digest
        Tells these reports from others.
    seeded
        Whether some of them were drawn with a seed; see `Reports`.
    """

    folder: Folder
    names: tuple[str, ...]
    campaign: Campaign
    reports: int
    digest: str
    seeded: bool

    @classmethod
    def open(cls, place: str | PathLike[str] | Folder) -> Self:
        """Find the parts of a finished folder and see that they answer one campaign; no report is read yet.

        That no node is in two parts is not known here: whoever joins them sees to it.
        """
        folder = Folder.of(place)
        names, counts = finished_parts(folder)
        headers = [header_of(folder, name) for name in names]
        campaign = headers[0].campaign
        for name, header in zip(names, headers, strict=True):
            _same(campaign, header.campaign, folder, name)
        reports = counts.get("reports")
        if counts.get("campaign") != campaign.id or type(reports) is not int:
            raise BadData(f"{folder.address}: _SUCCESS belongs to other reports")
        digest = hashlib.sha256("".join([campaign.id, *(header.digest for header in headers)]).encode()).hexdigest()
        return cls(folder, names, campaign, reports, digest, any(header.seeded for header in headers))

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"ReportParts({self.reports:,} of campaign {self.campaign.id[:12]} in {len(self):,} parts)"

    def read(self, i: int) -> Reports:
        """Return the reports of one part; the file is checked as every file of reports is."""
        name = self.names[i]
        reports = Reports.from_parquet(self.folder.file(name))
        _same(self.campaign, reports.campaign, self.folder, name)
        return reports

    def whole(self) -> Reports:
        """Return the reports of all parts at once."""
        return Reports.concatenate([self.read(part) for part in range(len(self))])


def _same(campaign: Campaign, other: Campaign, folder: Folder, name: str) -> None:
    if other.id != campaign.id:
        raise CampaignMismatch(
            f"{folder.file(name)}: the reports answer campaign {other.id[:12]}, the others {campaign.id[:12]}"
        )
