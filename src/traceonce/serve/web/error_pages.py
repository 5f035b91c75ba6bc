"""Errors as pages, in the look of all others, for those who read with a browser; programs get JSON as ever."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import cast

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from traceonce.serve.web.renderer import render
from traceonce.serve.web.speech import Speech
from traceonce.serve.web.visitor import Visitor

Handler = Callable[[Request, Exception], Awaitable[Response]]
_FOR_PROGRAMS = ("/api/", "/mcp", "/openapi.json")


def add_error_pages(app: FastAPI) -> None:
    """Let whatever is answered to an error be shown as a page. Call it after the handlers are there."""
    for kind, handler in list(app.exception_handlers.items()):
        app.add_exception_handler(kind, _as_page(cast(Handler, handler)))


def _as_page(answer: Handler) -> Handler:
    async def shown(request: Request, error: Exception) -> Response:
        answered = await answer(request, error)
        if not _reads_pages(request):
            return answered
        return error_page(request, answered.status_code, _reason(answered), answered.headers.get("retry-after"))

    return shown


def error_page(request: Request, status: int, reason: str, retry_after: str | None = None) -> Response:
    """A page that says what is wrong. Reasons are in English, as everything that the server refuses."""
    speech = Speech(Visitor.of(request).language)
    title = speech.say(f"error_{status}") if speech.knows(f"error_{status}") else speech.say("error_title")
    # Of what the server refuses, this alone has nothing in it that only the server knows.
    is_address = status == 404 and reason.startswith("nothing at ")
    values = {"status": status, "title": title, "reason": None if is_address else _sentence(reason)}
    gate = request.app.state.gate
    signed_in = gate.knows(request.cookies) or not gate.is_open(request.scope["path"])  # else nobody would get here
    page = render(request, "error", values, status, signed_out=not signed_in)
    if retry_after is not None:
        page.headers["Retry-After"] = retry_after
    return page


def _reads_pages(request: Request) -> bool:
    return "text/html" in request.headers.get("accept", "") and not request.scope["path"].startswith(_FOR_PROGRAMS)


def _reason(answered: Response) -> str:
    detail = json.loads(bytes(answered.body)).get("detail")
    return detail if isinstance(detail, str) else ""


def _sentence(reason: str) -> str:
    return reason[:1].upper() + reason[1:]
