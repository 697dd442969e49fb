"""The finished report of a campaign, kept so that it is drawn once and sent as often as needed, always the same bytes.

Only what was perturbed is kept. The private values are never written anywhere.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from privge.campaign import Campaign
from privge.device.folder import locked, private_folder, write_durably
from privge.device.ledger import Ledger, Spent
from privge.errors import BadData, SecondDraw
from privge.perturbation import FeatureVector

_FORMAT = "privge-report-1"


@dataclass(frozen=True, slots=True)
class FinishedReport:
    """A perturbed report, ready to be sent: ``body`` is the codes as little-endian 16-bit integers."""

    campaign: str
    node: str | int
    epsilon: float
    body: bytes

    @property
    def id(self) -> str:
        """SHA-256 of the body, in hexadecimal."""
        return hashlib.sha256(self.body).hexdigest()

    @classmethod
    def draw(cls, campaign: Campaign, features: FeatureVector, node: str | int) -> Self:
        """Perturb the features, with the operating system's randomness."""
        codes = np.array(campaign.report(features, node=node).codes, dtype="<u2")
        return cls(campaign.id, node, campaign.epsilon, codes.tobytes())

    def save(self, path: Path) -> None:
        """Write the report durably."""
        document = {
            "format": _FORMAT,
            "campaign": self.campaign,
            "node": self.node,
            "epsilon": self.epsilon,
            "codes": self.body.hex(),
            "report": self.id,
        }
        write_durably(path, json.dumps(document, indent=1).encode())

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read what `save` wrote; anything else is refused by name."""
        try:
            document = json.loads(path.read_bytes())
            report = cls(
                document["campaign"], document["node"], float(document["epsilon"]), bytes.fromhex(document["codes"])
            )
            intact = document["format"] == _FORMAT and document["report"] == report.id
        except (ValueError, TypeError, KeyError) as error:
            raise BadData(f"{path}: this kept report is damaged, and another one will not be drawn") from error
        if not intact or path.stem != report.campaign:
            raise BadData(f"{path}: this kept report was changed, and another one will not be drawn")
        return report


def nothing(_point: str) -> None:
    """Do nothing at a point; the tests put a power failure here."""


@dataclass(frozen=True)
class Memory:
    """The ledger and the finished reports of one person.

    The order of writing is what makes a crash harmless: draw in memory, keep the report durably, enter it in the
    ledger durably, and only then may anything be sent. A draw that died with its process was seen by nobody; a report
    that was kept is entered in the ledger by the next run; a report in the ledger is sent again as it is.

    Parameters
    ----------
    folder
        Made if absent, for this user alone.
    at
        Called with the name of each point that was passed.
    """

    folder: Path
    at: Callable[[str], None] = nothing

    def __post_init__(self) -> None:
        private_folder(self.folder)
        private_folder(self.folder / "reports")

    def ledger(self) -> Ledger:
        """Return the ledger, with every kept report entered that a crash left out."""
        ledger = Ledger.load(self.folder)
        for path in sorted((self.folder / "reports").glob("*.json")):
            if ledger.of(path.stem) is None:
                ledger = ledger.adding(_entry(FinishedReport.load(path)))
        return ledger

    def set_caps(self, campaign: float | None, lifetime: float | None) -> None:
        """Remember other caps from now on; None leaves a cap as it is."""
        with locked(self.folder):
            self.ledger().with_caps(campaign, lifetime).save(self.folder)

    def kept(self, campaign: str, node: str | int) -> FinishedReport | None:
        """Return the report that was drawn for a campaign; refuse one that was drawn as somebody else, or is gone."""
        with locked(self.folder):
            return self._kept(campaign, node)

    def draw_once(self, campaign: Campaign, features: Callable[[], FeatureVector], node: str | int) -> FinishedReport:
        """Return the report of a campaign; draw it if that never happened, and the caps allow it.

        When this returns, report and ledger are durable. ``features`` is called only if there is something to draw.
        """
        with locked(self.folder):
            kept = self._kept(campaign.id, node)
            if kept is not None:
                return kept
            ledger = self.ledger()
            ledger.check(campaign)
            self.at("before the draw")
            report = FinishedReport.draw(campaign, features(), node)
            self.at("after the draw")
            self._keep(report, ledger)
            return report

    def adopt(self, report: FinishedReport) -> FinishedReport:
        """Keep the report that this person drew on another device, unless this one has drawn too."""
        with locked(self.folder):
            kept = self._kept(report.campaign, report.node)
            if kept is None:
                self._keep(report, self.ledger())
            return kept or report

    def _keep(self, report: FinishedReport, ledger: Ledger) -> None:
        report.save(self._path(report.campaign))
        self.at("after the report is kept")
        ledger.adding(_entry(report)).save(self.folder)
        self.at("after the ledger is written")

    def _kept(self, campaign: str, node: str | int) -> FinishedReport | None:
        ledger, path = self.ledger(), self._path(campaign)
        entry = ledger.of(campaign)
        if entry is None:
            return None
        if not path.exists():
            raise SecondDraw(
                f"the ledger says that this device has drawn its report of campaign {campaign[:12]}, but the report is "
                f"no longer at {path}. A second draw would reveal more than epsilon; restore the file, or leave it"
            )
        report = FinishedReport.load(path)
        if report.id != entry.report:
            raise BadData(f"{path}: this is not the report that the ledger names, and another one will not be drawn")
        if str(report.node) != str(node):
            raise SecondDraw(
                f"this device has reported to campaign {campaign[:12]} under another node id; a second draw would "
                "reveal more than epsilon. If somebody else uses this device, give them a folder of their own"
            )
        if ledger != Ledger.load(self.folder):  # a crash came between the report and the ledger
            ledger.save(self.folder)
        return report

    def _path(self, campaign: str) -> Path:
        return self.folder / "reports" / f"{campaign}.json"


def _entry(report: FinishedReport) -> Spent:
    return Spent(report.campaign, report.node, report.epsilon, report.id)
