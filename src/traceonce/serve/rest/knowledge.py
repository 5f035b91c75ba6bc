"""Questions about records, and what people made of their workarounds."""

from __future__ import annotations

from typing import Annotated

import msgspec
from fastapi import FastAPI, Query

from traceonce.serve.models import NewOutcome, Outcome, OutcomeList, RecordAnswer, RecordList
from traceonce.serve.queries import Questions
from traceonce.serve.rest.openapi import refusals
from traceonce.serve.rest.query_parameters import API, Lang, Limit, Offset, Search


def add_knowledge(app: FastAPI, questions: Questions) -> None:
    @app.get(f"{API}/records", tags=["knowledge"], responses=refusals())
    def records(
        search: Search = "",
        domain: Annotated[str | None, Query(max_length=200)] = None,
        limit: Limit = 50,
        offset: Offset = 0,
        lang: Lang = "en",
    ) -> RecordList:
        """The records of the knowledge base."""
        return questions.search_records(search, domain, limit, offset, lang)

    @app.get(f"{API}/records/{{domain}}/{{slug}}", tags=["knowledge"], responses=refusals(404))
    def record(domain: str, slug: str, lang: Lang = "en") -> RecordAnswer:
        """A record: explained, and whole as its file has it."""
        return questions.get_record(f"{domain}/{slug}", lang)

    @app.get(f"{API}/outcomes", tags=["knowledge"], responses=refusals(404))
    def outcomes(record: Annotated[str | None, Query(max_length=200)] = None) -> OutcomeList:
        """Whether workarounds worked for those who tried them: the newest 1,000 outcomes, of one record or of all."""
        found = questions.outcomes(record)
        return OutcomeList(outcomes=[Outcome(**msgspec.structs.asdict(outcome)) for outcome in found])

    @app.post(f"{API}/outcomes", status_code=201, tags=["knowledge"], responses=refusals(404, body=True))
    def report_outcome(outcome: NewOutcome) -> Outcome:
        """Say whether a workaround worked for you."""
        noted = questions.report_outcome(**outcome.model_dump())
        return Outcome(**msgspec.structs.asdict(noted))
