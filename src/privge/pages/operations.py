"""Every page and form in one table, for `privge.collect.service.create_app`."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from privge.collect.service.routes.operations import Operation
from privge.pages import assets
from privge.pages.contribution.page import PATH, ContributionPage
from privge.pages.room.access import FORM_TYPE
from privge.pages.room.options import RoomOptions
from privge.pages.room.room import Room

_HTML = "text/html"


def operations(options: RoomOptions, strings: Path | None = None) -> Sequence[Operation]:
    """Return the pages of a service.

    Parameters
    ----------
    options
        What the operator's room may look at.
    strings
        A translation of the contribution page.
    """
    room = Room(options)
    contribution = ContributionPage(strings)
    shown = partial(Operation, "GET", answer_type=_HTML, access="operator")
    form = partial(Operation, "POST", answer_type=_HTML, access="operator", body=(FORM_TYPE, None))
    pages = {
        "/operator": room.overview,
        "/operator/campaigns/{campaign}": room.campaign,
        "/operator/new": room.new,
        "/operator/trail": room.trail,
        "/operator/embeddings": room.embeddings,
        "/operator/embeddings/{file}": room.map,
    }
    forms = (room.enter, room.leave, room.draft, room.publish, room.retire)
    return (
        Operation("GET", assets.PATH, assets.asset),
        Operation("GET", PATH, contribution.show, answer_type=_HTML),
        *(shown(path, handler) for path, handler in pages.items()),
        *(form(f"/operator/{handler.__name__}", handler) for handler in forms),
        form("/operator/campaigns/{campaign}/close", room.close),
    )
