"""Every error is {"detail": reason and remedy}, with a fitting status."""

from __future__ import annotations

import logging
from collections.abc import Mapping

import anyio
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from traceonce.errors import UsageError
from traceonce.serve.rates import SLOWED_DOWN
from traceonce.serve.request_errors import BusyError, NotFoundError, TooLargeError

_log = logging.getLogger("traceonce.serve")


def add_handlers(app: FastAPI) -> None:
    """Let the application answer so. What none of these expects is answered by `safety.Safety`."""
    app.add_exception_handler(UsageError, _refused)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(SQLAlchemyError, _unavailable)


async def _refused(request: Request, error: Exception) -> Response:
    if isinstance(error, BusyError):
        return _problem(503, str(error), {"Retry-After": "10"})
    status = 404 if isinstance(error, NotFoundError) else 413 if isinstance(error, TooLargeError) else 422
    return _problem(status, str(error))


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    detail, headers = error.detail, dict(error.headers or {})
    if error.status_code == 429:
        await anyio.sleep(SLOWED_DOWN)
    if detail == "Not Found":
        detail = f"nothing at {request.scope['path'][:200]}; /openapi.json lists the routes."
    elif detail == "Method Not Allowed":
        headers["Allow"] = ", ".join(sorted(_methods_at(request) | {*headers.get("Allow", "").split(", ")} - {""}))
        detail = f"{request.method} is not supported here; use {headers['Allow']}."
    return _problem(error.status_code, detail, headers)


def _methods_at(request: Request) -> set[str]:
    """All methods that are answered at an address; Starlette names those of the first route only."""
    routes = [route for route in request.app.routes if isinstance(route, Route)]
    found = [route.methods or () for route in routes if route.path_regex.match(request.scope["path"])]
    return {method for methods in found for method in methods}


async def _invalid(request: Request, error: Exception) -> Response:
    """Name each field and what is wrong with it. What was sent is not repeated: it may be long, or no text."""
    assert isinstance(error, RequestValidationError)
    problems = error.errors()
    of_body = any(problem["loc"][:1] == ("body",) for problem in problems)
    if of_body and "json" not in request.headers.get("content-type", ""):
        return _problem(415, "send JSON, with the header Content-Type: application/json")
    return _problem(422, "; ".join(f"{_field(problem['loc'])}: {problem['msg']}" for problem in problems[:5]))


def _field(place: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in place[1:]) or str(place[0])


async def _unavailable(request: Request, error: Exception) -> Response:
    _log.error("%s %r: %s", request.method, request.scope["path"], error)
    return _problem(503, "the database is unavailable; try again later.", {"Retry-After": "5"})


def _problem(status: int, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    return JSONResponse({"detail": detail}, status, headers)
