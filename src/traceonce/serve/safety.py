"""What every request is checked for, and every response carries, before and after anything else.

A request is refused by the first of these rules that applies:

1. Without a token the server answers only to its own names: a page of another site whose name was pointed to this
   machine (DNS rebinding) gets 421.
2. A browser that acts for another site may not write: 403.
3. Where there is a token, a request must show it: 401, or for a page the way to /login. Whoever guesses tokens is
   slowed down: 429.
4. A body that is longer than the server takes: 413. That it comes too slowly is found out later (`bodies`).

What goes wrong inside, against all expectation, is logged, and told without details: 500.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from urllib.parse import quote, urlsplit

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from traceonce.serve.auth import Gate
from traceonce.serve.bodies import Bodies, too_large
from traceonce.serve.rates import SLOWED_DOWN
from traceonce.serve.settings import MIB, ServerSettings

UPLOADS = "/api/v1/recordings"
MOST = 8 * MIB  # of any other body: a text of a million characters, however JSON writes it
MOST_OF_STRANGERS = 16 << 10  # of a body from somebody who is not known yet
_SAFE = ("GET", "HEAD", "OPTIONS")
_OURS = ("same-origin", "none")  # asked by a page of ours, or by the user

_ALWAYS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; font-src 'self'; "
        "img-src 'self' data:; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with less, browsers leave out the origin of our own forms as well
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
# A report is a page of its own: what it runs and loads is decided by the policy that it carries in itself. Here it is
# kept apart from the server (no cookies, no requests), whoever opens it. Browsers refuse an opener policy with that.
REPORT_HEADERS = {
    "Content-Security-Policy": (
        "sandbox allow-scripts allow-downloads allow-popups allow-popups-to-escape-sandbox allow-modals; "
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; font-src data:; img-src data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    ),
    "Cross-Origin-Opener-Policy": "unsafe-none",
}
_log = logging.getLogger("traceonce.serve")


class Safety:
    """The outermost layer of the server."""

    def __init__(self, app: ASGIApp, settings: ServerSettings, gate: Gate) -> None:
        self._app = app
        self._settings = settings
        self._gate = gate
        self._bodies = Bodies()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def send_safely(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                for name, value in _ALWAYS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            refusal = self._refuse(HTTPConnection(scope))
            if refusal is not None:
                if refusal.status_code == 429:
                    await anyio.sleep(SLOWED_DOWN)
                await refusal(scope, receive, send_safely)
            else:
                await self._answer(scope, receive, send_safely)
        except Exception:
            if started:  # too late to say anything
                raise
            _log.exception("%s %r", scope["method"], scope["path"])
            await _problem(500, "internal error; see the server's log.")(scope, receive, send_safely)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = self._bodies.take(receive, self._most(scope), in_memory=scope["path"] != UPLOADS)
        try:
            await self._app(scope, body, send)
        finally:
            body.release()

    def _refuse(self, request: HTTPConnection) -> Response | None:
        """By the rules above."""
        headers, path = request.headers, request.scope["path"]
        if self._settings.hosts and _host_name(headers.get("host", "")) not in self._settings.hosts:
            names = ", ".join(self._settings.hosts)
            return _problem(421, f"this server answers only to the names {names}; use one of these.")
        if request.scope["method"] not in _SAFE and _is_foreign(headers):
            return _problem(403, "pages of other sites may not change anything here.")
        try:
            if not self._gate.is_open(path) and not self._gate.admits(request):
                return self._ask_for_token(request)
        except HTTPException as refused:
            return _problem(refused.status_code, refused.detail, refused.headers)
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length) > self._most(request.scope):
            return _problem(413, too_large(self._most(request.scope)))
        return None

    def _ask_for_token(self, request: HTTPConnection) -> Response:
        if request.scope["method"] == "GET" and "text/html" in request.headers.get("accept", ""):
            query = request.scope["query_string"].decode("latin-1")
            target = request.scope["path"] + (f"?{query}" if query else "")
            return RedirectResponse(f"/login?next={quote(target, safe='/')}", 303)
        detail = "this server requires its token; send it as: Authorization: Bearer TOKEN"
        return _problem(401, detail, {"WWW-Authenticate": "Bearer"})

    def _most(self, scope: Scope) -> int:
        if scope["path"] == UPLOADS:
            return self._settings.max_upload
        return MOST_OF_STRANGERS if self._gate.needs_token and self._gate.is_open(scope["path"]) else MOST


def _host_name(host: str) -> str:
    """A Host header without its port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_foreign(headers: Headers) -> bool:
    """Does a browser send this for a page that is not ours? Other programs send none of these headers."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in _OURS
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2] != headers.get("host")


def _problem(status: int, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    return JSONResponse({"detail": detail}, status, headers)
