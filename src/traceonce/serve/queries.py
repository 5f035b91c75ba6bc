"""The questions that can be asked, whoever asks them: REST, MCP and the web pages are thin adapters over these.

Every method may be called from any thread. What is refused is a `UsageError` whose message says why and what to do.
"""

from __future__ import annotations

import hashlib
import logging
from typing import Literal, NamedTuple, TypeAlias

import anyio
import msgspec

from traceonce.errors import RecordError, RecordingError, UsageError
from traceonce.facts import Diagnosis, Recording
from traceonce.findings import find_out
from traceonce.knowledge.answering import Answered, Answering
from traceonce.knowledge.collection import Collection
from traceonce.knowledge.explaining import Met
from traceonce.knowledge.language import Language, in_language
from traceonce.knowledge.matching import Index, Match, match
from traceonce.knowledge.outcomes import Outcome
from traceonce.knowledge.record import Record
from traceonce.report.base import Material, find_form, find_renderer
from traceonce.serve.cache import Cache
from traceonce.serve.comparing import Run, compare
from traceonce.serve.describing import describe_function, describe_recording, searched_words
from traceonce.serve.keeping import Outcomes, Recordings, Upload
from traceonce.serve.limits import check_size
from traceonce.serve.models import (
    Comparison,
    Findings,
    Fixes,
    FunctionFixes,
    RecordAnswer,
    RecordingDetails,
    RecordingList,
    RecordList,
    Summary,
)
from traceonce.serve.refusals import NotFoundError, TooLargeError
from traceonce.serve.searching import RecordSearch

__all__ = ["LONGEST_TEXT", "Outcomes", "Questions", "Recordings", "ReportForm", "Upload", "understand"]

LONGEST_TEXT = 1_000_000  # characters that are matched at once
_REPORTS = 64 << 20  # bytes of reports that are kept
_UNDERSTOOD = 32 << 20  # bytes of recordings of which is kept what was found in them, which is ten times as much
_READ_AT_ONCE = 2  # recordings; reading them is all Python, so that more at once would only take longer
_LEFT_OUT = ("events", "excerpts")  # of the JSON report, in findings

_log = logging.getLogger("traceonce.serve")

ReportForm: TypeAlias = Literal["html", "markdown", "json", "sarif", "chrome", "csv", "text"]


class _Understood(NamedTuple):
    """A recording with all that was found in it, and how many bytes it has."""

    material: Material
    size: int


class Questions:
    """Recordings, outcomes and knowledge, together.

    Whoever answers many should ask for what takes a whole recording in threads of `reading`: the others then wait for
    none of them.
    """

    def __init__(self, recordings: Recordings, outcomes: Outcomes, collection: Collection) -> None:
        self._recordings = recordings
        self._outcomes = outcomes
        self._collection = collection
        self._index = Index(collection)
        _ = self._index.words  # made now, and not for the first who asks
        self._search = RecordSearch(self._index.records)
        self._understood: Cache[_Understood] = Cache(_UNDERSTOOD, lambda understood: understood.size)
        self._reports: Cache[bytes] = Cache(_REPORTS, len)
        self.reading = anyio.CapacityLimiter(_READ_AT_ONCE)

    # Recordings

    def add_recording(self, data: bytes, name: str = "") -> tuple[Summary, bool]:
        """Keep a recording, and say whether it is new: the same bytes again are the one that is there."""
        sha256 = hashlib.sha256(data).hexdigest()
        if (known := self._recordings.find(sha256)) is not None:
            return known, False
        material = understand(data, name)
        description = describe_recording(material.recording, material.diagnoses, name)
        searched = searched_words(description, material.diagnoses)
        summary, is_new = self._recordings.add(Upload(data, sha256, description, searched))
        self._understood.get(summary.id, lambda: _Understood(material, len(data)))
        return summary, is_new

    def list_recordings(self, search: str = "", limit: int = 50, offset: int = 0) -> RecordingList:
        return self._recordings.page(search, limit, offset)

    def summary(self, id: str) -> Summary:
        return self._recordings.summary(id)

    def details(self, id: str) -> RecordingDetails:
        functions = [describe_function(diagnosis) for diagnosis in self.material(id).diagnoses]
        return RecordingDetails(**self._recordings.summary(id).model_dump(), by_function=functions)

    def raw(self, id: str) -> bytes:
        return self._recordings.raw(id)

    def findings(self, id: str) -> Findings:
        """The JSON report, without its events."""
        material = self.material(id)
        without_events = msgspec.structs.replace(material.recording, events=(), excerpts=())
        document = msgspec.json.decode(find_renderer("json")(material._replace(recording=without_events)))
        return Findings.model_validate({key: value for key, value in document.items() if key not in _LEFT_OUT})

    def report(self, id: str, form: ReportForm, language: Language = "en") -> bytes:
        """A report in UTF-8."""
        self._recordings.summary(id)  # as in `material`
        spoken: Language = language if find_form(form).in_chinese else "en"
        return self._reports.get((id, form, spoken), lambda: self._render(id, form, spoken))

    def fixes(self, id: str, function: str | None = None) -> Fixes:
        """What was proved, or is proposed, for one function or for all that have something."""
        diagnoses = self.material(id).diagnoses
        if function is not None:
            named = [diagnosis for diagnosis in diagnoses if diagnosis.function.is_called(function)]
            if not named:
                there = ", ".join(dict.fromkeys(diagnosis.function.name[:80] for diagnosis in diagnoses[:5]))
                raise NotFoundError(f"no function {function[:80]!r} was traced in this run; it has: {there or 'none'}.")
        else:
            named = [diagnosis for diagnosis in diagnoses if diagnosis.fixes]
        return Fixes(functions=[_fixes_of(diagnosis) for diagnosis in named])

    def delete(self, id: str) -> None:
        self._recordings.delete(id)
        self._understood.forget(lambda key: key == id)
        self._reports.forget(lambda key: isinstance(key, tuple) and key[0] == id)

    def material(self, id: str) -> Material:
        """A recording, and all that any report shows of it."""
        self._recordings.summary(id)  # it may have been deleted, also by another server
        return self._understood.get(id, lambda: self._understand(id)).material

    def compare(self, before: str, after: str) -> Comparison:
        return compare(self._run(before), self._run(after))

    # Knowledge

    @property
    def known(self) -> int:
        """How many records there are."""
        return len(self._index.records)

    def explain(self, text: str, language: Language | None = None) -> Answered:
        """What the errors in a text mean, as `traceonce explain` answers."""
        return Answering(self._index, language).text(_checked(text))

    def match(self, text: str) -> list[Match]:
        """The records that explain a text, best first, as `traceonce knowledge match` answers."""
        return match(_checked(text), self._index)

    def search_records(
        self, query: str = "", domain: str | None = None, limit: int = 50, offset: int = 0, language: Language = "en"
    ) -> RecordList:
        """The records in which all words stand; first those with all of them in their name, or in their title."""
        return self._search.find(query, domain, limit, offset, language)

    def get_record(self, id: str, language: Language = "en") -> RecordAnswer:
        record = self._record(id)
        why = in_language(language, "it was asked for", "按名称查询")
        explanation = Answering(self._index, language, everything=True).explain(Met(record, [], why), language)
        return RecordAnswer.model_validate({"explanation": msgspec.to_builtins(explanation), "record": record.plain()})

    def outcomes(self, record: str | None = None) -> list[Outcome]:
        """What people made of workarounds, of one record or of all."""
        return self._outcomes.all(self._record(record).id if record is not None else None)

    def report_outcome(self, record: str, workaround: int, worked: bool, note: str = "", version: str = "") -> Outcome:
        """Note whether a workaround, counted from 1, worked."""
        found = self._record(record)
        count = len(found.workarounds)
        if not 1 <= workaround <= count:
            numbers = f"they are numbered 1 to {count}" if count else "it has none"
            raise UsageError(f"workaround: {found.id} has no workaround {workaround}; {numbers}.")
        if "\0" in note + version:
            raise UsageError("note, version: must not have NUL characters in them; leave them out.")
        action = found.workarounds[workaround - 1].action
        return self._outcomes.note(found.id, workaround, action, worked=worked, note=note, version=version)

    # What the questions share

    def _understand(self, id: str) -> _Understood:
        data = self._recordings.raw(id)
        return _Understood(understand(data, self._recordings.summary(id).name), len(data))

    def _render(self, id: str, form: ReportForm, language: Language) -> bytes:
        return find_renderer(form)(self.material(id)._replace(language=language)).encode(errors="replace")

    def _run(self, id: str) -> Run:
        return Run(self._recordings.summary(id), self.material(id))

    def _record(self, id: str) -> Record:
        try:
            name = self._collection.complete_id(id)
        except RecordError as error:
            raise NotFoundError(str(error)) from None
        return self._index.by_id.get(name) or self._collection.find(name)


def understand(data: bytes, name: str = "") -> Material:
    """Read a recording, and find out all that any report shows of it."""
    called = name or "recording"
    try:
        recording = Recording.from_bytes(data, called)
        check_size(recording, called)
        msgspec.msgpack.encode(recording)  # the quickest way to see that all whole numbers have 64 bits at most
        return find_out(recording, "html")
    except UsageError:
        raise
    except OverflowError:
        raise RecordingError(f"{called}: has a number in it that is out of range; record the run again.") from None
    except Exception as error:  # each line of it is valid, but together they are what no run writes
        _log.exception("a recording cannot be understood")
        raise RecordingError(
            f"{called}: does not fit together ({type(error).__name__}: {str(error)[:200]}); record the run again."
        ) from None


def _checked(text: str) -> str:
    if not text.strip():
        raise UsageError("text: is empty; paste a message, a traceback or a log.")
    if len(text) > LONGEST_TEXT:
        raise TooLargeError(
            f"text: has {len(text):,} characters, and {LONGEST_TEXT:,} are the most; send the part with the error, "
            "or use `traceonce explain FILE`, which reads files of any size."
        )
    return text


def _fixes_of(diagnosis: Diagnosis) -> FunctionFixes:
    return FunctionFixes(
        function=diagnosis.function.name,
        file=diagnosis.function.file,
        line=diagnosis.function.line,
        verdict=diagnosis.verdict.value,
        fixes=[msgspec.to_builtins(fix) for fix in diagnosis.fixes],
    )
