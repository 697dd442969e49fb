"""What devices sent."""

from typing import TYPE_CHECKING

from privge._imports import lazy

if TYPE_CHECKING:
    from privge.reports.parts import ReportParts
    from privge.reports.report import Report
    from privge.reports.reports import Reports

__all__ = [
    "Report",
    "ReportParts",
    "Reports",
]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "privge.reports.parts": ["ReportParts"],
        "privge.reports.report": ["Report"],
        "privge.reports.reports": ["Reports"],
    },
)
