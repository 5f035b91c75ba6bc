"""Pages about what is known: records to browse and to read, and the answer to a pasted error."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from traceonce.errors import UsageError
from traceonce.frameworks.base.registry import example_error
from traceonce.knowledge.record import Record
from traceonce.knowledge.render.view import view_of
from traceonce.knowledge.text_explanations import TextExplanation
from traceonce.serve.queries import LONGEST_TEXT, Questions
from traceonce.serve.rates import check_rate
from traceonce.serve.request_errors import BusyError, OverBudgetError, TooLargeError
from traceonce.serve.rest import Offset, Search
from traceonce.serve.web.form_input import form_of
from traceonce.serve.web.record_list import narrow
from traceonce.serve.web.renderer import render
from traceonce.serve.web.speech import Speech
from traceonce.serve.web.visitor import Visitor

PAGE = 30  # records on one page of the list
Kind = Annotated[str, Query(max_length=100)]


class OutcomeTally(NamedTuple):
    """How often a workaround worked for those who use this server, and how often it did not."""

    worked: int
    failed: int


def make_knowledge_pages(questions: Questions) -> APIRouter:
    """The pages about knowledge."""
    router = APIRouter(include_in_schema=False)

    @router.get("/knowledge")
    def browse(
        request: Request,
        search: Search = "",
        domain: Kind = "",
        category: Kind = "",
        tier: Kind = "",
        offset: Offset = 0,
    ) -> Response:
        language = Visitor.of(request).language
        speech = Speech(language)
        found = questions.search_records(search, limit=questions.known, language=language).records
        chosen = {"domain": domain, "category": category, "tier": tier}
        records, facets = narrow(found, chosen, {"category": speech.category, "tier": speech.tier})
        return render(
            request,
            "knowledge",
            {
                "records": records[offset : offset + PAGE],
                "total": len(records),
                "facets": facets,
                "query": search,
                "limit": PAGE,
                "offset": offset,
            },
        )

    @router.get("/knowledge/{domain}/{slug}")
    def one(request: Request, domain: str, slug: str) -> Response:
        language = Visitor.of(request).language
        record = Record.read(questions.get_record(f"{domain}/{slug}", language).record)
        values = {
            "view": view_of(record, language),
            "tier_name": record.verification_tier,
            "raw": record.to_json(),
            "outcomes": _tally(record, questions),
        }
        return render(request, "record", values)

    @router.get("/explain")
    def ask(request: Request) -> Response:
        return _explain_page(request)

    @router.post("/explain")
    async def answer(request: Request) -> Response:
        text = (await form_of(request)).get("text", "").replace("\r\n", "\n")  # its lines end as in a log
        check_rate(request.app.state.matching, request, text)
        language = Visitor.of(request).language
        try:
            answered = await questions.explain(text, language)
        except TooLargeError:
            problem = Speech(language).say("explain_too_long", n=f"{LONGEST_TEXT:,}")
            return _explain_page(request, problem=problem, status=413)
        except (BusyError, OverBudgetError):
            raise
        except UsageError:
            return _explain_page(request, problem=Speech(language).say("explain_nothing"), status=422)
        return _explain_page(request, text, answered)

    return router


def _explain_page(
    request: Request,
    text: str = "",
    answered: TextExplanation | None = None,
    *,
    problem: str | None = None,
    status: int = 200,
) -> Response:
    speech = Speech(Visitor.of(request).language)
    headline = ""
    if answered is not None:
        known = len(answered.explanations)
        headline = speech.say("explained", n=known) if known else speech.say("nothing_known")
    values = {
        "text": text,
        "answer": answered,
        "problem": problem,
        "headline": problem or headline,
        "example": example_error(),
        "placeholder": example_error().strip().rpartition("\n")[2],
    }
    return render(request, "explain", values, status)


def _tally(record: Record, questions: Questions) -> dict[int, OutcomeTally]:
    """By the number of the workaround; an outcome of one that was worded otherwise counts for none."""
    actions = {item.action: number for number, item in enumerate(record.workarounds, 1)}
    counts = Counter((actions.get(outcome.action, 0), outcome.worked) for outcome in questions.outcomes(record.id))
    numbers = {number for number, _ in counts if number}
    return {number: OutcomeTally(counts[number, True], counts[number, False]) for number in numbers}
