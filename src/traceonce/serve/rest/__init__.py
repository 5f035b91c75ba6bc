"""The questions over HTTP, as JSON, under /api/v1; described in /openapi.json.

Routes stand directly in the application, those about texts first: FastAPI tries routes in their order, and those of an
included router twice, which would take longer than to match a text.
"""

from __future__ import annotations

from fastapi import FastAPI

from traceonce.serve.queries import Questions
from traceonce.serve.rest.knowledge import add_knowledge
from traceonce.serve.rest.openapi import add_security
from traceonce.serve.rest.query_parameters import Limit, Offset, Search
from traceonce.serve.rest.recordings import add_recordings, report_response
from traceonce.serve.rest.texts import add_texts
from traceonce.serve.settings import ServerSettings

__all__ = ["Limit", "Offset", "Search", "add_rest", "report_response"]


def add_rest(app: FastAPI, questions: Questions, settings: ServerSettings) -> None:
    """Add all of /api/v1."""
    add_texts(app, questions)
    add_recordings(app, questions, settings)
    add_knowledge(app, questions)
    if settings.token is not None:
        add_security(app)
