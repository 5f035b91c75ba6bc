"""Large answers, such as reports, are sent packed to whoever can unpack them."""

from __future__ import annotations

import gzip

import anyio.to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGE = 16 << 10  # bytes; to pack less saves no time
_QUICK = 3
_PACKABLE = ("text/", "application/json", "application/sarif+json", "application/octet-stream")


class Packing:
    """Packs whole bodies with gzip, in a thread: others are answered meanwhile."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or "gzip" not in Headers(scope=scope).get("accept-encoding", ""):
            await self._app(scope, receive, send)
            return
        start: Message = {}

        async def send_packed(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message  # its headers depend on the body
                return
            if start:
                message = await _packed(start, message)
                await send(start)
                start = {}
            await send(message)

        await self._app(scope, receive, send_packed)


async def _packed(start: Message, body: Message) -> Message:
    """The body, packed where that is worth it; its headers are changed with it."""
    headers = MutableHeaders(scope=start)
    content = body.get("body", b"")
    is_whole = not body.get("more_body", False) and len(content) >= LARGE
    if not is_whole or "content-encoding" in headers or not headers.get("content-type", "").startswith(_PACKABLE):
        return body
    content = await anyio.to_thread.run_sync(lambda: gzip.compress(content, _QUICK, mtime=0))
    headers["Content-Encoding"] = "gzip"
    headers["Content-Length"] = str(len(content))
    headers.add_vary_header("Accept-Encoding")
    return {**body, "body": content}
