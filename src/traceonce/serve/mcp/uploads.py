"""The recordings of the server, as agents ask about them."""

from __future__ import annotations

from anyio.to_thread import run_sync

from traceonce.serve.jobs import Told
from traceonce.serve.mcp.contract import RecordingLine, RecordingsFound
from traceonce.serve.mcp.desk import LATEST
from traceonce.serve.models import Summary
from traceonce.serve.queries import Questions
from traceonce.serve.request_errors import NotFoundError


class Uploads:
    """Each is named by its id; or the newest, by `latest`."""

    def __init__(self, questions: Questions) -> None:
        self._questions = questions

    async def list(self, search: str, limit: int) -> RecordingsFound:
        page = await run_sync(self._questions.list_recordings, search, limit)
        return RecordingsFound(
            total=page.total, recordings=[_line(summary) for summary in page.recordings], left_out=[]
        )

    async def findings(self, recording: str, function: str | None) -> Told:
        return await self._questions.tell_findings(await self._id(recording), function)

    async def proposals(self, recording: str, function: str) -> Told:
        return await self._questions.tell_proposals(await self._id(recording), function)

    async def _id(self, recording: str) -> str:
        if recording == LATEST:
            newest = (await run_sync(self._questions.list_recordings, "", 1)).recordings
            if not newest:
                raise NotFoundError("No recordings yet; upload one made by `traceonce run`.")
            return newest[0].id
        try:
            return (await run_sync(self._questions.summary, recording)).id
        except NotFoundError:
            raise NotFoundError(f"There is no recording {recording[:40]!r}; list_recordings lists them.") from None


def _line(summary: Summary) -> RecordingLine:
    return RecordingLine(
        recording=summary.id,
        name=summary.name,
        written=summary.uploaded,
        size=summary.size,
        command=summary.command,
        traces=summary.traces,
        lost_seconds=round(summary.lost_seconds, 4),
        worst=f"{summary.worst.name} ({summary.worst.verdict})" if summary.worst else None,
    )
