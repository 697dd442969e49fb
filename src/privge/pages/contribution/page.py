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

TAUGHT: Final = "taught.js"
"""What the client needs besides, if a campaign asks about whole profiles."""

# In canonical JSON these bytes stand nowhere else: within a text, every quote is escaped.
_ASKS_PROFILES = tuple(b'"kind":"%s"' % kind for kind in (b"direction", b"model", b"score"))

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
            known = await service.campaign(request.path_params["campaign"])
        except Refused as refused:
            if refused.reason != "unknown":
                raise
            campaign, modules, status, reason = "", MODULES, 404, "unknown"
        else:
            taught = any(asked in known.document for asked in _ASKS_PROFILES)
            campaign, modules, status, reason = known.id, (*MODULES, TAUGHT) if taught else MODULES, 200, "ok"
        values = {
            "t": self._texts,
            "texts": self._for_script,
            "campaign": campaign,
            "assets": assets(),
            "modules": modules,
        }
        return page("contribution.html", values, status=status, reason=reason, policy=SCRIPT_POLICY)
