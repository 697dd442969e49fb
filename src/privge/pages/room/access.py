"""Who may enter the room, and which forms count."""

from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Final
from urllib.parse import SplitResult, parse_qsl, urlsplit

from starlette.requests import Request

from privge.collect.service.body import header
from privge.collect.service.problems import Refused
from privge.collect.service.service import Service
from privge.pages.room.sessions import SESSION_SECONDS

COOKIE: Final = "privge-operator"
FORM_TYPE: Final = "application/x-www-form-urlencoded"
_FORM_BYTES = 2**20
_FIELDS = 64
_LOCAL = ("localhost", "127.0.0.1", "::1")


def cookie_of(request: Request) -> str:
    """Return the session cookie of a request, or nothing."""
    try:
        found = SimpleCookie(header(request, b"cookie")).get(COOKIE)
    except CookieError:
        return ""
    return "" if found is None else found.value


def set_cookie(request: Request, value: str) -> str:
    """Return the header that keeps a session, or (with nothing) ends it.

    No script reads it, no other site sends it, and, but for this machine itself, it travels by TLS alone. A proxy may
    put this machine's name in place of its own: where the browser sent the form from is told by its origin.
    """
    by_tls = header(request, b"origin").startswith("https:")
    local = _place(f"//{header(request, b'host')}").hostname in _LOCAL and not by_tls
    age = SESSION_SECONDS if value else 0
    secure = "" if local else "; Secure"
    return f"{COOKIE}={value}; Path=/operator; HttpOnly; SameSite=Strict; Max-Age={age}{secure}"


def _place(address: str) -> SplitResult:
    """Return the parts of an address; whoever sends what is none is taken for another site."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


def check_same_site(request: Request) -> None:
    """Refuse a form that another site sent; the token of the form is checked besides."""
    site = header(request, b"sec-fetch-site")
    if site and site != "same-origin":
        raise Refused("other_site")
    origin = header(request, b"origin")
    if not site and origin and _place(origin).netloc != header(request, b"host"):
        raise Refused("other_site")


async def read_form(service: Service, request: Request) -> Mapping[str, str]:
    """Return the fields of a form; one that is given twice counts once, the first time."""
    check_same_site(request)
    async with service.body(request, FORM_TYPE, limit=_FORM_BYTES, room=service.documents) as body:
        try:
            pairs = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=_FIELDS, errors="strict")
        except ValueError:
            raise Refused("form") from None
    fields: dict[str, str] = {}
    for name, value in pairs:
        fields.setdefault(name, value)
    return fields
