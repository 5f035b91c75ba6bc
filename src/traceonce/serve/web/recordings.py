"""Pages about recordings: the list, one of them with its report inside, and two of them compared."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, NamedTuple, get_args

from anyio.to_thread import run_sync
from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from traceonce.serve.models import Change, Comparison, Summary
from traceonce.serve.queries import Questions, ReportForm
from traceonce.serve.rest import Offset, Search, report_response
from traceonce.serve.settings import ServerSettings
from traceonce.serve.web.renderer import render
from traceonce.serve.web.speech import Speech
from traceonce.serve.web.visitor import Visitor

PAGE = 25  # recordings on one page of the list
CHOICES = 100  # the newest recordings are offered for a comparison

CHANGES: tuple[Change, ...] = get_args(Change)
Id = Annotated[str, Query(max_length=100)]


class Download(NamedTuple):
    """A form of the report to download."""

    name: ReportForm
    title: str
    ending: str


FORMS = (
    Download("html", "HTML", "html"),
    Download("markdown", "Markdown", "md"),
    Download("json", "JSON", "json"),
    Download("sarif", "SARIF", "sarif"),
    Download("chrome", "Chrome trace", "trace.json"),
    Download("csv", "CSV", "csv"),
    Download("text", "Text", "txt"),
)


def make_recording_pages(questions: Questions, settings: ServerSettings) -> APIRouter:
    """The pages about recordings."""
    router = APIRouter(include_in_schema=False)

    @router.get("/recordings")
    def listed(request: Request, search: Search = "", offset: Offset = 0) -> Response:
        found = questions.list_recordings(search, PAGE, offset)
        return render(
            request,
            "recordings",
            {
                "recordings": found.recordings,
                "total": found.total,
                "query": search,
                "limit": PAGE,
                "offset": offset,
                "max_upload": settings.max_upload,
            },
        )

    @router.get("/recordings/{id}")
    def one(request: Request, id: str) -> Response:
        run = questions.summary(id)
        others = [other for other in _newest(questions) if other.id != run.id]
        return render(request, "recording", {"run": run, "others": others, "forms": FORMS})

    @router.get("/recordings/{id}/report")
    async def report(request: Request, id: str) -> Response:
        """The report alone; it is sandboxed, whoever opens it."""
        return await report_response(questions, request, id, "html", Visitor.of(request).language)

    @router.get("/compare")
    async def compared(
        request: Request,
        before: Id = "",
        after: Id = "",
        run: Annotated[list[Id], Query(max_length=50)] = [],  # noqa: B006  (FastAPI copies it)
    ) -> Response:
        """Two runs; or, by `run` alone, those that were picked from a list, of which the older one is the first."""
        if run:
            return await run_sync(_picked, request, questions, run)
        if not (before and after):
            return await run_sync(_compare_page, request, questions)
        comparison = await questions.compare(before, after)
        return await run_sync(_compare_page, request, questions, comparison)

    return router


def _picked(request: Request, questions: Questions, run: list[str]) -> Response:
    if len(run) != 2:
        problem = Speech(Visitor.of(request).language).say("compare_not_two", n=len(run))
        return _compare_page(request, questions, problem=problem)
    first, second = sorted(map(questions.summary, run), key=lambda summary: summary.started)
    return RedirectResponse(f"/compare?before={first.id}&after={second.id}", 303)


def _compare_page(
    request: Request, questions: Questions, comparison: Comparison | None = None, problem: str | None = None
) -> Response:
    changes = Counter(function.change for function in comparison.functions) if comparison else Counter()
    values = {
        "comparison": comparison,
        "changes": [(change, changes[change]) for change in CHANGES if changes[change]],
        "choices": _with_both(_newest(questions), comparison),
        "problem": problem,
    }
    return render(request, "compare", values)


def _newest(questions: Questions) -> list[Summary]:
    return questions.list_recordings("", CHOICES, 0).recordings


def _with_both(newest: list[Summary], comparison: Comparison | None) -> list[Summary]:
    """What can be chosen; the two that are shown are among it, however old."""
    shown = [comparison.before, comparison.after] if comparison else []
    return list({summary.id: summary for summary in [*newest, *shown]}.values())
