"""Questions about recordings: upload, list, read, compare, delete."""

from __future__ import annotations

import enum
from typing import Annotated, Any, NamedTuple

from anyio.to_thread import run_sync
from fastapi import FastAPI, Query, Request, Response

from traceonce.serve.models import Comparison, Findings, Fixes, RecordingDetails, RecordingList, Summary
from traceonce.serve.packed_responses import packed_response
from traceonce.serve.queries import Questions, ReportForm
from traceonce.serve.rest.openapi import refusals
from traceonce.serve.rest.query_parameters import API, Lang, Limit, Offset, Search
from traceonce.serve.safety import REPORT_HEADERS
from traceonce.serve.settings import ServerSettings
from traceonce.serve.upload_body import Receiving
from traceonce.words.translated import Language

_FILE: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "A recording file, or its JSON report; may be compressed with gzip.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


class _File(NamedTuple):
    media_type: str
    ending: str


_FILES: dict[ReportForm, _File] = {
    "html": _File("text/html; charset=utf-8", "html"),
    "markdown": _File("text/markdown; charset=utf-8", "md"),
    "json": _File("application/json", "json"),
    "sarif": _File("application/sarif+json", "sarif"),
    "chrome": _File("application/json", "trace.json"),
    "csv": _File("text/csv; charset=utf-8", "csv"),
    "text": _File("text/plain; charset=utf-8", "txt"),
}


def add_recordings(app: FastAPI, questions: Questions, settings: ServerSettings) -> None:
    receiving = Receiving(settings.max_upload)
    tags: list[str | enum.Enum] = ["recordings"]
    one = f"{API}/recordings/{{id}}"

    def answered_with(**ok: Any) -> dict[str, Any]:
        return {"tags": tags, "response_class": Response, "responses": {200: ok, **refusals(404)}}

    @app.post(
        f"{API}/recordings",
        status_code=201,
        tags=tags,
        responses={
            200: {"model": Summary, "description": "It was uploaded before."},
            **refusals(408, body=True),
        },
        openapi_extra=_FILE,
    )
    async def upload(request: Request, response: Response, name: Annotated[str, Query(max_length=200)] = "") -> Summary:
        """Upload a recording. When this is answered it is kept, whatever happens to the server."""
        async with receiving.body_of(request) as sent:
            summary, is_new = await questions.add_recording(sent, name)
        response.status_code = 201 if is_new else 200
        return summary

    @app.get(f"{API}/recordings", tags=tags, responses=refusals())
    def list_recordings(search: Search = "", limit: Limit = 50, offset: Offset = 0) -> RecordingList:
        """The recordings, the newest first."""
        return questions.list_recordings(search, limit, offset)

    @app.get(one, **answered_with(model=RecordingDetails))
    async def recording(id: str) -> Response:
        """A recording with its functions, the worst first."""
        return _json(await questions.details(id))

    @app.get(f"{one}/raw", **answered_with(content={"application/octet-stream": {}}))
    async def raw(request: Request, id: str) -> Response:
        """The recording itself, as `traceonce report` reads it."""
        content = await run_sync(questions.content, id)
        return packed_response(request, content, "application/octet-stream", _named(f"{id}.jsonl"))

    @app.get(f"{one}/findings", **answered_with(model=Findings))
    async def findings(id: str) -> Response:
        """What was found, as `traceonce report --format json` tells it, without the events."""
        return _json(await questions.findings(id))

    @app.get(
        f"{one}/report",
        **answered_with(content={file.media_type.partition(";")[0]: {} for file in _FILES.values()}),
    )
    async def report(request: Request, id: str, format: ReportForm = "html", lang: Lang = "en") -> Response:
        """A report, in one of the forms of `traceonce report`."""
        return await report_response(questions, request, id, format, lang)

    @app.get(f"{one}/fixes", **answered_with(model=Fixes))
    async def fixes(id: str, function: Annotated[str | None, Query(max_length=1000)] = None) -> Response:
        """What was proved, or is proposed, for one function (`NAME`, `NAME@FILE:LINE`) or for all."""
        return _json(await questions.fixes(id, function))

    @app.delete(one, status_code=204, tags=tags, responses=refusals(403, 404))
    async def delete(id: str) -> None:
        """Delete a recording for good."""
        await questions.delete(id)

    @app.get(f"{API}/compare", tags=tags, responses=refusals(404))
    async def compare(before: str, after: str) -> Comparison:
        """Two recordings side by side, the worst change first."""
        return await questions.compare(before, after)


async def report_response(
    questions: Questions, request: Request, id: str, form: ReportForm, language: Language
) -> Response:
    """A report as a response. A page is kept apart from the server that sends it."""
    packed = await questions.report(id, form, language)
    file = _FILES[form]
    headers = REPORT_HEADERS if form == "html" else _named(f"{id}.{file.ending}")
    return packed_response(request, packed, file.media_type, headers)


def _json(document: bytes) -> Response:
    return Response(document, media_type="application/json")


def _named(name: str) -> dict[str, str]:
    """The name for a file that is saved; the id in it is one that was found, so that it needs no quoting."""
    return {"Content-Disposition": f'inline; filename="traceonce-{name}"'}
