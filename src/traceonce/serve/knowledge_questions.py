"""The questions about what is known: records, texts that they explain, and what people made of their workarounds.

What is not asynchronous may be called from any thread. What is refused is a `UsageError` whose message says why and
what to do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from traceonce.errors import RecordError, UsageError
from traceonce.knowledge.advice import MetRecord
from traceonce.knowledge.collection import Collection
from traceonce.knowledge.language import in_language
from traceonce.knowledge.match import Index, Match, match
from traceonce.knowledge.outcomes import Outcome
from traceonce.knowledge.record import Record
from traceonce.knowledge.text_explanations import TextExplainer, TextExplanation
from traceonce.serve import text_jobs
from traceonce.serve.computation_budget import MATCH
from traceonce.serve.models import RecordAnswer, RecordList
from traceonce.serve.record_search import RecordSearch
from traceonce.serve.request_errors import NotFoundError, OverBudgetError, TooLargeError
from traceonce.serve.storage import Outcomes
from traceonce.serve.worker_pools import WorkerPools
from traceonce.words.translated import Language

LONGEST_TEXT = 1_000_000  # characters that are matched at once
SHORT = 10_000  # characters: matching such a text takes some milliseconds, and a worker would take longer
Result = TypeVar("Result")


class KnowledgeQuestions:
    """Records and outcomes. Long texts are matched by workers, where there are `pools`, and else at once."""

    def __init__(self, outcomes: Outcomes, collection: Collection, pools: WorkerPools | None = None) -> None:
        self._pools = pools
        self._outcomes = outcomes
        self._collection = collection
        self._index = Index(collection)
        _ = self._index.words  # made now, and not for the first who asks
        self._search = RecordSearch(self._index.records)

    @property
    def known(self) -> int:
        """How many records there are."""
        return len(self._index.records)

    async def explain(self, text: str, language: Language | None = None) -> TextExplanation:
        """What the errors in a text mean, as `traceonce explain` answers."""
        if self._pools is None or len(_checked(text)) <= SHORT:
            return TextExplainer(self._index, language).text(_checked(text))
        return await self._by_worker(text_jobs.explain, text, language)

    async def match(self, text: str) -> list[Match]:
        """The records that explain a text, best first, as `traceonce knowledge match` answers."""
        if self._pools is None or len(_checked(text)) <= SHORT:
            return match(_checked(text), self._index)
        return await self._by_worker(text_jobs.match, text)

    async def _by_worker(self, job: Callable[..., Result], text: str, *arguments: Any) -> Result:
        assert self._pools is not None
        try:
            return await self._pools.texts.run(MATCH, job, self._collection, text, *arguments)
        except OverBudgetError:
            raise OverBudgetError(
                f"text: matching it exceeds the limit of {MATCH.seconds:.0f} s of CPU time; send the part with the "
                "error, or run `traceonce explain FILE` locally."
            ) from None

    def search_records(
        self, query: str = "", domain: str | None = None, limit: int = 50, offset: int = 0, language: Language = "en"
    ) -> RecordList:
        """The records in which all words stand; first those with all of them in their name, or in their title."""
        return self._search.find(query, domain, limit, offset, language)

    def get_record(self, id: str, language: Language = "en") -> RecordAnswer:
        record = self._record(id)
        why = in_language(language, "requested by name", "按名称查询")
        explanation = TextExplainer(self._index, language, everything=True).explain(
            MetRecord(record, [], why), language
        )
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
            raise UsageError("note, version: must not contain NUL characters; remove them.")
        action = found.workarounds[workaround - 1].action
        return self._outcomes.note(found.id, workaround, action, worked=worked, note=note, version=version)

    def _record(self, id: str) -> Record:
        try:
            name = self._collection.complete_id(id)
        except RecordError as error:
            raise NotFoundError(str(error)) from None
        return self._index.by_id.get(name) or self._collection.find(name)


def _checked(text: str) -> str:
    if not text.strip():
        raise UsageError("text: is empty; paste a message, a traceback or a log.")
    if len(text) > LONGEST_TEXT:
        raise TooLargeError(
            f"text: has {len(text):,} characters; the limit is {LONGEST_TEXT:,}. Send the part with the error, or "
            "use `traceonce explain FILE`, which reads files of any size."
        )
    return text
