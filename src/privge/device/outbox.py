"""The reports of many people on their way to one campaign, kept by a proxy before the first of them is sent.

A proxy must not draw twice either: what it drew for a node stays here, and a second run sends the same bytes. Which
reports a service has acknowledged is kept too, so that a run that was interrupted goes on where it stopped.

Each addition is a part of its own, and no more than one part is read at a time. Who has a report is asked by node,
across all parts: a person who comes again in another file, or after the files were cut in another way, is not drawn
again.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from privge.campaign import Campaign
from privge.device.folder import locked, private_folder, sync_folder
from privge.device.index import NodeIndex
from privge.errors import BadData, PrivacyViolation
from privge.ids import Ids
from privge.perturbation.features import FeatureMatrix
from privge.perturbation.simulate import simulate
from privge.questions.people import People
from privge.reports import Reports

_CAMPAIGN = re.compile("[0-9a-f]{64}")
_SEEDED = (
    "these reports were drawn with a seed, or by a version that did not say so: whoever has the seed sees the private "
    "values behind them, so none was sent; draw them again without a seed"
)


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
        self.campaign.check_for_devices()
        private_folder(self.folder)

    def reports(self) -> Reports:
        """Return all reports, in the order in which they were added."""
        parts = [self.part(number) for number in self._numbers()]
        return Reports.concatenate(parts) if parts else _none(self.campaign)

    def part(self, number: int) -> Reports:
        """Return the reports that were added together."""
        reports = Reports.from_parquet(self._path(number))
        if reports.campaign.id != self.campaign.id:
            raise BadData(f"{self.folder}: these are reports of campaign {reports.campaign.id[:12]}")
        return reports

    def absent(self, ids: Ids) -> NDArray[np.int64]:
        """Return the positions of the nodes that have no report here."""
        with locked(self.folder):
            return np.flatnonzero(self._index().places(ids)[:, 0] < 0)

    def elsewhere(self, ids: Ids) -> NDArray[np.bool_]:
        """Say who has a report in another campaign of this round, as far as the outboxes beside this one know."""
        found = np.zeros(len(ids), dtype=np.bool_)
        for outbox in self._others_of_round():
            found |= ~np.isin(np.arange(len(ids)), outbox.absent(ids))
        return found

    def _others_of_round(self) -> Iterator["Outbox"]:
        parts = {} if self.campaign.round is None else {part.parent: part for part in self._parts_beside()}
        for folder, part in parts.items():
            campaign = Reports.from_parquet(part).campaign
            if campaign.round == self.campaign.round and campaign.id != self.campaign.id:
                yield Outbox(folder, campaign)

    def _parts_beside(self) -> list[Path]:
        beside = [folder for folder in self.folder.parent.iterdir() if _CAMPAIGN.fullmatch(folder.name)]
        return [part for folder in beside if folder != self.folder for part in folder.glob("part-*.parquet")]

    def draw(self, features: FeatureMatrix | People, ids: Ids) -> int:
        """Draw for the nodes that have no report yet, with the operating system's randomness; return how many."""
        with locked(self.folder):
            absent = np.flatnonzero(self._index().places(ids)[:, 0] < 0)
            if absent.size:
                self._add(simulate(self.campaign, features[absent], ids=ids[absent]))  # type: ignore[arg-type]
        return int(absent.size)

    def take(self, reports: Reports) -> int:
        """Add finished reports and return how many are new.

        All of them are refused if a node has another one here already, or if those that are new were drawn with a seed.
        """
        if reports.campaign.id != self.campaign.id:
            raise BadData(f"the reports answer campaign {reports.campaign.id[:12]}, not {self.campaign.id[:12]}")
        with locked(self.folder):
            places = self._index().places(reports.ids)
            changed = sum(
                int((self.part(number).codes[rows] != reports.codes[places[:, 0] == number]).any(axis=1).sum())
                for number, rows in _by_part(places)
            )
            if changed:
                raise BadData(
                    f"{self.folder} holds another report for {changed} of these nodes; only the first is sent"
                )
            absent = np.flatnonzero(places[:, 0] < 0)
            if absent.size:
                if reports.seeded:
                    raise PrivacyViolation(_SEEDED)
                self._add(reports.take(absent))
        return int(absent.size)

    def places(self, ids: Ids) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Return where the reports of some nodes are, which must all be here: the parts, and the rows of each."""
        places = NodeIndex(self._index_path).places(ids)
        if (places < 0).any():
            raise BadData(f"{self.folder} lacks a report that was added; another process has removed it")
        return _by_part(places)

    def acknowledged(self, origin: str, number: int, count: int) -> NDArray[np.bool_]:
        """Say which of the rows of a part a service has."""
        known = np.zeros(count, dtype=np.bool_)
        path = self._acknowledgements(origin, number)
        for line in path.read_text().splitlines() if path.exists() else []:
            try:
                rows = np.array(json.loads(line), dtype=np.int64)
            except ValueError:  # the run died while it wrote this line; those rows are sent again
                continue
            known[rows[(rows >= 0) & (rows < count)]] = True
        return known

    def acknowledge(self, origin: str, number: int, rows: Sequence[int]) -> None:
        """Remember durably that a service has some rows of a part."""
        with self._acknowledgements(origin, number).open("a") as file:
            file.write(json.dumps(list(rows)) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def _add(self, part: Reports) -> None:
        number = max(self._numbers(), default=-1) + 1
        part.to_parquet(self._path(number), once=True)
        sync_folder(self.folder)
        NodeIndex(self._index_path).add(number, part.ids)

    def _index(self) -> NodeIndex:
        """Return the index, after what it lacks: a run may have died between a part and its place in the index."""
        index = NodeIndex(self._index_path)
        for number in sorted(set(self._numbers()) - index.parts()):
            index.add(number, self.part(number).ids)
        return index

    @property
    def _index_path(self) -> Path:
        return self.folder / "index.sqlite"

    def _numbers(self) -> list[int]:
        return sorted(int(path.stem.removeprefix("part-")) for path in self.folder.glob("part-*.parquet"))

    def _path(self, number: int) -> Path:
        return self.folder / f"part-{number:06d}.parquet"

    def _acknowledgements(self, origin: str, number: int) -> Path:
        return self.folder / f"acknowledged-{hashlib.sha256(origin.encode()).hexdigest()[:16]}-{number:06d}.jsonl"


def _by_part(places: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    for number in np.unique(places[:, 0][places[:, 0] >= 0]).tolist():
        yield number, places[places[:, 0] == number, 1]


def _none(campaign: Campaign) -> Reports:
    return Reports(campaign, [], np.empty((0, campaign.k), dtype=np.uint16))
