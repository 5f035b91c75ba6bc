"""Where recordings and outcomes are kept, as far as the questions know."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from traceonce.knowledge.outcomes import Outcome
from traceonce.serve.digest import DigestedRecording
from traceonce.serve.models import Description, RecordingList, Summary


class Upload(NamedTuple):
    """A recording that was read and understood, ready to be kept. `content` is what it was, packed."""

    content: bytes
    size: int
    sha256: str
    description: Description
    searched: str
    form: str
    kept: DigestedRecording


class Recordings(Protocol):
    """Where recordings are kept. A method that is given an id raises `NotFoundError` where there is none."""

    def check(self) -> None: ...
    def find(self, sha256: str) -> Summary | None: ...
    def add(self, upload: Upload) -> tuple[Summary, bool]: ...
    def page(self, search: str, limit: int, offset: int) -> RecordingList: ...
    def summary(self, id: str) -> Summary: ...
    def content(self, id: str) -> bytes: ...
    def kept(self, id: str, form: str) -> DigestedRecording | None: ...
    def keep(self, id: str, form: str, kept: DigestedRecording) -> None: ...
    def delete(self, id: str) -> None: ...


class Outcomes(Protocol):
    """Where outcomes are kept; the user's own file, `knowledge.outcomes.Outcomes`, is one."""

    def note(
        self, record: str, workaround: int, action: str, *, worked: bool, note: str = "", version: str = ""
    ) -> Outcome: ...
    def all(self, record: str | None = None) -> list[Outcome]: ...
