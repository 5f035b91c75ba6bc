"""Who may come in: the token of the server, sent with each request, or a cookie that shows that it was known once."""

from __future__ import annotations

import hmac
from collections.abc import Mapping

from starlette.responses import Response

from traceonce.serve.rates import Rate

COOKIE = "traceonce_session"
_DAYS = 30 * 24 * 3600


class Gate:
    """Compares tokens in constant time. Without a token, everybody may come in."""

    def __init__(self, token: str | None) -> None:
        self._token = token.encode() if token is not None else None
        # The cookie does not hold the token, and is worth nothing once the token has changed.
        self._session = hmac.new(self._token or b"", b"traceonce session", "sha256").hexdigest()
        self.failures = Rate(0.2, burst=20)  # tokens that one client may try to enter

    @property
    def needs_token(self) -> bool:
        return self._token is not None

    @staticmethod
    def is_open(path: str) -> bool:
        """Does everybody see this, so that they can enter the token?"""
        return path == "/login" or path.startswith("/static/")

    def accepts(self, token: str) -> bool:
        """Is this the token?"""
        return self._token is None or hmac.compare_digest(token.encode(errors="replace"), self._token)

    def knows(self, authorization: str | None, cookies: Mapping[str, str]) -> bool:
        """Does the request show that it may come in?"""
        if self._token is None:
            return True
        scheme, _, token = (authorization or "").partition(" ")
        if scheme.lower() == "bearer" and self.accepts(token.strip()):
            return True
        return hmac.compare_digest(cookies.get(COOKIE, "").encode(errors="replace"), self._session.encode())

    def let_in(self, response: Response, *, secure: bool) -> None:
        """Give the browser a cookie, with which it need not be asked again; `secure` where it came by HTTPS.

        Lax: a link that somebody was sent opens the page and not the door. Nothing changes by following a link, and
        `safety` refuses what other sites would write.
        """
        response.set_cookie(
            COOKIE, self._session, max_age=_DAYS, httponly=True, samesite="lax", secure=secure, path="/"
        )
