"""Sessions of the operator's room, and the tokens of its forms.

A session is a signed cookie; the service keeps nothing, so that any worker can check it. The key is made from the admin
token: whoever changes that ends every session. A form carries a token of its own, signed for one session, one act and
one target. It is good for some minutes and, at one worker, once. So another site can neither guess one nor use one
again, and a page that lay open for an hour changes nothing. Several workers could take the same form once each; the
acts of the room (publish, close, retire, leave) change nothing the second time, so that this is harmless.
"""

import hashlib
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

SESSION_SECONDS: Final = 15 * 60
"""How long a session lasts; it is not prolonged by use."""

FORM_SECONDS: Final = 10 * 60
"""How long a form may lie open before it is sent."""

_PURPOSE = b"privge: sessions of the operator's room"


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who showed the admin token a while ago: a random name, a name for the log if one was given, an end."""

    name: str
    ends: int
    operator: str = ""


@dataclass
class Sessions:
    """Begins, recognises and ends sessions.

    Parameters
    ----------
    secret
        The admin token of the service.
    clock
        Unix seconds.
    """

    secret: str = field(repr=False)
    clock: Callable[[], float]

    def __post_init__(self) -> None:
        self._key = hmac.digest(self.secret.encode(), _PURPOSE, hashlib.sha256)
        self._gone: dict[str, int] = {}  # sessions that were ended and tokens that were used, until they expire anyway

    def begin(self, operator: str = "") -> str:
        """Return the cookie of a new session."""
        body = f"{secrets.token_hex(16)}.{int(self.clock()) + SESSION_SECONDS}.{operator.encode().hex()}"
        return f"{body}.{self._sign('session', body)}"

    def of(self, cookie: str) -> Session | None:
        """Return the session of a cookie, if it is one of ours and not over."""
        body, _, signature = cookie.rpartition(".")
        if not hmac.compare_digest(self._sign("session", body).encode(), signature.encode("utf-8", "replace")):
            return None
        name, ends, operator = body.split(".")
        session = Session(name, int(ends), bytes.fromhex(operator).decode())
        return session if self.clock() < session.ends and name not in self._gone else None

    def end(self, session: Session) -> None:
        """End a session; other workers forget it when its time is over."""
        self._forget(session.name, session.ends)

    def form_token(self, session: Session, act: str, target: str = "") -> str:
        """Return the token of a form."""
        body = f"{secrets.token_hex(8)}.{int(self.clock()) + FORM_SECONDS}"
        return f"{body}.{self._sign('form', session.name, act, target, body)}"

    def spend(self, session: Session, token: str, act: str, target: str = "") -> bool:
        """Say whether a token is fresh and was made for just this; it is not good a second time."""
        body, _, signature = token.rpartition(".")
        expected = self._sign("form", session.name, act, target, body)
        if not hmac.compare_digest(expected.encode(), signature.encode("utf-8", "replace")):
            return False
        name, ends = body.split(".")
        if self.clock() >= int(ends) or name in self._gone:
            return False
        self._forget(name, int(ends))
        return True

    def _sign(self, *parts: str) -> str:
        return hmac.new(self._key, "\n".join(parts).encode("utf-8", "replace"), hashlib.sha256).hexdigest()

    def _forget(self, name: str, ends: int) -> None:
        now = self.clock()
        self._gone = {known: until for known, until in self._gone.items() if until > now} | {name: ends}
