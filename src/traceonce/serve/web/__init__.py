"""The web pages: thin adapters over the questions, rendered on the server, made lively by small scripts.

`pages/` holds the templates, `static/` the scripts and styles. Every list, every record and the answer to a pasted
error work without scripts; these add search as you type, uploads and deleting, with the same pages and the REST API.
"""

from __future__ import annotations

import json
import shlex

from fastapi import FastAPI, Request
from starlette.responses import RedirectResponse, Response

from traceonce.frameworks.base.registry import example_error
from traceonce.serve.queries import Questions
from traceonce.serve.settings import ServerSettings
from traceonce.serve.web.api_routes import group_routes
from traceonce.serve.web.door import make_door
from traceonce.serve.web.error_pages import add_error_pages
from traceonce.serve.web.knowledge import make_knowledge_pages
from traceonce.serve.web.recordings import make_recording_pages
from traceonce.serve.web.renderer import render
from traceonce.serve.web.static_files import add_files

__all__ = ["add_pages"]


def add_pages(app: FastAPI, questions: Questions, settings: ServerSettings) -> None:
    """Add all pages to a server that has its error handlers already."""
    add_files(app)
    app.include_router(make_recording_pages(questions, settings))
    app.include_router(make_knowledge_pages(questions))
    app.include_router(make_door(app.state.gate))

    @app.get("/", include_in_schema=False)
    def start() -> Response:
        return RedirectResponse("/recordings", 303)

    @app.get("/api", include_in_schema=False)
    def api(request: Request) -> Response:
        server = str(request.base_url).rstrip("/")
        examples = _examples(server, guarded=app.state.gate.needs_token)
        return render(request, "api", {"groups": group_routes(app.openapi()), "examples": examples})

    add_error_pages(app)


def _examples(server: str, *, guarded: bool) -> list[str]:
    """Commands that work as they are, against this server."""
    token = ' -H "Authorization: Bearer $TRACEONCE_TOKEN"' if guarded else ""
    return [
        f"curl{token} -H 'Content-Type: application/octet-stream' \\\n"
        f"  --data-binary @run.jsonl '{server}/api/v1/recordings?name=nightly'",
        f"curl{token} {server}/api/v1/explain -H 'Content-Type: application/json' \\\n"
        f"  -d {shlex.quote(json.dumps({'text': example_error().strip().rpartition(chr(10))[2]}))}",
    ]
