"""What OpenAPI says beyond the routes themselves: why requests are refused, and how to show a token."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from traceonce.serve.models import Problem
from traceonce.serve.queries import LONGEST_TEXT

_REASONS = {
    400: "The body cannot be read.",
    401: "The token of the server is missing or wrong.",
    403: "A browser asks for a page of another site.",
    404: "There is no such thing.",
    408: "The body did not come in time.",
    413: f"The body is too large, or its text has more than {LONGEST_TEXT:,} characters.",
    415: "The body is of a kind that is not understood.",
    421: "The server was asked by a name that is not its own.",
    422: "The input is not as it should be, or takes more time or memory to read than one recording may.",
    429: "Too many questions; Retry-After says when to ask again.",
    503: "The database cannot be used now, or too much is being read; Retry-After says when to ask again.",
}
_ANY = (401, 421, 422, 429, 503)
_WITH_BODY = (400, 403, 413, 415)


def refusals(*statuses: int, body: bool = False) -> dict[int | str, dict[str, Any]]:
    """How a route may refuse: as all do, and with these statuses; `body`: and as those do that are sent something."""
    every = sorted({*_ANY, *statuses, *(_WITH_BODY if body else ())})
    return {status: {"model": Problem, "description": _REASONS[status]} for status in every}


def add_security(app: FastAPI) -> None:
    """Say that a token is needed."""
    describe = app.openapi

    def with_token() -> dict[str, Any]:
        document = describe()
        schemes = document.setdefault("components", {}).setdefault("securitySchemes", {})
        schemes["token"] = {"type": "http", "scheme": "bearer", "description": "The token of the server."}
        document["security"] = [{"token": []}]
        return document

    app.openapi = with_token  # type: ignore[method-assign]  # FastAPI's own way to change the document
