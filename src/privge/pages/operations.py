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
    return (
        Operation("GET", assets.PATH, assets.asset),
        Operation("GET", PATH, contribution.show, answer_type=_HTML),
        shown("/operator", room.overview),
        shown("/operator/campaigns/{campaign}", room.campaign),
        shown("/operator/new", room.new),
        shown("/operator/trail", room.trail),
        shown("/operator/embeddings", room.embeddings),
        shown("/operator/embeddings/{file}", room.map),
        form("/operator/enter", room.enter),
        form("/operator/leave", room.leave),
        form("/operator/draft", room.draft),
        form("/operator/publish", room.publish),
        form("/operator/retire", room.retire),
        form("/operator/campaigns/{campaign}/close", room.close),
    )
