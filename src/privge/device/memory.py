"""The report of a campaign: drawn once, kept, and sent as often as needed, always the same bytes.

A report is first *prepared*: drawn and kept, but seen by nobody, so it costs nothing. It is *charged* to the ledger
before the first byte of it may leave. Only what was perturbed is kept; the private values are never written anywhere.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from privge.campaign import Campaign
from privge.device.folder import locked, move_durably, private_folder, write_durably
from privge.device.ledger import Ledger, Spent
from privge.errors import BadData, SecondDraw
from privge.reports import Report
from privge.wire.codes import ReportForm, report_id

_FORMAT = "privge-report-1"


@dataclass(frozen=True, slots=True)
class FinishedReport:
    """A perturbed report, ready to be sent: ``body`` is its codes (`privge.wire.codes`)."""

    campaign: str
    node: str | int
    epsilon: float
    body: bytes
    round: str | None = None

    @property
    def id(self) -> str:
        """SHA-256 of the body, in hexadecimal."""
        return report_id(self.body)

    @classmethod
    def of(cls, campaign: Campaign, report: Report) -> Self:
        """Write the codes of a report as they are sent; they must be such as its node may report."""
        body = ReportForm.of_node(campaign, report.node).written(report.codes)
        return cls(campaign.id, report.node, campaign.epsilon, body, campaign.round)

    def save(self, path: Path) -> None:
        """Write the report durably."""
        document = {
            "format": _FORMAT,
            "campaign": self.campaign,
            "node": self.node,
            "epsilon": self.epsilon,
            "codes": self.body.hex(),
            "report": self.id,
            **({} if self.round is None else {"round": self.round}),
        }
        write_durably(path, json.dumps(document, indent=1).encode())

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read what `save` wrote; anything else is refused by name."""
        try:
            document = json.loads(path.read_bytes())
            stated = document["campaign"], document["node"], float(document["epsilon"])
            report = cls(*stated, bytes.fromhex(document["codes"]), document.get("round"))
            intact = document["format"] == _FORMAT and document["report"] == report.id
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise BadData(f"{path}: this kept report is damaged, and another one will not be drawn") from error
        if not intact or path.stem != report.campaign:
            raise BadData(f"{path}: this kept report was changed, and another one will not be drawn")
        return report


@dataclass(frozen=True)
class Memory:
    """The ledger and the reports of one person.

    The order of writing is what makes a crash harmless: draw in memory, keep the report durably in ``prepared``, enter
    it in the ledger durably, move it to ``reports``, and only then may anything be sent. A draw that died with its
    process was seen by nobody, and neither was a prepared one, which is the one that will be sent. A report in the
    ledger is sent again as it is; one in ``reports`` counts as spent even if the ledger was lost.

    Parameters
    ----------
    folder
        Made if absent, for this user alone.
    """

    folder: Path

    def __post_init__(self) -> None:
        for folder in (self.folder, self._prepared, self._charged):
            private_folder(folder)

    def ledger(self) -> Ledger:
        """Return the ledger, with every charged report entered that it has lost."""
        ledger = Ledger.load(self.folder)
        for path in sorted(self._charged.glob("*.json")):
            if re.fullmatch("[0-9a-f]{64}", path.stem) and ledger.of(path.stem) is None:
                ledger = _with_entry(ledger, FinishedReport.load(path))
        return ledger

    def set_caps(self, campaign: float | None, lifetime: float | None) -> None:
        """Remember other caps from now on; None leaves a cap as it is."""
        with locked(self.folder):
            self.ledger().with_caps(campaign, lifetime).save(self.folder)

    def charged(self, campaign: str, node: str | int) -> FinishedReport | None:
        """Return the report of a campaign that may have been sent; refuse one of somebody else, or one that is gone."""
        with locked(self.folder):
            return self._charged_report(campaign, node)

    def prepare(self, campaign: Campaign, draw: Callable[[], Report], node: str | int) -> tuple[FinishedReport, bool]:
        """Return the report of a campaign, and whether it was drawn now: that happens once.

        The caps are applied first. When this returns, the report is durable. Nothing is charged.
        """
        with locked(self.folder):
            prepared = self._prepared / _name(campaign.id)
            kept = self._charged_report(campaign.id, node) or _unseen(prepared, node)
            if kept is not None:
                return kept, False
            self.ledger().check(campaign)
            report = FinishedReport.of(campaign, draw())
            report.save(prepared)
            return report, True

    def has_prepared(self, campaign: str, node: str | int) -> bool:
        """Say whether there is a report of a campaign that was drawn and not sent."""
        with locked(self.folder):
            return _unseen(self._prepared / _name(campaign), node) is not None

    def charge(self, campaign: Campaign, report: FinishedReport) -> FinishedReport:
        """Enter a report in the ledger, if the caps allow it, and return the one to send: the first that was charged.

        It is the prepared one, or one that this person drew on another device; the prepared one is then forgotten.
        """
        with locked(self.folder):
            charged = self._charged_report(campaign.id, report.node)
            if charged is not None:
                return charged
            ledger = self.ledger()
            ledger.check(campaign)
            prepared = self._prepared / _name(campaign.id)
            if _unseen(prepared, report.node) != report:  # of another device: what was prepared here is never sent
                report.save(self._charged / _name(campaign.id))
                prepared.unlink(missing_ok=True)
            _with_entry(ledger, report).save(self.folder)
            if prepared.exists():
                move_durably(prepared, self._charged)
            return report

    def _charged_report(self, campaign: str, node: str | int) -> FinishedReport | None:
        ledger, prepared = self.ledger(), self._prepared / _name(campaign)
        entry = ledger.of(campaign)
        if entry is None:
            return None
        path = self._charged / _name(campaign)
        if not path.exists() and prepared.exists():  # a crash came between the ledger and the move
            move_durably(prepared, self._charged)
        if not path.exists():
            raise SecondDraw(
                f"the ledger says that this device has sent its report of campaign {campaign[:12]}, but the report is "
                f"no longer at {path}. A second draw would reveal more than epsilon; restore the file, or leave it"
            )
        if FinishedReport.load(path).id != entry.report:
            raise BadData(f"{path}: this is not the report that the ledger names, and another one will not be drawn")
        report = _own(path, node)
        if Ledger.load(self.folder) != ledger:  # it had lost this entry
            ledger.save(self.folder)
        return report

    @property
    def _prepared(self) -> Path:
        return self.folder / "prepared"

    @property
    def _charged(self) -> Path:
        return self.folder / "reports"


def _own(path: Path, node: str | int) -> FinishedReport:
    """Return a kept report that was drawn for a node; refuse one that was drawn for another."""
    report = FinishedReport.load(path)
    if str(report.node) != str(node):
        raise SecondDraw(
            f"this device has drawn for campaign {report.campaign[:12]} under another node id; a second draw would "
            "reveal more than epsilon. If somebody else uses this device, give them a folder of their own"
        )
    return report


def _unseen(path: Path, node: str | int) -> FinishedReport | None:
    """Return a report that was prepared for a node; nobody saw one that is damaged or another's: it does not count."""
    try:
        report = FinishedReport.load(path) if path.exists() else None
    except BadData:
        return None
    return report if report is not None and str(report.node) == str(node) else None


def _name(campaign: str) -> str:
    return f"{campaign}.json"


def _with_entry(ledger: Ledger, report: FinishedReport) -> Ledger:
    return ledger.adding(Spent(report.campaign, report.node, report.epsilon, report.id), report.round)
