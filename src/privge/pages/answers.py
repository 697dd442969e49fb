"""Pages as answers: templates that escape whatever they are given, and headers that let nothing in from elsewhere."""

from collections.abc import Mapping
from functools import cache
from typing import Final

import jinja2
from starlette.responses import Response

from privge.collect.service.answers import Answer

ROOM_POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Of pages without a script."""

SCRIPT_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
"""Of the contribution page: its own files alone, nothing inline, requests to this service alone."""

_ALWAYS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "cache-control": "no-store",
}


@cache
def _templates() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("privge.pages"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def page(
    template: str,
    values: Mapping[str, object],
    *,
    status: int = 200,
    reason: str = "ok",
    policy: str = ROOM_POLICY,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """Answer with a template; ``reason`` is the word for it that is counted."""
    text = _templates().get_template(template).render(values)
    # The room's forms say where they come from (same-origin); the contribution page has no forms and says nothing.
    referrer = "same-origin" if policy == ROOM_POLICY else "no-referrer"
    fixed = {**_ALWAYS, "content-security-policy": policy, "referrer-policy": referrer}
    return Answer(reason, Response(text, status, {**fixed, **(headers or {})}, "text/html; charset=utf-8"))


def redirect(place: str, **headers: str) -> Answer:
    """Answer a form that was sent: go and look at that page."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer("ok", Response(b"", 303, {**_ALWAYS, "location": place, **named}))
