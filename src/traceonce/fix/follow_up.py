"""What extends a repair under which a trace has failed; how is the framework's own business."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

from traceonce.facts import Note, TraceEvent
from traceonce.fix.candidate import Candidate
from traceonce.fix.case import Case


class FailedRun(NamedTuple):
    """A run in which a trace has failed: its events, what it wrote to stderr, and the project's files as they were."""

    events: Sequence[TraceEvent]
    status: int | None
    errors: str
    cwd: str
    files: Mapping[str, bytes]


def failures(events: Sequence[TraceEvent]) -> list[TraceEvent]:
    return [event for event in events if event.phase == "failed"]


class FollowUp(NamedTuple):
    """The extended repair, and how far it goes: for the next one, should this fail, too."""

    candidate: Candidate
    reach: Any


class FollowUps(Protocol):
    """What is learned, while one function is repaired, from the runs in which its traces fail."""

    def after(self, candidate: Candidate, failed: FailedRun, reach: Any = None) -> FollowUp | None:
        """What to try after the candidate, or its follow-up of that reach, has failed."""

    def doubts(self, candidate: Candidate, offered: Sequence[Candidate], files: Mapping[str, bytes]) -> Iterator[Note]:
        """Reasons to look at a proved repair that no run shows; `offered` is all that could be tried."""


# For a case, with what says whether a candidate can be written and was not tried.
MakeFollowUps: TypeAlias = Callable[[Case, Callable[[Candidate], bool]], FollowUps]
