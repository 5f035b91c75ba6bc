"""What the tools answer, from what is known and from the recordings that there are."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Protocol, TypeVar

import msgspec
from anyio.to_thread import run_sync

from traceonce.knowledge.record import Record
from traceonce.knowledge.render.documents import render_markdown
from traceonce.serve.jobs import Told
from traceonce.serve.knowledge_questions import KnowledgeQuestions
from traceonce.serve.mcp import contract
from traceonce.serve.mcp.bounds import Bounds, cut
from traceonce.serve.mcp.prose import tell_explained, tell_outcome, tell_record, tell_recordings, tell_records
from traceonce.serve.mcp.tool import Answer
from traceonce.serve.request_errors import NotFoundError

LATEST = "latest"
_LONGER = {"how": 3_000, "root_cause": 3_000, "why": 1_000}
_EXPLAINED = Bounds(
    {"explanations": 5, "do_not": 5, "unknown": 10, "ignorable": 20, "functions": 10}, _LONGER, "explanations"
)
_LINE = {"id", "signature", "category", "tier"}
_RECORDS = Bounds({}, {}, "records")
_RECORD = Bounds({"outcomes": 20}, _LONGER, "outcomes")
_RECORDINGS = Bounds({"command": 10}, {"command": 100, "name": 200, "worst": 200}, "recordings")
Shown = TypeVar("Shown", bound=msgspec.Struct)


class Shelf(Protocol):
    """The recordings that agents may ask about. What is computed from one is computed by workers."""

    async def list(self, search: str, limit: int) -> contract.RecordingsFound: ...
    async def findings(self, recording: str, function: str | None) -> Told: ...
    async def proposals(self, recording: str, function: str) -> Told: ...


class Desk:
    """Answers what the tools are asked."""

    def __init__(self, knowledge: KnowledgeQuestions, shelf: Shelf) -> None:
        self.knowledge = knowledge
        self._shelf = shelf

    async def explain_error(self, asked: contract.ErrorAsked) -> Answer:
        answered = await self.knowledge.explain(asked.text, asked.language)
        found = _bounded(answered.plain(), _EXPLAINED, contract.ErrorExplained)
        return _answer(found, tell_explained(found))

    async def list_recordings(self, asked: contract.RecordingsAsked) -> Answer:
        listed = await self._shelf.list(asked.search, asked.limit)
        found = _bounded(msgspec.to_builtins(listed), _RECORDINGS, contract.RecordingsFound)
        return _answer(found, tell_recordings(found))

    async def recording_findings(self, asked: contract.FindingsAsked) -> Answer:
        return _told(await self._shelf.findings(asked.recording, asked.function))

    async def propose_fix(self, asked: contract.FixAsked) -> Answer:
        return _told(await self._shelf.proposals(asked.recording, asked.function))

    async def search_records(self, asked: contract.SearchAsked) -> Answer:
        records = self.knowledge.search_records(asked.query, limit=asked.limit, language=asked.language or "en")
        lines = [line.model_dump(include=_LINE) for line in records.records]
        found = _bounded(
            {"query": asked.query, "total": records.total, "records": lines}, _RECORDS, contract.RecordsFound
        )
        return _answer(found, tell_records(found))

    async def get_record(self, asked: contract.RecordAsked) -> Answer:
        return await run_sync(self._get_record, asked)

    def _get_record(self, asked: contract.RecordAsked) -> Answer:
        language = asked.language or "en"
        with _records_are_searched_for():
            answer = self.knowledge.get_record(asked.id, language)
        record = Record.read(answer.record)
        data = {
            "explanation": answer.explanation.model_dump(),
            "category": record.category,
            "outcomes": [msgspec.structs.asdict(outcome) for outcome in reversed(self.knowledge.outcomes(record.id))],
        }
        found = _bounded(data, _RECORD, contract.RecordFound)
        return _answer(found, tell_record(render_markdown(record, language), found))

    async def report_outcome(self, asked: contract.OutcomeAsked) -> Answer:
        return await run_sync(self._report_outcome, asked)

    def _report_outcome(self, asked: contract.OutcomeAsked) -> Answer:
        with _records_are_searched_for():
            found = self.knowledge.report_outcome(
                asked.record, asked.workaround, asked.worked, note=asked.note, version=asked.version
            )
        return _answer(found, tell_outcome(found))

    def record_document(self, id: str) -> str:
        """A record as a document."""
        with _records_are_searched_for():
            return render_markdown(Record.read(self.knowledge.get_record(id).record))


@contextlib.contextmanager
def _records_are_searched_for() -> Iterator[None]:
    """Send an agent that names no record to the tool that finds one, and not to the command line."""
    try:
        yield
    except NotFoundError as error:
        said = str(error).removesuffix(" See: traceonce knowledge list")
        raise NotFoundError(f"{said} search_records finds records by words.") from None


def _bounded(data: dict[str, Any], bounds: Bounds, form: type[Shown]) -> Shown:
    return msgspec.convert(cut(msgspec.to_builtins(data), bounds), form)


def _answer(found: msgspec.Struct, text: str) -> Answer:
    return Answer(msgspec.to_builtins(found), text)


def _told(told: Told) -> Answer:
    return Answer(msgspec.json.decode(told.data), told.text)
