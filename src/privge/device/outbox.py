"""The reports of many people on their way to one campaign, kept by a proxy before the first of them is sent.

A proxy must not draw twice either: what it drew for a node stays here, and a second run sends the same bytes. Which
reports a service has acknowledged is kept too, so that a run that was interrupted goes on where it stopped.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from privge.campaign import Campaign
from privge.device.folder import locked, private_folder, sync_folder
from privge.errors import BadData, PrivacyViolation
from privge.ids import Ids
from privge.perturbation import FeatureMatrix, simulate
from privge.reports import Reports


@dataclass(frozen=True)
class Outbox:
    """Finished reports of one campaign.

    Parameters
    ----------
    folder
        Made if absent, for this user alone. One for each campaign.
    campaign
        What all reports answer.
    """

    folder: Path
    campaign: Campaign

    def __post_init__(self) -> None:
        if self.campaign.law.worst_ratio is None:
            raise PrivacyViolation("this campaign has no privacy: it is a control, and nothing was drawn for it")
        private_folder(self.folder)

    def reports(self) -> Reports:
        """Return all reports, in the order in which they were added."""
        parts = [Reports.from_parquet(path) for path in sorted(self.folder.glob("part-*.parquet"))]
        for part in parts:
            if part.campaign.id != self.campaign.id:
                raise BadData(f"{self.folder}: these are reports of campaign {part.campaign.id[:12]}")
        return Reports.concatenate(parts) if parts else _none(self.campaign)

    def draw(self, features: FeatureMatrix, ids: Ids) -> int:
        """Draw for the nodes that have no report yet, with the operating system's randomness; return how many."""
        with locked(self.folder):
            absent = np.flatnonzero(_places(self.reports().ids, ids) < 0)
            if absent.size:
                self._add(simulate(self.campaign, features[absent], ids=ids[absent]))  # type: ignore[arg-type]
        return int(absent.size)

    def take(self, reports: Reports) -> int:
        """Add finished reports; refuse all of them if a node has another one here already. Return how many are new."""
        if reports.campaign.id != self.campaign.id:
            raise BadData(f"the reports answer campaign {reports.campaign.id[:12]}, not {self.campaign.id[:12]}")
        with locked(self.folder):
            kept = self.reports()
            places = _places(kept.ids, reports.ids)
            known = places >= 0
            changed = int((kept.codes[places[known]] != reports.codes[known]).any(axis=1).sum())
            if changed:
                raise BadData(
                    f"{self.folder} holds another report for {changed} of these nodes; only the first is sent"
                )
            absent = np.flatnonzero(~known)
            if absent.size:
                ids, codes, indices = reports.ids[absent], reports.codes[absent], reports.indices[absent]
                self._add(Reports.with_indices(self.campaign, ids, codes, indices))
        return int(absent.size)

    def rows_of(self, reports: Reports, ids: Ids) -> NDArray[np.int64]:
        """Return the rows of the reports of some nodes, which must all be here."""
        rows = _places(reports.ids, ids)
        if (rows < 0).any():
            raise BadData(f"{self.folder} lacks a report that was added; another process has removed it")
        return rows

    def acknowledged(self, origin: str, count: int) -> NDArray[np.bool_]:
        """Say which of the rows a service has."""
        known = np.zeros(count, dtype=np.bool_)
        path = self._acknowledgements(origin)
        for line in path.read_text().splitlines() if path.exists() else []:
            try:
                rows = np.array(json.loads(line), dtype=np.int64)
            except ValueError:  # the run died while it wrote this line; those rows are sent again
                continue
            known[rows[(rows >= 0) & (rows < count)]] = True
        return known

    def acknowledge(self, origin: str, rows: Sequence[int]) -> None:
        """Remember durably that a service has some rows."""
        with self._acknowledgements(origin).open("a") as file:
            file.write(json.dumps(list(rows)) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def _add(self, part: Reports) -> None:
        number = len(list(self.folder.glob("part-*.parquet")))
        part.to_parquet(self.folder / f"part-{number:06d}.parquet")
        sync_folder(self.folder)

    def _acknowledgements(self, origin: str) -> Path:
        return self.folder / f"acknowledged-{hashlib.sha256(origin.encode()).hexdigest()[:16]}.jsonl"


def _places(ids: Ids, wanted: Ids) -> NDArray[np.int64]:
    """Return the row of each wanted id, -1 where there is none; as everywhere, 17 and "17" are one node."""
    rows = {str(node): row for row, node in enumerate(ids.tolist())}
    return np.array([rows.get(str(node), -1) for node in wanted.tolist()], dtype=np.int64)


def _none(campaign: Campaign) -> Reports:
    return Reports(campaign, [], np.empty((0, campaign.k), dtype=np.uint16))
