"""What the tools answer, from a set of questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import msgspec

from traceonce.knowledge.record import Record
from traceonce.knowledge.rendering.documents import render_markdown
from traceonce.report.base import Material
from traceonce.report.text import needing_attention
from traceonce.serve.mcp import contract
from traceonce.serve.mcp.bounds import Bounds, cut
from traceonce.serve.mcp.fixes import describe_fixes
from traceonce.serve.mcp.runs import choose, describe_run
from traceonce.serve.mcp.tool import Answer
from traceonce.serve.mcp.wording import tell_explained, tell_fixes, tell_outcome, tell_record, tell_records, tell_run
from traceonce.serve.models import RecordList
from traceonce.serve.queries import Questions
from traceonce.serve.refusals import NotFoundError

LATEST = "latest"
_LONGER = {"how": 3_000, "root_cause": 3_000, "why": 1_000}
_EXPLAINED = Bounds(
    {"explanations": 5, "do_not": 5, "unknown": 10, "ignorable": 20, "functions": 10}, _LONGER, "explanations"
)
_LINE = {"id", "signature", "category", "tier"}
_RECORDS = Bounds({}, {}, "records")
_RECORD = Bounds({"outcomes": 20}, _LONGER, "outcomes")
Form = TypeVar("Form", bound=msgspec.Struct)


class Run(NamedTuple):
    """A recording and all that was found in it. `name` is what finds it again."""

    name: str
    material: Material


class Desk:
    """Answers what the tools are asked; any thread may ask. `look_up` finds the recording that somebody means."""

    def __init__(self, questions: Questions, look_up: Callable[[str], Run]) -> None:
        self._questions = questions
        self._look_up = look_up
        self.reading = questions.reading

    def explain_error(self, asked: contract.ErrorAsked) -> Answer:
        answered = self._questions.explain(asked.text, asked.language)
        found = _bounded(answered.plain(), _EXPLAINED, contract.ErrorExplained)
        return Answer(found, tell_explained(found))

    def recording_findings(self, asked: contract.FindingsAsked) -> Answer:
        name, material = self._look_up(asked.recording)
        found = describe_run(name, material.recording, material.diagnoses, asked.function)
        return Answer(found, tell_run(found))

    def propose_fix(self, asked: contract.FixAsked) -> Answer:
        name, material = self._look_up(asked.recording)
        chosen, *others = choose(material.diagnoses, asked.function)
        ignorable = not needing_attention(material.recording, [chosen])
        found = describe_fixes(name, material.recording, chosen, ignorable=ignorable, others=len(others))
        return Answer(found, tell_fixes(found))

    def search_records(self, asked: contract.SearchAsked) -> Answer:
        records = self._questions.search_records(asked.query, limit=asked.limit, language=asked.language or "en")
        lines = [line.model_dump(include=_LINE) for line in records.records]
        found = _bounded(
            {"query": asked.query, "total": records.total, "records": lines}, _RECORDS, contract.RecordsFound
        )
        return Answer(found, tell_records(found))

    def get_record(self, asked: contract.RecordAsked) -> Answer:
        language = asked.language or "en"
        answer = self._questions.get_record(asked.id, language)
        record = Record.read(answer.record)
        data = {
            "explanation": answer.explanation.model_dump(),
            "category": record.category,
            "outcomes": [outcome._asdict() for outcome in reversed(self._questions.outcomes(record.id))],
        }
        found = _bounded(data, _RECORD, contract.RecordFound)
        return Answer(found, tell_record(render_markdown(record, language), found))

    def report_outcome(self, asked: contract.OutcomeAsked) -> Answer:
        outcome = self._questions.report_outcome(
            asked.record, asked.workaround, asked.worked, note=asked.note, version=asked.version
        )
        found = contract.OutcomeShown(**outcome._asdict())
        return Answer(found, tell_outcome(found))

    def list_records(self, limit: int, offset: int) -> RecordList:
        return self._questions.search_records(limit=limit, offset=offset)

    def record_document(self, id: str) -> str:
        """A record as a document."""
        return render_markdown(Record.read(self._questions.get_record(id).record))


def look_up_upload(questions: Questions, recording: str) -> Run:
    """An uploaded recording, by its id; or the newest."""
    if recording == LATEST:
        newest = questions.list_recordings(limit=1).recordings
        if not newest:
            raise NotFoundError("There are no recordings here yet; upload one that `traceonce run` made.")
        recording = newest[0].id
    return Run(recording, questions.material(recording))


def _bounded(data: dict[str, Any], bounds: Bounds, form: type[Form]) -> Form:
    return msgspec.convert(cut(msgspec.to_builtins(data), bounds), form)
