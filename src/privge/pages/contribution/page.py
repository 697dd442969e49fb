"""The contribution page of a campaign: a frame with texts. What is private happens in the browser, by the client."""

import hashlib
import html
import json
from base64 import b64encode
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
def _import_map() -> str:
    """Return the hash of what the client imports by itself, as browsers want it: they run nothing else in its place."""
    return json.dumps({"integrity": {f"/assets/{TAUGHT}": assets()[TAUGHT].integrity}})


def _source(script: str) -> str:
    """Return how a policy names a script of the page itself."""
    return f"'sha256-{b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def _attribute(texts: Strings) -> str:
    """Return texts as JSON for an attribute in single quotes, in which double quotes take one byte instead of five."""
    text = json.dumps(texts, ensure_ascii=False, separators=(",", ":"))
    return html.escape(text, quote=False).replace("'", "&#39;")


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
        self._for_script = _attribute({name: self._texts[name] for name in _FOR_SCRIPT})

    async def show(self, service: Service, request: Request) -> Answer:
        """Show a person what they have, what is sent and what can be inferred, and let them contribute."""
        modules: tuple[str, ...] = MODULES
        import_map, policy = "", SCRIPT_POLICY
        try:
            known = await service.campaign(request.path_params["campaign"])
        except Refused as refused:
            if refused.reason != "unknown":
                raise
            campaign, status, reason = "", 404, "unknown"
        else:
            campaign, status, reason = known.id, 200, "ok"
            if any(asked in known.document for asked in _ASKS_PROFILES):
                modules, import_map = (*MODULES, TAUGHT), _import_map()
                policy = policy.replace("script-src 'self'", f"script-src 'self' {_source(import_map)}")
        values = {
            "t": self._texts,
            "texts": self._for_script,
            "campaign": campaign,
            "assets": assets(),
            "modules": modules,
            "import_map": import_map,
        }
        return page("contribution.html", values, status=status, reason=reason, policy=policy)
