"""The contribution page of a campaign: a frame with texts. What is private happens in the browser, by the client."""

import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from starlette.requests import Request

from privge._files.translations import Strings, load_translation, parsed_strings
from privge.collect.service.answers import Answer
from privge.collect.service.problems import Refused
from privge.collect.service.service import Service
from privge.pages.answers import SCRIPT_POLICY, page
from privge.pages.assets import assets

PATH: Final = "/c/{campaign}"
"""Where the page of a campaign is."""

MODULES: Final = ("privge.js", "door.js", "draw.js", "fields.js", "wire.js")
"""What the script of the page is made of, besides itself."""

_FOR_SCRIPT = ("frame", "have", "sent", "inferred", "act", "left", "stored", "spent", "trouble")


@cache
def english() -> Strings:
    """Return the texts in English."""
    return parsed_strings(files("privge.pages.contribution").joinpath("english.toml").read_text(encoding="utf-8"))


class ContributionPage:
    """Answers with the page.

    Parameters
    ----------
    strings
        A translation of ``english.toml``; English if there is none.
    """

    def __init__(self, strings: Path | None = None) -> None:
        self._texts = english() if strings is None else load_translation(strings, english())
        self._for_script = json.dumps({name: self._texts[name] for name in _FOR_SCRIPT}, ensure_ascii=False)

    async def show(self, service: Service, request: Request) -> Answer:
        """Show a person what they have, what is sent and what can be inferred, and let them contribute."""
        try:
            campaign, status, reason = (await service.campaign(request.path_params["campaign"])).id, 200, "ok"
        except Refused as refused:
            if refused.reason != "unknown":
                raise
            campaign, status, reason = "", 404, "unknown"
        values = {
            "t": self._texts,
            "texts": self._for_script,
            "campaign": campaign,
            "assets": assets(),
            "modules": MODULES,
        }
        return page("contribution.html", values, status=status, reason=reason, policy=SCRIPT_POLICY)
