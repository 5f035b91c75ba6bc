"""Who may come in: the token of the server, sent with each request, or a cookie that shows that it was known once."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping

from cachetools import LRUCache
from starlette.requests import HTTPConnection
from starlette.responses import Response

from traceonce.serve.rates import Rate, name_of_client, slow_down

COOKIE = "traceonce_session"
_DAYS = 30 * 24 * 3600
_REMEMBERED = 10_000  # wrong tokens


class Gate:
    """Compares tokens in constant time. Without a token, everybody may come in."""

    def __init__(self, token: str | None) -> None:
        self._token = token.encode() if token is not None else None
        # The cookie does not hold the token, and is worth nothing once the token has changed.
        self._session = hmac.new(self._token or b"", b"traceonce session", "sha256").hexdigest()
        self.failures = Rate(0.2, burst=20)  # tokens that one client may guess
        self._wrong: LRUCache[bytes, bool] = LRUCache(_REMEMBERED)  # hashes of those that were tried last

    @property
    def needs_token(self) -> bool:
        return self._token is not None

    @staticmethod
    def is_open(path: str) -> bool:
        """Does everybody see this, so that they can enter the token?"""
        return path == "/login" or path.startswith("/static/")

    def accepts(self, token: str, request: HTTPConnection) -> bool:
        """Is this the token? Whoever guesses is slowed down (429), before anybody looks whether the guess is right.

        Only guesses count: the right token costs nothing, and the same wrong one again is no guess. It is a program
        with an old token, say, and must not keep out all others at its address.
        """
        if self._token is None:
            return True
        said = token.encode(errors="replace")
        hashed = hashlib.sha256(said).digest()
        if self._wrong.get(hashed):
            return False
        client = name_of_client(request)
        slow_down(self.failures.ahead(client), "too many wrong tokens")
        if hmac.compare_digest(said, self._token):
            return True
        self.failures.wait(client)
        self._wrong[hashed] = True
        return False

    def admits(self, request: HTTPConnection) -> bool:
        """Does the request show that it may come in, by its session or by the token? A token that is wrong counts."""
        if self.knows(request.cookies):
            return True
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and self.accepts(token.strip(), request)

    def knows(self, cookies: Mapping[str, str]) -> bool:
        """Has the browser a session, or needs it none?"""
        session = cookies.get(COOKIE, "").encode(errors="replace")
        return self._token is None or hmac.compare_digest(session, self._session.encode())

    def let_in(self, response: Response, *, secure: bool) -> None:
        """Give the browser a cookie, with which it need not be asked again; `secure` where it came by HTTPS.

        Lax: a link that somebody was sent opens the page and not the door. Nothing changes by following a link, and
        `safety` refuses what other sites would write.
        """
        response.set_cookie(
            COOKIE, self._session, max_age=_DAYS, httponly=True, samesite="lax", secure=secure, path="/"
        )
