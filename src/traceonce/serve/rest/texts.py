"""Questions about texts: the busiest routes. What they answer is written by msgspec, and only described by models."""

from __future__ import annotations

import logging
from typing import Any

import anyio
import anyio.to_thread
import msgspec
from fastapi import FastAPI, Request, Response
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException

from traceonce.serve.models import ExplainAnswer, ExplainQuestion, Health, MatchAnswer, MatchQuestion
from traceonce.serve.queries import Questions
from traceonce.serve.rates import Rate, check_rate
from traceonce.serve.rest.openapi import refusals
from traceonce.serve.rest.query_parameters import API
from traceonce.version import __version__

DATABASE_PATIENCE = 2.0  # seconds

_checking = anyio.CapacityLimiter(2)  # threads that may hang on a database which does not answer
_log = logging.getLogger("traceonce.serve")
_encode = msgspec.json.Encoder().encode


def add_texts(app: FastAPI, questions: Questions) -> None:
    rate: Rate = app.state.matching

    @app.post(f"{API}/match", tags=["knowledge"], response_class=Response, responses=_described(MatchAnswer))
    async def match(request: Request, question: MatchQuestion) -> Response:
        """The records that explain a text, best first, as `traceonce knowledge match` answers."""
        check_rate(rate, request, question.text)
        found = await questions.match(question.text)
        return _json({"matches": found})

    @app.post(f"{API}/explain", tags=["knowledge"], response_class=Response, responses=_described(ExplainAnswer))
    async def explain(request: Request, question: ExplainQuestion) -> Response:
        """What the errors in a text mean, as `traceonce explain --format json` answers."""
        check_rate(rate, request, question.text)
        answered = await questions.explain(question.text, question.language)
        return _json(answered.plain())

    @app.get(f"{API}/health", tags=["server"], responses=refusals())
    async def health() -> Health:
        """Is the server there, does its database answer, and how much does it know?"""
        await check_database(questions)
        return Health(status="ok", version=__version__, records=questions.known)


async def check_database(questions: Questions) -> None:
    """Raise an error where the database does not answer soon: 503. Whoever asks must not have to wait for it."""
    try:
        with anyio.fail_after(DATABASE_PATIENCE):
            await anyio.to_thread.run_sync(questions.check, abandon_on_cancel=True, limiter=_checking)
    except TimeoutError:
        detail = f"the database did not respond within {DATABASE_PATIENCE:.0f} s."
        raise HTTPException(503, detail, {"Retry-After": "5"}) from None
    except SQLAlchemyError as error:
        reason = type(getattr(error, "orig", None) or error).__name__
        detail = f"the database is unavailable ({reason}); see the server's log."
        _log.error("health: %s", error)
        raise HTTPException(503, detail, {"Retry-After": "5"}) from None


def _described(model: type) -> dict[int | str, dict[str, Any]]:
    return {200: {"model": model}, **refusals(body=True)}


def _json(document: object) -> Response:
    return Response(_encode(document), media_type="application/json")
