"""The questions that can be asked, whoever asks them: REST, MCP and the web pages are thin adapters over these.

What takes a recording is computed by workers, each within its budget, and what they computed is kept: nothing that a
recording holds can stop the server. What is refused is a `UsageError` whose message says why and what to do.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Literal, TypeAlias, TypeVar

from anyio.to_thread import run_sync

from traceonce.errors import RecordingError
from traceonce.knowledge.collection import Collection
from traceonce.report.base import find_form
from traceonce.serve import jobs
from traceonce.serve.computation_budget import LOOK, ComputationBudget, reading_budget
from traceonce.serve.digest import DigestedRecording, form_of_digests
from traceonce.serve.knowledge_questions import LONGEST_TEXT, KnowledgeQuestions
from traceonce.serve.models import Comparison, Description, RecordingList, Summary
from traceonce.serve.request_errors import BrokenJobError, OverBudgetError
from traceonce.serve.shared_cache import Cache
from traceonce.serve.storage import Outcomes, Recordings, Upload
from traceonce.serve.upload_body import Sent
from traceonce.serve.worker_pools import WorkerPool, WorkerPools
from traceonce.words.translated import Language

__all__ = ["LONGEST_TEXT", "Outcomes", "Questions", "Recordings", "ReportForm", "Upload"]

_ANSWERS = 48 << 20  # bytes of answers that are kept, reports packed
_DIGESTS = 16 << 20  # bytes of digests that are kept
_log = logging.getLogger("traceonce.serve")

ReportForm: TypeAlias = Literal["html", "markdown", "json", "sarif", "chrome", "csv", "text"]
Result = TypeVar("Result")


class Questions(KnowledgeQuestions):
    """Recordings, outcomes and knowledge, together. Questions about recordings are asked in one event loop."""

    def __init__(self, recordings: Recordings, outcomes: Outcomes, collection: Collection, pools: WorkerPools) -> None:
        super().__init__(outcomes, collection, pools)
        self._recordings = recordings
        self._pools: WorkerPools = pools
        self._uploads: Cache[jobs.Understood] = Cache(0, lambda _: 1)  # the same bytes at once are read once
        self._digests: Cache[DigestedRecording] = Cache(_DIGESTS, lambda kept: len(kept.digest) + len(kept.causes))
        self._answers: Cache[bytes] = Cache(_ANSWERS, len)

    async def add_recording(self, sent: Sent, name: str = "") -> tuple[Summary, bool]:
        """Keep a recording, and say whether it is new: the same bytes again are the one that is there."""
        if (known := await run_sync(self._recordings.find, sent.sha256)) is not None:
            return known, False
        found = await self._uploads.get(sent.sha256, lambda: self._understand(sent, name))
        upload = Upload(
            content=found.content,
            size=sent.size,
            sha256=sent.sha256,
            description=Description.model_validate_json(found.description),
            searched=found.searched,
            form=form_of_digests(),
            kept=found.kept,
        )
        summary, is_new = await run_sync(self._recordings.add, upload)

        async def make() -> DigestedRecording:
            return found.kept

        await self._digests.get(summary.id, make)
        return summary, is_new

    def check(self) -> None:
        """Raise an error of SQLAlchemy where the database cannot be used."""
        self._recordings.check()

    def list_recordings(self, search: str = "", limit: int = 50, offset: int = 0) -> RecordingList:
        return self._recordings.page(search, limit, offset)

    def summary(self, id: str) -> Summary:
        return self._recordings.summary(id)

    def content(self, id: str) -> bytes:
        """The recording itself, packed with gzip."""
        return self._recordings.content(id)

    async def details(self, id: str) -> bytes:
        """A `models.RecordingDetails`, as JSON."""
        return await self._look(id, "details", lambda kept, summary: (jobs.details, kept.digest, _json(summary)))

    async def findings(self, id: str) -> bytes:
        """A `models.Findings`, as JSON: the JSON report, without its events."""
        return await self._look(id, "findings", lambda kept, _: (jobs.findings, kept.digest))

    async def fixes(self, id: str, function: str | None = None) -> bytes:
        """A `models.Fixes`, as JSON: what was proved, or is proposed, for one function or for all that have any."""
        return await self._look(id, f"fixes {function or ''}", lambda kept, _: (jobs.fixes, kept.digest, function))

    async def tell_findings(self, id: str, function: str | None) -> jobs.Told:
        """What an agent is told of a run."""
        summary = await run_sync(self._recordings.summary, id)
        kept = await self._kept(summary)
        return await run_job(self._pools.look(0), LOOK, summary.name, jobs.tell_findings, kept.digest, id, function)

    async def tell_proposals(self, id: str, function: str) -> jobs.Told:
        """What an agent is told of the fixes for one function."""
        summary = await run_sync(self._recordings.summary, id)
        kept = await self._kept(summary)
        return await run_job(self._pools.look(0), LOOK, summary.name, jobs.tell_proposals, kept.digest, id, function)

    async def report(self, id: str, form: ReportForm, language: Language = "en") -> bytes:
        """A report in UTF-8, packed with gzip."""
        summary = await run_sync(self._recordings.summary, id)  # it may have been deleted, also by another server
        spoken: Language = language if find_form(form).in_chinese else "en"

        async def make() -> bytes:
            kept = await self._kept(summary)
            if not jobs.needs_events(form):
                pool, budget, content = self._pools.look(0), LOOK, b""
            else:
                pool, budget = self._pools.look(summary.size), self._reading(summary.size)
                content = await run_sync(self._recordings.content, id)
            arguments = (kept.digest, kept.causes, content, form, spoken)
            return await run_job(pool, budget, summary.name, jobs.report, *arguments)

        return await self._answers.get((id, "report", form, spoken), make)

    async def compare(self, before: str, after: str) -> Comparison:
        both = [await run_sync(self._recordings.summary, run) for run in (before, after)]

        async def make() -> bytes:
            arguments = [part for run in both for part in ((await self._kept(run)).digest, _json(run))]
            return await run_job(self._pools.look(0), LOOK, "these two", jobs.compare, *arguments)

        return Comparison.model_validate_json(await self._answers.get((before, after), make))

    async def delete(self, id: str) -> None:
        await run_sync(self._recordings.delete, id)
        self._digests.forget(lambda key: key == id)
        self._answers.forget(lambda key: isinstance(key, tuple) and id in key)

    # What the questions share

    async def _look(self, id: str, kind: str, order: Callable[[DigestedRecording, Summary], tuple[Any, ...]]) -> bytes:
        """An answer from what was found in a recording before."""
        summary = await run_sync(self._recordings.summary, id)  # as in `report`

        async def make() -> bytes:
            job, *arguments = order(await self._kept(summary), summary)
            found: bytes = await run_job(self._pools.look(0), LOOK, summary.name, job, *arguments)
            return found

        return await self._answers.get((id, kind), make)

    async def _understand(self, sent: Sent, name: str) -> jobs.Understood:
        pool, budget = self._pools.read(sent.size), self._reading(sent.size)
        return await run_job(pool, budget, name, jobs.understand, str(sent.path), name)

    async def _kept(self, summary: Summary) -> DigestedRecording:
        """What was found in a recording; what another version of this code found is found again."""
        form = form_of_digests()

        async def make() -> DigestedRecording:
            kept = await run_sync(self._recordings.kept, summary.id, form)
            if kept is None:
                content = await run_sync(self._recordings.content, summary.id)
                pool, budget = self._pools.look(summary.size), self._reading(summary.size)
                kept = await run_job(pool, budget, summary.name, jobs.understand_again, content, summary.name)
                await run_sync(self._recordings.keep, summary.id, form, kept)
            return kept

        return await self._digests.get(summary.id, make)

    def _reading(self, size: int) -> ComputationBudget:
        return reading_budget(size, self._pools.most_seconds)


async def run_job(
    pool: WorkerPool, budget: ComputationBudget, name: str, job: Callable[..., Result], *arguments: Any
) -> Result:
    """What a job says of the recording that somebody calls `name`."""
    called = name or "recording"
    try:
        return await pool.run(budget, job, *arguments)
    except OverBudgetError as error:
        raise OverBudgetError(f"{called}: {error}") from None
    except BrokenJobError as error:  # each line of it is valid, but together they are what no run writes
        _log.error("a recording cannot be understood\n%s", error.trace)
        raise RecordingError(f"{called}: does not fit together ({str(error)[:200]}); record the run again.") from None


def _json(summary: Summary) -> bytes:
    return summary.model_dump_json().encode()
