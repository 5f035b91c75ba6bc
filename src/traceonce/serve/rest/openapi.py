"""What OpenAPI says beyond the routes themselves: why requests are refused, and how to show a token."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from traceonce.serve.models import Problem
from traceonce.serve.queries import LONGEST_TEXT

_REASONS = {
    400: "The body cannot be read.",
    401: "The server's token is missing or wrong.",
    403: "The request came from a page of another site.",
    404: "Not found.",
    408: "The body did not arrive in time.",
    413: f"The body is too large, or its text has more than {LONGEST_TEXT:,} characters.",
    415: "The body's content type is not supported.",
    421: "The Host header does not name this server.",
    422: "The input is invalid, or takes more time or memory to read than one recording may.",
    429: "Too many requests; Retry-After says when to try again.",
    503: "The database is unavailable, or too much is being read; Retry-After says when to try again.",
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
        schemes["token"] = {"type": "http", "scheme": "bearer", "description": "The server's token."}
        document["security"] = [{"token": []}]
        return document

    app.openapi = with_token  # type: ignore[method-assign]  # FastAPI's own way to change the document
