"""The tools over streamable HTTP, at /mcp of the server."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from traceonce.serve.mcp.instructions import SERVED
from traceonce.serve.mcp.server import make_server
from traceonce.serve.mcp.tool import Tool
from traceonce.serve.rates import Rate, check_rate

if TYPE_CHECKING:
    from fastapi import FastAPI

    from traceonce.serve.queries import Questions

PATH = "/mcp"


def add_mcp(app: FastAPI, questions: Questions) -> None:
    """Mount the tools. Host, origin, token and the size of bodies are checked before anything gets here."""
    from traceonce.serve.mcp.desk import Desk
    from traceonce.serve.mcp.uploads import Uploads

    desk = Desk(questions, Uploads(questions))
    endpoint = Endpoint(make_server(lambda: desk, SERVED, functools.partial(_refusal, app.state.matching)))
    app.router.routes.append(Route(PATH, endpoint, include_in_schema=False))
    app.state.running.append(endpoint.running)


class Endpoint:
    """Each request is answered by itself: no sessions to keep, and a restart of the server breaks no client.

    No tool has anything to send by itself, so an answer is one JSON document and no stream.
    """

    def __init__(self, server: Server[Any]) -> None:
        self._server = server
        self._manager: StreamableHTTPSessionManager | None = None

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """While the application runs. A manager runs once only, and an application may be started again."""
        manager = StreamableHTTPSessionManager(self._server, json_response=True, stateless=True)
        async with manager.run():
            self._manager = manager
            try:
                yield
            finally:
                self._manager = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._manager is None:
            await JSONResponse({"detail": "the server is starting or stopping; try again."}, 503)(scope, receive, send)
        elif scope["method"] != "POST":
            detail = "MCP endpoint: point an agent at this address. Only POST is supported."
            await JSONResponse({"detail": detail}, 405, {"Allow": "POST"})(scope, receive, send)
        else:
            await self._manager.handle_request(scope, receive, send)


def _refusal(
    rate: Rate, tool: Tool, arguments: Mapping[str, Any], context: ServerRequestContext[Any, Any]
) -> str | None:
    """Texts are matched no more often than the settings allow, by whatever way they come."""
    if tool.name != "explain_error" or context.request is None:
        return None
    try:
        check_rate(rate, context.request, str(arguments.get("text", "")))
    except HTTPException as refused:
        return refused.detail[:1].upper() + refused.detail[1:]
    return None
